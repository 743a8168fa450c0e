// SPDX-License-Identifier: Apache-2.0
package org.moorage.clientjava;

import io.kubernetes.client.extended.leaderelection.LeaderElectionRecord;
import io.kubernetes.client.extended.leaderelection.Lock;
import io.kubernetes.client.openapi.ApiException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Date;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.moorage.api.plugin.cluster.ClusterException;
import org.moorage.config.LeaderElection;
import org.moorage.kubernetes.ApiRequests;
import org.moorage.kubernetes.election.LeaseLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A Lease as the lock of client-java-extended's elector. client-java's own {@code LeaseLock} fails on a Lease without
 * transitions, rejects one with fields that client-java does not know, and drops the Lease's other fields.
 */
final class ElectorLock implements Lock {
    private static final Logger LOG = LoggerFactory.getLogger(ElectorLock.class);
    private static final int NOT_FOUND = 404;

    private final LeaseLock lock;
    private final String identity;
    private final Duration atMost;
    private final InstantSource clock;
    private volatile @Nullable Instant renewedAt;

    ElectorLock(ApiRequests requests, LeaderElection settings, String identity, InstantSource clock) {
        lock = LeaseLock.of(requests, settings);
        this.identity = identity;
        this.clock = clock;
        // Two requests that time out fit into the renew deadline.
        atMost = settings.renewDeadline().dividedBy(2);
    }

    /**
     * Returns the time since this candidate sent its last successful acquisition or renewal; empty if it does not hold
     * the Lease.
     */
    Optional<Duration> sinceRenewed() {
        return Optional.ofNullable(renewedAt).map(renewed -> Duration.between(renewed, clock.instant()));
    }

    // The elector treats a record without times as having no holder, but a Lease with missing fields is still held.
    @Override
    public LeaderElectionRecord get() throws ApiException {
        org.moorage.kubernetes.election.LeaderElectionRecord found;
        try {
            found = lock.get(atMost).orElseThrow(() -> new ApiException(NOT_FOUND, "no lease " + lock));
        } catch (ClusterException e) {
            throw new ApiException(e.getMessage(), e, e.httpStatus(), null);
        }
        LeaderElectionRecord record = new LeaderElectionRecord();
        record.setLeaseDurationSeconds(found.leaseDurationSeconds());
        record.setLeaderTransitions(found.leaderTransitions());
        if (!found.holderIdentity().isEmpty()) {
            record.setHolderIdentity(found.holderIdentity());
            record.setAcquireTime(Date.from(found.acquireTime()));
            record.setRenewTime(Date.from(found.renewTime()));
        }
        if (!found.holderIdentity().equals(identity)) {
            // The elector keeps retrying until its deadline, although the Lease is lost.
            renewedAt = null;
        }
        return record;
    }

    @Override
    public boolean create(LeaderElectionRecord record) {
        return written(record, lock::create);
    }

    @Override
    public boolean update(LeaderElectionRecord record) {
        return written(record, lock::update);
    }

    private interface Write {
        void send(org.moorage.kubernetes.election.LeaderElectionRecord record, Duration atMost);
    }

    private boolean written(LeaderElectionRecord record, Write write) {
        Instant start = clock.instant();
        // A record without a holder releases the Lease.
        String holder = record.getHolderIdentity() == null ? "" : record.getHolderIdentity();
        try {
            if (holder.isEmpty() && !isOurs()) {
                return false;
            }
            write.send(
                    new org.moorage.kubernetes.election.LeaderElectionRecord(
                            holder,
                            Math.max(1, record.getLeaseDurationSeconds()),
                            time(record.getAcquireTime()),
                            time(record.getRenewTime()),
                            record.getLeaderTransitions()),
                    atMost);
        } catch (RuntimeException e) {
            LOG.atWarn()
                    .addKeyValue("lease", lock)
                    .addKeyValue("err", e.getMessage())
                    .log("Failed to update lock");
            return false;
        }
        renewedAt = holder.equals(identity) ? start : null;
        return true;
    }

    // Reads the Lease again: an interrupted renewal may have succeeded.
    private boolean isOurs() {
        return lock.get(atMost)
                .filter(found -> found.holderIdentity().equals(identity))
                .isPresent();
    }

    private static Instant time(@Nullable Date time) {
        return time == null ? Instant.EPOCH : time.toInstant();
    }

    @Override
    public String identity() {
        return identity;
    }

    @Override
    public String describe() {
        return lock.toString();
    }
}
