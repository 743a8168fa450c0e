// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import org.moorage.api.model.Device;
import org.moorage.api.model.DeviceConstraint;
import org.moorage.api.model.DeviceRequest;
import org.moorage.api.model.DeviceTaint;
import org.moorage.api.model.DeviceToleration;
import org.moorage.api.model.Node;
import org.moorage.api.model.Quantity;
import org.moorage.api.model.ResourceClaim;

/**
 * The devices that a search is about to allocate, with the counters and the capacity that they consume. Claims are
 * known by their index.
 */
final class AllocatingDevices {
    private final Allocator allocator;
    private final DeviceFeatures features;
    private final RandomGenerator shareIds;
    private final List<ResourceClaim> claims = new ArrayList<>();
    private final List<List<AttributeConstraint>> constraints = new ArrayList<>();
    private final List<List<DeviceResult>> results = new ArrayList<>();
    private final Map<DeviceId, Set<Integer>> claimsByDevice = new HashMap<>();
    private final Map<DeviceId, Integer> sharesByDevice = new HashMap<>();
    private final Map<DeviceId, Map<String, Quantity>> consumedCapacity = new HashMap<>();
    // By pool, counter set and counter.
    private final Map<PoolId, Map<String, Map<String, Quantity>>> consumedCounters = new HashMap<>();
    // By pool and counter set, after each of the devices that consume of it; before the first, those in use count.
    private final Map<PoolId, Map<String, List<CompatibilityGroups>>> groups = new HashMap<>();

    AllocatingDevices(Allocator allocator, Node node) {
        this.allocator = allocator;
        features = allocator.features();
        shareIds = new SplittableRandom(allocator.shareIdSeed() + node.name().hashCode());
    }

    /**
     * Adds the next claim.
     *
     * @throws AllocationException if one of its constraints is of an unknown kind
     */
    void add(ResourceClaim claim) {
        List<AttributeConstraint> known = new ArrayList<>();
        for (DeviceConstraint constraint : claim.constraints()) {
            int index = known.size();
            known.add(AttributeConstraint.of(constraint, features, allocator.selectors())
                    .orElseThrow(() -> new AllocationException("claim " + claim.key() + ", constraint #" + index
                            + ": empty constraint (unsupported constraint type?)")));
        }
        claims.add(claim);
        constraints.add(known);
        results.add(new ArrayList<>());
    }

    /** Returns the devices allocated to a claim so far. */
    List<DeviceResult> results(int claim) {
        return results.get(claim);
    }

    /** Returns whether a device may be allocated to a request, judged by cheap checks only. */
    boolean isFree(int claim, DeviceRequest request, DeviceId id) {
        return request.adminAccess() ? !isAllocating(claim, id) : !isInUse(id);
    }

    private boolean isAllocating(int claim, DeviceId id) {
        return claimsByDevice.getOrDefault(id, Set.of()).contains(claim);
    }

    private boolean isInUse(DeviceId id) {
        return allocator.allocatedState().isAllocated(id)
                || !claimsByDevice.getOrDefault(id, Set.of()).isEmpty();
    }

    /**
     * Returns whether a device has the capacity that a request needs.
     *
     * @throws AllocationException if the consumed amount cannot be computed
     */
    boolean hasCapacity(int claim, DeviceRequest request, DeviceWithId device) {
        if (!features.consumableCapacity()) {
            return true;
        }
        try {
            return ConsumedCapacity.fits(
                    device.device().capacity(),
                    request.capacity(),
                    allocator.allocatedState().consumedCapacity(device.id()),
                    consumedCapacity.getOrDefault(device.id(), Map.of()),
                    features);
        } catch (AllocationException invalid) {
            throw new AllocationException(
                    "claim " + claims.get(claim).key() + ", request " + request.name()
                            + ": checking capacity for device " + device.id() + ": " + invalid.getMessage(),
                    invalid);
        }
    }

