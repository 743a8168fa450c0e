// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.moorage.api.model.Device;
import org.moorage.api.model.DeviceTaintRule;
import org.moorage.api.model.ResourceSlice;

/** All slices of the cluster, by where they can be used. */
final class Catalog {
    static final Catalog EMPTY = new Catalog(Set.of());

    private final Map<ResourceSlice, OfferedSlice> slices = new IdentityHashMap<>();
    private final Map<String, List<OfferedSlice>> byNode = new HashMap<>();
    private final List<OfferedSlice> shared = new ArrayList<>();
    private final Map<PoolId, List<OfferedSlice>> byPool = new HashMap<>();
    private final Set<DeviceTaintRule> rules;

    private Catalog(Set<DeviceTaintRule> rules) {
        this.rules = rules;
    }

    /**
     * The catalog of these slices, with what was found out about those that were there before.
     *
     * @param all the slices
     * @param currentRules what taints their devices besides
     */
    Catalog with(Collection<ResourceSlice> all, Collection<DeviceTaintRule> currentRules) {
        boolean sameRules = rules.size() == currentRules.size() && rules.containsAll(currentRules);
        if (sameRules && isOf(all)) {
            return this;
        }
        Catalog next = new Catalog(Set.copyOf(currentRules));
        for (ResourceSlice slice : all) {
            OfferedSlice known = sameRules ? slices.get(slice) : null;
            next.add(slice, known == null ? OfferedSlice.of(DeviceTaintRule.applied(currentRules, slice)) : known);
        }
        return next;
    }

    private boolean isOf(Collection<ResourceSlice> all) {
        int count = 0;
        for (ResourceSlice slice : all) {
            if (!slices.containsKey(slice)) {
                return false;
            }
            count++;
        }
        return count == slices.size();
    }

    private void add(ResourceSlice slice, OfferedSlice offered) {
        slices.put(slice, offered);
        if (slice.reach().nodeName().isEmpty() || slice.hasCounters()) {
            shared.add(offered);
        } else {
            byNode.computeIfAbsent(slice.reach().nodeName(), any -> new ArrayList<>())
                    .add(offered);
        }
        byPool.computeIfAbsent(PoolId.of(slice), any -> new ArrayList<>()).add(offered);
    }

    /** The slices that can only be used from a node. */
    List<OfferedSlice> onlyFrom(String nodeName) {
        return byNode.getOrDefault(nodeName, List.of());
    }

    /** The other slices. */
    List<OfferedSlice> shared() {
        return shared;
    }

    /** A device, of the newest slice that has it; empty if none does. */
    Optional<Device> device(DeviceId id) {
        Optional<Device> found = Optional.empty();
        long newest = Long.MIN_VALUE;
        for (OfferedSlice offered : of(new PoolId(id.driver(), id.pool()))) {
            long generation = offered.slice().pool().generation();
            for (OfferedDevice device : offered.devices()) {
                if (generation > newest && device.id().equals(id)) {
                    newest = generation;
                    found = Optional.of(device.device());
                }
            }
        }
        return found;
    }

    /** The slices of a pool, of all generations. */
    List<OfferedSlice> of(PoolId pool) {
        return byPool.getOrDefault(pool, List.of());
    }
}
