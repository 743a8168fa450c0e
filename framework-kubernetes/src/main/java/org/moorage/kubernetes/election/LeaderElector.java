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
import org.moorage.api.plugin.ClusterException;
import org.moorage.config.LeaderElection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A candidate that competes for a Lease with client-go's rules, and that knows by its own monotonic clock until when it may act as the
 * leader.
 *
 * <p>A candidate takes the Lease if nobody holds it, or if the holder's record has not changed for the lease's duration since the
 * candidate first saw it. The leader renews every retry period. It has lost the Lease when it could not renew until the renew
 * deadline, counted from the start of the last request that succeeded, or when it sees another holder. {@link #attempt} is called by one
 * thread; all other methods by any.
 */
final class LeaderElector {
    private static final Logger LOG = LoggerFactory.getLogger(LeaderElector.class);

    /** By how much of it a standby's retry period is longer at random, so that candidates do not all ask at once. */
    private static final double JITTER = 0.2;

    /** How long the loss of the lease may go unnoticed before {@link #check} tells, as for kube-scheduler. */
    private static final Duration MAX_TOLERABLE_EXPIRED_LEASE = Duration.ofSeconds(20);

    /** A write that nobody waits for, of an event or when the process ends. */
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

    /** What a candidate is. */
    enum Role {
        /** It waits for the Lease. */
        STANDBY,
        /** It holds the Lease. */
        LEADER,
        /** It has held the Lease, and does not any more. */
        LOST
    }

    /**
     * A candidate.
     *
     * @param settings how often and how long it tries
     * @param identity its name among the candidates
     * @param lock the Lease
     * @param clock the times that the Lease says
     * @param nanoTime a monotonic clock, which decides
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

    /** Whether the candidate holds the Lease, and the Lease has not run out since it last renewed. To be asked before each write. */
    boolean mayWrite() {
        return role == Role.LEADER && since(renewedAt).compareTo(Duration.ofSeconds(leaseSeconds)) < 0;
    }

    /** Why the candidate is not healthy; empty if it is. A leader that has noticed its loss in time is about to end. */
    Optional<String> check() {
        Duration tolerable = settings.leaseDuration().plus(MAX_TOLERABLE_EXPIRED_LEASE);
        return role == Role.LEADER && since(renewedAt).compareTo(tolerable) > 0
                ? Optional.of("failed election to renew leadership on lease " + settings.resourceName())
                : Optional.empty();
    }

    private Duration since(long nanos) {
        return Duration.ofNanos(nanoTime.getAsLong() - nanos);
    }

    /** Tries to take the Lease, or to renew it; returns how long to wait until the next attempt. */
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

    // As client-go: two requests that get no answer fit into the renew deadline.
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

    // The process may have been stopped for longer than the lease lasts while a request was on its way.
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

    /** Gives the Lease up, so that another candidate need not wait until it runs out. To be called when no attempt is under way. */
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
