// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.metrics;

import io.prometheus.metrics.core.datapoints.CounterDataPoint;
import io.prometheus.metrics.core.datapoints.DistributionDataPoint;
import io.prometheus.metrics.core.datapoints.GaugeDataPoint;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.moorage.api.Code;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.point.QueuedPod;
import org.moorage.kubernetes.WatchStatus;
import org.moorage.runtime.decision.Decision;
import org.moorage.runtime.metrics.SchedulerGauges;
import org.moorage.runtime.metrics.SchedulerListener;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * A scheduler's metrics in a registry, each with kube-scheduler's name, help, labels and buckets.
 *
 * <p>A metric with labels shows from its first value on, as in kube-scheduler.
 */
public final class PrometheusMetrics implements SchedulerListener {
    /**
     * The names of metrics that kube-scheduler hides unless {@code --show-hidden-metrics-for-version} requests them.
     */
    public static final Set<String> HIDDEN = Set.of("scheduler_preemption_goroutines_duration_seconds");

    private static final Logger LOG = LoggerFactory.getLogger(PrometheusMetrics.class);
    private static final String PREEMPTION = "DefaultPreemption";
    private static final String POD = "pod";
    private static final double NANOS = 1e9;
    private static final long NANOS_PER_MICRO = 1_000;
    private static final int PODS_OF_ATTEMPTS = 15;
    private static final double[] MILLISECONDS = Families.exponential(0.001, 2, 15);
    private static final double[] TENTHS_OF_MILLISECONDS = Families.exponential(0.0001, 2, 12);
    private static final double[] PLUGIN_CALL = Families.exponential(0.00001, 1.5, 20);
    private static final Map<String, String> VOLUME_STAGE_BY_METHOD =
            Map.of("Filter", "predicate", "Reserve", "assume", "PreBind", "bind");
    private static final double[] HUNDREDTHS_OF_SECONDS = Families.exponential(0.01, 2, 20);

    private final InstantSource clock;
    private final Families families;
    private final LabeledSeries<CounterDataPoint> scheduleAttempts;
    private final LabeledSeries<DistributionDataPoint> attemptDuration;
    private final Histogram algorithmDuration;
    private final LabeledSeries<DistributionDataPoint> eventHandling;
    private final LabeledSeries<DistributionDataPoint> sliDuration;
    private final Histogram podAttempts;
    private final LabeledSeries<DistributionDataPoint> extensionPoints;
    private final LabeledSeries<DistributionDataPoint> pluginCalls;
    private final LabeledSeries<CounterDataPoint> evaluations;
    private final LabeledSeries<DistributionDataPoint> hints;
    private final LabeledSeries<CounterDataPoint> incomingPods;
    private final LabeledSeries<CounterDataPoint> incomingEntities;
    private final LabeledSeries<CounterDataPoint> preHints;
    private final LabeledSeries<DistributionDataPoint> permitWait;
    private final LabeledSeries<GaugeDataPoint> goroutines;
    private final Counter preemptionAttempts;
    private final LabeledSeries<CounterDataPoint> volumeErrors;
    private final Histogram preemptionVictims;
    private final LabeledSeries<CounterDataPoint> preemptionTasks;
    private final LabeledSeries<DistributionDataPoint> preemptionTaskDuration;
    private final Counter scheduledAfterFlush;
    private final LabeledSeries<CounterDataPoint> overduePluginCalls;
    private final LabeledSeries<GaugeDataPoint> suspendedPlugins;
    private final LabeledSeries<CounterDataPoint> threadFailures;
    private final LabeledSeries<CounterDataPoint> reconciliations;

    private volatile boolean preemptsInBackground = true;
    private volatile @Nullable PodGroupMetrics podGroups;

