// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.moorage.api.model.CounterSet;
import org.moorage.api.model.Device;
import org.moorage.api.model.Node;

/**
 * A pool of devices, for one node.
 *
 * @param id the driver and name of the pool
 * @param condition whether its devices can be allocated
 * @param slicesTargetingNode its slices with devices that the node can use, by name
 * @param slicesNotTargetingNode its other slices, whose allocated devices consume shared counters, too
 * @param counterSets its shared counters, by the name of the set
 */
record Pool(
        PoolId id,
        Condition condition,
        List<SliceWithDevices> slicesTargetingNode,
        List<SliceWithDevices> slicesNotTargetingNode,
        Map<String, CounterSet> counterSets) {
    /** Whether the devices of a pool can be allocated. */
    enum Condition {
        VALID,
        /** Slices of its latest generation are missing: the driver is updating it. */
        INCOMPLETE,
        /** A device or counter set is there twice, or a device consumes counters that are not there. */
        INVALID
    }

    private static final Comparator<SliceWithDevices> BY_NAME =
            Comparator.comparing(slice -> slice.slice().name());

    private static Pool without(PoolId id, Condition condition) {
        return new Pool(id, condition, List.of(), List.of(), Map.of());
    }

    /**
     * Returns the pools that a node can use, in the order in which devices are tried: by id, those with binding
     * conditions last.
     */
    static List<Pool> gather(Node node, ResourceSliceIndex index, DeviceFeatures features) {
        Map<PoolId, List<SliceWithDevices>> latest = new HashMap<>();
        add(latest, index.ofNode(node.name()), node, features);
        add(latest, index.notOfOneNode(), node, features);
        List<Pool> pools = new ArrayList<>(latest.size());
        List<Pool> withBindingConditions = new ArrayList<>();
        latest.forEach((id, slices) -> of(id, slices, index, features)
                .ifPresent(pool -> (pool.hasBindingConditions() ? withBindingConditions : pools).add(pool)));
        pools.sort(Comparator.comparing(Pool::id));
        withBindingConditions.sort(Comparator.comparing(Pool::id));
        pools.addAll(withBindingConditions);
        return List.copyOf(pools);
    }

    private static void add(
            Map<PoolId, List<SliceWithDevices>> latest,
            List<SliceWithDevices> slices,
            Node node,
            DeviceFeatures features) {
        for (SliceWithDevices slice : slices) {
            if (!features.partitionableDevices() && slice.usesPartitionableDevices()
                    || !slice.isUnderstood(features)
                    || !slice.targets(node, features)) {
                continue;
            }
            List<SliceWithDevices> known = latest.computeIfAbsent(PoolId.of(slice.slice()), any -> new ArrayList<>());
            if (!known.isEmpty() && slice.generation() != known.get(0).generation()) {
                if (slice.generation() < known.get(0).generation()) {
                    continue;
                }
                known.clear();
            }
            known.add(slice);
        }
    }

    // Empty if the pool has a later generation, of which no slice targets the node.
    private static Optional<Pool> of(
            PoolId id, List<SliceWithDevices> slices, ResourceSliceIndex index, DeviceFeatures features) {
        long expected = slices.get(0).slice().pool().sliceCount();
        if (slices.size() == expected) {
            return Optional.of(build(id, slices, slices, features));
        }
        long generation = slices.get(0).generation();
        List<SliceWithDevices> all = new ArrayList<>();
        for (SliceWithDevices slice : index.ofPool(id)) {
            if (slice.generation() > generation) {
                return Optional.empty();
            }
            if (slice.generation() == generation && slice.isUnderstood(features)) {
                all.add(slice);
            }
        }
        return Optional.of(
                all.size() == expected ? build(id, slices, all, features) : without(id, Condition.INCOMPLETE));
    }

    private static Pool build(
            PoolId id, List<SliceWithDevices> slices, List<SliceWithDevices> all, DeviceFeatures features) {
        List<SliceWithDevices> withDevices = new ArrayList<>(slices.size());
        List<SliceWithDevices> others = new ArrayList<>(all.size() - slices.size());
        Map<String, CounterSet> counterSets = new HashMap<>();
        Set<SliceWithDevices> targeting = Collections.newSetFromMap(new IdentityHashMap<>());
        targeting.addAll(slices);
        boolean isValid = true;
        for (SliceWithDevices slice : all) {
            if (slice.slice().hasCounters() && features.partitionableDevices()) {
                for (CounterSet set : slice.slice().sharedCounters()) {
                    isValid &= counterSets.put(set.name(), set) == null;
                }
            } else {
                (targeting.contains(slice) ? withDevices : others).add(slice);
            }
        }
        withDevices.sort(BY_NAME);
        Set<String> names = new HashSet<>();
        for (SliceWithDevices slice : withDevices) {
            for (DeviceWithId device : slice.devices()) {
                isValid &= names.add(device.device().name());
            }
        }
        if (features.partitionableDevices()) {
            isValid &= countersExist(withDevices, counterSets) && countersExist(others, counterSets);
        }
        return isValid
                ? new Pool(id, Condition.VALID, withDevices, others, counterSets)
                : without(id, Condition.INVALID);
    }

    private static boolean countersExist(List<SliceWithDevices> slices, Map<String, CounterSet> counterSets) {
        for (SliceWithDevices slice : slices) {
            for (DeviceWithId device : slice.devices()) {
                for (Device.CounterConsumption consumed : device.device().consumesCounters()) {
                    CounterSet set = counterSets.get(consumed.counterSet());
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
        for (SliceWithDevices slice : slicesTargetingNode) {
            for (DeviceWithId device : slice.devices()) {
                if (!device.device().bindingConditions().isEmpty()) {
                    return true;
                }
            }
        }
        return false;
    }
}
