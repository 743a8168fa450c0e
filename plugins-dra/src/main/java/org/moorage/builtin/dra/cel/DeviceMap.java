// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra.cel;

import java.util.AbstractMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A read-only map of the fields, attributes or capacities of a device, by name. */
public final class DeviceMap extends AbstractMap<String, Object> {
    static final DeviceMap EMPTY = new DeviceMap(Map.of(), null);

    private final Map<String, ?> known;
    private final @Nullable Object otherwise;

    private DeviceMap(Map<String, ?> known, @Nullable Object otherwise) {
        this.known = known;
        this.otherwise = otherwise;
    }

    /** Returns the map of the attributes or capacities of one domain, or of a whole device. */
    public static DeviceMap of(Map<String, ?> known) {
        return new DeviceMap(known, null);
    }

    /** Returns a map by domain, in which an unknown domain is empty rather than missing. */
    public static DeviceMap byDomain(Map<String, DeviceMap> domains) {
        return new DeviceMap(domains, EMPTY);
    }

    @Override
    public @Nullable Object get(@Nullable Object name) {
        Object value = known.get(name);
        return value == null ? otherwise : value;
    }

    /** Returns whether the map has an entry of that name, apart from the default for unknown names. */
    boolean isKnown(Object name) {
        return known.containsKey(name);
    }

    @Override
    public boolean containsKey(@Nullable Object name) {
        return otherwise != null || known.containsKey(name);
    }

    @Override
    @SuppressWarnings("unchecked") // The map is read-only.
    public Set<Entry<String, Object>> entrySet() {
        return (Set<Entry<String, Object>>) (Set<?>) known.entrySet();
    }
}
