// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.whatif;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.moorage.api.model.Pod;
import org.moorage.simulation.admission.RecreatedPod;
import org.moorage.simulation.whatif.DisruptedPod.Outcome;
import org.moorage.simulation.whatif.RescheduledPods.RescheduledPod;

/** The effects of a drain or node failure on all pods, without effects that would exist anyway. */
final class Aftermath {
    private static final PodReason NO_ROOM_ON_NODE =
            PodReason.of("its node, to which it belongs, has no room for it any more");

    private final Map<String, RescheduledPod> before;
    private final Set<String> goneBefore = new HashSet<>();
    private final Map<String, RescheduledPod> after;
    private final Map<String, RecreatedPod> gone = new HashMap<>();
    private final RescheduledPods pods;
    private final Set<String> drained;

    /**
     * Compares two states.
     *
     * @param before the results of the pending pods, without the drain or failure
     * @param after the results of all pods in the end
     * @param drained the nodes that pods should have left
     */
    Aftermath(RescheduledPods before, RescheduledPods after, Collection<String> drained) {
        this.before = byOrigin(before);
        before.gone().forEach(pod -> goneBefore.add(pod.gone().uid()));
        this.after = byOrigin(after);
        after.gone().forEach(pod -> gone.put(pod.gone().uid(), pod));
        pods = after;
        this.drained = Set.copyOf(drained);
    }

    private static Map<String, RescheduledPod> byOrigin(RescheduledPods pods) {
        Map<String, RescheduledPod> byOrigin = new HashMap<>();
        pods.pods().forEach(pod -> byOrigin.put(pod.origin().uid(), pod));
        return byOrigin;
    }

    /**
     * Returns the result for a pod that has left its node.
     *
     * @param nodeName the node that it was on
     * @param round the round in which it was evicted
     */
    DisruptedPod of(Pod pod, String nodeName, int round) {
        RescheduledPod again = after.get(pod.uid());
        if (again != null) {
            Outcome outcome = again.nodeName()
                    .map(name -> drained.contains(name) ? Outcome.RETURNED : Outcome.RESCHEDULED)
                    .orElse(Outcome.PENDING);
            return new DisruptedPod(
                    pod,
                    nodeName,
                    outcome,
                    Optional.of(again.pod()),
                    again.nodeName(),
                    again.reason(),
                    round,
                    again.victims());
        }
        RecreatedPod left = gone.get(pod.uid());
        Outcome outcome = switch (left == null ? RecreatedPod.fateOf(pod) : left.fate()) {
            case CREATED_AGAIN, LOST -> Outcome.LOST;
            case ENDED -> Outcome.ENDED;
            case OF_NODE -> Outcome.DAEMON_PODS;
        };
        return new DisruptedPod(
                pod, nodeName, outcome, Optional.empty(), Optional.empty(), PodReason.NONE, round, List.of());
    }

    /**
     * Returns the other pods that were preempted since, with their nodes at that time.
     *
     * @param disrupted the UIDs of pods that are reported elsewhere
     */
    List<DisruptedPod> preempted(Set<String> disrupted) {
        List<DisruptedPod> preempted = new ArrayList<>();
        for (RescheduledPod pod : pods.pods()) {
            Pod origin = pod.origin();
            Optional<String> was = nodeBefore(origin);
            if (!disrupted.contains(origin.uid()) && was.isPresent() && !isUnchanged(pod)) {
                preempted.add(of(origin, was.get(), 0));
            }
        }
        for (RecreatedPod pod : pods.gone()) {
            Pod origin = pod.gone();
            if (!disrupted.contains(origin.uid()) && !goneBefore.contains(origin.uid())) {
                preempted.add(withoutNode(of(origin, nodeBefore(origin).orElse(""), 0)));
            }
        }
        return preempted;
    }

    // Its DaemonSet recreates it only for that node.
    private static DisruptedPod withoutNode(DisruptedPod pod) {
        return pod.outcome() == Outcome.DAEMON_PODS
                ? DisruptedPod.there(pod.pod(), pod.nodeName(), Outcome.PENDING, NO_ROOM_ON_NODE)
                : pod;
    }

    private Optional<String> nodeBefore(Pod origin) {
        RescheduledPod known = before.get(origin.uid());
        return known == null ? Optional.of(origin.nodeName()).filter(name -> !name.isEmpty()) : known.nodeName();
    }

    private boolean isUnchanged(RescheduledPod pod) {
        RescheduledPod known = before.get(pod.origin().uid());
        return known != null
                && known.nodeName().equals(pod.nodeName())
                && known.pod().uid().equals(pod.pod().uid());
    }

    /** Returns the present state of the pods that were pending before, and would be without the drain or failure. */
    List<RescheduledPod> waitedBefore() {
        List<RescheduledPod> waited = new ArrayList<>();
        for (RescheduledPod pod : pods.pods()) {
            RescheduledPod known = before.get(pod.origin().uid());
            if (known != null && known.nodeName().isEmpty()) {
                waited.add(pod);
            }
        }
        return waited;
    }
}
