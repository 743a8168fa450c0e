// SPDX-License-Identifier: Apache-2.0
package org.moorage.opa;

import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;

/**
 * Counts evaluations and policies, and writes the counts in the Prometheus text format. Safe for use by several
 * threads.
 */
final class PolicyMetrics {
    private static final double[] BOUNDS = {0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5};
    private static final double NANOS = 1e9;

    private final long[] buckets = new long[BOUNDS.length + 1];
    private double seconds;
    private long evaluations;
    private final Map<String, Long> results = new TreeMap<>();
    private final Map<String, Long> pushes = new TreeMap<>();
    private long syncs;

    /** Records an evaluation: {@code fit}, {@code empty}, {@code undefined} or {@code error}. */
    synchronized void evaluated(String result, Duration time) {
        double took = time.toNanos() / NANOS;
        int bucket = 0;
        while (bucket < BOUNDS.length && took > BOUNDS[bucket]) {
            bucket++;
        }
        buckets[bucket]++;
        seconds += took;
        evaluations++;
        results.merge(result, 1L, Long::sum);
    }

    /** Counts a policy that was {@code accepted} or {@code refused}. */
    synchronized void pushed(String result) {
        pushes.merge(result, 1L, Long::sum);
    }

    /** Counts a full synchronization, which sends all objects. */
    synchronized void synced() {
        syncs++;
    }

    synchronized String text() {
        StringBuilder text = new StringBuilder(
                "# HELP scheduler_opa_query_duration_seconds How long evaluations of the fit document took.\n"
                        + "# TYPE scheduler_opa_query_duration_seconds histogram\n");
        long sum = 0;
        for (int i = 0; i < buckets.length; i++) {
            sum += buckets[i];
            text.append("scheduler_opa_query_duration_seconds_bucket{le=\"")
                    .append(i < BOUNDS.length ? String.valueOf(BOUNDS[i]) : "+Inf")
                    .append("\"} ")
                    .append(sum)
                    .append('\n');
        }
        text.append("scheduler_opa_query_duration_seconds_sum ").append(seconds).append('\n');
        text.append("scheduler_opa_query_duration_seconds_count ")
                .append(evaluations)
                .append('\n');
        counters(text, "scheduler_opa_queries_total", "Evaluations of the fit document.", results);
        counters(text, "scheduler_opa_policies_total", "Policies that were put into force, or refused.", pushes);
        counters(text, "scheduler_opa_full_syncs_total", "How often OPA was sent all objects.", Map.of("all", syncs));
        return text.toString();
    }

    private static void counters(StringBuilder text, String name, String help, Map<String, Long> values) {
        text.append("# HELP ").append(name).append(' ').append(help).append('\n');
        text.append("# TYPE ").append(name).append(" counter\n");
        values.forEach((result, value) -> text.append(name)
                .append("{result=\"")
                .append(result)
                .append("\"} ")
                .append(value)
                .append('\n'));
    }
}
