// SPDX-License-Identifier: Apache-2.0
package org.moorage.clientjava;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.kubernetes.client.extended.leaderelection.LeaderElectionConfig;
import io.kubernetes.client.extended.leaderelection.LeaderElector;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.moorage.config.LeaderElection;
import org.moorage.kubernetes.ApiClient;
import org.moorage.kubernetes.ApiRequests;
import org.moorage.kubernetes.RequestMetrics;
import org.moorage.kubernetes.election.WriteGuard;
import org.moorage.runtime.MonotonicClock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs a task while this process holds a Lease, with the {@link LeaderElector} of client-java-extended.
 *
 * <pre>{@code
 * try (LeaseLeader leader = new LeaseLeader(requests, settings, identity)) {
 *     Scheduler scheduler = ...; // of a cluster through leader.guard(requests)
 *     boolean isLost = leader.run(scheduler::run, scheduler::stop);
 * }
 * }</pre>
 *
 * <p>Handles what that class leaves to its callers: a task that never started is not stopped, a Lease with missing or
 * unknown fields is accepted, and writes through {@link #guard} pass only while this process holds the Lease. The
 * elector uses the wall clock, so a clock jump may lose or prolong the Lease; {@link
 * org.moorage.kubernetes.election.Leadership} uses a monotonic clock.
 */
public final class LeaseLeader implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LeaseLeader.class);
    private static final Duration LONGEST_END = Duration.ofSeconds(15);

    private final ApiRequests requests;
    private final ElectorLock lock;
    private final Duration leaseDuration;
    private final LeaderElector elector;
    private final AtomicReference<State> state = new AtomicReference<>(State.STANDBY);
    private final CountDownLatch ended = new CountDownLatch(1);
    private final CountDownLatch returned = new CountDownLatch(1);
    private volatile boolean closing;
    private volatile boolean called;
    private volatile @Nullable Throwable failure;

    /** The competing thread; interrupting it ends the competition. */
    @GuardedBy("this")
    private @Nullable Thread competing;

    private enum State {
        STANDBY,
        LEADING,
        ENDED
    }

    /**
     * Creates a candidate that does not compete yet.
     *
     * @param client the server of the Lease, as from {@link ClientJavaRequests#through}
     * @param settings how to compete, and for which Lease
     * @param identity the candidate's unique name
     */
    public LeaseLeader(ApiClient client, LeaderElection settings, String identity) {
        this(client, settings, identity, MonotonicClock.system());
    }

    LeaseLeader(ApiClient client, LeaderElection settings, String identity, InstantSource clock) {
        requests = new ApiRequests(client, clock, RequestMetrics.NONE);
        leaseDuration = settings.leaseDuration();
        lock = new ElectorLock(requests, settings, Objects.requireNonNull(identity, "identity"), clock);
        elector = new LeaderElector(new LeaderElectionConfig(
                lock, settings.leaseDuration(), settings.renewDeadline(), settings.retryPeriod()));
    }

    /**
     * Returns the client with its writes rejected while this process does not hold the Lease, also on connections that
     * are already open.
     */
    public ApiClient guard(ApiClient client) {
        return new WriteGuard(this::isLeading, lock.describe()).guard(client);
    }

    /** Returns whether this process holds the Lease, and the Lease has not expired since its last renewal. */
    public boolean isLeading() {
        return state.get() == State.LEADING
                && lock.sinceRenewed()
                        .filter(time -> time.compareTo(leaseDuration) < 0)
                        .isPresent();
    }

    /**
     * Competes for the Lease, and runs a task on another thread once this process holds it. Returns when the task has
     * ended: by itself, or because the Lease was lost, this was closed or the thread was interrupted. Called once.
     *
     * @param lead the task to run while this process leads
     * @param stop stops the task; runs only if the task has started
     * @return whether the Lease was lost, so that another process may lead
     * @throws IllegalStateException if the task failed
     */
    public boolean run(Runnable lead, Runnable stop) {
        called = true;
        try {
            compete(lead);
            if (closing) {
                if (!state.compareAndSet(State.STANDBY, State.ENDED)) {
                    // The task's remaining writes are still those of the leader, so the Lease is released after it
                    // ends.
                    end(stop);
                    state.set(State.ENDED);
                }
                return false;
            }
            boolean isLost = state.getAndSet(State.ENDED) == State.LEADING && ended.getCount() > 0;
            if (isLost) {
                end(stop);
            }
            if (failure != null) {
                throw new IllegalStateException("what the leader ran has failed: " + failure, failure);
            }
            return isLost;
        } finally {
            returned.countDown();
        }
    }

    private void compete(Runnable lead) {
        synchronized (this) {
            competing = closing ? null : Thread.currentThread();
            if (competing == null) {
                return;
            }
        }
        try {
            elector.run(() -> lead(lead), () -> {});
        } finally {
            synchronized (this) {
                competing = null;
            }
            // The interrupt was meant for the elector.
            boolean ignored = (closing || ended.getCount() == 0) && Thread.interrupted();
        }
    }

    private synchronized void stopCompeting() {
        if (competing != null) {
            competing.interrupt();
        }
    }

    // The elector ignores exceptions of its hooks.
    private void lead(Runnable lead) {
        try {
            if (state.compareAndSet(State.STANDBY, State.LEADING)) {
                lead.run();
            }
        } catch (RuntimeException | Error e) {
            failure = e;
        } finally {
            ended.countDown();
            stopCompeting();
        }
    }

    private void end(Runnable stop) {
        stop.run();
        await(ended, "The leader's task does not end");
    }

    private static void await(CountDownLatch latch, String otherwise) {
        try {
            if (!latch.await(LONGEST_END.toMillis(), TimeUnit.MILLISECONDS)) {
                LOG.warn(otherwise);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Makes {@link #run} return, and then releases the Lease if this process holds it. May be called repeatedly, from
     * any other thread.
     */
    @Override
    public void close() {
        synchronized (this) {
            if (closing) {
                return;
            }
            closing = true;
        }
        stopCompeting();
        if (called) {
            await(returned, "The leader does not end");
        }
        elector.close();
        requests.close();
    }
}
