// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import org.moorage.api.Status;
import org.moorage.api.model.CounterSet;
import org.moorage.api.model.Device;
import org.moorage.api.model.DeviceAllocation;
import org.moorage.api.model.DeviceClass;
import org.moorage.api.model.Node;
import org.moorage.api.model.Quantity;
import org.moorage.api.model.ResourceClaim;

/**
 * Allocates devices that can be used from a node to claims. An instance serves one scheduling cycle, during which
 * slices, classes and allocated devices do not change. Repeated calls for a node return the same result. Safe for use
 * by several threads.
 */
final class Allocator {
    private final ResourceSliceIndex slices;
    private final AllocatedState allocatedState;
    private final Function<String, Optional<DeviceClass>> classes;
    private final DeviceSelectors selectors;
    private final DeviceFeatures features;
    private final long shareIdSeed;
    private final Map<PoolId, Map<String, Map<String, Quantity>>> availableCounters = new ConcurrentHashMap<>();
    private final Map<PoolId, Map<String, CompatibilityGroups>> groupsInUse = new ConcurrentHashMap<>();

    /**
     * Creates an allocator.
     *
     * @param slices the devices of the cluster
     * @param allocatedState the devices that are allocated
     * @param classes the device classes, by name
     * @param selectors evaluates CEL expressions
     * @param features the enabled features
     * @param shareIdSeed the seed of the ids of shares
     */
    Allocator(
            ResourceSliceIndex slices,
            AllocatedState allocatedState,
            Function<String, Optional<DeviceClass>> classes,
            DeviceSelectors selectors,
            DeviceFeatures features,
            long shareIdSeed) {
        this.slices = slices;
        this.allocatedState = allocatedState;
        this.classes = classes;
        this.selectors = selectors;
        this.features = features;
        this.shareIdSeed = shareIdSeed;
    }

    /**
     * The allocations for a node.
     *
     * @param status success, or why there are none
     * @param allocations the allocation of each claim, in order; empty without success
     */
    record Result(Status status, List<DeviceAllocation> allocations) {
        static final Result NOT_POSSIBLE = new Result(Status.unresolvable("cannot allocate all claims"), List.of());
        static final Result INVALID_POOLS =
                new Result(Status.unresolvable("invalid resource pools were encountered"), List.of());
    }

    /**
     * Allocates devices to all of these claims. Returns the first solution found.
     *
     * @param node the node
     * @param claims the claims
     * @param isTimedOut returns true when the search must stop
     * @throws AllocationException if a claim, class or slice is not valid
     * @throws AllocationTimeoutException if it took too long
     */
    Result allocate(Node node, List<ResourceClaim> claims, BooleanSupplier isTimedOut) {
        return new AllocationSearch(this, node, claims, isTimedOut).run();
    }

    ResourceSliceIndex slices() {
        return slices;
    }

    AllocatedState allocatedState() {
        return allocatedState;
    }

    DeviceFeatures features() {
        return features;
    }

    DeviceSelectors selectors() {
        return selectors;
    }

    long shareIdSeed() {
        return shareIdSeed;
    }

    Optional<DeviceClass> deviceClass(String name) {
        return classes.apply(name);
    }

    /** Returns what allocated devices leave available of a pool's counters, by counter set and counter name. */
    Map<String, Map<String, Quantity>> availableCounters(Pool pool) {
        return availableCounters.computeIfAbsent(pool.id(), any -> countersOf(pool));
    }

    /** Returns the compatibility groups in use by a pool's allocated devices, by the counter set they consume from. */
    Map<String, CompatibilityGroups> groupsInUse(Pool pool) {
        return groupsInUse.computeIfAbsent(pool.id(), any -> {
            Map<String, CompatibilityGroups> groups = new HashMap<>();
            forEachConsumption(
                    pool,
                    consumed -> groups.merge(
                            consumed.counterSet(),
                            CompatibilityGroups.of(consumed.compatibilityGroups()),
                            (known, same) -> known.with(consumed.compatibilityGroups())));
            return groups;
        });
    }

    private Map<String, Map<String, Quantity>> countersOf(Pool pool) {
        Map<String, Map<String, Quantity>> available = new HashMap<>();
        for (CounterSet set : pool.counterSets().values()) {
            available.put(set.name(), new HashMap<>(set.counters()));
        }
        forEachConsumption(pool, consumed -> {
            Map<String, Quantity> set = available.getOrDefault(consumed.counterSet(), Map.of());
            consumed.counters()
                    .forEach((name, amount) -> set.computeIfPresent(name, (same, left) -> left.minus(amount)));
        });
        return available;
    }

    private void forEachConsumption(Pool pool, Consumer<Device.CounterConsumption> action) {
        forEachConsumption(pool.slicesTargetingNode(), action);
        forEachConsumption(pool.slicesNotTargetingNode(), action);
    }

    private void forEachConsumption(List<SliceWithDevices> poolSlices, Consumer<Device.CounterConsumption> action) {
        for (SliceWithDevices slice : poolSlices) {
            for (DeviceWithId device : slice.devices()) {
                if (!device.device().consumesCounters().isEmpty() && allocatedState.isAllocatedOrShared(device.id())) {
                    device.device().consumesCounters().forEach(action);
                }
            }
        }
    }
}
