// SPDX-License-Identifier: Apache-2.0
package org.moorage.springboot.internal;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;
import org.moorage.api.Code;
import org.moorage.runtime.Scheduler;
import org.moorage.runtime.decision.Decision;
import org.moorage.runtime.metrics.SchedulerGauges;
import org.moorage.runtime.metrics.SchedulerListener;

/**
 * The scheduler's metrics in Micrometer. A Prometheus registry shows them with kube-scheduler's names, such as {@code
 * scheduler_pending_pods}.
 */
final class SchedulerMeters implements SchedulerListener, MeterBinder {
    private static final List<String> QUEUES = List.of("active", "backoff", "unschedulable", "gated");
    private static final Map<String, ToIntFunction<SchedulerGauges>> CACHED = Map.of(
            "nodes",
            SchedulerGauges::nodes,
            "pods",
            SchedulerGauges::pods,
            "assumed_pods",
            SchedulerGauges::assumedPods);

    /** Null until Spring Boot has created the registry, and in an application without one. */
    private volatile @Nullable MeterRegistry registry;

    @Override
    public void bindTo(MeterRegistry given) {
        registry = given;
    }

    @Override
    public boolean takesMeasurements() {
        return true;
    }

    @Override
    public void attempted(String profile, Decision.Outcome outcome, long nanos) {
        MeterRegistry meters = registry;
        if (meters == null) {
            return;
        }
        String result = outcome.name().toLowerCase(Locale.ROOT);
        Counter.builder("scheduler.schedule.attempts")
                .description("Attempts to schedule pods, by result")
                .tag("profile", profile)
                .tag("result", result)
                .register(meters)
                .increment();
        Timer.builder("scheduler.scheduling.attempt.duration")
                .description("Duration of attempts to schedule pods, including the binding")
                .tag("profile", profile)
                .tag("result", result)
                .register(meters)
                .record(nanos, TimeUnit.NANOSECONDS);
    }

    @Override
    public void extensionPointRan(String profile, String point, Code status, long nanos) {
        MeterRegistry meters = registry;
        if (meters == null) {
            return;
        }
        Timer.builder("scheduler.framework.extension.point.duration")
                .description("Duration of all plugins of an extension point")
                .tag("extension_point", point)
                .tag("profile", profile)
                .tag("status", status.toString())
                .register(meters)
                .record(nanos, TimeUnit.NANOSECONDS);
    }

    /** Registers the numbers of pods and nodes, which are read from the scheduler when metrics are read. */
    static void addGauges(MeterRegistry registry, Scheduler scheduler) {
        for (String queue : QUEUES) {
            Gauge.builder("scheduler.pending.pods", scheduler, from -> pending(from, queue))
                    .description("Pending pods, by queue")
                    .tag("queue", queue)
                    .register(registry);
        }
        CACHED.forEach((type, number) -> Gauge.builder(
                        "scheduler.cache.size", scheduler, from -> number.applyAsInt(from.gauges()))
                .description("Nodes, pods and assumed pods in the scheduler's cache")
                .tag("type", type)
                .register(registry));
    }

    private static int pending(Scheduler scheduler, String queue) {
        return scheduler.gauges().pendingPods().getOrDefault(queue, 0);
    }
}
