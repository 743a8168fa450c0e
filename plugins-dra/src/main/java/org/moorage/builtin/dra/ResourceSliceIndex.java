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
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.moorage.api.model.Device;
import org.moorage.api.model.DeviceTaintRule;
import org.moorage.api.model.Node;
import org.moorage.api.model.ResourceSlice;

/**
 * The resource slices of the cluster with the taints of device taint rules, by node and by pool. Safe for use by
 * several threads.
 */
final class ResourceSliceIndex {
    static final ResourceSliceIndex EMPTY = new ResourceSliceIndex(Set.of());

    private final Map<ResourceSlice, SliceWithDevices> slices = new IdentityHashMap<>();
    private final Map<String, List<SliceWithDevices>> byNode = new HashMap<>();
    private final List<SliceWithDevices> notOfOneNode = new ArrayList<>();
    private final Map<PoolId, List<SliceWithDevices>> byPool = new HashMap<>();
    private final Set<DeviceTaintRule> rules;
    // By the name of the node. Made when a node is first tried, and then used for all claims until slices change.
    private final Map<String, PoolsOfNode> pools = new ConcurrentHashMap<>();

    /** The pools that one state of a node can use. */
    private record PoolsOfNode(Node node, List<Pool> pools) {}

    private ResourceSliceIndex(Set<DeviceTaintRule> rules) {
        this.rules = rules;
    }

    /**
     * Returns an index of these slices. Slices that this index also has keep the cached data about their devices.
     *
     * @param all the slices
     * @param currentRules the device taint rules
     */
    ResourceSliceIndex with(Collection<ResourceSlice> all, Collection<DeviceTaintRule> currentRules) {
        boolean sameRules = rules.size() == currentRules.size() && rules.containsAll(currentRules);
        if (sameRules && isOf(all)) {
            return this;
        }
        ResourceSliceIndex next = new ResourceSliceIndex(Set.copyOf(currentRules));
        for (ResourceSlice slice : all) {
            SliceWithDevices known = sameRules ? slices.get(slice) : null;
            next.add(slice, known == null ? SliceWithDevices.of(DeviceTaintRule.applied(currentRules, slice)) : known);
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

    private void add(ResourceSlice slice, SliceWithDevices withDevices) {
        slices.put(slice, withDevices);
        if (slice.nodeSelection().nodeName().isEmpty() || slice.hasCounters()) {
            notOfOneNode.add(withDevices);
        } else {
            byNode.computeIfAbsent(slice.nodeSelection().nodeName(), any -> new ArrayList<>())
                    .add(withDevices);
        }
        byPool.computeIfAbsent(PoolId.of(slice), any -> new ArrayList<>()).add(withDevices);
    }

    /** As {@link Pool#gather}, which is called once for each state of the node. */
    @SuppressWarnings(
            "ReferenceEquality") // a state of a node is one object, and to compare all of it would take longer
    List<Pool> poolsFor(Node node, DeviceFeatures features) {
        PoolsOfNode known = pools.get(node.name());
        if (known == null || known.node != node) {
            known = new PoolsOfNode(node, Pool.gather(node, this, features));
            pools.put(node.name(), known);
        }
        return known.pools;
    }

    /** Clears the cached pools if they are of more than this many nodes, which means that nodes were deleted. */
    void keepAtMost(int nodes) {
        if (pools.size() > nodes) {
            pools.clear();
        }
    }

    /** Returns the number of nodes whose pools are cached. */
    int knownNodes() {
        return pools.size();
    }

    /** Returns the slices whose devices can only be used from a node. */
    List<SliceWithDevices> ofNode(String nodeName) {
        return byNode.getOrDefault(nodeName, List.of());
    }

    /** Returns the slices that are not about the devices of one node, and all that have shared counters. */
    List<SliceWithDevices> notOfOneNode() {
        return notOfOneNode;
    }

    /** Returns a device, from the latest generation of its pool that contains it; empty if none does. */
    Optional<Device> device(DeviceId id) {
        return device(id, device -> true);
    }

    /** Returns a device that the node can use, of the latest generation of its pool that has it; empty if none does. */
    Optional<Device> device(DeviceId id, Node node) {
        return device(id, device -> device.reach().includesIfValid(node));
    }

    private Optional<Device> device(DeviceId id, Predicate<DeviceWithId> isWanted) {
        Optional<Device> found = Optional.empty();
        long latest = Long.MIN_VALUE;
        for (SliceWithDevices slice : ofPool(new PoolId(id.driver(), id.pool()))) {
            long generation = slice.generation();
            for (DeviceWithId device : slice.devices()) {
                if (generation > latest && device.id().equals(id) && isWanted.test(device)) {
                    latest = generation;
                    found = Optional.of(device.device());
                }
            }
        }
        return found;
    }

    /** Returns the slices of a pool, of all generations. */
    List<SliceWithDevices> ofPool(PoolId pool) {
        return byPool.getOrDefault(pool, List.of());
    }
}
