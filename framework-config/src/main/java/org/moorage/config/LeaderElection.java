// SPDX-License-Identifier: Apache-2.0
package org.moorage.config;

import java.time.Duration;
import org.moorage.api.plugin.Problems;
import org.moorage.config.internal.ZeroIsUnset;
import org.moorage.objects.GoDuration;

/**
 * The settings by which several schedulers elect the active one.
 *
 * @param leaderElect whether they elect a leader; if not, the other settings have no effect
 * @param leaseDuration how long the others wait after the leader's last renewal
 * @param renewDeadline how long the leader tries to renew before it stops leading; less than the lease
 * @param retryPeriod the time between two attempts
 * @param resourceLock the kind of object that serves as the lock; {@code leases}
 * @param resourceName the name of that object
 * @param resourceNamespace its namespace
 */
@ZeroIsUnset
public record LeaderElection(
        boolean leaderElect,
        Duration leaseDuration,
        Duration renewDeadline,
        Duration retryPeriod,
        String resourceLock,
        String resourceName,
        String resourceNamespace) {
    private static final String LEASES = "leases";

    static final LeaderElection DEFAULTS = new LeaderElection(
            true,
            Duration.ofSeconds(15),
            Duration.ofSeconds(10),
            Duration.ofSeconds(2),
            LEASES,
            "kube-scheduler",
            "kube-system");

    void validate(Problems problems) {
        if (!leaderElect) {
            return;
        }
        checkPositive(leaseDuration, problems.at("leaseDuration"));
        checkPositive(renewDeadline, problems.at("renewDeadline"));
        checkPositive(retryPeriod, problems.at("retryPeriod"));
        if (leaseDuration.compareTo(renewDeadline) <= 0) {
            problems.at("leaseDuration")
                    .invalid(
                            GoDuration.format(leaseDuration),
                            "more than renewDeadline, which is " + GoDuration.format(renewDeadline));
        }
        if (!resourceLock.equals(LEASES)) {
            problems.at("resourceLock").invalid(resourceLock, LEASES);
        }
    }

    private static void checkPositive(Duration duration, Problems at) {
        if (duration.isNegative() || duration.isZero()) {
            at.invalid(GoDuration.format(duration), "more than 0s");
        }
    }
}
