// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.moorage.api.model.DeviceAllocation;
import org.moorage.api.model.PodCondition;
import org.moorage.api.model.ResourceClaim;
import org.moorage.api.plugin.PluginException;

/** The state of the binding conditions of a claim's devices: whether a pod that uses the claim can be bound. */
enum DeviceBindingState {
    /** All binding conditions are true. */
    READY,
    /** A binding condition is not true yet. */
    PENDING,
    /** A binding failure condition is true. */
    FAILED;

    static DeviceBindingState of(ResourceClaim claim) {
        if (claim.allocation().isEmpty()) {
            return PENDING;
        }
        for (DeviceAllocation.Result result : claim.allocation().get().results()) {
            if (result.bindingConditions().isEmpty()) {
                continue;
            }
            Optional<ResourceClaim.AllocatedDeviceStatus> report = claim.report(result);
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

    /** Returns why the devices of a claim failed, in kube-scheduler's words. */
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
        throw new PluginException("claim " + claim.key() + ": no failure (expected: one)");
    }

    private static Optional<PodCondition> failure(
            ResourceClaim.AllocatedDeviceStatus report, DeviceAllocation.Result result) {
        for (String condition : result.bindingFailureConditions()) {
            if (isTrue(report, condition)) {
                return report.condition(condition);
            }
        }
        return Optional.empty();
    }

    private static boolean isTrue(ResourceClaim.AllocatedDeviceStatus report, String condition) {
        return report.condition(condition)
                .map(known -> known.status().equals("True"))
                .orElse(false);
    }

    /** Returns whether the binding timeout of a claim's devices has passed. */
    static boolean isTimedOut(ResourceClaim claim, Duration bindingTimeout, Instant now) {
        if (!hasBindingConditions(claim)) {
            return false;
        }
        Optional<Instant> allocated = claim.allocation().flatMap(DeviceAllocation::time);
        return allocated.isPresent() && allocated.get().plus(bindingTimeout).isBefore(now);
    }

    /** Returns whether a device of a claim has binding conditions. */
    static boolean hasBindingConditions(ResourceClaim claim) {
        for (DeviceAllocation.Result result :
                claim.allocation().map(DeviceAllocation::results).orElse(List.of())) {
            if (!result.bindingConditions().isEmpty()) {
                return true;
            }
        }
        return false;
    }
}
