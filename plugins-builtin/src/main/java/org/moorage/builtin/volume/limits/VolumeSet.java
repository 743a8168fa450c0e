// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.volume.limits;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** Volumes of storage drivers. One that is used several times is in it once. */
final class VolumeSet {
    private final Map<String, Set<String>> handlesByDriver = new HashMap<>();

    void add(DriverVolume volume) {
        handlesByDriver.computeIfAbsent(volume.driver(), any -> new HashSet<>()).add(volume.handle());
    }

    boolean isEmpty() {
        return handlesByDriver.isEmpty();
    }

    /** The drivers that have volumes in it. */
    Set<String> drivers() {
        return handlesByDriver.keySet();
    }

    /** What a driver calls its volumes in it. */
    Set<String> of(String driver) {
        return handlesByDriver.getOrDefault(driver, Set.of());
    }
}