    /** One device for one request. */
    final class Attempt {
        private final int claim;
        private final RequestData request;
        private final DeviceWithId deviceWithId;
        private final Device device;
        private final DeviceId id;
        private final Node node;
        private final Pool pool;
        private final boolean allowsMultipleAllocations;
        private int joinedGroups;
        private boolean consumesCounters;
        private int satisfiedConstraints;
        private boolean violatesConstraint;
        private boolean isMarked;
        private Map<String, Quantity> shareCapacity = Map.of();
        private boolean isShare;

        Attempt(int claim, RequestData request, DeviceWithId deviceWithId, Node node, Pool pool) {
            this.claim = claim;
            this.request = request;
            this.deviceWithId = deviceWithId;
            this.node = node;
            this.pool = pool;
            device = deviceWithId.device();
            id = deviceWithId.id();
            allowsMultipleAllocations = features.consumableCapacity() && device.allowsMultipleAllocations();
        }

        /**
         * Allocates the device, if that is possible; otherwise nothing is changed.
         *
         * @throws AllocationException if the claim or the device is not valid; the search ends then
         */
        boolean allocate() {
            if (!canBeAllocated()) {
                return false;
            }
            if (!consume()
                    || isTainted()
                    || !addToConstraints()
                    || !hasCapacity(claim, request.request(), deviceWithId)) {
                rollback();
                return false;
            }
            String shareId = "";
            if (allowsMultipleAllocations) {
                addShare();
                shareId = RandomUuid.of(shareIds);
            } else {
                claimsByDevice.computeIfAbsent(id, any -> new HashSet<>()).add(claim);
                isMarked = true;
            }
            results.get(claim).add(new DeviceResult(request, deviceWithId, shareId, shareCapacity));
            return true;
        }

        /** Returns whether {@link #allocate} failed because of a constraint of the claim. */
        boolean violatesConstraint() {
            return violatesConstraint;
        }

        /** Undoes {@link #allocate}. Devices are deallocated in the reverse order. */
        void deallocate() {
            List<DeviceResult> ofClaim = results.get(claim);
            ofClaim.remove(ofClaim.size() - 1);
            rollback();
        }

        private void rollback() {
            if (isShare) {
                sharesByDevice.computeIfPresent(id, (same, count) -> count == 1 ? null : count - 1);
                Map<String, Quantity> sums = consumedCapacity.getOrDefault(id, new HashMap<>());
                shareCapacity.forEach((name, amount) -> sums.computeIfPresent(name, (same, sum) -> sum.minus(amount)));
            }
            if (isMarked) {
                claimsByDevice.getOrDefault(id, new HashSet<>()).remove(claim);
            }
            List<AttributeConstraint> all = constraints.get(claim);
            for (int i = satisfiedConstraints - 1; i >= 0; i--) {
                all.get(i).remove(request);
            }
            if (consumesCounters) {
                removeCounters();
            }
            leaveGroups();
        }

        private boolean canBeAllocated() {
            boolean isTaken = request.request().adminAccess()
                    ? !allowsMultipleAllocations && isAllocating(claim, id)
                    : isInUse(id);
            return !isTaken
                    && isOperable()
                    && (features.partitionableDevices()
                            || device.consumesCounters().isEmpty());
        }

        // Whether the node supports skipping the node operations that the device excludes, if any.
        private boolean isOperable() {
            return deviceWithId.slice().skipNodeOperations().isEmpty()
                    || !features.usesExperimentalAllocator()
                    || features.optionalNodeOperations() && OptionalNodeOperations.areKnownOn(node);
        }

        // Only the first share of a device consumes its counters.
        private boolean consume() {
            boolean isFurtherShare = allowsMultipleAllocations
                    && (allocator.allocatedState().isShared(id) || sharesByDevice.containsKey(id));
            return isFurtherShare || device.consumesCounters().isEmpty() || joinGroups() && addCounters();
        }

