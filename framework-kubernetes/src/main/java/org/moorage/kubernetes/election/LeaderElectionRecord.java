// SPDX-License-Identifier: Apache-2.0
package org.moorage.kubernetes.election;

import java.time.Instant;

/**
 * The content of a Lease.
 *
 * @param holderIdentity the identity of the leader; empty if there is none
 * @param leaseDurationSeconds how long other candidates wait after the last change that they have seen
 * @param acquireTime when the leader acquired the Lease
 * @param renewTime when the leader last renewed the Lease
 * @param leaderTransitions how many times the leader changed
 */
public record LeaderElectionRecord(
        String holderIdentity,
        int leaseDurationSeconds,
        Instant acquireTime,
        Instant renewTime,
        int leaderTransitions) {}
