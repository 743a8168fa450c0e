// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import org.moorage.api.model.CounterSet;
import org.moorage.api.model.Device;
import org.moorage.api.model.DeviceClass;
import org.moorage.api.model.DeviceConstraint;
import org.moorage.api.model.DeviceRequest;
import org.moorage.api.model.DeviceTaint;
import org.moorage.api.model.DeviceToleration;
import org.moorage.api.model.Node;
import org.moorage.api.model.Quantity;
import org.moorage.api.model.ResourceClaim;
import org.moorage.builtin.dra.cel.SelectorException;

/**
 * One search for devices, for one node: depth first over claims, their requests and the devices of each, taking back the last
 * device whenever there is no way on.
 */
final class Search {
    private static final int MOST_DEVICES = 32;
    private static final int CLOCK_EVERY = 64;

    private final Allocator allocator;
    private final DeviceFeatures features;
    private final Node node;
    private final List<ResourceClaim> claims;
    private final BooleanSupplier isLate;
    private final List<Pool> pools;
    // By claim, request and alternative; a request without alternatives is its own only one.
    private final List<List<List<Wanted>>> wanted = new ArrayList<>();
    private final int[][] chosen;
    private final List<List<Constraint>> constraints = new ArrayList<>();
    private final List<List<Given>> given = new ArrayList<>();
    private final Map<Wanted, Map<OfferedDevice, Boolean>> selectable = new IdentityHashMap<>();
    private final Map<DeviceId, Set<Integer>> claimsByDevice = new HashMap<>();
    private final Map<DeviceId, Map<String, Quantity>> sharedAmounts = new HashMap<>();
    private final Map<DeviceId, Integer> shares = new HashMap<>();
    private final Map<String, Map<String, Map<String, Quantity>>> takenCounters = new HashMap<>();
    private int steps;

    /** How a part of the search ended. */
    private enum Found {
        ALL,
        NOTHING,
        /** A claim would have had more devices than it may have, whatever is tried for the last request. */
        TOO_MANY
    }

    /** A device that a request is given. */
    record Given(Wanted wanted, OfferedDevice device, Map<String, Quantity> amounts, String shareId) {}

    Search(Allocator allocator, Node node, List<ResourceClaim> claims, BooleanSupplier isLate) {
        this.allocator = allocator;
        this.node = node;
        this.claims = claims;
        this.isLate = isLate;
        features = allocator.features();
        pools = Pool.of(node, allocator.catalog(), features);
        chosen = new int[claims.size()][];
    }

    Allocator.Outcome run() {
        for (int claim = 0; claim < claims.size(); claim++) {
            prepare(claim);
        }
        Found found = request(0, 0);
        if (found == Found.TOO_MANY) {
            throw new AllocationException("allocation max size exceeded");
        }
        if (found == Found.NOTHING) {
            for (Pool pool : pools) {
                if (pool.condition() == Pool.Condition.INVALID) {
                    return Allocator.Outcome.INVALID_POOLS;
                }
            }
            return Allocator.Outcome.NOTHING;
        }
        AllocationBuilder builder = new AllocationBuilder(node.name(), features);
        for (int claim = 0; claim < claims.size(); claim++) {
            List<Wanted> picked = new ArrayList<>();
            for (int request = 0; request < wanted.get(claim).size(); request++) {
                picked.add(wanted.get(claim).get(request).get(chosen[claim][request]));
            }
            builder.add(claims.get(claim), picked, given.get(claim));
        }
        return new Allocator.Outcome(builder.allocations(), "");
    }

    private void prepare(int index) {
        ResourceClaim claim = claims.get(index);
        List<List<Wanted>> requests = new ArrayList<>();
        long fewest = 0;
        for (DeviceRequest request : claim.requests()) {
            refuseAmounts(claim, request);
            List<Wanted> alternatives = new ArrayList<>();
            if (request.alternatives().isEmpty()) {
                alternatives.add(prepare(claim, request, ""));
            } else {
                for (DeviceRequest alternative : request.alternatives()) {
                    alternatives.add(prepare(claim, alternative, request.name()));
                }
            }
            int least = Integer.MAX_VALUE;
            for (Wanted alternative : alternatives) {
                least = Math.min(least, alternative.count());
            }
            fewest += least;
            requests.add(alternatives);
        }
        if (fewest > MOST_DEVICES) {
            throw new AllocationException("claim " + claim.key() + ": number of requested devices " + fewest
                    + " exceeds the claim limit of " + MOST_DEVICES);
        }
        wanted.add(requests);
        chosen[index] = new int[requests.size()];
        given.add(new ArrayList<>());
        List<Constraint> known = new ArrayList<>();
        for (DeviceConstraint constraint : claim.constraints()) {
            Constraint made = Constraint.of(constraint, features);
            if (made == null) {
                throw new AllocationException("claim " + claim.key() + ", constraint #" + known.size()
                        + ": empty constraint (unsupported constraint type?)");
            }
            known.add(made);
        }
        constraints.add(known);
    }