        private boolean joinGroups() {
            if (!features.compatibilityGroups()) {
                return true;
            }
            Map<String, List<CompatibilityGroups>> ofPool = groups.computeIfAbsent(pool.id(), any -> new HashMap<>());
            for (Device.CounterConsumption consumed : device.consumesCounters()) {
                List<CompatibilityGroups> joined =
                        ofPool.computeIfAbsent(consumed.counterSet(), any -> new ArrayList<>());
                CompatibilityGroups others = joined.isEmpty()
                        ? allocator.groupsInUse(pool).get(consumed.counterSet())
                        : joined.get(joined.size() - 1);
                if (others == null) {
                    joined.add(CompatibilityGroups.of(consumed.compatibilityGroups()));
                } else if (others.admit(consumed.compatibilityGroups())) {
                    joined.add(others.with(consumed.compatibilityGroups()));
                } else {
                    return false;
                }
                joinedGroups++;
            }
            return true;
        }

        private void leaveGroups() {
            Map<String, List<CompatibilityGroups>> ofPool = groups.getOrDefault(pool.id(), Map.of());
            for (Device.CounterConsumption consumed : device.consumesCounters().subList(0, joinedGroups)) {
                List<CompatibilityGroups> joined = ofPool.getOrDefault(consumed.counterSet(), List.of());
                joined.remove(joined.size() - 1);
            }
        }

        private boolean addCounters() {
            Map<String, Map<String, Quantity>> available = allocator.availableCounters(pool);
            Map<String, Map<String, Quantity>> consumed =
                    consumedCounters.computeIfAbsent(pool.id(), any -> new HashMap<>());
            for (Device.CounterConsumption set : device.consumesCounters()) {
                Map<String, Quantity> sums = consumed.computeIfAbsent(set.counterSet(), any -> new HashMap<>());
                set.counters().forEach((name, amount) -> sums.merge(name, amount, Quantity::plus));
            }
            consumesCounters = true;
            for (Map.Entry<String, Map<String, Quantity>> set : available.entrySet()) {
                Map<String, Quantity> sums = consumed.getOrDefault(set.getKey(), Map.of());
                for (Map.Entry<String, Quantity> counter : set.getValue().entrySet()) {
                    if (counter.getValue().compareTo(sums.getOrDefault(counter.getKey(), Quantity.ZERO)) < 0) {
                        return false;
                    }
                }
            }
            return true;
        }

        private void removeCounters() {
            Map<String, Map<String, Quantity>> consumed = consumedCounters.getOrDefault(pool.id(), Map.of());
            for (Device.CounterConsumption set : device.consumesCounters()) {
                Map<String, Quantity> sums = consumed.getOrDefault(set.counterSet(), Map.of());
                set.counters().forEach((name, amount) -> sums.computeIfPresent(name, (same, sum) -> sum.minus(amount)));
            }
        }

        private boolean isTainted() {
            if (!features.deviceTaints()) {
                return false;
            }
            for (DeviceTaint taint : device.taints()) {
                if (taint.preventsAllocation() && !isTolerated(taint)) {
                    return true;
                }
            }
            return false;
        }

        private boolean isTolerated(DeviceTaint taint) {
            for (DeviceToleration toleration : request.request().tolerations()) {
                if (toleration.tolerates(taint)) {
                    return true;
                }
            }
            return false;
        }

        private boolean addToConstraints() {
            for (AttributeConstraint constraint : constraints.get(claim)) {
                if (!constraint.add(request, deviceWithId)) {
                    violatesConstraint = true;
                    return false;
                }
                satisfiedConstraints++;
            }
            return true;
        }

        private void addShare() {
            shareCapacity =
                    ConsumedCapacity.of(device.capacity(), request.request().capacity(), features);
            sharesByDevice.merge(id, 1, Integer::sum);
            Map<String, Quantity> sums = consumedCapacity.computeIfAbsent(id, any -> new HashMap<>());
            shareCapacity.forEach((name, amount) -> sums.merge(name, amount, Quantity::plus));
            isShare = true;
        }
    }
}
