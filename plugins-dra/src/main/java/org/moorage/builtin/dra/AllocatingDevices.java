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
import org.moorage.api.model.CounterSet;
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
    private final List<List<AttributeConstraint>> constraints = new ArrayList<>();
    private final List<List<DeviceResult>> results = new ArrayList<>();
    private final Map<DeviceId, Set<Integer>> claimsByDevice = new HashMap<>();
    private final Map<DeviceId, Integer> sharesByDevice = new HashMap<>();
    private final Map<DeviceId, Map<String, Quantity>> consumedCapacity = new HashMap<>();
    // By pool, counter set and counter.
    private final Map<String, Map<String, Map<String, Quantity>>> consumedCounters = new HashMap<>();

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
            known.add(AttributeConstraint.of(constraint, features)
                    .orElseThrow(() -> new AllocationException("claim " + claim.key() + ", constraint #" + index
                            + ": empty constraint (unsupported constraint type?)")));
        }
        constraints.add(known);
        results.add(new ArrayList<>());
    }

    /** The devices of a claim so far. */
    List<DeviceResult> results(int claim) {
        return results.get(claim);
    }

    /** Whether a device may be allocated to a request, as far as that is quick to tell. */
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

    /** Whether a device has the capacity that a request needs. */
    boolean hasCapacity(DeviceRequest request, DeviceWithId device) {
        return !features.consumableCapacity()
                || ConsumedCapacity.fits(
                        device.device().capacity(),
                        request.capacity(),
                        allocator.allocatedState().consumedCapacity(device.id()),
                        consumedCapacity.getOrDefault(device.id(), Map.of()));
    }

    /** One device for one request. */
    final class Attempt {
        private final int claim;
        private final RequestData request;
        private final DeviceWithId deviceWithId;
        private final Device device;
        private final DeviceId id;
        private final Pool pool;
        private final boolean allowsMultipleAllocations;
        private boolean consumesCounters;
        private int satisfiedConstraints;
        private boolean violatesConstraint;
        private boolean isMarked;
        private Map<String, Quantity> shareCapacity = Map.of();
        private boolean isShare;

        Attempt(int claim, RequestData request, DeviceWithId deviceWithId, Pool pool) {
            this.claim = claim;
            this.request = request;
            this.deviceWithId = deviceWithId;
            this.pool = pool;
            device = deviceWithId.device();
            id = deviceWithId.id();
            allowsMultipleAllocations = features.consumableCapacity() && device.allowsMultipleAllocations();
        }

        /** Allocates the device, if that is possible; otherwise nothing is changed. */
        boolean allocate() {
            if (!canBeAllocated()) {
                return false;
            }
            if (!addCounters() || isTainted() || !addToConstraints() || !hasCapacity(request.request(), deviceWithId)) {
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

        /** Whether {@link #allocate} failed because of a constraint of the claim. */
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
                all.get(i).remove(request.baseRequestName(), request.subrequestName());
            }
            if (consumesCounters) {
                removeCounters();
            }
        }

        private boolean canBeAllocated() {
            boolean isTaken = request.request().adminAccess()
                    ? !allowsMultipleAllocations && isAllocating(claim, id)
                    : isInUse(id);
            return !isTaken
                    && (features.partitionableDevices()
                            || device.consumesCounters().isEmpty());
        }

        // Only the first share of a device consumes its counters.
        private boolean addCounters() {
            boolean isFurtherShare = allowsMultipleAllocations
                    && (allocator.allocatedState().hasConsumedCapacity(id) || sharesByDevice.containsKey(id));
            if (isFurtherShare || device.consumesCounters().isEmpty()) {
                return true;
            }
            Map<String, Map<String, Quantity>> available = allocator.availableCounters(pool);
            Map<String, Map<String, Quantity>> consumed =
                    consumedCounters.computeIfAbsent(pool.id().pool(), any -> new HashMap<>());
            for (CounterSet set : device.consumesCounters()) {
                Map<String, Quantity> sums = consumed.computeIfAbsent(set.name(), any -> new HashMap<>());
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
            Map<String, Map<String, Quantity>> consumed =
                    consumedCounters.getOrDefault(pool.id().pool(), Map.of());
            for (CounterSet set : device.consumesCounters()) {
                Map<String, Quantity> sums = consumed.getOrDefault(set.name(), Map.of());
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
                if (!constraint.add(request.baseRequestName(), request.subrequestName(), deviceWithId)) {
                    violatesConstraint = true;
                    return false;
                }
                satisfiedConstraints++;
            }
            return true;
        }

        private void addShare() {
            shareCapacity =
                    ConsumedCapacity.of(device.capacity(), request.request().capacity());
            sharesByDevice.merge(id, 1, Integer::sum);
            Map<String, Quantity> sums = consumedCapacity.computeIfAbsent(id, any -> new HashMap<>());
            shareCapacity.forEach((name, amount) -> sums.merge(name, amount, Quantity::plus));
            isShare = true;
        }
    }
}
