// SPDX-License-Identifier: Apache-2.0
package org.moorage.safe;

import java.nio.file.Path;
import java.time.Duration;
import org.moorage.api.plugin.Problems;
import org.moorage.prometheus.PrometheusSettings;

/**
 * How to ask Prometheus for the use of nodes.
 *
 * @param address its address, for example {@code http://prometheus:9090}
 * @param window the time over which average and deviation are taken
 * @param step how far apart the values are that these are taken of
 * @param refresh how often to ask
 * @param timeout how long an answer may take; also how long the first pod waits for the first answer
 * @param maxAge when an answer is stale
 * @param whenStale what becomes of figures when they are stale
 * @param bearerTokenFile a file with a token, read for each request; empty for none
 * @param username the user to ask as; empty for none
 * @param passwordFile a file with that user's password, read for each request
 * @param caFile a file with the only authorities to trust, PEM; empty for those that the JVM knows
 * @param insecure whether any certificate is accepted
 * @param nodeLabel the label of the answers with the node's name
 * @param queries what to ask
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
    /** What applies when nothing is given. */
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

    /** The label of the samples that answer {@link #promql}: the name of the figure, as {@link Queries} has it. */
    static final String FIGURE = "figure";

    /** What becomes of figures that are stale. */
    public enum Staleness {
        /** They count as missing, see {@link SafeArgs#missingStats}. */
        MISSING,
        /** They count until there are others. */
        KEEP_LAST
    }

    /**
     * What is asked for each figure: a vector with a sample for each node. {@code $window} and {@code $step} are replaced; all four are
     * sent as one query.
     *
     * @param cpuMean the CPUs that are free on average, in thousandths
     * @param cpuDeviation the standard deviation of that
     * @param memoryMean the bytes that are free on average
     * @param memoryDeviation the standard deviation of that
     */
    public record Queries(String cpuMean, String cpuDeviation, String memoryMean, String memoryDeviation) {
        private static final String IDLE =
                "sum by (instance) (rate(node_cpu_seconds_total{mode=\"idle\"}[5m]))[$window:$step]";
        private static final String AVAILABLE = "node_memory_MemAvailable_bytes[$window]";
        private static final String BY_NAME = " * on (instance) group_left (nodename) node_uname_info";

        /** The node exporter's metrics, joined with the name that the exporter's machine has. */
        public static final Queries DEFAULTS = new Queries(
                "1000 * avg_over_time(" + IDLE + ")" + BY_NAME,
                "1000 * stddev_over_time(" + IDLE + ")" + BY_NAME,
                "avg_over_time(" + AVAILABLE + ")" + BY_NAME,
                "stddev_over_time(" + AVAILABLE + ")" + BY_NAME);
    }

    /** What is sent: the queries in one, so that all figures are of one moment. */
    String promql() {
        return String.join(
                " or ",
                labelled("cpuMean", queries.cpuMean()),
                labelled("cpuDeviation", queries.cpuDeviation()),
                labelled("memoryMean", queries.memoryMean()),
                labelled("memoryDeviation", queries.memoryDeviation()));
    }

    // What has no source label has this value.
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
     * The settings of the client.
     *
     * @throws IllegalArgumentException if one cannot be
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
