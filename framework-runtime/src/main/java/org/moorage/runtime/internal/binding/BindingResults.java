// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.binding;

import org.moorage.api.event.ObjectChange;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.cluster.Nomination;
import org.moorage.config.plugin.PluginText;
import org.moorage.runtime.decision.Decision;
import org.moorage.runtime.decision.PluginStatus;
import org.moorage.runtime.internal.cache.SchedulerCache;
import org.moorage.runtime.internal.cycle.Diagnosis;
import org.moorage.runtime.internal.cycle.RejectionMessage;
import org.moorage.runtime.internal.log.Listeners;
import org.moorage.runtime.internal.log.Log;
import org.moorage.runtime.internal.queue.RejectorPlugins;
import org.moorage.runtime.internal.queue.SchedulingQueue;
import org.moorage.runtime.internal.queue.WellKnownEvents;
import org.moorage.runtime.internal.report.SchedulingFailures;

/**
 * Handles the results of binding cycles: a pod that is not bound is forgotten by the cache and goes back into the
 * queue.
 */
public final class BindingResults {
    private static final Log LOG = Log.of(BindingResults.class);

    private final SchedulerCache cache;
    private final SchedulingQueue queue;
    private final SchedulingFailures failures;
    private final Listeners listeners;

    public BindingResults(
            SchedulerCache cache, SchedulingQueue queue, SchedulingFailures failures, Listeners listeners) {
        this.cache = cache;
        this.queue = queue;
        this.failures = failures;
        this.listeners = listeners;
    }

    /** The permit was granted: events no longer have to be recorded for the pod. */
    void permitted(AssumedPod assumed) {
        queue.done(assumed.queued());
    }

    void bound(AssumedPod assumed) {
        listeners.on(listener -> listener.bound(assumed.pod(), assumed.nodeName(), assumed.decision()));
        listeners.measure(listener -> listener.attempted(
                assumed.profile().name(),
                Decision.Outcome.SCHEDULED,
                assumed.queued().attemptNanos()));
        listeners.measure(listener ->
                listener.scheduled(assumed.queued(), assumed.queued().wasFlushed()));
    }

    /** The pod is gone, or another scheduler bound it: it is not updated any more. Unreserve has run. */
    void dropped(AssumedPod assumed) {
        Pod pod = assumed.pod();
        LOG.atInfo()
                .addKeyValue("pod", pod.key())
                .addKeyValue("node", assumed.nodeName())
                .log("Pod is gone or has another node; its binding is abandoned");
        // If the pod is confirmed on another node, the cache keeps it there.
        boolean ignored = cache.forget(pod);
        listeners.on(
                listener -> listener.bindingFailed(pod, assumed.nodeName(), "the pod is gone or has another node"));
        queue.moveAllToActiveOrBackoff(WellKnownEvents.ASSIGNED_POD_DELETE, ObjectChange.deleted(pod));
    }

    /** The pod was rejected while it waited for its permit. Unreserve has run. */
    void refused(AssumedPod assumed, PluginStatus rejection) {
        Diagnosis diagnosis = Diagnosis.ofChosenNode(rejection);
        rejected(assumed, rejection, diagnosis.message(""), SchedulingFailures.rejectors(diagnosis));
    }

    /** The pod is not bound for another reason. Unreserve has run. */
    void failed(AssumedPod assumed, PluginStatus answer) {
        if (answer.isRejection()) {
            // kube-scheduler records no rejectors of PreBind and Bind, so the pod backs off as after an error.
            rejected(assumed, answer, RejectionMessage.of(answer.status().message()), RejectorPlugins.NONE);
            return;
        }
        Pod pod = assumed.pod();
        try {
            boolean forgotten = forget(pod);
            listeners.on(listener -> listener.bindingFailed(
                    pod, assumed.nodeName(), answer.status().message()));
            LOG.atError()
                    .addKeyValue("pod", pod.key())
                    .addKeyValue("node", assumed.nodeName())
                    .addKeyValue("err", PluginText.bounded(answer.status().message()))
                    .log("Error scheduling pod; retrying");
            if (forgotten) {
                queue.moveAllToActiveOrBackoff(WellKnownEvents.ASSIGNED_POD_DELETE, ObjectChange.deleted(pod));
            }
        } finally {
            failures.error(assumed.queued(), answer.status().message(), 0);
        }
    }

    private void rejected(
            AssumedPod assumed, PluginStatus rejection, RejectionMessage message, RejectorPlugins rejectors) {
        Pod pod = assumed.pod();
        boolean forgotten = false;
        try {
            forgotten = forget(pod);
            listeners.on(listener -> listener.bindingFailed(
                    pod, assumed.nodeName(), rejection.status().message()));
        } finally {
            failures.unschedulable(assumed.queued(), message, 0, rejectors, Nomination.clear());
        }
        if (forgotten) {
            // After the pod is back in the queue, and not for the pod itself: leaving its node does not make it
            // schedulable.
            queue.moveAllToActiveOrBackoff(
                    WellKnownEvents.ASSIGNED_POD_DELETE,
                    ObjectChange.deleted(pod),
                    other -> !other.uid().equals(pod.uid()));
        }
    }

    private boolean forget(Pod pod) {
        boolean isForgotten = cache.forget(pod);
        if (!isForgotten) {
            LOG.atError()
                    .addKeyValue("pod", pod.key())
                    .log("Failed to forget pod: the cluster says that it has its node");
        }
        return isForgotten;
    }
}
