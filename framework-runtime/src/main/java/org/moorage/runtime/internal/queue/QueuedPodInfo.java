// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.queue;

import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.QueuedPod;
import org.moorage.runtime.decision.PluginStatus;

/**
 * A waiting pod and its scheduling attempts.
 *
 * <p>The queue alone changes it, and only while the pod is in the queue. Whoever popped the pod may read it from any thread until the
 * pod goes back into the queue.
 */
public final class QueuedPodInfo implements QueuedPod {
    private final String key;
    private Pod pod;
    private Instant timestamp;
    private long number;
    private int attempts;
    private long attemptStart;
    private int unschedulableCount;
    private int consecutiveErrors;
    private Instant backoffEnd = PodBackoff.NONE;
    private @Nullable Instant initialAttemptTimestamp;
    private boolean failsWithError;
    private boolean flushed;
    private Instant flushedAt = Instant.MIN;
    private boolean poppedEarly;
    private RejectorPlugins rejectors = RejectorPlugins.NONE;
    private @Nullable PluginStatus gate;

    QueuedPodInfo(Pod pod, Instant timestamp, long number) {
        key = pod.key();
        this.pod = pod;
        this.timestamp = timestamp;
        this.number = number;
    }

    /** The pod's namespace and name. */
    public String key() {
        return key;
    }

    /** The pod, as it was when the entry was popped, or as it is while it waits. */
    @Override
    public Pod pod() {
        return pod;
    }

    @Override
    public Instant timestamp() {
        return timestamp;
    }

    @Override
    public int attempts() {
        return attempts;
    }

    @Override
    public Optional<Instant> initialAttemptTimestamp() {
        return Optional.ofNullable(initialAttemptTimestamp);
    }

    /** How many nanoseconds ago the attempt that is under way began. */
    public long attemptNanos() {
        return System.nanoTime() - attemptStart;
    }

    /** How often plugins rejected it. Decides how long it backs off, and never decreases. */
    public int unschedulableCount() {
        return unschedulableCount;
    }

    /** How often it failed for other reasons since a plugin last rejected it. If not 0, decides how long it backs off. */
    public int consecutiveErrors() {
        return consecutiveErrors;
    }

    /** The plugins that rejected the last attempt, and one that has gated it since. */
    public RejectorPlugins rejectors() {
        return rejectors;
    }

    /** The PreEnqueue plugin that gates it; empty if none does. */
    public String gatedBy() {
        return gate == null ? "" : gate.plugin();
    }

    /** The answer of the PreEnqueue plugin that gates it; null if none does. */
    @Nullable
    PluginStatus gate() {
        return gate;
    }

    boolean isGated() {
        return gate != null;
    }

    boolean isSamePod(Pod other) {
        return pod.uid().equals(other.uid());
    }

    /** The end of its backoff, cut to a whole second; {@link PodBackoff#NONE} if it has none. */
    Instant backoffEnd() {
        return backoffEnd;
    }

    // Which of two pods came first, also if they came at the same time.
    long number() {
        return number;
    }

    void replacePod(Pod current) {
        pod = current;
    }

    void startAttempt() {
        attempts++;
        attemptStart = System.nanoTime();
    }

    void popEarly() {
        poppedEarly = true;
    }

    /** Whether the attempt that is under way began before the end of its backoff. */
    boolean isPoppedEarly() {
        return poppedEarly;
    }

    void becameReady(Instant now) {
        if (initialAttemptTimestamp == null) {
            initialAttemptTimestamp = now;
        }
    }

    void gate(PluginStatus answer) {
        gate = answer;
        // What has it tried at last is then another event.
        flushed = false;
        rejectors = rejectors.withUnschedulable(answer.plugin());
    }

    /** What rejected it before it was gated counts again. */
    void keepRejectors(RejectorPlugins before) {
        rejectors = before.withUnschedulable(gatedBy());
    }

    void ungate() {
        gate = null;
    }

    void failed(Pod current, RejectorPlugins by, Instant now, long returnNumber, PodBackoff backoff) {
        pod = current;
        flushed = false;
        flushedAt = Instant.MIN;
        poppedEarly = false;
        rejectors = by;
        if (by.isEmpty()) {
            consecutiveErrors++;
        } else {
            unschedulableCount++;
            consecutiveErrors = 0;
        }
        timestamp = now;
        number = returnNumber;
        backoffEnd = backoff.end(now, consecutiveErrors > 0 ? consecutiveErrors : unschedulableCount);
        if (failsWithError) {
            failedWithError();
        }
    }

    /** Has waited for an event for so long that it is tried without one. */
    void flushed(Instant now) {
        flushed = true;
        flushedAt = now;
    }

    /** Since when it has waited for an event. One that was gated when it was flushed has waited since then. */
    Instant waitingSince() {
        return flushedAt.isAfter(timestamp) ? flushedAt : timestamp;
    }

    /** Whether the attempt that is under way was made without an event, since the pod had waited for too long. */
    public boolean wasFlushed() {
        return flushed;
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

    @Override
    public String toString() {
        return key;
    }
}
