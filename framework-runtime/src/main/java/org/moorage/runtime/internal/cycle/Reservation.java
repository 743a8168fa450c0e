// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cycle;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.moorage.api.Code;
import org.moorage.api.CycleState;
import org.moorage.api.Status;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodStatus;
import org.moorage.api.plugin.builtin.NodeAllocatableResourceClaims;
import org.moorage.api.plugin.point.ExtensionPoint;
import org.moorage.api.plugin.point.PermitResult;
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
     * Runs Permit.
     *
     * @param timeouts receives the timeouts of the plugins that the pod waits for
     * @return success, or the first rejection
     * @throws PluginFailure if a plugin fails
     */
    public PluginStatus permit(Map<String, Duration> timeouts) {
        try (PointRun run = profile.begin(PluginMethod.PERMIT)) {
            for (PluginCaller plugin : profile.at(ExtensionPoint.PERMIT)) {
                PermitResult result = plugin.permit(run, state, pod, nodeName);
                if (!result.status().isSuccess()) {
                    return run.end(new PluginStatus(plugin.name(), result.status()));
                }
                result.timeout().ifPresent(timeout -> timeouts.put(plugin.name(), timeout));
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

    /**
     * The reservations that are held while a group is tried. They are released when the change on the snapshot is undone,
     * or by another thread if a plugin does not return.
     */
    public static final class Held {
        private final Object lock = new Object();

        // The last one first.
        @GuardedBy("lock")
        private final Deque<Reservation> held = new ArrayDeque<>();

        @GuardedBy("lock")
        private boolean abandoned;

        /**
         * Assumes a pod on a node, and runs Reserve. Unreserve runs when that change of the snapshot is undone; it is
         * undone immediately if the answer is not a success.
         *
         * @param pod the pending pod
         * @return success, or the first rejection
         * @throws PluginFailure if a plugin fails
         */
        PluginStatus reserve(Profile profile, CycleState state, Pod pod, String nodeName, TrialSnapshot snapshot) {
            Reservation reservation = Reservation.of(profile, state, pod, nodeName);
            synchronized (lock) {
                if (abandoned) {
                    return PluginStatus.error("", "the attempt was abandoned");
                }
                held.push(reservation);
            }
            try {
                return reservation.reserveOn(snapshot, () -> release(reservation));
            } finally {
                if (isAbandoned()) {
                    // Unreserve has run before; this releases what Reserve has reserved since then.
                    reservation.unreserve();
                }
            }
        }

        private boolean isAbandoned() {
            synchronized (lock) {
                return abandoned;
            }
        }

        @SuppressWarnings("ReferenceEquality") // two equal reservations are released separately
        private void release(Reservation reservation) {
            boolean isHeld;
            synchronized (lock) {
                // It is nearly always the last one.
                isHeld =
                        held.peek() == reservation ? held.poll() != null : held.removeIf(other -> other == reservation);
            }
            if (isHeld) {
                reservation.unreserve();
            }
        }

        /** Releases all reservations, the last one first, and rejects further ones. */
        public void abandon() {
            synchronized (lock) {
                abandoned = true;
            }
            Optional<Reservation> last = takeLast();
            while (last.isPresent()) {
                last.get().unreserve();
                last = takeLast();
            }
        }

        private Optional<Reservation> takeLast() {
            synchronized (lock) {
                return Optional.ofNullable(held.poll());
            }
        }
    }
}
