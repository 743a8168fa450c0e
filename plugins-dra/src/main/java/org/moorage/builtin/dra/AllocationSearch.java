// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.moorage.api.Status;
import org.moorage.api.model.Node;
import org.moorage.api.model.ResourceClaim;
import org.moorage.api.plugin.PluginException;

/**
 * The search for devices on one node: depth first over claims, their requests, the subrequests of each and the devices
 * for them. At a dead end it deallocates the previous device and tries the next one.
 */
final class AllocationSearch {
    private static final int STEPS_PER_CLOCK_READING = 64;

    private final Allocator allocator;
    private final Node node;
    private final List<ResourceClaim> claims;
    private final BooleanSupplier isTimedOut;
    private final List<Pool> pools;
    private final DeviceMatches matches;
    private final AllocatingDevices allocating;
    // By claim, request and subrequest; a request without subrequests is its own only entry.
    private final List<List<List<RequestData>>> requests = new ArrayList<>();
    private final int[][] selectedSubrequests;
    private int steps;

    /** The outcome of a part of the search. */
    private enum Solution {
        FOUND,
        NONE,
        /** A claim would exceed the maximum number of devices, whichever devices its last request gets. */
        MAX_SIZE_EXCEEDED
    }

    /** A device by its indexes in the pools of the search. */
    private record DeviceLocation(int pool, int slice, int device) {
        static final DeviceLocation FIRST = new DeviceLocation(0, 0, 0);
    }

    AllocationSearch(Allocator allocator, Node node, List<ResourceClaim> claims, BooleanSupplier isTimedOut) {
        this.allocator = allocator;
        this.node = node;
        this.claims = claims;
        this.isTimedOut = isTimedOut;
        pools = allocator.slices().poolsFor(node, allocator.features());
        matches = new DeviceMatches(allocator, node);
        allocating = new AllocatingDevices(allocator, node);
        selectedSubrequests = new int[claims.size()][];
    }

    Allocator.Result run() {
        RequestValidation validation = new RequestValidation(allocator, pools, matches);
        for (int i = 0; i < claims.size(); i++) {
            requests.add(validation.requestsOf(claims.get(i)));
            selectedSubrequests[i] = new int[requests.get(i).size()];
            allocating.add(claims.get(i));
        }
        return switch (allocateRequest(0, 0)) {
            case FOUND -> allocations();
            case NONE -> hasInvalidPool() ? Allocator.Result.INVALID_POOLS : Allocator.Result.NOT_POSSIBLE;
            case MAX_SIZE_EXCEEDED -> throw new AllocationException("allocation max size exceeded");
        };
    }

    private boolean hasInvalidPool() {
        for (Pool pool : pools) {
            if (pool.condition() == Pool.Condition.INVALID) {
                return true;
            }
        }
        return false;
    }

    private Allocator.Result allocations() {
        AllocationBuilder builder = new AllocationBuilder(node.name(), allocator.features());
        for (int claim = 0; claim < claims.size(); claim++) {
            List<RequestData> selected = new ArrayList<>();
            for (int request = 0; request < requests.get(claim).size(); request++) {
                selected.add(requests.get(claim).get(request).get(selectedSubrequests[claim][request]));
            }
            builder.add(claims.get(claim), selected, allocating.results(claim));
        }
        return new Allocator.Result(Status.success(), builder.allocations());
    }

    private void checkTimeout() {
        if (steps++ % STEPS_PER_CLOCK_READING == 0 && isTimedOut.getAsBoolean()) {
            throw new AllocationTimeoutException();
        }
    }

    /** Allocates this request and all that follow. */
    private Solution allocateRequest(int claim, int request) {
        checkTimeout();
        if (claim == claims.size()) {
            return Solution.FOUND;
        }
        if (request == requests.get(claim).size()) {
            Solution rest = allocateRequest(claim + 1, 0);
            // With other devices for the claims before, a subrequest that needs fewer devices may be selected.
            return rest == Solution.MAX_SIZE_EXCEEDED ? Solution.NONE : rest;
        }
        List<RequestData> subrequests = requests.get(claim).get(request);
        if (!subrequests.get(0).isSubrequest()) {
            return allocateDevices(claim, request, subrequests.get(0), 0, DeviceLocation.FIRST);
        }
        Solution result = Solution.MAX_SIZE_EXCEEDED;
        for (int i = 0; i < subrequests.size(); i++) {
            Solution solution = allocateDevices(claim, request, subrequests.get(i), 0, DeviceLocation.FIRST);
            if (solution == Solution.FOUND) {
                selectedSubrequests[claim][request] = i;
                return solution;
            }
            if (solution == Solution.NONE) {
                result = solution;
            }
        }
        return result;
    }

