// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import java.util.List;
import java.util.Optional;
import org.moorage.api.model.DeviceClass;
import org.moorage.api.model.DeviceRequest;
import org.moorage.api.model.ResourceClaim;
import org.moorage.api.plugin.cluster.ObjectLister;

/** Checks in PreFilter whether devices can be allocated to a claim at all. */
final class DeviceClassValidation {
    private final ObjectLister<DeviceClass> classes;
    private final DeviceFeatures features;

    DeviceClassValidation(ObjectLister<DeviceClass> classes, DeviceFeatures features) {
        this.classes = classes;
        this.features = features;
    }

    /**
     * Returns why a claim cannot be allocated, or empty.
     *
     * @throws AllocationException if a request names no device class
     */
    Optional<String> problem(ResourceClaim claim) {
        for (DeviceRequest request : claim.requests()) {
            Optional<String> problem = problem(claim, request);
            if (problem.isPresent()) {
                return problem;
            }
        }
        return Optional.empty();
    }

    private Optional<String> problem(ResourceClaim claim, DeviceRequest request) {
        List<DeviceRequest> subrequests = request.alternatives();
        if (subrequests.isEmpty()) {
            return request.allocationMode().isEmpty()
                    ? Optional.of(
                            "resource claim " + claim.key() + ", request " + request.name() + ": unknown request type")
                    : missingClass(request.deviceClass(), request.name());
        }
        if (!features.prioritizedList()) {
            return Optional.of("resource claim " + claim.key() + ", request " + request.name()
                    + ": has subrequests, but the DRAPrioritizedList feature is disabled");
        }
        for (DeviceRequest subrequest : subrequests) {
            Optional<String> missing = missingClass(subrequest.deviceClass(), request.name() + "/" + subrequest.name());
            if (missing.isPresent()) {
                return missing;
            }
        }
        return Optional.empty();
    }

    private Optional<String> missingClass(String deviceClass, String requestName) {
        if (deviceClass.isEmpty()) {
            throw new AllocationException("request " + requestName + ": unsupported request type");
        }
        return classes.get("", deviceClass).isPresent()
                ? Optional.empty()
                : Optional.of("request " + requestName + ": device class " + deviceClass + " does not exist");
    }
}