    /**
     * Creates metrics without values.
     *
     * @param registry the registry to add them to
     * @param clock the time source
     */
    public PrometheusMetrics(PrometheusRegistry registry, InstantSource clock) {
        families = new Families(registry);
        this.clock = clock;
        scheduleAttempts = families.counters(
                "scheduler_schedule_attempts_total",
                "[STABLE] Number of attempts to schedule pods, by the result. 'unschedulable' means a pod could not be"
                        + " scheduled, while 'error' means an internal scheduler problem.",
                "profile",
                "result");
        attemptDuration = families.histograms(
                "scheduler_scheduling_attempt_duration_seconds",
                "[STABLE] Scheduling attempt latency in seconds (scheduling algorithm + binding)",
                MILLISECONDS,
                "profile",
                "result");
        algorithmDuration = families.histogram(
                "scheduler_scheduling_algorithm_duration_seconds",
                "[BETA] Scheduling algorithm latency in seconds",
                MILLISECONDS);
        eventHandling = families.histograms(
                "scheduler_event_handling_duration_seconds",
                "[ALPHA] Event handling latency in seconds.",
                TENTHS_OF_MILLISECONDS,
                "event");
        sliDuration = families.histograms(
                "scheduler_pod_scheduling_sli_duration_seconds",
                "[BETA] E2e latency for a pod being scheduled, from the time the pod enters the scheduling queue and might"
                        + " involve multiple scheduling attempts.",
                HUNDREDTHS_OF_SECONDS,
                "attempts");
        podAttempts = families.histogram(
                "scheduler_pod_scheduling_attempts",
                "[STABLE] Number of attempts to successfully schedule a pod.",
                Families.exponential(1, 2, 5));
        extensionPoints = families.histograms(
                "scheduler_framework_extension_point_duration_seconds",
                "[STABLE] Latency for running all plugins of a specific extension point.",
                TENTHS_OF_MILLISECONDS,
                "extension_point",
                "profile",
                "status");
        pluginCalls = families.histograms(
                "scheduler_plugin_execution_duration_seconds",
                "[BETA] Duration for running a plugin at a specific extension point.",
                PLUGIN_CALL,
                "extension_point",
                "plugin",
                "status");
        evaluations = families.counters(
                "scheduler_plugin_evaluation_total",
                "[BETA] Number of attempts to schedule pods by each plugin and the extension point (available only in"
                        + " PreFilter, Filter, PreScore, and Score).",
                "extension_point",
                "plugin",
                "profile");
        hints = families.histograms(
                "scheduler_queueing_hint_execution_duration_seconds",
                "[ALPHA] Duration for running a queueing hint function of a plugin.",
                PLUGIN_CALL,
                "event",
                "hint",
                "plugin");
        preHints = families.counters(
                "scheduler_pre_queueing_hint_evaluations_total",
                "[ALPHA] Number of PreQueueingHint evaluations, labeled by plugin and result (all_pods or narrowed).",
                "plugin",
                "result");
        incomingPods = families.counters(
                "scheduler_queue_incoming_pods_total",
                "[STABLE] Number of pods added to scheduling queues by event and queue type.",
                "event",
                "queue");
        incomingEntities = families.counters(
                "scheduler_queue_incoming_entities_total",
                "[ALPHA] Number of scheduling entities added to scheduling queues by event, queue type, and entity type. Entity"
                        + " types are either 'pod' (for individual pods that are not members of any podgroup) or 'podgroup'.",
                "event",
                "queue",
                "type");
        permitWait = families.histograms(
                "scheduler_permit_wait_duration_seconds",
                "[BETA] Duration of waiting on permit.",
                MILLISECONDS,
                "result");
        goroutines = families.gauges(
                "scheduler_goroutines",
                "[BETA] Number of running goroutines split by the work they do such as binding.",
                "operation");
        volumeErrors = families.counters(
                "scheduler_volume_scheduling_stage_error_total",
                "[ALPHA] Volume scheduling stage error count",
                "operation");
        preemptionAttempts = families.counter(
                "scheduler_preemption_attempts_total", "[STABLE] Total preemption attempts in the cluster till now");
        preemptionVictims = families.histogram(
                "scheduler_preemption_victims",
                "[STABLE] Number of selected preemption victims for preemption initiated by a single pod",
                Families.exponential(1, 2, 7));
        preemptionTasks = families.counters(
                "scheduler_preemption_goroutines_execution_total",
                "[ALPHA] Number of preemption goroutines executed.",
                "result");
        preemptionTaskDuration = families.histograms(
                "scheduler_preemption_goroutines_duration_seconds",
                "[ALPHA] (Deprecated since 1.37.0) Duration in seconds for running goroutines for the preemption.",
                HUNDREDTHS_OF_SECONDS,
                "result");
        overduePluginCalls = families.counters(
                "moorage_plugin_calls_overdue_total",
                "Calls into plugins that did not return within the limit, by plugin and extension point.",
                "plugin",
                "extension_point");
        suspendedPlugins = families.gauges(
                "moorage_plugin_suspended", "1 while the plugin is not called, since it kept failing.", "plugin");
        threadFailures = families.counters(
                "moorage_thread_failures_total",
                "Failures of the scheduler's own threads that nothing caught, by thread.",
                "thread");
        reconciliations = families.counters(
                "moorage_controller_reconciliations_total",
                "Calls of controller plugins for an object, by result: success, or error, after which they are repeated.",
                "plugin",
                "result");
        scheduledAfterFlush = families.counter(
                "scheduler_pod_scheduled_after_flush_total",
                "[ALPHA] Number of pods that were successfully scheduled after being flushed from unschedulableEntities due to"
                        + " timeout. This metric helps detect potential queueing hint misconfigurations or event handling"
                        + " issues.");
    }

