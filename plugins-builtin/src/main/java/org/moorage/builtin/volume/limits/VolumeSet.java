// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.volume.limits;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** A set of CSI volumes, by driver. */
final class VolumeSet {
    private final Map<String, Set<String>> handlesByDriver = new HashMap<>();

    void add(CsiVolume volume) {
        handlesByDriver.computeIfAbsent(volume.driver(), key -> new HashSet<>()).add(volume.handle());
    }

    boolean isEmpty() {
        return handlesByDriver.isEmpty();
    }

    /** Returns the drivers of the volumes. */
    Set<String> drivers() {
        return handlesByDriver.keySet();
    }

    /** Returns the handles of the volumes of a driver. */
    Set<String> of(String driver) {
        return handlesByDriver.getOrDefault(driver, Set.of());
    }
}
