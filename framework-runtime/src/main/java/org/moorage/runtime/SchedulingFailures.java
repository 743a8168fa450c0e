// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime;

import java.util.Optional;
import java.util.concurrent.Executor;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodCondition;
import org.moorage.api.plugin.ClusterException;
import org.moorage.api.plugin.Nomination;
import org.moorage.api.plugin.ObjectLister;
import org.moorage.api.plugin.PodEvent;
import org.moorage.runtime.cluster.Cluster;
import org.moorage.runtime.decision.Decision;
import org.moorage.runtime.internal.cycle.Diagnosis;
import org.moorage.runtime.internal.queue.Nominator;
import org.moorage.runtime.internal.queue.QueuedPodInfo;
import org.moorage.runtime.internal.queue.RejectorPlugins;
import org.moorage.runtime.internal.queue.SchedulingQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What follows a failed attempt: the pod goes back into the queue as it is by now, and the cluster is told why. */
final class SchedulingFailures {
    private static final Logger LOG = LoggerFactory.getLogger(SchedulingFailures.class);

    private final SchedulerListener listener;
    private final ObjectLister<Pod> pods;
    private final SchedulingQueue queue;
    private final Nominator nominator;
    private final Cluster cluster;
    private final Executor reports;

    SchedulingFailures(
            SchedulerListener listener,
            ObjectLister<Pod> pods,
            SchedulingQueue queue,
            Nominator nominator,
            Cluster cluster,
            Executor reports) {
        this.listener = listener;
        this.pods = pods;
        this.queue = queue;
        this.nominator = nominator;
        this.cluster = cluster;
        this.reports = reports;
    }

    /** Something went wrong, so that nothing is known about where the pod fits. */
    Decision error(QueuedPodInfo entry, String message, int evaluated) {
        return requeue(entry, Decision.Outcome.ERROR, message, evaluated, RejectorPlugins.NONE, Nomination.clear());
    }

    /** The pod fits nowhere, as those plugins say. */
    Decision unschedulable(
            QueuedPodInfo entry, String message, int evaluated, RejectorPlugins rejectors, Nomination nomination) {
        return requeue(entry, Decision.Outcome.UNSCHEDULABLE, message, evaluated, rejectors, nomination);
    }

    static RejectorPlugins rejectors(Diagnosis diagnosis) {
        return new RejectorPlugins(diagnosis.unschedulablePlugins(), diagnosis.pendingPlugins());
    }

    private Decision requeue(
            QueuedPodInfo entry,
            Decision.Outcome outcome,
            String message,
            int evaluated,
            RejectorPlugins rejectors,
            Nomination nomination) {
        Pod pod = entry.pod();
        Decision decision = new Decision(pod, outcome, "", 0, message, evaluated, 0, entry.attempts());
        listener.decided(decision);
        Optional<Pod> current = pods.get(pod.namespace(), pod.name());
        if (current.isEmpty() || current.get().isBound() || !current.get().uid().equals(pod.uid())) {
            LOG.atDebug().addKeyValue("pod", pod.key()).log("Pod is gone or has a node by now; not queued again");
            queue.done(entry);
            return decision;
        }
        queue.addUnschedulable(entry, current.get(), rejectors);
        nominator.add(current.get(), nomination);
        String reason = outcome == Decision.Outcome.UNSCHEDULABLE ? "Unschedulable" : "SchedulerError";
        reports.execute(() -> report(current.get(), reason, message, nomination));
        return decision;
    }

    private void report(Pod pod, String reason, String message, Nomination nomination) {
        tell(pod, message);
        PodCondition condition = new PodCondition(
                PodCondition.POD_SCHEDULED,
                "False",
                reason,
                message,
                pod.metadata().generation());
        boolean same = pod.status().condition(PodCondition.POD_SCHEDULED).equals(Optional.of(condition));
        boolean renominated = nomination.overrides()
                && !nomination.nodeName().equals(pod.status().nominatedNodeName());
        if (same && !renominated) {
            // Written again, it would come back as an update of the pod.
            return;
        }
        try {
            cluster.patchStatus(
                    pod,
                    same ? Optional.empty() : Optional.of(condition),
                    renominated ? nomination : Nomination.keep());
        } catch (ClusterException thrown) {
            if (!thrown.isNotFound()) {
                LOG.atError().addKeyValue("pod", pod.key()).setCause(thrown).log("Error updating pod");
            }
        }
    }

    /** The pod is about to go, so that it is neither tried nor queued again. */
    void skipDeleting(QueuedPodInfo entry) {
        Pod pod = entry.pod();
        LOG.atDebug().addKeyValue("pod", pod.key()).log("Skip schedule deleting pod");
        tell(pod, "skip schedule deleting pod: " + pod.key());
        queue.done(entry);
    }

    private void tell(Pod pod, String note) {
        cluster.report(new PodEvent(pod, Optional.empty(), PodEvent.WARNING, "FailedScheduling", "Scheduling", note));
    }
}
