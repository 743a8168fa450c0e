// SPDX-License-Identifier: Apache-2.0
package org.moorage.config;

import java.time.Duration;

/**
 * How several schedulers agree on the one that works.
 *
 * @param leaderElect whether they do at all; if not, nothing else here counts
 * @param leaseDuration how long the others wait after the leader's last sign of life
 * @param renewDeadline how long the leader tries to renew before it gives up; less than the lease
 * @param retryPeriod the time between two attempts
 * @param resourceLock the kind of object they agree through; {@code leases}
 * @param resourceName the name of that object
 * @param resourceNamespace its namespace
 */
public record LeaderElection(
        boolean leaderElect,
        Duration leaseDuration,
        Duration renewDeadline,
        Duration retryPeriod,
        String resourceLock,
        String resourceName,
        String resourceNamespace) {}
