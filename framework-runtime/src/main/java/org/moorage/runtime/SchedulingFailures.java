// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime;

import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
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
import org.moorage.runtime.metrics.SchedulerMetrics;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Handles failed scheduling attempts: the pod goes back into the queue, and its status and an event say why. */
final class SchedulingFailures {
    private static final Logger LOG = LoggerFactory.getLogger(SchedulingFailures.class);

    private final SchedulerListener listener;
    private final ObjectLister<Pod> pods;
    private final SchedulingQueue queue;
    private final Nominator nominator;
    private final Cluster cluster;
    private final Executor reports;
    private final SchedulerMetrics metrics;

    SchedulingFailures(
            SchedulerListener listener,
            ObjectLister<Pod> pods,
            SchedulingQueue queue,
            Nominator nominator,
            Cluster cluster,
            Executor reports,
            SchedulerMetrics metrics) {
        this.listener = listener;
        this.pods = pods;
        this.queue = queue;
        this.nominator = nominator;
        this.cluster = cluster;
        this.reports = reports;
        this.metrics = metrics;
    }

    /** Something failed, so that it is not known whether a node is feasible. */
    Decision error(QueuedPodInfo queued, String message, int evaluated) {
        return handle(queued, Decision.Outcome.ERROR, message, evaluated, RejectorPlugins.NONE, Nomination.clear());
    }

    /** These plugins have left the pod no feasible node. */
    Decision unschedulable(
            QueuedPodInfo queued, String message, int evaluated, RejectorPlugins rejectors, Nomination nomination) {
        return handle(queued, Decision.Outcome.UNSCHEDULABLE, message, evaluated, rejectors, nomination);
    }

    static RejectorPlugins rejectors(Diagnosis diagnosis) {
        return new RejectorPlugins(diagnosis.unschedulablePlugins(), diagnosis.pendingPlugins());
    }

    private Decision handle(
            QueuedPodInfo queued,
            Decision.Outcome outcome,
            String message,
            int evaluated,
            RejectorPlugins rejectors,
            Nomination nomination) {
        Pod pod = queued.pod();
        Decision decision = new Decision(pod, outcome, "", 0, message, evaluated, 0, queued.attempts());
        listener.decided(decision);
        metrics.attempted(pod.spec().schedulerName(), outcome, queued.attemptNanos());
        Optional<Pod> current = pods.get(pod.namespace(), pod.name());
        if (current.isEmpty() || current.get().isBound() || !current.get().uid().equals(pod.uid())) {
            LOG.atDebug().addKeyValue("pod", pod.key()).log("Pod is gone or has a node by now; not queued again");
            queue.done(queued);
            return decision;
        }
        queue.addUnschedulable(queued, current.get(), rejectors);
        nominator.add(current.get(), nomination);
        String reason = outcome == Decision.Outcome.UNSCHEDULABLE ? "Unschedulable" : "SchedulerError";
        try {
            reports.execute(() -> report(current.get(), reason, message, nomination));
        } catch (RejectedExecutionException closed) {
            LOG.atDebug().addKeyValue("pod", pod.key()).log("Scheduler stops; status of the pod is not updated");
        }
        return decision;
    }

    private void report(Pod pod, String reason, String message, Nomination nomination) {
        reportEvent(pod, message);
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

    /** The pod is being deleted, so that it is neither tried nor queued again. */
    void skipDeleting(QueuedPodInfo queued) {
        Pod pod = queued.pod();
        LOG.atDebug().addKeyValue("pod", pod.key()).log("Skip schedule deleting pod");
        reportEvent(pod, "skip schedule deleting pod: " + pod.key());
        queue.done(queued);
    }

    private void reportEvent(Pod pod, String note) {
        cluster.report(new PodEvent(pod, Optional.empty(), PodEvent.WARNING, "FailedScheduling", "Scheduling", note));
    }
}
