// SPDX-License-Identifier: Apache-2.0
package org.moorage.safe;

import java.nio.file.Path;
import java.time.Duration;
import org.moorage.api.plugin.Problems;
import org.moorage.prometheus.PrometheusSettings;

/**
 * How to query Prometheus for the usage of nodes.
 *
 * @param address its address, for example {@code http://prometheus:9090}
 * @param window the period of the average and the deviation
 * @param step the interval between the values of that period
 * @param refresh the interval between queries
 * @param timeout the time limit of a query; also how long the first pod waits for the first result
 * @param maxAge the age at which a result becomes stale
 * @param whenStale how stale figures are treated
 * @param bearerTokenFile a file with a token, read for each request; empty for none
 * @param username the user for basic authentication; empty for none
 * @param passwordFile a file with that user's password, read for each request
 * @param caFile a PEM file with the only trusted authorities; empty for those of the JVM
 * @param insecure whether to accept any certificate
 * @param nodeLabel the label of the samples that has the node's name
 * @param queries the queries
 */
public record PrometheusArgs(
        String address,
        Duration window,
        Duration step,
        Duration refresh,
        Duration timeout,
        Duration maxAge,
        Staleness whenStale,
        String bearerTokenFile,
        String username,
        String passwordFile,
        String caFile,
        boolean insecure,
        String nodeLabel,
        Queries queries) {
    /** The default arguments. */
    public static final PrometheusArgs DEFAULTS = new PrometheusArgs(
            "",
            Duration.ofHours(1),
            Duration.ofMinutes(1),
            Duration.ofSeconds(30),
            Duration.ofSeconds(2),
            Duration.ofMinutes(5),
            Staleness.MISSING,
            "",
            "",
            "",
            "",
            false,
            "nodename",
            Queries.DEFAULTS);

    /** The label that {@link #promql} adds to each sample: the figure's name, as in {@link Queries}. */
    static final String FIGURE = "figure";

    /** How stale figures are treated. */
    public enum Staleness {
        /** They count as missing; see {@link SafeArgs#missingStats}. */
        MISSING,
        /** They stay in use until the next result. */
        KEEP_LAST
    }

    /**
     * The query for each figure, which returns a vector with one sample per node. {@code $window} and {@code $step} are
     * replaced; all four are sent as one query.
     *
     * @param cpuMean the average of free CPU, in thousandths of a CPU
     * @param cpuDeviation the standard deviation of free CPU
     * @param memoryMean the average of free memory, in bytes
     * @param memoryDeviation the standard deviation of free memory
     */
    public record Queries(String cpuMean, String cpuDeviation, String memoryMean, String memoryDeviation) {
        private static final String IDLE =
                "sum by (instance) (rate(node_cpu_seconds_total{mode=\"idle\"}[5m]))[$window:$step]";
        private static final String AVAILABLE = "node_memory_MemAvailable_bytes[$window]";
        private static final String BY_NAME = " * on (instance) group_left (nodename) node_uname_info";

        /** Queries of the node exporter's metrics, joined with the host name of the exporter's machine. */
        public static final Queries DEFAULTS = new Queries(
                "1000 * avg_over_time(" + IDLE + ")" + BY_NAME,
                "1000 * stddev_over_time(" + IDLE + ")" + BY_NAME,
                "avg_over_time(" + AVAILABLE + ")" + BY_NAME,
                "stddev_over_time(" + AVAILABLE + ")" + BY_NAME);
    }

    /** Returns one query that combines all queries, so that all figures are of the same moment. */
    String promql() {
        return String.join(
                " or ",
                labelled("cpuMean", queries.cpuMean()),
                labelled("cpuDeviation", queries.cpuDeviation()),
                labelled("memoryMean", queries.memoryMean()),
                labelled("memoryDeviation", queries.memoryDeviation()));
    }

    // The empty source label matches every sample, so label_replace adds the label to all of them.
    private String labelled(String figure, String query) {
        String asked = query.replace("$window", window.toSeconds() + "s").replace("$step", step.toSeconds() + "s");
        return "label_replace(" + asked + ", \"" + FIGURE + "\", \"" + figure + "\", \"\", \"\")";
    }

    void validate(Problems problems) {
        try {
            PrometheusSettings ignored = settings();
        } catch (IllegalArgumentException unusable) {
            problems.report(String.valueOf(unusable.getMessage()));
        }
        if (username.isEmpty() != passwordFile.isEmpty()) {
            problems.at("passwordFile").invalid(passwordFile, "set exactly if username is");
        }
        positive(window, problems.at("window"));
        positive(step, problems.at("step"));
        positive(refresh, problems.at("refresh"));
        positive(maxAge, problems.at("maxAge"));
        if (nodeLabel.isEmpty()) {
            problems.at("nodeLabel").invalid(nodeLabel, "the name of a label");
        }
    }

    /**
     * Returns the settings of the client.
     *
     * @throws IllegalArgumentException if a setting is invalid
     */
    PrometheusSettings settings() {
        PrometheusSettings settings = PrometheusSettings.of(address).withTimeout(timeout);
        if (!bearerTokenFile.isEmpty()) {
            settings = settings.withBearerTokenFile(Path.of(bearerTokenFile));
        }
        if (!username.isEmpty()) {
            settings = settings.withBasicAuth(username, Path.of(passwordFile));
        }
        if (!caFile.isEmpty()) {
            settings = settings.withCaFile(Path.of(caFile));
        }
        return insecure ? settings.acceptingAnyCertificate() : settings;
    }

    private static void positive(Duration time, Problems problems) {
        if (time.isNegative() || time.isZero()) {
            problems.invalid(time, "> 0");
        }
    }
}