    /**
     * Allocates the rest of the devices of a request, and all requests that follow.
     *
     * @param index how many devices of the request are allocated
     * @param start the first device to try: devices of a request are taken in their order only, since the same devices
     *     in another order would be the same solution
     */
    private Solution allocateDevices(int claim, int request, RequestData data, int index, DeviceLocation start) {
        checkTimeout();
        if (data.request().requestsAll() && data.allDevices().isEmpty()) {
            return Solution.NONE;
        }
        if (index >= data.numDevices()) {
            return allocateRequest(claim, request + 1);
        }
        int ofClaim = allocating.results(claim).size();
        if (data.numDevices() - index > RequestValidation.MAX_DEVICES - ofClaim) {
            return Solution.MAX_SIZE_EXCEEDED;
        }
        return data.request().requestsAll()
                ? allocateNextOfAll(claim, request, data, index)
                : allocateAnyFrom(claim, request, data, index, start);
    }

    private Solution allocateNextOfAll(int claim, int request, RequestData data, int index) {
        DeviceWithId device = data.allDevices().get(index);
        AllocatingDevices.Attempt attempt = allocating.new Attempt(claim, data, device, node, poolOf(device));
        if (!attempt.allocate()) {
            if (attempt.violatesConstraint()) {
                throw new AllocationException("claim " + claims.get(claim).key() + ", request "
                        + data.request().name() + ": cannot add device " + device.id()
                        + " because a claim constraint would not be satisfied");
            }
            return Solution.NONE;
        }
        Solution solution = allocateDevices(claim, request, data, index + 1, DeviceLocation.FIRST);
        if (solution != Solution.FOUND) {
            attempt.deallocate();
        }
        return solution;
    }

    private Pool poolOf(DeviceWithId device) {
        PoolId id = PoolId.of(device.slice());
        for (Pool pool : pools) {
            if (pool.id().equals(id)) {
                return pool;
            }
        }
        throw new PluginException("pool " + id + " (expected: one of those that the device was taken from)");
    }

    private Solution allocateAnyFrom(int claim, int request, RequestData data, int index, DeviceLocation start) {
        for (int p = start.pool; p < pools.size(); p++) {
            Pool pool = pools.get(p);
            if (pool.condition() != Pool.Condition.VALID) {
                continue;
            }
            List<SliceWithDevices> slices = pool.slicesTargetingNode();
            for (int s = p == start.pool ? start.slice : 0; s < slices.size(); s++) {
                List<DeviceWithId> devices = slices.get(s).devices();
                for (int d = p == start.pool && s == start.slice ? start.device : 0; d < devices.size(); d++) {
                    DeviceWithId device = devices.get(d);
                    if (!mayBeAllocated(claim, data, device)) {
                        continue;
                    }
                    AllocatingDevices.Attempt attempt = allocating.new Attempt(claim, data, device, node, pool);
                    if (!attempt.allocate()) {
                        continue;
                    }
                    Solution solution =
                            allocateDevices(claim, request, data, index + 1, new DeviceLocation(p, s, d + 1));
                    if (solution == Solution.FOUND) {
                        return solution;
                    }
                    attempt.deallocate();
                    if (solution == Solution.MAX_SIZE_EXCEEDED) {
                        return solution;
                    }
                }
            }
        }
        return Solution.NONE;
    }

    private boolean mayBeAllocated(int claim, RequestData data, DeviceWithId device) {
        return allocating.isFree(claim, data.request(), device.id())
                && matches.isSelectable(claims.get(claim), data, device)
                && allocating.hasCapacity(claim, data.request(), device);
    }
}
