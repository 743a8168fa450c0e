// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.moorage.api.model.DeviceClass;
import org.moorage.api.model.DeviceRequest;
import org.moorage.api.model.ResourceClaim;

/** Checks the requests of claims before a search, and finds all devices for those that request all. */
final class RequestValidation {
    /** The maximum number of devices of a claim. */
    static final int MAX_DEVICES = 32;

    private final Allocator allocator;
    private final List<Pool> pools;
    private final DeviceMatches matches;

    RequestValidation(Allocator allocator, List<Pool> pools, DeviceMatches matches) {
        this.allocator = allocator;
        this.pools = pools;
        this.matches = matches;
    }

    /**
     * Returns the requests of a claim, each with its subrequests; a request without subrequests is its own only entry.
     *
     * @throws AllocationException if a request is not valid
     */
    List<List<RequestData>> requestsOf(ResourceClaim claim) {
        List<List<RequestData>> requests = new ArrayList<>();
        long minDevices = 0;
        for (DeviceRequest request : claim.requests()) {
            checkCapacityRequests(claim, request);
            List<RequestData> subrequests = new ArrayList<>();
            if (request.alternatives().isEmpty()) {
                subrequests.add(requestData(claim, request, ""));
            } else {
                for (DeviceRequest subrequest : request.alternatives()) {
                    subrequests.add(requestData(claim, subrequest, request.name()));
                }
            }
            long minOfRequest = Long.MAX_VALUE;
            for (RequestData subrequest : subrequests) {
                minOfRequest = Math.min(minOfRequest, subrequest.numDevices());
            }
            if (minOfRequest > MAX_DEVICES - minDevices) {
                throw new AllocationException(title(claim, request) + ": adding " + minOfRequest
                        + " devices exceeds the claim limit of " + MAX_DEVICES + ", with " + minDevices
                        + " already accounted for");
            }
            minDevices += minOfRequest;
            requests.add(subrequests);
        }
        return requests;
    }

    private void checkCapacityRequests(ResourceClaim claim, DeviceRequest request) {
        if (allocator.features().consumableCapacity() || allocator.features().usesStableAllocator()) {
            return;
        }
        if (request.alternatives().isEmpty()) {
            checkCapacityRequests(claim, request, ", request ");
        }
        for (DeviceRequest subrequest : request.alternatives()) {
            checkCapacityRequests(claim, subrequest, ", subrequest ");
        }
    }

    private static void checkCapacityRequests(ResourceClaim claim, DeviceRequest request, String kind) {
        if (!request.capacity().isEmpty()) {
            throw new AllocationException("claim " + claim.key() + kind + request.name()
                    + ": has capacity requests, but the DRAConsumableCapacity feature is disabled");
        }
    }

    private RequestData requestData(ResourceClaim claim, DeviceRequest request, String parentRequest) {
        if (!request.derivedAttributes().isEmpty() && !allocator.features().derivedAttributes()) {
            throw new AllocationException(
                    title(claim, request) + ": cannot handle request with derived attributes, the feature is disabled");
        }
        int empty = request.selectors().indexOf("");
        if (empty >= 0) {
            throw new AllocationException(title(claim, request) + ", selector #" + empty
                    + ": CEL expression empty (unsupported selector type?)");
        }
        if (request.deviceClass().isEmpty()) {
            throw new AllocationException(
                    title(claim, request) + ": missing device class name (unsupported request type?)");
        }
        DeviceClass deviceClass = allocator
                .deviceClass(request.deviceClass())
                .orElseThrow(() -> new AllocationException(title(claim, request) + ": could not retrieve device class "
                        + request.deviceClass() + ": deviceclass.resource.k8s.io \"" + request.deviceClass()
                        + "\" not found"));
        if (request.allocationMode().equals(DeviceRequest.EXACT_COUNT)) {
            return new RequestData(request, parentRequest, deviceClass, request.count(), List.of());
        }
        if (!request.requestsAll()) {
            throw new AllocationException(
                    title(claim, request) + ": unsupported count mode " + request.allocationMode());
        }
        RequestData requested = new RequestData(request, parentRequest, deviceClass, 0, List.of());
        List<DeviceWithId> all = allDevices(claim, requested);
        return new RequestData(request, parentRequest, deviceClass, all.size(), all);
    }

    private static String title(ResourceClaim claim, DeviceRequest request) {
        return "claim " + claim.key() + ", request " + request.name();
    }

    private List<DeviceWithId> allDevices(ResourceClaim claim, RequestData request) {
        List<DeviceWithId> all = new ArrayList<>();
        for (Pool pool : pools) {
            if (pool.condition() != Pool.Condition.VALID) {
                String condition = pool.condition() == Pool.Condition.INCOMPLETE ? "being updated" : "invalid";
                throw new AllocationException(title(claim, request.request())
                        + ": asks for all devices, but resource pool " + pool.id() + " is currently " + condition);
            }
            for (SliceWithDevices slice : pool.slicesTargetingNode()) {
                for (DeviceWithId device : slice.devices()) {
                    if (matches.isSelectable(claim, request, device) && hasCapacity(claim, request.request(), device)) {
                        all.add(device);
                    }
                }
            }
        }
        return all;
    }

    // Whether the device could have the capacity if it were unused: the request wants all devices, so a device whose
    // capacity is used up must be included.
    private boolean hasCapacity(ResourceClaim claim, DeviceRequest request, DeviceWithId device) {
        if (!allocator.features().consumableCapacity()) {
            return true;
        }
        try {
            return ConsumedCapacity.fits(
                    device.device().capacity(), request.capacity(), Map.of(), Map.of(), allocator.features());
        } catch (AllocationException invalid) {
            throw new AllocationException(
                    title(claim, request) + ": checking capacity for device "
                            + device.id().device() + ": " + invalid.getMessage(),
                    invalid);
        }
    }
}
