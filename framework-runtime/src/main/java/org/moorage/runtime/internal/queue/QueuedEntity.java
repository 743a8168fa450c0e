// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.queue;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.point.QueuedPod;
import org.moorage.runtime.decision.PluginStatus;

/**
 * An entry of the queue with its attempt history: a pod, or a pod group with its pods, which are tried together.
 *
 * <p>Only the queue changes it, and only while it is queued. After it is popped, any thread may read it until it
 * returns to the queue.
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

    /** Returns its unique key: a pod's namespace and name, or a group's kind, namespace and name. */
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

    public final long attemptNanos() {
        return System.nanoTime() - attemptStart;
    }

    /** Returns how often plugins rejected it, which determines its backoff. */
    public final int unschedulableCount() {
        return unschedulableCount;
    }

    /**
     * Returns how often it failed for other reasons since a plugin last rejected it. If not 0, this determines its
     * backoff.
     */
    public final int consecutiveErrors() {
        return consecutiveErrors;
    }

    /** Returns the plugins that rejected it as a whole. */
    public abstract RejectorPlugins rejectors();

    /** Returns the label of its type in kube-scheduler's metrics; a composite pod group counts as a pod group. */
    abstract String type();

    abstract int size();

    /**
     * Returns its pods. After a group was popped, they are sorted by pod group, and within a pod group by the order of
     * the attempt.
     */
    public abstract List<QueuedPodInfo> members();

    /** Returns whether the condition holds for any of its pods, while it is queued. */
    abstract boolean hasMember(Predicate<Pod> condition);

    /** Returns the PreEnqueue plugin that gates it; empty if none does. */
    public final String gatedBy() {
        return gate == null ? "" : gate.plugin();
    }

    /** Returns the status of the PreEnqueue plugin that gates it; null if none does. */
    final @Nullable PluginStatus gate() {
        return gate;
    }

    final boolean isGated() {
        return gate != null;
    }

    /** Returns the end of its backoff, truncated to a whole second; {@link PodBackoff#NONE} if it has none. */
    final Instant backoffEnd() {
        return backoffEnd;
    }

    // Orders entities by arrival, also those that arrived at the same time.
    final long number() {
        return number;
    }

    void startAttempt() {
        attempts++;
        attemptStart = System.nanoTime();
    }

    /** Uncounts the current attempt. */
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
        // If it is tried later, that is because of another event.
        flushed = false;
    }

    final void ungate() {
        gate = null;
    }

    /** Records a failed attempt and starts the backoff. */
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

    /** Records an attempt that succeeded in part, so that it is retried without backoff. */
    final void succeeded() {
        unschedulableCount = 0;
        consecutiveErrors = 0;
        backoffEnd = PodBackoff.NONE;
        notFlushed();
    }

    /** Puts it behind the entities that are in the queue already. */
    final void returned(Instant now, long returnNumber) {
        timestamp = now;
        number = returnNumber;
        notFlushed();
    }

    final void notFlushed() {
        flushed = false;
        flushedAt = Instant.MIN;
    }

    /** Takes over the attempt history of an entity that it replaces. */
    final void continueFrom(QueuedEntity before) {
        timestamp = before.timestamp;
        number = before.number;
        attempts = before.attempts;
        unschedulableCount = before.unschedulableCount;
        consecutiveErrors = before.consecutiveErrors;
        initialAttemptTimestamp = before.initialAttemptTimestamp;
    }

    /** Records that it is tried without an event, since it has waited for too long. */
    void flushed(Instant now) {
        flushed = true;
        flushedAt = now;
    }

    /** Returns the start of its wait for an event. If it was gated when it was flushed, the wait restarted then. */
    final Instant waitingSince() {
        return flushedAt.isAfter(timestamp) ? flushedAt : timestamp;
    }

    /** Returns whether the current attempt was started without an event, since it had waited for too long. */
    public final boolean wasFlushed() {
        return flushed;
    }

    @Override
    public final String toString() {
        return key;
    }
}
