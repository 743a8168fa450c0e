// SPDX-License-Identifier: Apache-2.0
package org.moorage.kubernetes.election;

import java.time.Instant;

/**
 * What a Lease says.
 *
 * @param holderIdentity the leader; empty if there is none
 * @param leaseDurationSeconds how long others wait after the last change that they have seen
 * @param acquireTime when the leader became the leader
 * @param renewTime when it last said that it still is
 * @param leaderTransitions how often the leader changed
 */
public record LeaderElectionRecord(
        String holderIdentity,
        int leaseDurationSeconds,
        Instant acquireTime,
        Instant renewTime,
        int leaderTransitions) {}
