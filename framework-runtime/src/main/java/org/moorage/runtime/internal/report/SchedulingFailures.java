// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.report;

import java.util.Optional;
import java.util.function.Predicate;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodCondition;
import org.moorage.api.plugin.cluster.ClusterWriter;
import org.moorage.api.plugin.cluster.Nomination;
import org.moorage.api.plugin.cluster.ObjectLister;
import org.moorage.api.plugin.cluster.PodEvent;
import org.moorage.config.plugin.PluginText;
import org.moorage.config.plugin.Thrown;
import org.moorage.runtime.decision.Decision;
import org.moorage.runtime.decision.PluginStatus;
import org.moorage.runtime.internal.cycle.Diagnosis;
import org.moorage.runtime.internal.cycle.RejectionMessage;
import org.moorage.runtime.internal.log.Listeners;
import org.moorage.runtime.internal.log.Log;
import org.moorage.runtime.internal.queue.Nominator;
import org.moorage.runtime.internal.queue.QueuedPodInfo;
import org.moorage.runtime.internal.queue.RejectorPlugins;
import org.moorage.runtime.internal.queue.SchedulingQueue;

/**
 * Handles failed scheduling attempts: returns the pod to the queue, and reports the reason in its status and an event.
 */
public final class SchedulingFailures {
    private static final Log LOG = Log.of(SchedulingFailures.class);

    /** The limit of the API server for the message of a condition. */
    private static final int LONGEST_MESSAGE = 32_768;

    private final ObjectLister<Pod> pods;
    private final SchedulingQueue queue;
    private final Nominator nominator;
    private final ClusterWriter cluster;
    private final StatusPatches statusPatches;
    private final Listeners listeners;
    private final Predicate<Pod> triedForResize;
    // Pods that are unschedulable for the same reasons mostly follow each other; they share one value and one text.
    private volatile RejectionMessage lastMessage = RejectionMessage.NONE;

    public SchedulingFailures(
            ObjectLister<Pod> pods,
            SchedulingQueue queue,
            Nominator nominator,
            ClusterWriter cluster,
            StatusPatches statusPatches,
            Listeners listeners,
            Predicate<Pod> triedForResize) {
        this.pods = pods;
        this.queue = queue;
        this.nominator = nominator;
        this.cluster = cluster;
        this.statusPatches = statusPatches;
        this.listeners = listeners;
        this.triedForResize = triedForResize;
    }

    /** Returns a pod to the queue because the attempt at its group is repeated. Nothing is reported. */
    public void repeat(QueuedPodInfo queued) {
        Pod pod = queued.pod();
        Optional<Pod> current = waiting(pod);
        if (current.isEmpty()) {
            queue.done(queued);
            return;
        }
        queue.addUntried(queued, current.get());
        if (waiting(pod).isEmpty()) {
            queue.delete(pod);
        }
    }

    /** Handles an error, after which it is unknown whether a node is feasible. */
    public Decision error(QueuedPodInfo queued, String message, int evaluated) {
        return handle(
                queued,
                Decision.Outcome.ERROR,
                RejectionMessage.of(PluginText.bounded(message, LONGEST_MESSAGE)),
                evaluated,
                RejectorPlugins.NONE,
                Nomination.clear());
    }

    /** As {@link #error(QueuedPodInfo, String, int)}, with a line in the log. */
    public Decision error(QueuedPodInfo queued, PluginStatus failure, int evaluated) {
        String message = failure.status().message();
        LOG.atError()
                .addKeyValue("pod", queued.pod().key())
                .addKeyValue("plugin", failure.plugin())
                .addKeyValue("err", PluginText.bounded(message))
                .log("Error scheduling pod; retrying");
        return error(queued, message, evaluated);
    }

    /** Handles a pod for which these plugins have left no feasible node. */
    public Decision unschedulable(
            QueuedPodInfo queued,
            RejectionMessage message,
            int evaluated,
            RejectorPlugins rejectors,
            Nomination nomination) {
        return handle(queued, Decision.Outcome.UNSCHEDULABLE, shared(message), evaluated, rejectors, nomination);
    }

