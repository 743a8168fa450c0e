// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.moorage.api.model.CounterSet;
import org.moorage.api.model.DeviceAllocation;
import org.moorage.api.model.DeviceClass;
import org.moorage.api.model.Node;
import org.moorage.api.model.Quantity;
import org.moorage.api.model.ResourceClaim;

/**
 * Gives claims devices that can be used from a node. Made for a scheduling cycle, during which slices, classes and the devices
 * in use stay as they are. Safe for use by several threads.
 */
final class Allocator {
    private final Catalog catalog;
    private final DevicesInUse inUse;
    private final Function<String, Optional<DeviceClass>> classes;
    private final DeviceSelectors selectors;
    private final DeviceFeatures features;
    // As upstream by the name of the pool alone, whoever its driver is.
    private final Map<String, Map<String, Map<String, Quantity>>> freeCounters = new ConcurrentHashMap<>();

    Allocator(
            Catalog catalog,
            DevicesInUse inUse,
            Function<String, Optional<DeviceClass>> classes,
            DeviceSelectors selectors,
            DeviceFeatures features) {
        this.catalog = catalog;
        this.inUse = inUse;
        this.classes = classes;
        this.selectors = selectors;
        this.features = features;
    }

    /**
     * What came of it.
     *
     * @param allocations what each claim is given; empty if they cannot all be given something
     * @param problem why the node will not do, if that is known; otherwise empty
     */
    record Outcome(List<DeviceAllocation> allocations, String problem) {
        static final Outcome NOTHING = new Outcome(List.of(), "");
        static final Outcome INVALID_POOLS = new Outcome(List.of(), "invalid resource pools were encountered");
    }

    /**
     * Looks for devices for all claims together; the first ones found are taken.
     *
     * @param node the node
     * @param claims the claims
     * @param isLate says when it is time to give up
     * @throws AllocationException if a claim, class or slice makes no sense
     * @throws SearchTimeoutException if it took too long
     */
    Outcome allocate(Node node, List<ResourceClaim> claims, BooleanSupplier isLate) {
        return new Search(this, node, claims, isLate).run();
    }

    Catalog catalog() {
        return catalog;
    }

    DevicesInUse inUse() {
        return inUse;
    }

    DeviceFeatures features() {
        return features;
    }

    DeviceSelectors selectors() {
        return selectors;
    }

    Optional<DeviceClass> deviceClass(String name) {
        return classes.apply(name);
    }

    /** What claims have left of what the devices of a pool share. */
    Map<String, Map<String, Quantity>> freeCounters(Pool pool) {
        return freeCounters.computeIfAbsent(pool.id().pool(), any -> countFree(pool));
    }

    private Map<String, Map<String, Quantity>> countFree(Pool pool) {
        Map<String, Map<String, Quantity>> free = new HashMap<>();
        for (CounterSet set : pool.counterSets().values()) {
            free.put(set.name(), new HashMap<>(set.counters()));
        }
        subtractUsed(free, pool.slices());
        subtractUsed(free, pool.elsewhere());
        return free;
    }

    private void subtractUsed(Map<String, Map<String, Quantity>> free, List<OfferedSlice> slices) {
        for (OfferedSlice slice : slices) {
            for (OfferedDevice device : slice.devices()) {
                if (!device.device().consumesCounters().isEmpty() && inUse.has(device.id())) {
                    for (CounterSet consumed : device.device().consumesCounters()) {
                        Map<String, Quantity> set = free.getOrDefault(consumed.name(), Map.of());
                        consumed.counters()
                                .forEach((name, amount) ->
                                        set.computeIfPresent(name, (same, left) -> left.minus(amount)));
                    }
                }
            }
        }
    }
}
