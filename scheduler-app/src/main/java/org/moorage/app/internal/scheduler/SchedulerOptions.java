// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.scheduler;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.moorage.api.feature.EffectiveVersion;
import org.moorage.api.feature.MinorVersion;
import org.moorage.app.internal.logging.Logging;
import org.moorage.app.internal.metrics.PrometheusMetrics;
import org.moorage.app.internal.options.PluginLimitOptions;
import org.moorage.app.internal.process.CommandException;
import org.moorage.app.internal.serving.ServingOptions;
import org.moorage.config.FlagValue;
import org.moorage.config.older.PolicyTexts;
import org.moorage.objects.GoDuration;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The flags of the scheduler itself that are not part of its configuration's file, with kube-scheduler's names and defaults. */
public final class SchedulerOptions {
    private static final MinorVersion VERSION_BEFORE =
            new MinorVersion(EffectiveVersion.BINARY.major(), EffectiveVersion.BINARY.minor() - 1);

    private static final int MOST_KEPT_ATTEMPTS = 100;

    @Option(
            names = "--kubeconfig",
            paramLabel = "FILE",
            description = "Path to the kubeconfig file; not needed in a pod of the cluster.")
    private Optional<Path> kubeconfig = Optional.empty();

    @Option(
            names = "--master",
            paramLabel = "URL",
            description = "Address of the API server (default: the kubeconfig's).")
    private Optional<String> master = Optional.empty();

    @Mixin
    private LeaderElectionOptions leaderElection = new LeaderElectionOptions();

    @Mixin
    private ServingOptions serving = new ServingOptions();

    @Mixin
    private RemovedFlags removed = new RemovedFlags();

    @Mixin
    private PluginLimitOptions pluginLimits = new PluginLimitOptions();

    @Option(
            names = "--kube-api-qps",
            paramLabel = "N",
            description = "Requests to the API server per second; only without --config (default: 50).")
    private Optional<Double> qps = Optional.empty();

    @Option(
            names = "--kube-api-burst",
            paramLabel = "N",
            description = "Burst of requests to the API server; only without --config (default: 100).")
    private Optional<Integer> burst = Optional.empty();

    @Option(
            names = "--pod-max-in-unschedulable-pods-duration",
            paramLabel = "DURATION",
            defaultValue = "5m0s",
            description =
                    "Time after which an unschedulable pod is retried without an event (default: ${DEFAULT-VALUE}).")
    private String maxInUnschedulable = "5m0s";

    @Option(
            names = "--keep-attempts",
            paramLabel = "N",
            defaultValue = "0",
            description = "Number of scheduling attempts to keep for each pod, for /debug/attempts and moorage explain "
                    + "--live; those of at most 20,000 pods are kept (default: ${DEFAULT-VALUE}).")
    private int keptAttempts;

    @Option(
            names = "--disabled-metrics",
            paramLabel = "NAME",
            split = ",",
            description = "Metrics that are not exposed.")
    private List<String> disabledMetrics = new ArrayList<>();

    @Option(
            names = "--show-hidden-metrics-for-version",
            paramLabel = "VERSION",
            description = "Also expose the metrics that the previous minor version exposed and this version hides; the "
                    + "only accepted value is that version.")
    private String showHiddenMetricsForVersion = "";

    @Option(
            names = "--write-config-to",
            paramLabel = "FILE",
            description = "Write the configuration with all defaults to this file, and exit.")
    private Optional<Path> writeConfigTo = Optional.empty();

    @Option(
            names = "--logging-format",
            paramLabel = "text|json",
            defaultValue = "text",
            description = "Format of the log (default: ${DEFAULT-VALUE}).")
    private Logging.Format loggingFormat = Logging.Format.text;

    @Option(
            names = "--vmodule",
            paramLabel = "CLASS=N",
            split = ",",
            description = "Verbosity of single classes; * and ? are wildcards.")
    private List<String> vmodule = new ArrayList<>();

    Optional<Path> kubeconfig() {
        return kubeconfig;
    }

    Optional<String> master() {
        return master;
    }

    ServingOptions serving() {
        return serving;
    }

    /** The configuration that flags of earlier versions amount to, if any is given. */
    Optional<PolicyTexts.PolicyText> configOfRemovedFlags() {
        return removed.config();
    }

    PluginLimitOptions pluginLimits() {
        return pluginLimits;
    }

    /**
     * Returns the flags that override the configuration file and, if there is no file, those that a file would
     * override.
     */
    List<FlagValue> flagValues(boolean hasFile) {
        List<FlagValue> values = new ArrayList<>(leaderElection.flagValues());
        if (!hasFile) {
            qps.ifPresent(value -> values.add(new FlagValue("clientConnection.qps", value, "--kube-api-qps")));
            burst.ifPresent(value -> values.add(new FlagValue("clientConnection.burst", value, "--kube-api-burst")));
            kubeconfig.ifPresent(
                    file -> values.add(new FlagValue("clientConnection.kubeconfig", file.toString(), "--kubeconfig")));
        }
        return values;
    }

    Duration maxInUnschedulable() {
        return GoDuration.parse(maxInUnschedulable)
                .filter(duration -> !duration.isNegative())
                .orElseThrow(() -> new CommandException("--pod-max-in-unschedulable-pods-duration: \""
                        + maxInUnschedulable + "\" (expected: a duration such as 5m)"));
    }

    /** Returns how many attempts at each pod are kept. */
    int keptAttempts() {
        if (keptAttempts < 0 || keptAttempts > MOST_KEPT_ATTEMPTS) {
            throw new CommandException(
                    "--keep-attempts: " + keptAttempts + " (expected: 0 to " + MOST_KEPT_ATTEMPTS + ")");
        }
        return keptAttempts;
    }

    /** The names of metrics that are not shown. */
    Set<String> metricsLeftOut() {
        Set<String> names = new LinkedHashSet<>(disabledMetrics);
        if (showHiddenMetricsForVersion.isEmpty()) {
            names.addAll(PrometheusMetrics.HIDDEN);
        } else if (!showHiddenMetricsForVersion.equals(VERSION_BEFORE.toString())) {
            throw new CommandException("--show-hidden-metrics-for-version: \"" + showHiddenMetricsForVersion
                    + "\" (expected: " + VERSION_BEFORE + ", the previous minor version)");
        }
        return names;
    }

    Optional<Path> writeConfigTo() {
        return writeConfigTo;
    }

    Logging.Format loggingFormat() {
        return loggingFormat;
    }

    Map<String, Integer> verbosityByModule() {
        Map<String, Integer> verbosities = new LinkedHashMap<>();
        for (String setting : vmodule) {
            if (!setting.matches("[^=]+=[0-9]{1,4}")) {
                throw new CommandException(
                        "--vmodule: \"" + setting + "\" (expected: a class and a number, such as SchedulingQueue=4)");
            }
            int equals = setting.indexOf('=');
            verbosities.put(setting.substring(0, equals), Integer.valueOf(setting.substring(equals + 1)));
        }
        return verbosities;
    }
}
