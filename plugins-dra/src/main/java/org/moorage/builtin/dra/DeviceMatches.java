// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.moorage.api.model.Node;
import org.moorage.api.model.ResourceClaim;
import org.moorage.builtin.dra.cel.SelectorException;

/** Checks which devices match which requests on a node, and caches the results for one search. */
final class DeviceMatches {
    private final Allocator allocator;
    private final Node node;
    private final Map<RequestData, Map<DeviceWithId, Boolean>> matches = new IdentityHashMap<>();

    DeviceMatches(Allocator allocator, Node node) {
        this.allocator = allocator;
        this.node = node;
    }

    /** Returns whether a device satisfies the selectors of the request and its class, and can be used from the node. */
    boolean isSelectable(ResourceClaim claim, RequestData request, DeviceWithId device) {
        if (!allocator.features().bindingConditions()
                && !device.device().bindingConditions().isEmpty()) {
            return false;
        }
        Map<DeviceWithId, Boolean> ofRequest = matches.computeIfAbsent(request, any -> new IdentityHashMap<>());
        Boolean known = ofRequest.get(device);
        if (known == null) {
            known = matches(claim, request, device);
            ofRequest.put(device, known);
        }
        return known;
    }

    private boolean matches(ResourceClaim claim, RequestData request, DeviceWithId device) {
        return selectorsMatch(
                        device,
                        request.deviceClass().selectors(),
                        "class ",
                        request.deviceClass().name())
                && selectorsMatch(device, request.request().selectors(), "claim ", claim.key())
                && (!device.slice().perDeviceNodeSelection() || device.reach().checkedIncludes(node));
    }

    private boolean selectorsMatch(DeviceWithId device, List<String> selectors, String kind, String owner) {
        for (int i = 0; i < selectors.size(); i++) {
            try {
                if (!device.satisfies(selectors.get(i), allocator.selectors())) {
                    return false;
                }
            } catch (SelectorException failed) {
                throw new AllocationException(kind + owner + ": selector #" + i + failed.getMessage(), failed);
            }
        }
        return true;
    }
}
