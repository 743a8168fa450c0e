// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.queue;

import java.time.Instant;
import java.util.List;
import java.util.function.Predicate;
import org.moorage.api.model.Pod;
import org.moorage.runtime.decision.PluginStatus;

/** A pending pod and its attempt history: queued individually, or as a member of a {@link QueuedPodGroupInfo}. */
public final class QueuedPodInfo extends QueuedEntity {
    private Pod pod;
    private boolean failsWithError;
    private boolean poppedEarly;
    private RejectorPlugins rejectors = RejectorPlugins.NONE;

    QueuedPodInfo(Pod pod, Instant timestamp, long number) {
        super(pod.key(), timestamp, number);
        this.pod = pod;
    }

    /** Returns the pod: the current version while it is queued, afterwards the version that was popped. */
    @Override
    public Pod pod() {
        return pod;
    }

    /** Returns the plugins that rejected the last attempt, and the one that has gated the pod since. */
    @Override
    public RejectorPlugins rejectors() {
        return rejectors;
    }

    @Override
    String type() {
        return "pod";
    }

    @Override
    int size() {
        return 1;
    }

    @Override
    public List<QueuedPodInfo> members() {
        return List.of(this);
    }

    @Override
    boolean hasMember(Predicate<Pod> condition) {
        return condition.test(pod);
    }

    boolean isSamePod(Pod other) {
        return pod.uid().equals(other.uid());
    }

    void replacePod(Pod current) {
        pod = current;
    }

    void popEarly() {
        poppedEarly = true;
    }

    /** Returns whether the current attempt began before the end of its backoff. */
    boolean isPoppedEarly() {
        return poppedEarly;
    }

    @Override
    void gate(PluginStatus answer) {
        super.gate(answer);
        rejectors = rejectors.withUnschedulable(answer.plugin());
    }

    /** Restores the rejectors from before it was gated. */
    void keepRejectors(RejectorPlugins before) {
        rejectors = before.withUnschedulable(gatedBy());
    }

    /** Records that the current attempt is repeated. */
    void untried(Pod current) {
        pod = current;
        retractAttempt();
    }

    void failed(Pod current, RejectorPlugins by, Instant now, long returnNumber, PodBackoff backoff) {
        pod = current;
        poppedEarly = false;
        rejectors = by;
        failed(!by.isEmpty(), now, returnNumber, backoff);
        if (failsWithError) {
            failedWithError();
        }
    }

    /** Makes the current attempt count as failed with an error, even if plugins reject the pod. */
    void failWithError() {
        failsWithError = true;
    }

    /**
     * Makes the last attempt count as failed with an error, so that the pod is not retried before the end of its
     * backoff.
     */
    void failedWithError() {
        failsWithError = false;
        rejectors = RejectorPlugins.NONE;
    }
}