    private void refuseAmounts(ResourceClaim claim, DeviceRequest request) {
        if (features.sharing() || features.usesStableAllocator()) {
            return;
        }
        List<DeviceRequest> either = request.alternatives().isEmpty() ? List.of(request) : request.alternatives();
        for (DeviceRequest one : either) {
            if (!one.capacity().isEmpty()) {
                throw new AllocationException("claim " + claim.key()
                        + (request.alternatives().isEmpty() ? ", request " : ", subrequest ") + one.name()
                        + ": has capacity requests, but the DRAConsumableCapacity feature is disabled");
            }
        }
    }

    private Wanted prepare(ResourceClaim claim, DeviceRequest request, String parent) {
        String title = "claim " + claim.key() + ", request " + request.name();
        int empty = request.selectors().indexOf("");
        if (empty >= 0) {
            throw new AllocationException(
                    title + ", selector #" + empty + ": CEL expression empty (unsupported selector type?)");
        }
        if (request.deviceClass().isEmpty()) {
            throw new AllocationException(title + ": missing device class name (unsupported request type?)");
        }
        DeviceClass deviceClass = allocator
                .deviceClass(request.deviceClass())
                .orElseThrow(() -> new AllocationException(title + ": could not retrieve device class "
                        + request.deviceClass() + ": deviceclass.resource.k8s.io \"" + request.deviceClass()
                        + "\" not found"));
        if (request.allocationMode().equals(DeviceRequest.EXACT_COUNT)) {
            int count = (int) Math.min(Integer.MAX_VALUE, request.count());
            return new Wanted(request, parent, deviceClass, count, List.of());
        }
        if (!request.wantsAll()) {
            throw new AllocationException(title + ": unsupported count mode " + request.allocationMode());
        }
        Wanted some = new Wanted(request, parent, deviceClass, 0, List.of());
        List<OfferedDevice> all = new ArrayList<>();
        for (Pool pool : pools) {
            if (pool.condition() != Pool.Condition.GOOD) {
                String state = pool.condition() == Pool.Condition.INCOMPLETE ? "being updated" : "invalid";
                throw new AllocationException(
                        title + ": asks for all devices, but resource pool " + pool.id() + " is currently " + state);
            }
            for (OfferedSlice slice : pool.slices()) {
                for (OfferedDevice device : slice.devices()) {
                    if (isSelectable(claim, some, device) && hasRoom(request, device)) {
                        all.add(device);
                    }
                }
            }
        }
        return new Wanted(request, parent, deviceClass, all.size(), all);
    }

    private void step() {
        if (steps++ % CLOCK_EVERY == 0 && isLate.getAsBoolean()) {
            throw new SearchTimeoutException();
        }
    }

    private Found request(int claim, int request) {
        step();
        if (claim == claims.size()) {
            return Found.ALL;
        }
        if (request == wanted.get(claim).size()) {
            Found found = request(claim + 1, 0);
            // Another way through the claims before may leave this one another alternative that takes fewer devices.
            return found == Found.TOO_MANY ? Found.NOTHING : found;
        }
        List<Wanted> alternatives = wanted.get(claim).get(request);
        if (alternatives.get(0).parent().isEmpty()) {
            return devices(claim, request, alternatives.get(0), 0, 0, 0, 0);
        }
        Found result = Found.TOO_MANY;
        for (int i = 0; i < alternatives.size(); i++) {
            Found found = devices(claim, request, alternatives.get(i), 0, 0, 0, 0);
            if (found == Found.ALL) {
                chosen[claim][request] = i;
                return found;
            }
            if (found == Found.NOTHING) {
                result = found;
            }
        }
        return result;
    }

