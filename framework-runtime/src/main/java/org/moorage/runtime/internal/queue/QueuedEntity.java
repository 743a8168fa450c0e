// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.queue;

import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.moorage.api.plugin.QueuedPod;
import org.moorage.runtime.decision.PluginStatus;

/**
 * What waits in the queue and is tried as one, and its scheduling attempts: a pod, or a pod group with its pods.
 *
 * <p>The queue alone changes it, and only while it is in the queue. Whoever popped it may read it from any thread until it goes
 * back into the queue.
 */
public abstract sealed class QueuedEntity implements QueuedPod permits QueuedPodInfo, QueuedPodGroupInfo {
    private final String key;
    private Instant timestamp;
    private long number;
    private int attempts;
    private long attemptStart;
    private int unschedulableCount;
    private int consecutiveErrors;
    private Instant backoffEnd = PodBackoff.NONE;
    private @Nullable Instant initialAttemptTimestamp;
    private boolean flushed;
    private Instant flushedAt = Instant.MIN;
    private @Nullable PluginStatus gate;

    QueuedEntity(String key, Instant timestamp, long number) {
        this.key = key;
        this.timestamp = timestamp;
        this.number = number;
    }

    /** What tells it from all others: a pod's namespace and name, or a group's kind, namespace and name. */
    public final String key() {
        return key;
    }

    @Override
    public final Instant timestamp() {
        return timestamp;
    }

    @Override
    public final int attempts() {
        return attempts;
    }

    @Override
    public final Optional<Instant> initialAttemptTimestamp() {
        return Optional.ofNullable(initialAttemptTimestamp);
    }

    /** How many nanoseconds ago the attempt that is under way began. */
    public final long attemptNanos() {
        return System.nanoTime() - attemptStart;
    }

    /** How often plugins rejected it. Decides how long it backs off. */
    public final int unschedulableCount() {
        return unschedulableCount;
    }

    /** How often it failed for other reasons since a plugin last rejected it. If not 0, decides how long it backs off. */
    public final int consecutiveErrors() {
        return consecutiveErrors;
    }

    /** The plugins that rejected it as a whole. */
    public abstract RejectorPlugins rejectors();

    /** What it is in kube-scheduler's metrics; a composite pod group counts as a pod group. */
    abstract String type();

    /** How many pods it is. */
    abstract int size();

    /** The PreEnqueue plugin that gates it; empty if none does. */
    public final String gatedBy() {
        return gate == null ? "" : gate.plugin();
    }

    /** The answer of the PreEnqueue plugin that gates it; null if none does. */
    final @Nullable PluginStatus gate() {
        return gate;
    }

    final boolean isGated() {
        return gate != null;
    }

    /** The end of its backoff, cut to a whole second; {@link PodBackoff#NONE} if it has none. */
    final Instant backoffEnd() {
        return backoffEnd;
    }

    // Which of two came first, also if they came at the same time.
    final long number() {
        return number;
    }

    void startAttempt() {
        attempts++;
        attemptStart = System.nanoTime();
    }

    /** The attempt that is under way does not count. */
    final void retractAttempt() {
        attempts--;
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
    }

    final void ungate() {
        gate = null;
    }

    /** The attempt failed, so that it backs off from now on. */
    final void failed(boolean isRejected, Instant now, long returnNumber, PodBackoff backoff) {
        if (isRejected) {
            unschedulableCount++;
            consecutiveErrors = 0;
        } else {
            consecutiveErrors++;
        }
        returned(now, returnNumber);
        backoffEnd = backoff.end(now, consecutiveErrors > 0 ? consecutiveErrors : unschedulableCount, size());
    }

    /** The attempt succeeded in part, so that it is tried again without backoff. */
    final void succeeded() {
        unschedulableCount = 0;
        consecutiveErrors = 0;
        backoffEnd = PodBackoff.NONE;
        notFlushed();
    }

    /** It is put into the queue anew, behind those that are there. */
    final void returned(Instant now, long returnNumber) {
        timestamp = now;
        number = returnNumber;
        notFlushed();
    }

    final void notFlushed() {
        flushed = false;
        flushedAt = Instant.MIN;
    }

    /** Goes on from the attempts at another entity, which leaves the queue. */
    final void continueFrom(QueuedEntity before) {
        timestamp = before.timestamp;
        number = before.number;
        attempts = before.attempts;
        unschedulableCount = before.unschedulableCount;
        consecutiveErrors = before.consecutiveErrors;
        initialAttemptTimestamp = before.initialAttemptTimestamp;
    }

    /** Has waited for an event for so long that it is tried without one. */
    void flushed(Instant now) {
        flushed = true;
        flushedAt = now;
    }

    /** Since when it has waited for an event. One that was gated when it was flushed has waited since then. */
    final Instant waitingSince() {
        return flushedAt.isAfter(timestamp) ? flushedAt : timestamp;
    }

    /** Whether the attempt that is under way was made without an event, since it had waited for too long. */
    public final boolean wasFlushed() {
        return flushed;
    }

    @Override
    public final String toString() {
        return key;
    }
}
