// SPDX-License-Identifier: Apache-2.0
package org.moorage.springboot.internal;

import org.moorage.kubernetes.election.Leadership;
import org.moorage.runtime.SchedulerHealth;
import org.moorage.runtime.metrics.SchedulerGauges;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/**
 * The health of the scheduler: out of service until the objects of the cluster are known, and down if it has ended or a
 * check of {@link SchedulerHealth} or of leader election fails.
 */
final class SchedulerHealthIndicator implements HealthIndicator {
    private final SchedulerLifecycle lifecycle;

    SchedulerHealthIndicator(SchedulerLifecycle lifecycle) {
        this.lifecycle = lifecycle;
    }

    @Override
    public Health health() {
        boolean isSynced = lifecycle.isSynced();
        Health.Builder health = isSynced ? Health.up() : Health.outOfService();
        SchedulerGauges gauges = lifecycle.scheduler().gauges();
        health.withDetail("synced", isSynced)
                .withDetail("nodes", gauges.nodes())
                .withDetail("pods", gauges.pods());
        lifecycle.leadership().ifPresent(own -> report(own, health));
        for (SchedulerHealth.Check check : lifecycle.scheduler().health().checks()) {
            check.failure().ifPresent(failure -> health.down().withDetail(check.name(), failure));
        }
        if (!lifecycle.failure().isEmpty()) {
            health.down().withDetail("ended", lifecycle.failure());
        }
        return health.build();
    }

    private static void report(Leadership own, Health.Builder health) {
        health.withDetail("leader", own.isLeader());
        own.check().ifPresent(failure -> health.down().withDetail("leaderElection", failure));
    }
}