    // Devices of one request are only tried in their order: another order would be the same solution again.
    private Found devices(
            int claim, int request, Wanted what, int index, int firstPool, int firstSlice, int firstDevice) {
        step();
        if (what.request().wantsAll() && what.all().isEmpty()) {
            return Found.NOTHING;
        }
        if (index >= what.count()) {
            return request(claim, request + 1);
        }
        if (given.get(claim).size() + (long) what.count() - index > MOST_DEVICES) {
            return Found.TOO_MANY;
        }
        if (what.request().wantsAll()) {
            return allDevices(claim, request, what, index);
        }
        for (int p = firstPool; p < pools.size(); p++) {
            Pool pool = pools.get(p);
            if (pool.condition() != Pool.Condition.GOOD) {
                continue;
            }
            for (int s = p == firstPool ? firstSlice : 0; s < pool.slices().size(); s++) {
                List<OfferedDevice> devices = pool.slices().get(s).devices();
                int from = p == firstPool && s == firstSlice ? firstDevice : 0;
                for (int d = from; d < devices.size(); d++) {
                    OfferedDevice device = devices.get(d);
                    if (!isFree(claim, what.request(), device.id())
                            || !isSelectable(claims.get(claim), what, device)
                            || !hasRoom(what.request(), device)) {
                        continue;
                    }
                    Undo undo = new Undo(claim, what, device, pool);
                    if (!undo.give(false)) {
                        continue;
                    }
                    Found found = devices(claim, request, what, index + 1, p, s, d + 1);
                    if (found == Found.ALL) {
                        return found;
                    }
                    undo.takeBack();
                    if (found == Found.TOO_MANY) {
                        return found;
                    }
                }
            }
        }
        return Found.NOTHING;
    }

    private Found allDevices(int claim, int request, Wanted what, int index) {
        OfferedDevice device = what.all().get(index);
        Undo undo = new Undo(claim, what, device, poolOf(device));
        if (!undo.give(true)) {
            return Found.NOTHING;
        }
        Found found = devices(claim, request, what, index + 1, 0, 0, 0);
        if (found != Found.ALL) {
            undo.takeBack();
        }
        return found;
    }

    private Pool poolOf(OfferedDevice device) {
        PoolId id = PoolId.of(device.slice());
        for (Pool pool : pools) {
            if (pool.id().equals(id)) {
                return pool;
            }
        }
        throw new IllegalStateException("pool " + id + " (expected: one of those that the device was taken from)");
    }

    // A first look, which leaves out much at little cost.
    private boolean isFree(int claim, DeviceRequest request, DeviceId id) {
        return request.adminAccess() ? !isGivenTo(claim, id) : !isInUse(id);
    }

    private boolean isGivenTo(int claim, DeviceId id) {
        return claimsByDevice.getOrDefault(id, Set.of()).contains(claim);
    }

    private boolean isInUse(DeviceId id) {
        return allocator.inUse().hasWhole(id)
                || !claimsByDevice.getOrDefault(id, Set.of()).isEmpty();
    }

    private boolean isSelectable(ResourceClaim claim, Wanted what, OfferedDevice device) {
        if (!features.readiness() && !device.device().bindingConditions().isEmpty()) {
            return false;
        }
        Map<OfferedDevice, Boolean> known = selectable.computeIfAbsent(what, any -> new IdentityHashMap<>());
        Boolean answer = known.get(device);
        if (answer == null) {
            answer = satisfies(
                            device,
                            what.deviceClass().selectors(),
                            "class ",
                            what.deviceClass().name())
                    && satisfies(device, what.request().selectors(), "claim ", claim.key())
                    && (!device.slice().perDeviceNodeSelection()
                            || device.device().reach().includes(node));
            known.put(device, answer);
        }
        return answer;
    }

    private boolean satisfies(OfferedDevice device, List<String> expressions, String kind, String owner) {
        for (int i = 0; i < expressions.size(); i++) {
            try {
                if (!device.satisfies(expressions.get(i), allocator.selectors())) {
                    return false;
                }
            } catch (SelectorException failed) {
                throw new AllocationException(kind + owner + ": selector #" + i + ": " + failed.getMessage(), failed);
            }
        }
        return true;
    }

    private boolean hasRoom(DeviceRequest request, OfferedDevice device) {
        return !features.sharing()
                || Amounts.fit(
                        device.device().capacity(),
                        request.capacity(),
                        allocator.inUse().amounts(device.id()),
                        sharedAmounts.getOrDefault(device.id(), Map.of()));
    }

    /** One device given to one request, and how to take it back. */
    private final class Undo {
        private final int claim;
        private final Wanted what;
        private final OfferedDevice offered;
        private final Device device;
        private final DeviceId id;
        private final Pool pool;
        private final boolean isShared;
        private boolean tookCounters;
        private int addedConstraints;
        private boolean marked;
        private Map<String, Quantity> amounts = Map.of();
        private boolean shared;

        Undo(int claim, Wanted what, OfferedDevice offered, Pool pool) {
            this.claim = claim;
            this.what = what;
            this.offered = offered;
            this.pool = pool;
            device = offered.device();
            id = offered.id();
            isShared = features.sharing() && device.isShared();
        }

