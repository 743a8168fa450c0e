// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.binding;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.PodInPreBind;
import org.moorage.runtime.decision.PluginStatus;

/** The pods in PreBind. Until PreBind ends, the pod's binding can be cancelled. */
public final class PodsInPreBind implements AutoCloseable {
    private final Map<String, BindingAttempt> byUid = new ConcurrentHashMap<>();
    private volatile boolean closed;

    public Optional<PodInPreBind> find(String uid) {
        return Optional.ofNullable(byUid.get(uid));
    }

    public List<Pod> all() {
        return byUid.values().stream().map(BindingAttempt::pod).toList();
    }

    /**
     * Pauses the PreBind of a pod for the given time.
     *
     * @throws CancellationException if the pod's binding is cancelled
     * @throws IllegalStateException if the scheduler stops, or the pod is not in PreBind
     */
    public void pause(Pod pod, Duration time) {
        BindingAttempt attempt = byUid.get(pod.uid());
        if (attempt == null) {
            throw new IllegalStateException("pod " + pod.key() + ": pause (expected: only in its PreBind)");
        }
        attempt.pause(time);
    }

    /** Ends all pauses. */
    @Override
    public void close() {
        closed = true;
        byUid.values().forEach(attempt -> attempt.ended.countDown());
    }

    /** Runs a part of a pod's PreBind, in which plugins may {@link #pause}. */
    public <T> T during(Pod pod, Supplier<T> part) {
        BindingAttempt attempt = new BindingAttempt(pod);
        add(attempt);
        try {
            return part.get();
        } finally {
            remove(attempt);
        }
    }

    void add(BindingAttempt attempt) {
        byUid.put(attempt.pod.uid(), attempt);
        if (closed) {
            attempt.ended.countDown();
        }
    }

    void remove(BindingAttempt attempt) {
        byUid.remove(attempt.pod.uid(), attempt);
    }

    /** One attempt to bind a pod. */
    static final class BindingAttempt implements PodInPreBind {
        private final Pod pod;
        private final CountDownLatch ended = new CountDownLatch(1);

        @GuardedBy("this")
        private Optional<String> cause = Optional.empty();

        @GuardedBy("this")
        private boolean prebound;

        BindingAttempt(Pod pod) {
            this.pod = pod;
        }

        @Override
        public Pod pod() {
            return pod;
        }

        @Override
        public boolean cancel(String message) {
            Objects.requireNonNull(message, "message");
            synchronized (this) {
                if (prebound) {
                    return false;
                }
                if (cause.isEmpty()) {
                    cause = Optional.of(message);
                }
            }
            ended.countDown();
            return true;
        }

        /** Ends PreBind, after which the binding cannot be cancelled; returns false if it was cancelled before. */
        synchronized boolean markPrebound() {
            prebound = cause.isEmpty();
            return prebound;
        }

        /** Returns the status that replaces a plugin's, after the binding was cancelled. */
        PluginStatus cancelled() {
            return PluginStatus.error("", cause().orElseThrow());
        }

        /** The reason why the binding was cancelled; empty if it was not. */
        synchronized Optional<String> cause() {
            return cause;
        }

        private void pause(Duration time) {
            try {
                if (ended.await(time.toNanos(), TimeUnit.NANOSECONDS)) {
                    throw cause().<IllegalStateException>map(CancellationException::new)
                            .orElseGet(() -> new IllegalStateException("the scheduler stops"));
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("the scheduler stops", e);
            }
        }
    }
}
