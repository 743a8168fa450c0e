// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cycle;

import java.util.List;
import java.util.function.Predicate;
import org.moorage.api.Code;
import org.moorage.api.CycleState;
import org.moorage.api.Status;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodStatus;
import org.moorage.api.plugin.builtin.NodeAllocatableResourceClaims;
import org.moorage.api.plugin.point.ExtensionPoint;
import org.moorage.runtime.decision.PluginStatus;
import org.moorage.runtime.internal.cache.TrialSnapshot;
import org.moorage.runtime.internal.log.Log;
import org.moorage.runtime.internal.plugin.PluginCaller;
import org.moorage.runtime.internal.plugin.PluginFailure;
import org.moorage.runtime.internal.plugin.PluginMethod;
import org.moorage.runtime.internal.plugin.PointRun;

/**
 * The reservation of a pod on its chosen node, by the Reserve plugins of a profile.
 *
 * @param profile the pod's profile
 * @param state the state of the pod's cycle
 * @param pod the pod
 * @param nodeName the name of the node
 */
public record Reservation(Profile profile, CycleState state, Pod pod, String nodeName) {
    private static final Log LOG = Log.of(Reservation.class);

    /** Returns the reservation for a pending pod. It has the pod as it is once it is assumed on the node. */
    public static Reservation of(Profile profile, CycleState state, Pod waiting, String nodeName) {
        return new Reservation(
                profile, state, withClaims(waiting, state, nodeName).withNode(nodeName), nodeName);
    }

    // Claims in the pod's status are of an earlier attempt, and are replaced.
    private static Pod withClaims(Pod pod, CycleState state, String nodeName) {
        List<PodStatus.NodeAllocatableResourceClaimStatus> claims =
                state.find(NodeAllocatableResourceClaims.KEY, nodeName).orElse(List.of());
        return claims.equals(pod.status().nodeAllocatableResourceClaimStatuses())
                ? pod
                : pod.withStatus(pod.status().toBuilder()
                        .nodeAllocatableResourceClaimStatuses(claims)
                        .build());
    }

    /**
     * Runs Reserve. If the result is not a success, the caller must still run Unreserve.
     *
     * @return success, or the first rejection
     * @throws PluginFailure if a plugin fails
     */
    public PluginStatus reserve() {
        return reserve(any -> true);
    }

    /** Like {@link #reserve()}, for some of the plugins. */
    public PluginStatus reserve(Predicate<PluginCaller> chosen) {
        try (PointRun run = profile.begin(PluginMethod.RESERVE)) {
            for (PluginCaller plugin : plugins()) {
                if (!chosen.test(plugin)) {
                    continue;
                }
                Status status = plugin.reserve(run, state, pod, nodeName);
                if (!status.isSuccess()) {
                    return run.end(new PluginStatus(plugin.name(), status));
                }
            }
            return run.end(PluginStatus.SUCCESS);
        }
    }

    /**
     * Assumes the pod on a snapshot, and runs Reserve. If the answer is not a success, the snapshot is as before.
     *
     * @param undone runs when the change of the snapshot is undone, and has to run Unreserve
     * @return success, or the first rejection
     * @throws PluginFailure if a plugin fails
     */
    public PluginStatus reserveOn(TrialSnapshot snapshot, Runnable undone) {
        int changes = snapshot.changes();
        PluginStatus answer = PluginStatus.error("", "not reserved");
        try {
            snapshot.assume(pod, nodeName, undone);
            answer = reserve();
            return answer;
        } finally {
            if (!answer.isSuccess()) {
                snapshot.revertTo(changes);
            }
        }
    }

    /**
     * Runs Unreserve of all plugins in reverse order, including those whose Reserve was not run. Exceptions are logged.
     */
    public void unreserve() {
        unreserve(any -> true);
    }

    /** Like {@link #unreserve()}, for some of the plugins. */
    public void unreserve(Predicate<PluginCaller> chosen) {
        try (PointRun run = profile.begin(PluginMethod.UNRESERVE)) {
            List<PluginCaller> plugins = plugins();
            for (int i = plugins.size() - 1; i >= 0; i--) {
                if (!chosen.test(plugins.get(i))) {
                    continue;
                }
                try {
                    plugins.get(i).unreserve(state, pod, nodeName);
                } catch (PluginFailure failure) {
                    LOG.atError()
                            .addKeyValue("plugin", failure.plugin())
                            .addKeyValue("pod", pod.key())
                            .setCause(failure)
                            .log("Unreserve plugin failed");
                }
            }
            run.end(Code.SUCCESS);
        }
    }

    private List<PluginCaller> plugins() {
        return profile.at(ExtensionPoint.RESERVE);
    }
}
