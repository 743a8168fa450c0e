// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime;

import org.moorage.api.Rejection;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.Nomination;
import org.moorage.runtime.internal.binding.AssumedPod;
import org.moorage.runtime.internal.binding.BindingCycle;
import org.moorage.runtime.internal.cache.SchedulerCache;
import org.moorage.runtime.internal.cycle.Diagnosis;
import org.moorage.runtime.internal.queue.RejectorPlugins;
import org.moorage.runtime.internal.queue.SchedulingQueue;
import org.moorage.runtime.internal.queue.WellKnownEvents;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What follows the end of a binding cycle. */
final class BindingResults implements BindingCycle.Outcome {
    private static final Logger LOG = LoggerFactory.getLogger(BindingResults.class);

    private final SchedulerCache cache;
    private final SchedulingQueue queue;
    private final SchedulingFailures failures;
    private final SchedulerListener listener;

    BindingResults(
            SchedulerCache cache, SchedulingQueue queue, SchedulingFailures failures, SchedulerListener listener) {
        this.cache = cache;
        this.queue = queue;
        this.failures = failures;
        this.listener = listener;
    }

    @Override
    public void permitted(AssumedPod candidate) {
        queue.done(candidate.entry());
    }

    @Override
    public void bound(AssumedPod candidate) {
        listener.bound(candidate.pod(), candidate.pod().nodeName(), candidate.decision());
    }

    @Override
    public void refused(AssumedPod candidate, Rejection why) {
        Diagnosis diagnosis = Diagnosis.ofChosenNode(why);
        rejected(candidate, why, diagnosis.message(""), SchedulingFailures.rejectors(diagnosis));
    }

    @Override
    public void failed(AssumedPod candidate, Rejection why) {
        if (why.status().isRejection()) {
            // The plugin said no too late for events to bring the pod back, so it backs off as after a failure.
            rejected(candidate, why, why.status().message(), RejectorPlugins.NONE);
            return;
        }
        Pod pod = candidate.pod();
        boolean forgotten = forget(pod);
        listener.bindingFailed(pod, pod.nodeName(), why.status().message());
        LOG.atError()
                .addKeyValue("pod", pod.key())
                .addKeyValue("node", pod.nodeName())
                .addKeyValue("err", why.status().message())
                .log("Error scheduling pod; retrying");
        if (forgotten) {
            queue.moveAllToActiveOrBackoff(WellKnownEvents.ASSIGNED_POD_DELETE, ObjectChange.deleted(pod));
        }
        failures.error(candidate.entry(), why.status().message(), 0);
    }

    private void rejected(AssumedPod candidate, Rejection why, String message, RejectorPlugins rejectors) {
        Pod pod = candidate.pod();
        boolean forgotten = forget(pod);
        listener.bindingFailed(pod, pod.nodeName(), why.status().message());
        failures.unschedulable(candidate.entry(), message, 0, rejectors, Nomination.clear());
        if (forgotten) {
            // Only now, and not for the pod itself: its own leaving must not wake it.
            queue.moveAllToActiveOrBackoff(
                    WellKnownEvents.ASSIGNED_POD_DELETE,
                    ObjectChange.deleted(pod),
                    other -> !other.uid().equals(pod.uid()));
        }
    }

    private boolean forget(Pod pod) {
        try {
            cache.forget(pod);
            return true;
        } catch (IllegalStateException confirmed) {
            LOG.atError().addKeyValue("pod", pod.key()).setCause(confirmed).log("Failed to forget pod");
            return false;
        }
    }
}
