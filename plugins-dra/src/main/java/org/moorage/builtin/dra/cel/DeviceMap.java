// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra.cel;

import java.util.AbstractMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What is known of a device by name. */
public final class DeviceMap extends AbstractMap<String, Object> {
    static final DeviceMap EMPTY = new DeviceMap(Map.of(), null);

    private final Map<String, ?> known;
    private final @Nullable Object otherwise;

    private DeviceMap(Map<String, ?> known, @Nullable Object otherwise) {
        this.known = known;
        this.otherwise = otherwise;
    }

    /** Attributes or capacities of one domain, or a whole device. */
    public static DeviceMap of(Map<String, ?> known) {
        return new DeviceMap(known, null);
    }

    /** What is known by domain; looked up, a domain that is not known is empty rather than missing. */
    public static DeviceMap byDomain(Map<String, DeviceMap> domains) {
        return new DeviceMap(domains, EMPTY);
    }

    @Override
    public @Nullable Object get(@Nullable Object name) {
        Object value = known.get(name);
        return value == null ? otherwise : value;
    }

    /** Whether there is something of that name, other than what is taken for everything that is not known. */
    boolean isKnown(Object name) {
        return known.containsKey(name);
    }

    @Override
    public boolean containsKey(@Nullable Object name) {
        return otherwise != null || known.containsKey(name);
    }

    @Override
    @SuppressWarnings("unchecked") // Nobody can put anything in.
    public Set<Entry<String, Object>> entrySet() {
        return (Set<Entry<String, Object>>) (Set<?>) known.entrySet();
    }
}