    /** Registers metrics of the contents of a scheduler, which are read from it when metrics are read. */
    public void show(Supplier<SchedulerGauges> scheduler) {
        families.shownGauges(
                "scheduler_pending_pods",
                "[STABLE] Number of pending pods, by the queue type. 'active' means number of pods in activeQ; 'backoff' means"
                        + " number of pods in backoffQ; 'unschedulable' means number of pods in unschedulableEntities that the"
                        + " scheduler attempted to schedule and failed; 'gated' is the number of unschedulable pods that the"
                        + " scheduler never attempted to schedule because they are gated; 'incomplete' means number of pods"
                        + " in incompletePodGroupPods; 'pending' means number of pods in pendingPodGroupPods.",
                callback -> scheduler.get().pendingPods().forEach((queue, pods) -> callback.call(pods, queue)),
                "queue");
        families.shownGauges(
                "scheduler_queued_entities",
                "[ALPHA] Number of queued scheduling entities ('pod' or 'podgroup'; 'pod' stands for individual pods that are"
                        + " not members of any podgroup) by the queue type. 'active' means number of entities in activeQ;"
                        + " 'backoff' means number of entities in backoffQ; 'unschedulable' means number of entities in"
                        + " unschedulableEntities that the scheduler attempted to schedule and failed; 'gated' is the number"
                        + " of unschedulable entities that the scheduler never attempted to schedule because they are gated.",
                callback -> {
                    SchedulerGauges now = scheduler.get();
                    now.queuedPods().forEach((queue, pods) -> callback.call(pods, queue, "pod"));
                    now.queuedPodGroups().forEach((queue, groups) -> callback.call(groups, queue, "podgroup"));
                },
                "queue",
                "type");
        families.shownGauges(
                "scheduler_inflight_events",
                "[ALPHA] Number of events currently tracked in the scheduling queue.",
                callback -> scheduler.get().inFlightEvents().forEach((event, count) -> callback.call(count, event)),
                "event");
        families.shownGauges(
                "scheduler_unschedulable_pods",
                "[BETA] The number of unschedulable pods broken down by plugin name. A pod will increment the gauge for all"
                        + " plugins that caused it to not schedule and so this metric have meaning only when broken down by"
                        + " plugin.",
                callback -> scheduler
                        .get()
                        .unschedulablePods()
                        .forEach((by, pods) -> callback.call(pods, by.plugin(), by.profile())),
                "plugin",
                "profile");
        families.shownGauges(
                "scheduler_cache_size",
                "[ALPHA] Number of nodes, pods, and assumed (bound) pods in the scheduler cache.",
                callback -> {
                    SchedulerGauges now = scheduler.get();
                    callback.call(now.nodes(), "nodes");
                    callback.call(now.pods(), "pods");
                    callback.call(now.assumedPods(), "assumed_pods");
                },
                "type");
    }

    /** Registers the metric that shows whether this process is the leader. */
    public void showLeadership(String lease, Supplier<Boolean> isLeader) {
        families.shownGauges(
                "leader_election_master_status",
                "[ALPHA] Gauge of if the reporting system is master of the relevant lease, 0 indicates backup, 1 indicates"
                        + " master. 'name' is the string used to identify the lease. Please make sure to group by name.",
                callback -> callback.call(isLeader.get() ? 1 : 0, lease),
                "name");
    }

