// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.queue;

import java.time.Instant;
import org.moorage.api.model.Pod;
import org.moorage.runtime.decision.PluginStatus;

/**
 * A waiting pod and its scheduling attempts: in the queue on its own, or as a member of a {@link QueuedPodGroupInfo}.
 */
public final class QueuedPodInfo extends QueuedEntity {
    private Pod pod;
    private boolean failsWithError;
    private boolean poppedEarly;
    private RejectorPlugins rejectors = RejectorPlugins.NONE;

    QueuedPodInfo(Pod pod, Instant timestamp, long number) {
        super(pod.key(), timestamp, number);
        this.pod = pod;
    }

    /** The pod, as it was when the entry was popped, or as it is while it waits. */
    @Override
    public Pod pod() {
        return pod;
    }

    /** The plugins that rejected the last attempt, and one that has gated it since. */
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

    boolean isSamePod(Pod other) {
        return pod.uid().equals(other.uid());
    }

    void replacePod(Pod current) {
        pod = current;
    }

    void popEarly() {
        poppedEarly = true;
    }

    /** Whether the attempt that is under way began before the end of its backoff. */
    boolean isPoppedEarly() {
        return poppedEarly;
    }

    @Override
    void gate(PluginStatus answer) {
        super.gate(answer);
        rejectors = rejectors.withUnschedulable(answer.plugin());
    }

    /** What rejected it before it was gated counts again. */
    void keepRejectors(RejectorPlugins before) {
        rejectors = before.withUnschedulable(gatedBy());
    }

    /** The attempt that is under way is repeated. */
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

    /** Has the attempt that is under way count as one that failed with an error, even if plugins reject it. */
    void failWithError() {
        failsWithError = true;
    }

    /** The last attempt counts as one that failed with an error: it is not tried again before the end of its backoff. */
    void failedWithError() {
        failsWithError = false;
        rejectors = RejectorPlugins.NONE;
    }
}