        /** Gives the device if that is possible; if it has to be this one, a constraint in its way is a mistake. */
        boolean give(boolean must) {
            DeviceRequest request = what.request();
            if (request.adminAccess() ? !isShared && isGivenTo(claim, id) : isInUse(id)) {
                return false;
            }
            if (!features.parts() && !device.consumesCounters().isEmpty()) {
                return false;
            }
            boolean sharedAlready = isShared && (allocator.inUse().hasAmounts(id) || shares.containsKey(id));
            if (!sharedAlready && !device.consumesCounters().isEmpty()) {
                if (!takeCounters()) {
                    return false;
                }
                tookCounters = true;
            }
            if (isTainted(request)) {
                rollBack();
                return false;
            }
            for (Constraint constraint : constraints.get(claim)) {
                if (!constraint.add(what.requestName(), what.alternativeName(), offered)) {
                    rollBack();
                    if (must) {
                        throw new AllocationException(
                                "claim " + claims.get(claim).key() + ", request " + request.name()
                                        + ": cannot add device " + id
                                        + " because a claim constraint would not be satisfied");
                    }
                    return false;
                }
                addedConstraints++;
            }
            if (!isShared) {
                claimsByDevice.computeIfAbsent(id, any -> new HashSet<>()).add(claim);
                marked = true;
            }
            if (!hasRoom(request, offered)) {
                rollBack();
                return false;
            }
            String shareId = "";
            if (isShared) {
                amounts = Amounts.consumed(device.capacity(), request.capacity());
                shareId = UUID.randomUUID().toString();
                shares.merge(id, 1, Integer::sum);
                Map<String, Quantity> sums = sharedAmounts.computeIfAbsent(id, any -> new HashMap<>());
                amounts.forEach((name, amount) -> sums.merge(name, amount, Quantity::plus));
                shared = true;
            }
            given.get(claim).add(new Given(what, offered, amounts, shareId));
            return true;
        }

        void takeBack() {
            List<Given> all = given.get(claim);
            all.remove(all.size() - 1);
            rollBack();
        }

        private void rollBack() {
            if (shared) {
                shares.computeIfPresent(id, (same, count) -> count == 1 ? null : count - 1);
                Map<String, Quantity> sums = sharedAmounts.getOrDefault(id, new HashMap<>());
                amounts.forEach((name, amount) -> sums.computeIfPresent(name, (same, sum) -> sum.minus(amount)));
            }
            if (marked) {
                claimsByDevice.getOrDefault(id, new HashSet<>()).remove(claim);
            }
            List<Constraint> all = constraints.get(claim);
            for (int i = addedConstraints - 1; i >= 0; i--) {
                all.get(i).remove(what.requestName(), what.alternativeName());
            }
            if (tookCounters) {
                giveCountersBack();
            }
        }

        private boolean isTainted(DeviceRequest request) {
            if (!features.taints()) {
                return false;
            }
            for (DeviceTaint taint : device.taints()) {
                if (taint.preventsAllocation() && !isTolerated(taint, request)) {
                    return true;
                }
            }
            return false;
        }

        private boolean isTolerated(DeviceTaint taint, DeviceRequest request) {
            for (DeviceToleration toleration : request.tolerations()) {
                if (toleration.tolerates(taint)) {
                    return true;
                }
            }
            return false;
        }

        private boolean takeCounters() {
            Map<String, Map<String, Quantity>> free = allocator.freeCounters(pool);
            Map<String, Map<String, Quantity>> taken =
                    takenCounters.computeIfAbsent(pool.id().pool(), any -> new HashMap<>());
            for (CounterSet set : device.consumesCounters()) {
                Map<String, Quantity> sums = taken.computeIfAbsent(set.name(), any -> new HashMap<>());
                set.counters().forEach((name, amount) -> sums.merge(name, amount, Quantity::plus));
            }
            for (Map.Entry<String, Map<String, Quantity>> set : free.entrySet()) {
                Map<String, Quantity> sums = taken.getOrDefault(set.getKey(), Map.of());
                for (Map.Entry<String, Quantity> counter : set.getValue().entrySet()) {
                    if (counter.getValue().compareTo(sums.getOrDefault(counter.getKey(), Quantity.ZERO)) < 0) {
                        giveCountersBack();
                        return false;
                    }
                }
            }
            return true;
        }

        private void giveCountersBack() {
            Map<String, Map<String, Quantity>> taken =
                    takenCounters.getOrDefault(pool.id().pool(), Map.of());
            for (CounterSet set : device.consumesCounters()) {
                Map<String, Quantity> sums = taken.getOrDefault(set.name(), Map.of());
                set.counters().forEach((name, amount) -> sums.computeIfPresent(name, (same, sum) -> sum.minus(amount)));
            }
        }
    }
}