    /** Registers the metrics of the cluster's watches. */
    public void showWatches(Supplier<List<WatchStatus>> watches) {
        families.shownCounters(
                "moorage_watch_lists_total",
                "Lists of objects that were taken over, by resource.",
                callback -> watches.get()
                        .forEach(watch -> callback.call(
                                (double) watch.lists(), watch.kind().plural())),
                "resource");
        families.shownCounters(
                "moorage_watch_failures_total",
                "Lists and watches that failed, by resource.",
                callback -> watches.get()
                        .forEach(watch -> callback.call(
                                (double) watch.failures(), watch.kind().plural())),
                "resource");
        families.shownGauges(
                "moorage_unreadable_objects",
                "Objects that cannot be read and stand as they were last known, by resource.",
                callback -> watches.get()
                        .forEach(watch -> callback.call(
                                watch.unreadableObjects(), watch.kind().plural())),
                "resource");
    }

    /** Registers the metric that counts dropped log lines. */
    public void showDroppedLogLines(LongSupplier dropped) {
        families.shownCounters(
                "moorage_log_lines_dropped_total",
                "Log lines that were dropped because the reader of the log was too slow.",
                callback -> callback.call((double) dropped.getAsLong()));
    }

    /** Adds the metrics that kube-scheduler has with these features. Call it once, before the scheduler is created. */
    public void showFor(FeatureGates features) {
        preemptsInBackground = features.isEnabled(FeatureGates.SCHEDULER_ASYNC_PREEMPTION);
        podGroups = features.isEnabled(FeatureGates.GENERIC_WORKLOAD) ? new PodGroupMetrics(families) : null;
    }

    private Optional<PodGroupMetrics> podGroups() {
        return Optional.ofNullable(podGroups);
    }

    @Override
    public void groupAttempted(String profile, String result, long nanos) {
        podGroups().ifPresent(groups -> groups.attempted(profile, result, nanos));
    }

    @Override
    public void groupAlgorithmRan(long nanos) {
        podGroups().ifPresent(groups -> groups.algorithmRan(nanos));
    }

    @Override
    public void podGroupPostFilterRan(String plugin, Code status, long nanos) {
        if (plugin.equals(PREEMPTION)) {
            podGroups().ifPresent(groups -> groups.preemptionEvaluated(status, nanos));
        }
    }

    @Override
    public void placementsGenerated(String profile, int placements) {
        podGroups().ifPresent(groups -> groups.placementsGenerated(profile, placements));
    }

    @Override
    public void placementEvaluated(String profile, boolean isFeasible, long nanos) {
        podGroups().ifPresent(groups -> groups.placementEvaluated(profile, isFeasible, nanos));
    }

    @Override
    public boolean takesMeasurements() {
        return true;
    }

    @Override
    public boolean timesPlugins() {
        return LOG.isTraceEnabled() || ThreadLocalRandom.current().nextInt(10) == 0;
    }

    @Override
    public void attempted(String profile, Decision.Outcome outcome, long nanos) {
        String result = switch (outcome) {
            case SCHEDULED -> "scheduled";
            case UNSCHEDULABLE -> "unschedulable";
            case ERROR -> "error";
        };
        scheduleAttempts.of(profile, result).inc();
        attemptDuration.of(profile, result).observe(nanos / NANOS);
    }

    @Override
    public void scheduled(QueuedPod pod, boolean wasFlushed) {
        if (wasFlushed) {
            scheduledAfterFlush.inc();
        }
        podAttempts.observe(pod.attempts());
        Instant now = clock.instant();
        Instant since = pod.initialAttemptTimestamp().orElse(now);
        String attempts = pod.attempts() >= PODS_OF_ATTEMPTS ? PODS_OF_ATTEMPTS + "+" : String.valueOf(pod.attempts());
        sliDuration.of(attempts).observe(Duration.between(since, now).toNanos() / NANOS);
    }

    @Override
    public void algorithmRan(long nanos) {
        algorithmDuration.observe(nanos / NANOS);
    }

    @Override
    public void extensionPointRan(String profile, String point, Code status, long nanos) {
        extensionPoints.of(point, profile, status.toString()).observe(nanos / NANOS);
        if (LOG.isTraceEnabled()) {
            logTime(LOG.atTrace().addKeyValue("profile", profile), point, status, nanos, "Extension point ran");
        }
    }