    private RejectionMessage shared(RejectionMessage message) {
        RejectionMessage last = lastMessage;
        if (last.equals(message)) {
            return last;
        }
        RejectionMessage bounded = message.text().length() <= LONGEST_MESSAGE
                ? message
                : RejectionMessage.of(PluginText.bounded(message.text(), LONGEST_MESSAGE));
        lastMessage = bounded;
        return bounded;
    }

    public static RejectorPlugins rejectors(Diagnosis diagnosis) {
        return new RejectorPlugins(diagnosis.unschedulablePlugins(), diagnosis.pendingPlugins());
    }

    private Decision handle(
            QueuedPodInfo queued,
            Decision.Outcome outcome,
            RejectionMessage why,
            int evaluated,
            RejectorPlugins rejectors,
            Nomination nomination) {
        Pod pod = queued.pod();
        String message = why.text();
        Decision decision = new Decision(pod, outcome, "", 0, message, why.reasons(), evaluated, 0, queued.attempts());
        listeners.on(listener -> listener.decided(decision));
        listeners.measure(listener -> listener.attempted(pod.spec().schedulerName(), outcome, queued.attemptNanos()));
        Optional<Pod> current = waiting(pod);
        if (current.isEmpty()) {
            LOG.atDebug().addKeyValue("pod", pod.key()).log("Pod is gone or has a node by now; not queued again");
            queue.done(queued);
            return decision;
        }
        queue.addUnschedulable(queued, current.get(), rejectors);
        if (!current.get().isBound()) {
            nominate(current.get(), nomination);
        }
        if (waiting(pod).isEmpty()) {
            // The handler of the pod's deletion may have looked for it in the queue before it was added again.
            queue.delete(pod);
            return decision;
        }
        if (current.get().isBound()) {
            // The pod has its node, and the kubelet reports the resize.
            return decision;
        }
        String reason = outcome == Decision.Outcome.UNSCHEDULABLE ? "Unschedulable" : "SchedulerError";
        reportEvent(cluster, current.get(), message);
        PodCondition condition = new PodCondition(
                PodCondition.POD_SCHEDULED,
                "False",
                reason,
                message,
                current.get().metadata().generation());
        statusPatches.add(current.get(), condition, nomination);
        return decision;
    }

    // If a nomination ends, the change of the pod's status reactivates other pods. But a nomination whose status could
    // not be written ends without such a change, so the queue is informed here.
    private void nominate(Pod pod, Nomination nomination) {
        Optional<String> before = nominator
                .nodeNameFor(pod)
                .filter(nodeName -> !nodeName.equals(pod.status().nominatedNodeName()));
        nominator.add(pod, nomination);
        before.filter(nodeName -> !nominator.nodeNameFor(pod).equals(Optional.of(nodeName)))
                .ifPresent(nodeName -> queue.nominationEnded(pod, nodeName));
    }

    // Returns the current pod; empty if it is gone, or has a node and no resize to try.
    private Optional<Pod> waiting(Pod pod) {
        return pods.current(pod)
                .filter(known -> known.uid().equals(pod.uid()) && (!known.isBound() || triedForResize.test(known)));
    }

    /** Skips a pod that is being deleted: it is neither tried nor queued again. */
    public void skipDeleting(QueuedPodInfo queued) {
        Pod pod = queued.pod();
        LOG.atDebug().addKeyValue("pod", pod.key()).log("Skip schedule deleting pod");
        reportEvent(cluster, pod, "skip schedule deleting pod: " + pod.key());
        queue.done(queued);
    }

    /**
     * Reports why a pod is not scheduled. If the event cannot be reported, this is only logged, because handling the
     * pod must continue.
     */
    public static void reportEvent(ClusterWriter cluster, Pod pod, String note) {
        try {
            cluster.report(PodEvent.warning(pod, "FailedScheduling", "Scheduling", note));
        } catch (Throwable thrown) {
            Thrown.rethrowIfFatal(thrown);
            LOG.atError().addKeyValue("pod", pod.key()).setCause(thrown).log("Failed to report an event");
        }
    }
}
