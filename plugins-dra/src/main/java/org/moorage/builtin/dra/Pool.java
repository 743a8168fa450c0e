// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.moorage.api.model.CounterSet;
import org.moorage.api.model.Node;

/**
 * A pool of devices as a node sees it.
 *
 * @param id its name
 * @param condition whether devices can be given out of it
 * @param slices its slices that the node can use devices of, in order
 * @param elsewhere its other slices with devices, which matter for what devices share
 * @param counterSets what its devices share, by name
 */
record Pool(
        PoolId id,
        Condition condition,
        List<OfferedSlice> slices,
        List<OfferedSlice> elsewhere,
        Map<String, CounterSet> counterSets) {
    /** Whether devices can be given out of a pool. */
    enum Condition {
        GOOD,
        /** The driver has not written all of its slices yet. */
        INCOMPLETE,
        /** Its slices contradict each other. */
        INVALID
    }

    private static final Comparator<OfferedSlice> BY_NAME =
            Comparator.comparing(offered -> offered.slice().name());

    private static Pool without(PoolId id, Condition condition) {
        return new Pool(id, condition, List.of(), List.of(), Map.of());
    }

    /**
     * The pools that a node can use, in the order in which devices are tried: by name, those last whose devices have to be
     * made ready before a pod can use them.
     */
    static List<Pool> of(Node node, Catalog catalog, DeviceFeatures features) {
        Map<PoolId, List<OfferedSlice>> newest = new HashMap<>();
        add(newest, catalog.onlyFrom(node.name()), node, features);
        add(newest, catalog.shared(), node, features);
        List<Pool> pools = new ArrayList<>(newest.size());
        List<Pool> last = new ArrayList<>();
        newest.forEach((id, slices) -> of(id, slices, catalog, features)
                .ifPresent(pool -> (pool.hasBindingConditions() ? last : pools).add(pool)));
        pools.sort(Comparator.comparing(Pool::id));
        last.sort(Comparator.comparing(Pool::id));
        pools.addAll(last);
        return pools;
    }

    private static void add(
            Map<PoolId, List<OfferedSlice>> newest, List<OfferedSlice> slices, Node node, DeviceFeatures features) {
        for (OfferedSlice offered : slices) {
            if (!features.parts() && offered.isForParts() || !offered.concerns(node)) {
                continue;
            }
            List<OfferedSlice> known = newest.computeIfAbsent(PoolId.of(offered.slice()), any -> new ArrayList<>());
            if (!known.isEmpty() && generation(offered) != generation(known.get(0))) {
                if (generation(offered) < generation(known.get(0))) {
                    continue;
                }
                known.clear();
            }
            known.add(offered);
        }
    }

    private static long generation(OfferedSlice offered) {
        return offered.slice().pool().generation();
    }

    // Empty if the pool is being described anew, and nothing of that concerns the node.
    private static Optional<Pool> of(PoolId id, List<OfferedSlice> slices, Catalog catalog, DeviceFeatures features) {
        long expected = slices.get(0).slice().pool().sliceCount();
        if (slices.size() == expected) {
            return Optional.of(build(id, slices, slices, features));
        }
        List<OfferedSlice> all = new ArrayList<>();
        for (OfferedSlice offered : catalog.of(id)) {
            if (generation(offered) > generation(slices.get(0))) {
                return Optional.empty();
            }
            if (generation(offered) == generation(slices.get(0))) {
                all.add(offered);
            }
        }
        return Optional.of(
                all.size() == expected ? build(id, slices, all, features) : without(id, Condition.INCOMPLETE));
    }

    private static Pool build(PoolId id, List<OfferedSlice> slices, List<OfferedSlice> all, DeviceFeatures features) {
        List<OfferedSlice> sorted = new ArrayList<>(slices);
        sorted.sort(BY_NAME);
        List<OfferedSlice> withDevices = new ArrayList<>(sorted.size());
        Map<String, CounterSet> counterSets = new HashMap<>();
        Set<String> names = new HashSet<>();
        boolean valid = true;
        for (OfferedSlice offered : sorted) {
            if (offered.slice().hasCounters()) {
                for (CounterSet set : offered.slice().sharedCounters()) {
                    valid &= counterSets.put(set.name(), set) == null;
                }
            } else {
                withDevices.add(offered);
                for (OfferedDevice device : offered.devices()) {
                    valid &= names.add(device.device().name());
                }
            }
        }
        List<OfferedSlice> elsewhere = new ArrayList<>(all);
        elsewhere.removeAll(slices);
        if (features.parts()) {
            valid &= countersExist(sorted, counterSets) && countersExist(elsewhere, counterSets);
        }
        return valid
                ? new Pool(id, Condition.GOOD, withDevices, elsewhere, counterSets)
                : without(id, Condition.INVALID);
    }

    private static boolean countersExist(List<OfferedSlice> slices, Map<String, CounterSet> counterSets) {
        for (OfferedSlice offered : slices) {
            for (OfferedDevice device : offered.devices()) {
                for (CounterSet consumed : device.device().consumesCounters()) {
                    CounterSet set = counterSets.get(consumed.name());
                    if (set == null
                            || !set.counters()
                                    .keySet()
                                    .containsAll(consumed.counters().keySet())) {
                        return false;
                    }
                }
            }
        }
        return true;
    }

    private boolean hasBindingConditions() {
        for (OfferedSlice offered : slices) {
            for (OfferedDevice device : offered.devices()) {
                if (!device.device().bindingConditions().isEmpty()) {
                    return true;
                }
            }
        }
        return false;
    }
}
