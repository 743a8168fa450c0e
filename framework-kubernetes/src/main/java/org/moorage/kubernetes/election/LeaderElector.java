// SPDX-License-Identifier: Apache-2.0
package org.moorage.kubernetes.election;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Objects;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.moorage.api.plugin.cluster.ClusterException;
import org.moorage.config.LeaderElection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A candidate that competes for a Lease with client-go's rules, and decides by its own monotonic clock how long it may
 * act as the leader.
 *
 * <p>A candidate acquires the Lease if it has no holder, or if the holder's record has not changed for the lease
 * duration since the candidate first saw it. The leader renews every retry period. It has lost the Lease when it could
 * not renew until the renew deadline, counted from the start of the last request that succeeded, or when it sees
 * another holder. {@link #attempt} is for use by one thread; all other methods are thread-safe.
 */
final class LeaderElector {
    private static final Logger LOG = LoggerFactory.getLogger(LeaderElector.class);

    /**
     * The largest random extension of a standby's retry period, as a fraction, so that candidates do not all retry at
     * once.
     */
    private static final double JITTER = 0.2;

    /** How long after its expiry an unnoticed loss of the Lease makes {@link #check} fail, as in kube-scheduler. */
    private static final Duration MAX_TOLERABLE_EXPIRED_LEASE = Duration.ofSeconds(20);

    /** The timeout of best-effort writes: of events, and of the release of the Lease. */
    private static final Duration LAST_WRITE = Duration.ofSeconds(1);

    private final LeaderElection settings;
    private final String identity;
    private final LeaseLock lock;
    private final InstantSource clock;
    private final LongSupplier nanoTime;
    private final RandomGenerator random;
    private final int leaseSeconds;

    private @Nullable LeaderElectionRecord observed;
    private long observedAt;

    private volatile Role role = Role.STANDBY;
    private volatile long renewedAt;

    /** The state of a candidate. */
    enum Role {
        /** Waits for the Lease. */
        STANDBY,
        /** Holds the Lease. */
        LEADER,
        /** Has held the Lease and lost or released it. */
        LOST
    }

    /**
     * Creates a candidate.
     *
     * @param settings how often and for how long it tries
     * @param identity its name among the candidates
     * @param lock the Lease
     * @param clock the wall clock, for the times in the Lease
     * @param nanoTime a monotonic clock, by which the candidate decides
     * @param random the random part of waits
     */
    LeaderElector(
            LeaderElection settings,
            String identity,
            LeaseLock lock,
            InstantSource clock,
            LongSupplier nanoTime,
            RandomGenerator random) {
        this.settings = settings;
        this.identity = identity;
        this.lock = lock;
        this.clock = clock;
        this.nanoTime = nanoTime;
        this.random = random;
        leaseSeconds = (int) Math.max(1, settings.leaseDuration().toSeconds());
    }

    Role role() {
        return role;
    }

    /**
     * Returns whether the candidate holds the Lease, and the Lease has not expired since the last renewal. Call before
     * each write.
     */
    boolean mayWrite() {
        return role == Role.LEADER && since(renewedAt).compareTo(Duration.ofSeconds(leaseSeconds)) < 0;
    }

    /**
     * Returns why the candidate is unhealthy; empty if it is healthy. A leader that noticed the loss in time is
     * healthy: it is about to end.
     */
    Optional<String> check() {
        Duration tolerable = settings.leaseDuration().plus(MAX_TOLERABLE_EXPIRED_LEASE);
        return role == Role.LEADER && since(renewedAt).compareTo(tolerable) > 0
                ? Optional.of("failed election to renew leadership on lease " + settings.resourceName())
                : Optional.empty();
    }

    private Duration since(long nanos) {
        return Duration.ofNanos(nanoTime.getAsLong() - nanos);
    }

    /** Tries to acquire or renew the Lease, and returns how long to wait before the next attempt. */
    Duration attempt() {
        long start = nanoTime.getAsLong();
        if (role == Role.STANDBY) {
            if (takeOrRenew(requestTimeout(settings.renewDeadline()))) {
                acquired(start);
            }
            return role == Role.LEADER ? settings.retryPeriod() : jittered(settings.retryPeriod());
        }
        if (role == Role.LEADER) {
            Duration left = settings.renewDeadline().minus(since(renewedAt));
            if (!isPositive(left)) {
                lost("failed to renew lease", true);
            } else if (takeOrRenew(requestTimeout(left))) {
                renewed(start);
            } else if (isHeldByOther()) {
                lost("another candidate holds the lease", false);
            }
        }
        Duration left = settings.renewDeadline().minus(since(renewedAt));
        return left.compareTo(settings.retryPeriod()) < 0
                ? (isPositive(left) ? left : Duration.ZERO)
                : settings.retryPeriod();
    }

    // As in client-go, two requests that time out fit into the renew deadline.
    private Duration requestTimeout(Duration left) {
        Duration half = settings.renewDeadline().dividedBy(2);
        return left.compareTo(half) < 0 ? left : half;
    }

    private Duration jittered(Duration period) {
        return period.plusNanos((long) (period.toNanos() * JITTER * random.nextDouble()));
    }

    private static boolean isPositive(Duration duration) {
        return !duration.isNegative() && !duration.isZero();
    }

    private void acquired(long start) {
        role = Role.LEADER;
        renewed(start);
        if (mayWrite()) {
            LOG.info("successfully acquired lease {}", lock);
            event("became leader");
        }
    }

    // The process may have been suspended for longer than the lease duration during the request.
    private void renewed(long start) {
        renewedAt = start;
        if (since(start).compareTo(settings.renewDeadline()) >= 0) {
            lost("the answer to the last request came after the renew deadline", false);
        }
    }

    private void lost(String reason, boolean reported) {
        boolean inTime = mayWrite();
        role = Role.LOST;
        LOG.atError().addKeyValue("lease", lock).addKeyValue("reason", reason).log("failed to renew lease");
        if (reported && inTime) {
            event("stopped leading");
        }
    }

    private boolean isHeldByOther() {
        LeaderElectionRecord seen = observed;
        return seen != null && !seen.holderIdentity().isEmpty() && !isOurs(seen);
    }

    private boolean isOurs(LeaderElectionRecord record) {
        return record.holderIdentity().equals(identity);
    }

    private boolean takeOrRenew(Duration atMost) {
        try {
            return tryAcquireOrRenew(atMost);
        } catch (ClusterException failed) {
            LOG.atWarn()
                    .addKeyValue("lease", lock)
                    .addKeyValue("err", failed.getMessage())
                    .log("Failed to update lock");
            return false;
        }
    }

    private boolean tryAcquireOrRenew(Duration atMost) {
        Instant now = clock.instant();
        LeaderElectionRecord seen = observed;
        if (seen != null && isOurs(seen) && isValid(seen)) {
            LeaderElectionRecord renewed = ours(seen.acquireTime(), now, seen.leaderTransitions());
            try {
                lock.update(renewed, atMost);
                observe(renewed);
                return true;
            } catch (ClusterException e) {
                if (e.httpStatus() != 409 && e.httpStatus() != 404) {
                    throw e;
                }
                LOG.atInfo()
                        .addKeyValue("lease", lock)
                        .addKeyValue("err", e.getMessage())
                        .log("Failed to update lease optimistically, falling back to slow path");
            }
        }
        Optional<LeaderElectionRecord> found = lock.get(atMost);
        if (found.isEmpty()) {
            LeaderElectionRecord first = ours(now, now, 0);
            lock.create(first, atMost);
            observe(first);
            return true;
        }
        LeaderElectionRecord held = found.get();
        if (!held.equals(observed)) {
            observe(held);
        }
        boolean isOthers = !held.holderIdentity().isEmpty() && !isOurs(held);
        if (isOthers && (isValid(held) || role == Role.LEADER)) {
            LOG.atTrace()
                    .addKeyValue("lease", lock)
                    .addKeyValue("holder", held.holderIdentity())
                    .log("Lock is held and has not yet expired");
            return false;
        }
        LeaderElectionRecord taken = isOurs(held)
                ? ours(held.acquireTime(), now, held.leaderTransitions())
                : ours(now, now, held.leaderTransitions() + 1);
        lock.update(taken, atMost);
        observe(taken);
        return true;
    }

    private LeaderElectionRecord ours(Instant acquireTime, Instant renewTime, int transitions) {
        return new LeaderElectionRecord(identity, leaseSeconds, acquireTime, renewTime, transitions);
    }

    private void observe(LeaderElectionRecord record) {
        observed = record;
        observedAt = nanoTime.getAsLong();
    }

    private boolean isValid(LeaderElectionRecord record) {
        return since(observedAt).compareTo(Duration.ofSeconds(record.leaseDurationSeconds())) < 0;
    }

    /**
     * Releases the Lease, so that another candidate does not have to wait until it expires. Must not run during an
     * attempt.
     */
    void release() {
        if (!mayWrite()) {
            return;
        }
        role = Role.LOST;
        Instant now = clock.instant();
        int transitions = Objects.requireNonNull(observed).leaderTransitions();
        try {
            event("stopped leading");
            lock.update(new LeaderElectionRecord("", 1, now, now, transitions), LAST_WRITE);
        } catch (ClusterException failed) {
            LOG.atWarn()
                    .addKeyValue("lease", lock)
                    .addKeyValue("err", failed.getMessage())
                    .log("Failed to release lock");
        }
    }

    private void event(String what) {
        try {
            lock.event(identity + " " + what, LAST_WRITE);
        } catch (ClusterException failed) {
            LOG.atWarn().addKeyValue("err", failed.getMessage()).log("Unable to record event");
        }
    }
}
