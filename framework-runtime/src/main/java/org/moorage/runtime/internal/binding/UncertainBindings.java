// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.binding;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.cluster.ObjectLister;
import org.moorage.config.plugin.Thrown;
import org.moorage.runtime.cluster.ClusterSource;
import org.moorage.runtime.internal.log.Log;

/**
 * Determines the outcome of bindings that failed with an unknown result, by reading the pods from the API server. While
 * the API server is unreachable, one pod at a time is retried with a backoff that blocks no thread; the other pods stay
 * queued.
 */
public final class UncertainBindings {
    private static final Log LOG = Log.of(UncertainBindings.class);
    private static final Duration FIRST_WAIT = Duration.ofMillis(50);
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(1);

    private final ClusterSource cluster;
    private final ObjectLister<Pod> pods;
    private final Executor executor;
    private final ScheduledExecutorService timers;

    @GuardedBy("this")
    private final Deque<Question> waiting = new ArrayDeque<>();

    @GuardedBy("this")
    private boolean isReading;

    @GuardedBy("this")
    private int failures;

    /** The outcome of a binding. */
    enum BindingOutcome {
        /** The pod is bound to the node. */
        BOUND,
        /** The pod has no node. */
        NOT_BOUND,
        /** The pod is gone, or has another node. */
        GONE
    }

    private record Question(Pod pod, Consumer<BindingOutcome> then) {}

    /**
     * Creates an instance without bindings.
     *
     * @param cluster reads pods
     * @param pods the last known pods; a pod that is bound or gone there is not read again
     * @param executor handles outcomes
     * @param timers runs the delays between retries
     */
    public UncertainBindings(
            ClusterSource cluster, ObjectLister<Pod> pods, Executor executor, ScheduledExecutorService timers) {
        this.cluster = cluster;
        this.pods = pods;
        this.executor = executor;
        this.timers = timers;
    }

    /**
     * Determines the outcome of a binding: immediately if the API server responds, otherwise later on another thread.
     *
     * @param pod the pod, with the target node of its binding
     * @param then handles the outcome
     */
    void find(Pod pod, Consumer<BindingOutcome> then) {
        synchronized (this) {
            waiting.addLast(new Question(pod, then));
            if (isReading) {
                return;
            }
            isReading = true;
        }
        readAll();
    }

    /** Returns the pods that were not read yet. */
    public synchronized List<Pod> waiting() {
        return waiting.stream().map(Question::pod).toList();
    }

    // Runs on one thread at a time. Outcomes are handled on the executor, so that a plugin that handles one does not
    // delay the others.
    private void readAll() {
        boolean isDone = false;
        try {
            boolean goesOn = true;
            while (goesOn) {
                Question question = next();
                goesOn = question != null && readNext(question);
            }
            isDone = true;
        } finally {
            if (!isDone) {
                // The next call of find() reads the remaining pods.
                stopReading();
            }
        }
    }

    // Returns whether the outcome is known, so that the next pod may be read.
    private boolean readNext(Question question) {
        Optional<BindingOutcome> outcome = outcome(question.pod);
        if (outcome.isEmpty()) {
            readLater(question);
            return false;
        }
        try {
            executor.execute(() -> question.then.accept(outcome.get()));
        } catch (RejectedExecutionException closed) {
            question.then.accept(outcome.get());
        }
        return true;
    }

    private synchronized void stopReading() {
        isReading = false;
    }

    private synchronized @Nullable Question next() {
        Question next = waiting.pollFirst();
        isReading = next != null;
        return next;
    }

    private void readLater(Question question) {
        long wait;
        synchronized (this) {
            // To the end, so that a pod that cannot be read does not block the others.
            waiting.addLast(question);
            wait = Math.min(FIRST_WAIT.toNanos() << Math.min(failures, Integer.SIZE / 2), LONGEST_WAIT.toNanos());
            failures++;
        }
        try {
            ScheduledFuture<?> ignored =
                    timers.schedule(() -> executor.execute(this::readAll), wait, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException closed) {
            LOG.atWarn()
                    .addKeyValue("pod", question.pod.key())
                    .log("The scheduler stops before it is known whether the pod is bound");
        }
    }

    /** Returns the outcome; empty if it is not known yet. */
    private Optional<BindingOutcome> outcome(Pod pod) {
        try {
            BindingOutcome asSeen = outcome(pod, pods.current(pod));
            if (asSeen != BindingOutcome.NOT_BOUND) {
                return Optional.of(asSeen);
            }
            BindingOutcome outcome = outcome(pod, cluster.read(ObjectKind.POD, pod.namespace(), pod.name()));
            synchronized (this) {
                failures = 0;
            }
            return Optional.of(outcome);
        } catch (Throwable failed) {
            // Usually a ClusterException. On any exception, this pod is retried and the others are read.
            Thrown.rethrowIfFatal(failed);
            LOG.atWarn()
                    .addKeyValue("pod", pod.key())
                    .addKeyValue("node", pod.nodeName())
                    .addKeyValue("err", Thrown.text(failed))
                    .log("It is not known whether the pod is bound; it keeps its place until that can be read");
            return Optional.empty();
        }
    }

    private static BindingOutcome outcome(Pod pod, Optional<Pod> current) {
        if (current.isEmpty() || !current.get().uid().equals(pod.uid())) {
            return BindingOutcome.GONE;
        }
        if (!current.get().isBound()) {
            return BindingOutcome.NOT_BOUND;
        }
        return current.get().nodeName().equals(pod.nodeName()) ? BindingOutcome.BOUND : BindingOutcome.GONE;
    }
}
