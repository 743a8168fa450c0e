// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.moorage.api.model.DeviceAllocation;
import org.moorage.api.model.PodCondition;
import org.moorage.api.model.ResourceClaim;

/** Whether the devices of a claim have been made ready for use. */
enum Readiness {
    READY,
    PENDING,
    FAILED;

    static Readiness of(ResourceClaim claim) {
        if (claim.allocation().isEmpty()) {
            return PENDING;
        }
        for (DeviceAllocation.Result result : claim.allocation().get().results()) {
            if (result.bindingConditions().isEmpty()) {
                continue;
            }
            Optional<ResourceClaim.DeviceReport> report = claim.report(result);
            if (report.isEmpty()) {
                return PENDING;
            }
            if (failure(report.get(), result).isPresent()) {
                return FAILED;
            }
            for (String condition : result.bindingConditions()) {
                if (!isTrue(report.get(), condition)) {
                    return PENDING;
                }
            }
        }
        return READY;
    }

    /** What is wrong with a claim that failed, as kube-scheduler words it. */
    static String failure(ResourceClaim claim) {
        for (DeviceAllocation.Result result :
                claim.allocation().map(DeviceAllocation::results).orElseThrow()) {
            Optional<PodCondition> failure = claim.report(result).flatMap(report -> failure(report, result));
            if (failure.isPresent()) {
                return "device binding failed: claim=" + claim.name() + ", reason="
                        + failure.get().reason() + ", message=\""
                        + failure.get().message() + "\"";
            }
        }
        throw new IllegalStateException("claim " + claim.key() + ": no failure (expected: one)");
    }

    private static Optional<PodCondition> failure(ResourceClaim.DeviceReport report, DeviceAllocation.Result result) {
        for (String condition : result.bindingFailureConditions()) {
            if (isTrue(report, condition)) {
                return report.condition(condition);
            }
        }
        return Optional.empty();
    }

    private static boolean isTrue(ResourceClaim.DeviceReport report, String condition) {
        return report.condition(condition)
                .map(known -> known.status().equals("True"))
                .orElse(false);
    }

    /** Whether a claim was given devices too long ago for them still to become ready. */
    static boolean isOverdue(ResourceClaim claim, Duration limit, Instant now) {
        if (!hasConditions(claim)) {
            return false;
        }
        Optional<Instant> given = claim.allocation().flatMap(DeviceAllocation::time);
        return given.isPresent() && given.get().plus(limit).isBefore(now);
    }

    /** Whether a claim has devices that have to be made ready. */
    static boolean hasConditions(ResourceClaim claim) {
        for (DeviceAllocation.Result result :
                claim.allocation().map(DeviceAllocation::results).orElse(List.of())) {
            if (!result.bindingConditions().isEmpty()) {
                return true;
            }
        }
        return false;
    }
}
