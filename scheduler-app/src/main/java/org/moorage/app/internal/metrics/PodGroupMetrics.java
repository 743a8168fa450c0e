// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.metrics;

import io.prometheus.metrics.core.datapoints.CounterDataPoint;
import io.prometheus.metrics.core.datapoints.DistributionDataPoint;
import io.prometheus.metrics.core.metrics.Histogram;
import java.util.concurrent.TimeUnit;
import org.moorage.api.Code;

/** The metrics of groups of pods, and of preemption where there are groups. */
final class PodGroupMetrics {
    private static final double NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final String POD = "pod";
    // kube-scheduler uses this value for composite groups, too.
    private static final String POD_GROUP = "podgroup";
    private static final double[] MILLISECONDS = Families.exponential(0.001, 2, 15);
    private static final double[] PREEMPTION_TIMES = Families.exponential(0.001, 2, 16);
    private static final double[] PODS = Families.exponential(1, 2, 11);

    private final LabeledSeries<CounterDataPoint> attempts;
    private final LabeledSeries<DistributionDataPoint> attemptDuration;
    private final Histogram algorithmDuration;
    private final LabeledSeries<CounterDataPoint> preemptions;
    private final Histogram preemptionVictims;
    private final LabeledSeries<DistributionDataPoint> disruptions;
    private final LabeledSeries<DistributionDataPoint> preemptionEvaluation;
    private final LabeledSeries<DistributionDataPoint> preemptionExecution;
    private final LabeledSeries<CounterDataPoint> pdbViolations;
    private final LabeledSeries<CounterDataPoint> placements;
    private final LabeledSeries<CounterDataPoint> placementEvaluations;
    private final LabeledSeries<DistributionDataPoint> placementEvaluation;

    PodGroupMetrics(Families families) {
        attempts = families.counters(
                "scheduler_podgroup_schedule_attempts_total",
                "[ALPHA] Number of attempts to schedule pod group, by the result. 'unschedulable' means a pod group could not be"
                        + " scheduled, while 'error' means an internal scheduler problem.",
                "profile",
                "result");
        attemptDuration = families.histograms(
                "scheduler_podgroup_scheduling_attempt_duration_seconds",
                "[ALPHA] Pod group scheduling attempt latency in seconds",
                MILLISECONDS,
                "profile",
                "result");
        algorithmDuration = families.histogram(
                "scheduler_podgroup_scheduling_algorithm_duration_seconds",
                "[ALPHA] Pod group scheduling algorithm latency in seconds",
                MILLISECONDS);
        preemptions = families.counters(
                "scheduler_workload_preemption_attempts_total",
                "[ALPHA] Total preemption attempts initiated by workload (including pod groups) in the cluster till now.",
                "result");
        preemptionVictims = families.histogram(
                "scheduler_workload_preemption_victims",
                "[ALPHA] Number of pod preemption victims caused by workload preemption.",
                PODS);
        disruptions = families.histograms(
                "scheduler_preemption_workload_disruptions",
                "[ALPHA] Number of workload preemption units being preempted. A single preemption unit can be all pods in a pod"
                        + " group (in case of DisruptionMode=all), or a single pod (in case of DisruptionMode=single).",
                PODS,
                "preemptor");
        preemptionEvaluation = families.histograms(
                "scheduler_preemption_evaluation_duration_seconds",
                "[ALPHA] Duration in seconds for identifying the target preemption victims.",
                PREEMPTION_TIMES,
                "preemptor",
                "result");
        preemptionExecution = families.histograms(
                "scheduler_preemption_execution_duration_seconds",
                "[ALPHA] Duration in seconds for preempting the target preemption victims. With async preemption enabled,"
                        + " preemption execution does not block the scheduling of other pods.",
                PREEMPTION_TIMES,
                "preemptor",
                "result");
        pdbViolations = families.counters(
                "scheduler_preemption_pdb_violations_total",
                "[ALPHA] Total number of pod disruption budget violations caused by preemption.",
                "preemptor");
        placements = families.counters(
                "scheduler_generated_placements_total",
                "[ALPHA] Number of candidate placements generated when scheduling pod groups.",
                "profile");
        placementEvaluations = families.counters(
                "scheduler_placement_evaluations_total",
                "[ALPHA] Number of candidate placements evaluated when scheduling pod groups, by result. 'feasible' means the pod"
                        + " group fit into the placement, while 'infeasible' means it did not.",
                "profile",
                "result");
        placementEvaluation = families.histograms(
                "scheduler_placement_evaluation_duration_seconds",
                "[ALPHA] Latency in seconds of evaluating a single candidate placement when scheduling pod groups, by result."
                        + " 'feasible' means the pod group fit into the placement, while 'infeasible' means it did not.",
                MILLISECONDS,
                "profile",
                "result");
    }

    void attempted(String profile, String result, long nanos) {
        attempts.of(profile, result).inc();
        attemptDuration.of(profile, result).observe(nanos / NANOS);
    }

    void algorithmRan(long nanos) {
        algorithmDuration.observe(nanos / NANOS);
    }

    void podPreemptionEvaluated(Code status, long nanos) {
        preemptionEvaluation.of(POD, status.toString()).observe(nanos / NANOS);
    }

    void preemptionEvaluated(Code status, long nanos) {
        preemptions.of(status.toString()).inc();
        preemptionEvaluation.of(POD_GROUP, status.toString()).observe(nanos / NANOS);
    }

    void preempted(String preemptor, int victims, int groupDisruptions, long violations) {
        if (!preemptor.equals(POD)) {
            preemptionVictims.observe(victims);
        }
        if (groupDisruptions > 0) {
            disruptions.of(preemptor).observe(groupDisruptions);
        }
        if (violations > 0) {
            pdbViolations.of(preemptor).inc(violations);
        }
    }

    void preemptionExecuted(String preemptor, String result, long nanos) {
        preemptionExecution.of(preemptor, result).observe(nanos / NANOS);
    }

    void placementsGenerated(String profile, int count) {
        placements.of(profile).inc(count);
    }

    void placementEvaluated(String profile, boolean isFeasible, long nanos) {
        String result = isFeasible ? "feasible" : "infeasible";
        placementEvaluations.of(profile, result).inc();
        placementEvaluation.of(profile, result).observe(nanos / NANOS);
    }
}
