// SPDX-License-Identifier: Apache-2.0
package org.moorage.kubernetes.election;

import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.moorage.config.LeaderElection;
import org.moorage.kubernetes.ApiClient;
import org.moorage.kubernetes.ApiRequests;
import org.moorage.kubernetes.ThreadFailures;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This process's part in leader election: a thread that competes for the Lease, and a guard that rejects writes while
 * this process is not the leader.
 */
public final class Leadership implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Leadership.class);
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(2);

    private final ApiRequests requests;
    private final LeaderElector elector;
    private final LeaseLock lock;
    private final ThreadFactory threads;
    private final CountDownLatch decided = new CountDownLatch(1);
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final CountDownLatch ended = new CountDownLatch(1);
    private volatile boolean started;

    /**
     * Creates a candidate that does not compete yet.
     *
     * @param requests a connection for exclusive use, which {@link #close} closes
     * @param settings how to compete, and for which Lease
     * @param hostName the machine's name, which is part of the candidate's identity
     * @param component the component that reports events of the election
     * @param clock the wall clock, for the times in the Lease
     * @param random the random part of waits
     * @param threads makes the thread that competes
     */
    public Leadership(
            ApiRequests requests,
            LeaderElection settings,
            String hostName,
            String component,
            InstantSource clock,
            RandomGenerator random,
            ThreadFactory threads) {
        this.requests = requests;
        this.threads = threads;
        lock = new LeaseLock(
                settings.resourceNamespace(),
                settings.resourceName(),
                new ApiLeaseServer(requests, settings, component, clock));
        elector =
                new LeaderElector(settings, hostName + "_" + UUID.randomUUID(), lock, clock, System::nanoTime, random);
    }

    /**
     * Returns the client with its writes rejected while this process is not the leader, also on connections that are
     * already open.
     */
    public ApiClient guard(ApiClient client) {
        return new WriteGuard(elector::mayWrite, lock.toString()).guard(client);
    }

    /**
     * Starts to compete for the Lease.
     *
     * @param onLost runs on the competing thread when the Lease is lost, or the thread ends for another reason
     */
    public void start(Runnable onLost) {
        started = true;
        LOG.info("attempting to acquire leader lease {}...", lock);
        Thread thread = threads.newThread(() -> {
            try {
                compete();
            } finally {
                decided.countDown();
                ended.countDown();
                if (stopped.getCount() > 0) {
                    onLost.run();
                }
            }
        });
        thread.setName("leader-election");
        thread.setDaemon(true);
        thread.start();
    }

    private void compete() {
        while (stopped.getCount() > 0 && elector.role() != LeaderElector.Role.LOST) {
            Duration wait = attempt();
            if (elector.role() == LeaderElector.Role.LEADER) {
                decided.countDown();
            }
            try {
                if (elector.role() != LeaderElector.Role.LOST && stopped.await(wait.toNanos(), TimeUnit.NANOSECONDS)) {
                    return;
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    private Duration attempt() {
        try {
            return elector.attempt();
        } catch (Throwable unexpected) {
            LOG.atError()
                    .addKeyValue("lease", lock)
                    .addKeyValue("err", String.valueOf(unexpected.getMessage()))
                    .log("Attempt at the lease failed");
            ThreadFailures.tell(unexpected);
            return Duration.ofSeconds(1);
        }
    }

    /** Waits until this process leads; returns false if it was closed or the thread was interrupted before that. */
    public boolean awaitLeading() {
        try {
            decided.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
        return isLeader();
    }

    /** Returns whether this process leads. */
    public boolean isLeader() {
        return elector.role() == LeaderElector.Role.LEADER;
    }

    /** Returns why leader election is unhealthy; empty if it is healthy. */
    public Optional<String> check() {
        return elector.check();
    }

    /** Stops competing, and releases the Lease if this process holds it. Call after the last write. */
    @Override
    public void close() {
        stopped.countDown();
        decided.countDown();
        try {
            if (!started || ended.await(CLOSE_TIMEOUT.toNanos(), TimeUnit.NANOSECONDS)) {
                elector.release();
            } else {
                LOG.atWarn()
                        .addKeyValue("lease", lock)
                        .log("The lease is not released, since a request for it is under way");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        requests.close();
    }
}
