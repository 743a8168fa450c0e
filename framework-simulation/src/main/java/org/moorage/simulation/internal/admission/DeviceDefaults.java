// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.internal.admission;

import org.moorage.objects.tree.Fields;

/** Defaults of resource claims and their templates. */
final class DeviceDefaults {
    private DeviceDefaults() {}

    /** Completes a claim. */
    static void resourceClaim(Fields claim) {
        resourceClaimSpec(claim.struct("spec"));
        claim.pointer("status")
                .flatMap(status -> status.pointer("allocation"))
                .flatMap(allocation -> allocation.pointer("devices"))
                .ifPresent(devices -> devices.each("results").forEach(DeviceDefaults::deviceTolerations));
    }

    /** Completes the template of a claim. */
    static void resourceClaimTemplate(Fields template) {
        resourceClaimSpec(template.struct("spec").struct("spec"));
    }

    private static void resourceClaimSpec(Fields spec) {
        spec.pointer("devices").ifPresent(devices -> {
            for (Fields request : devices.each("requests")) {
                request.pointer("exactly").ifPresent(DeviceDefaults::deviceRequest);
                request.each("firstAvailable").forEach(DeviceDefaults::deviceRequest);
                // Only v1beta1 has exact requests without the field "exactly".
                if (!request.isBlank("deviceClassName")) {
                    deviceRequest(request);
                }
            }
        });
    }

    private static void deviceRequest(Fields request) {
        request.whenBlank("allocationMode", "ExactCount");
        if (request.holds("allocationMode", "ExactCount")) {
            request.whenBlank("count", 1);
        }
        deviceTolerations(request);
    }

    private static void deviceTolerations(Fields parent) {
        parent.each("tolerations").forEach(toleration -> toleration.whenBlank("operator", "Equal"));
    }
}
