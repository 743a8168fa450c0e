// SPDX-License-Identifier: Apache-2.0
package org.moorage.springboot.internal;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicBoolean;
import org.moorage.kubernetes.KubernetesCluster;
import org.moorage.kubernetes.election.Leadership;
import org.moorage.kubernetes.scheduler.KubernetesScheduler;
import org.moorage.runtime.Scheduler;
import org.moorage.simulation.admission.NewPods;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.availability.AvailabilityChangeEvent;
import org.springframework.boot.availability.LivenessState;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.SmartLifecycle;

/**
 * Runs the scheduler on a thread from the start of the application to its end. The application waits until the objects
 * of the cluster are known, unless the configuration lists them only once this process leads. If the scheduler ends
 * before the application does, the application's liveness becomes broken.
 */
public final class SchedulerLifecycle implements SmartLifecycle, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SchedulerLifecycle.class);
    private static final int BEFORE_WEB_SERVER = 4096;
    private static final String STOPPED = "stopped before the objects of the cluster were known";

    private final KubernetesScheduler kubernetes;
    private final KubernetesCluster admission;
    private final NewPods newPods;
    private final Mode mode;
    private final ThreadFactory threads;
    private final ApplicationEventPublisher events;
    private final CompletableFuture<Boolean> synced = new CompletableFuture<>();
    private final AtomicBoolean isStarted = new AtomicBoolean();
    private final AtomicBoolean isClosed = new AtomicBoolean();
    private volatile String failure = "";

    /** The modes of the scheduler. */
    public enum Mode {
        /** It follows the cluster, for questions. */
        FOLLOWS,
        /** It also schedules pods. */
        SCHEDULES,
        /** It schedules pods, and lists the objects of the cluster only once this process leads. */
        SCHEDULES_WITHOUT_CACHE_BEFORE
    }

    /**
     * Creates the scheduler; sends no requests that wait for a response.
     *
     * @param builder builds the scheduler
     * @param admission the objects that admission reads; closed with the scheduler
     * @param newPods watches that cluster
     * @param mode the mode of the scheduler
     * @param threads makes the thread that it runs on
     * @param events receives a change of the application's liveness
     */
    public SchedulerLifecycle(
            KubernetesScheduler.Builder builder,
            KubernetesCluster admission,
            NewPods newPods,
            Mode mode,
            ThreadFactory threads,
            ApplicationEventPublisher events) {
        this.admission = admission;
        this.newPods = newPods;
        this.mode = mode;
        this.threads = threads;
        this.events = events;
        kubernetes = builder.onSynced(() -> synced.complete(true)).build();
    }

    /** Returns the scheduler, which this object closes. */
    public Scheduler scheduler() {
        return kubernetes.scheduler();
    }

    /** Returns the admission of pods. */
    public NewPods newPods() {
        return newPods;
    }

    /** Returns whether the objects of the cluster are known. */
    public boolean isSynced() {
        return synced.getNow(false);
    }

    /** Returns this process's part in leader election; empty if it does not schedule, or without leader election. */
    public Optional<Leadership> leadership() {
        return mode == Mode.FOLLOWS ? Optional.empty() : kubernetes.leadership();
    }

    /** Returns why the scheduler ended before the application; empty if it did not. */
    public String failure() {
        return failure;
    }

    /**
     * Begins to run the scheduler. Called once.
     *
     * @throws IllegalStateException if the cluster cannot be read, or the thread is interrupted meanwhile
     */
    @Override
    public void start() {
        if (isStarted.getAndSet(true)) {
            throw new IllegalStateException(
                    "the scheduler cannot be started again (expected: a new application context)");
        }
        Thread thread = threads.newThread(this::run);
        thread.setName("moorage");
        thread.setDaemon(true);
        thread.start();
        if (mode != Mode.SCHEDULES_WITHOUT_CACHE_BEFORE) {
            awaitSynced();
        }
    }

    private void awaitSynced() {
        boolean isKnown;
        try {
            // Without a limit: Spring interrupts it if the application is to end.
            isKnown = synced.get();
        } catch (InterruptedException interrupted) {
            // The interrupt status stays cleared: this thread now closes the beans, which wait for threads to end.
            throw new IllegalStateException(STOPPED, interrupted);
        } catch (ExecutionException failed) {
            throw new IllegalStateException("cannot read the cluster: " + failure, failed.getCause());
        }
        if (!isKnown) {
            throw new IllegalStateException(STOPPED);
        }
    }

    private void run() {
        try {
            newPods.watch(admission);
            if (mode == Mode.FOLLOWS) {
                kubernetes.scheduler().start();
                synced.complete(true);
            } else {
                ended(kubernetes.run() ? "another process has the Lease" : "the scheduler was stopped");
            }
        } catch (RuntimeException thrown) {
            ended(String.valueOf(thrown.getMessage()));
            synced.completeExceptionally(thrown);
        } finally {
            // The application must not wait for a thread that has ended.
            synced.complete(false);
        }
    }

    private void ended(String reason) {
        if (!isClosed.get()) {
            failure = reason;
            LOG.atError().addKeyValue("err", reason).log("The scheduler has ended");
            AvailabilityChangeEvent.publish(events, this, LivenessState.BROKEN);
        }
    }

    /** Stops the scheduler within ten seconds, and releases the Lease. */
    @Override
    public void stop() {
        close();
    }

    @Override
    public boolean isRunning() {
        return isStarted.get() && !isClosed.get();
    }

    /** A closed scheduler cannot be started again. */
    @Override
    public boolean isPauseable() {
        return false;
    }

    /** Before the web server, which is then stopped before the scheduler. */
    @Override
    public int getPhase() {
        return DEFAULT_PHASE - BEFORE_WEB_SERVER;
    }

    @Override
    public void close() {
        if (!isClosed.getAndSet(true)) {
            kubernetes.close();
            admission.close();
        }
    }
}