    @Override
    public void pluginRan(String plugin, String point, Code status, long nanos) {
        pluginCalls.of(point, plugin, status.toString()).observe(nanos / NANOS);
        // Called for each node: do not box a number for a disabled log line.
        if (LOG.isTraceEnabled()) {
            logTime(LOG.atTrace().addKeyValue("plugin", plugin), point, status, nanos, "Plugin ran");
        }
    }

    private static void logTime(LoggingEventBuilder line, String point, Code status, long nanos, String message) {
        line.addKeyValue("extensionPoint", point)
                .addKeyValue("status", status)
                .addKeyValue("microseconds", nanos / NANOS_PER_MICRO)
                .log(message);
    }

    @Override
    public void pluginEvaluated(String profile, String plugin, String point, int times) {
        evaluations.of(point, plugin, profile).inc(times);
    }

    @Override
    public void pluginFailed(String plugin, String method) {
        String stage = VOLUME_STAGE_BY_METHOD.get(method);
        if (plugin.equals("VolumeBinding") && stage != null) {
            volumeErrors.of(stage).inc();
        }
    }

    @Override
    public void postFilterRan(String plugin, Code status, long nanos) {
        // kube-scheduler counts the attempts of this plugin alone; DynamicResources has a PostFilter, too.
        if (plugin.equals(PREEMPTION)) {
            preemptionAttempts.inc();
            podGroups().ifPresent(groups -> groups.podPreemptionEvaluated(status, nanos));
        }
    }

    @Override
    public void pluginCallOverdue(String plugin, String method) {
        overduePluginCalls.of(plugin, method).inc();
    }

    @Override
    public void pluginSuspended(String plugin, String reason) {
        suspendedPlugins.of(plugin).set(1);
    }

    @Override
    public void pluginResumed(String plugin) {
        suspendedPlugins.of(plugin).set(0);
    }

    @Override
    public void threadFailed(String thread, Throwable thrown) {
        threadFailures.of(withoutNumber(thread)).inc();
    }

    @Override
    public void reconciled(String plugin, boolean succeeded) {
        reconciliations.of(plugin, succeeded ? "success" : "error").inc();
    }

    // Thread numbers are cut off, so that the label does not get a new value for each new thread.
    private static String withoutNumber(String thread) {
        return thread.replaceFirst("-[0-9]+$", "");
    }

    @Override
    public void preempted(String plugin, String preemptor, int victims, int groupDisruptions, long pdbViolations) {
        if (preemptor.equals(POD)) {
            preemptionVictims.observe(victims);
        }
        podGroups().ifPresent(groups -> groups.preempted(preemptor, victims, groupDisruptions, pdbViolations));
    }

    @Override
    public void preemptionExecuted(String preemptor, String result, long nanos) {
        if (preemptsInBackground) {
            preemptionTasks.of(result).inc();
            preemptionTaskDuration.of(result).observe(nanos / NANOS);
        }
        podGroups().ifPresent(groups -> groups.preemptionExecuted(preemptor, result, nanos));
    }

    @Override
    public void eventHandled(String event, long nanos) {
        eventHandling.of(event).observe(nanos / NANOS);
    }

    @Override
    public void hintRan(String plugin, String event, String hint, long nanos) {
        hints.of(event, hint, plugin).observe(nanos / NANOS);
    }

    @Override
    public void preHintRan(String plugin, boolean hasNarrowed) {
        preHints.of(plugin, hasNarrowed ? "narrowed" : "all_pods").inc();
    }

    // kube-scheduler counts gated pods as unschedulable ones here.
    @Override
    public void podQueued(Pod pod, String queue, String event) {
        incomingPods.of(event, part(queue)).inc();
    }

    @Override
    public void entityQueued(String queue, String event, String type) {
        incomingEntities.of(event, part(queue), type).inc();
    }

    private static String part(String queue) {
        return queue.equals("gated") ? "unschedulable" : queue;
    }

    @Override
    public void permitWaited(Code status, long nanos) {
        permitWait.of(status.toString()).observe(nanos / NANOS);
    }

    @Override
    public void taskStarted(String operation) {
        goroutines.of(operation).inc();
    }

    @Override
    public void taskEnded(String operation) {
        goroutines.of(operation).dec();
    }
}
