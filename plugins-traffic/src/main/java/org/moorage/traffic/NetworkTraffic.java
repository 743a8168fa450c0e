// SPDX-License-Identifier: Apache-2.0
package org.moorage.traffic;

import java.math.BigInteger;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.NodeScores;
import org.moorage.api.StateKey;
import org.moorage.api.Status;
import org.moorage.api.model.Node;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.IntOrString;
import org.moorage.api.plugin.Plugin;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.Problems;
import org.moorage.api.plugin.cluster.ClusterWriter;
import org.moorage.api.plugin.cluster.PodEvent;
import org.moorage.api.plugin.point.PreScorePlugin;
import org.moorage.api.plugin.point.ScorePlugin;
import org.moorage.prometheus.Prometheus;
import org.moorage.prometheus.PrometheusException;
import org.moorage.prometheus.PrometheusSettings;
import org.moorage.prometheus.Sample;

/**
 * Prefers the nodes with the least network traffic, as measured by Prometheus through the node exporters.
 *
 * <p>Same scores as customScheduler's NetworkTraffic for the same traffic: 100 − traffic · 100 / highest traffic, in
 * whole numbers. Differences: one query returns the traffic of all nodes, and its result is cached; the traffic is a
 * rate rather than the sum of a counter's values, unless {@link Args#originalBehavior} is set; if there is no traffic
 * at all, all nodes score 100 instead of a division by zero; a node without a figure fails the attempt only if {@link
 * Args#missingNode} is ERROR.
 */
public final class NetworkTraffic implements PreScorePlugin, ScorePlugin {
    /** The plugin's name. */
    public static final String NAME = "NetworkTraffic";

    private static final String HOSTNAME = "kubernetes.io/hostname";
    private static final String LOCAL = "http://localhost:9090";
    // As PromQL writes them: 90s, 1h30m.
    private static final Pattern PROMQL_DURATION = Pattern.compile("([0-9]+(ms|[smhdwy]))+");
    private static final Pattern ZERO = Pattern.compile("([0]+(ms|[smhdwy]))+");
    private static final int MOST_NAMED = 3;
    private static final long UNKNOWN = -1;
    private static final StateKey<Map<String, Long>> TRAFFIC = StateKey.of("NetworkTraffic/traffic");

    private final Args args;
    private final String promql;
    private final Prometheus prometheus;
    private final InstantSource clock;
    private final ClusterWriter writer;
    private final AtomicReference<Answer> last = new AtomicReference<>(Answer.NONE);

    /** The traffic that counts; the configuration uses the same names. */
    public enum Direction {
        /** Received traffic. */
        receive,
        /** Transmitted traffic. */
        transmit,
        /** The sum of both. */
        both
    }

    /** How nodes without a traffic figure are scored. */
    public enum MissingNode {
        /** Its score is the average of the others'. */
        NEUTRAL,
        /** Its score is 0. */
        WORST,
        /** The attempt fails. */
        ERROR
    }

    /**
     * The arguments.
     *
     * @param ip the base URL of Prometheus; {@code http://localhost:9090} if neither this nor {@code address} is set
     * @param address an alias of {@code ip}
     * @param deviceName the network device to measure
     * @param timeRange the time range: a number of minutes, or a duration as in PromQL
     * @param direction the traffic that counts
     * @param query a PromQL expression that replaces the default query, with {@code $device} and {@code $range} for the
     *     arguments. Its result must have a label with the node's name; several samples of a node are added up
     * @param nodeLabel the name of that label
     * @param timeout the time limit of a query
     * @param cacheTTL how long a result or a failure is cached
     * @param missingNode how nodes without a traffic figure are scored
     * @param bearerTokenFile a file with the token to send
     * @param username the user for basic authentication, with {@code passwordFile}
     * @param passwordFile a file with the user's password
     * @param caFile a PEM file with the only trusted authorities
     * @param insecure whether to accept any certificate
     * @param originalBehavior whether to add up the counter's values over the range, as customScheduler does
     */
    public record Args(
            String ip,
            String address,
            String deviceName,
            IntOrString timeRange,
            Direction direction,
            String query,
            String nodeLabel,
            Duration timeout,
            Duration cacheTTL,
            MissingNode missingNode,
            String bearerTokenFile,
            String username,
            String passwordFile,
            String caFile,
            boolean insecure,
            boolean originalBehavior)
            implements PluginArgs {
        /** The default arguments. */
        public static final Args DEFAULTS = new Args(
                "",
                "",
                "eth0",
                IntOrString.of("5m"),
                Direction.receive,
                "",
                "nodename",
                Duration.ofSeconds(5),
                Duration.ofSeconds(15),
                MissingNode.NEUTRAL,
                "",
                "",
                "",
                "",
                false,
                false);

        @Override
        public void validate(Problems problems) {
            if (!ip.isEmpty() && !address.isEmpty()) {
                problems.at("address").report("\"" + address + "\" (expected: either ip or address)");
            }
            if (deviceName.isBlank()) {
                problems.at("deviceName").report("\"\" (expected: a network device such as eth0)");
            }
            if (nodeLabel.isBlank()) {
                problems.at("nodeLabel").report("\"\" (expected: the label that names the node)");
            }
            String range = range();
            if (!PROMQL_DURATION.matcher(range).matches() || ZERO.matcher(range).matches()) {
                problems.at("timeRange")
                        .report((timeRange.isNumber() ? timeRange : "\"" + timeRange + "\"")
                                + " (expected: a number of minutes > 0, or a duration such as 90s or 1h30m)");
            }
            if (cacheTTL.isNegative()) {
                problems.at("cacheTTL").report(cacheTTL + " (expected: >= 0s)");
            }
            if (username.isEmpty() != passwordFile.isEmpty()) {
                problems.report("username and passwordFile: one of them is missing (expected: both or none)");
            }
            try {
                settings();
            } catch (IllegalArgumentException refused) {
                problems.report(String.valueOf(refused.getMessage()));
            }
        }

        private String range() {
            return timeRange.isNumber() ? timeRange + "m" : timeRange.text();
        }

        private PrometheusSettings settings() {
            String url = ip.isEmpty() ? address : ip;
            PrometheusSettings settings =
                    PrometheusSettings.of(url.isEmpty() ? LOCAL : url).withTimeout(timeout);
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

        /** The query that is sent. */
        String promql() {
            String device =
                    deviceName.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
            if (!query.isEmpty()) {
                return query.replace("$device", device).replace("$range", range());
            }
            String traffic = switch (direction) {
                case receive -> overTime("receive", device);
                case transmit -> overTime("transmit", device);
                case both -> "(" + overTime("receive", device) + " + " + overTime("transmit", device) + ")";
            };
            // The node exporter knows its host's name only in node_uname_info, so that is where
            // the nodes' names come from.
            return originalBehavior
                    ? traffic + " * on(instance) group_left(" + nodeLabel + ") (node_uname_info)"
                    : "sum by (" + nodeLabel + ") (" + traffic + " * on(instance) group_left(" + nodeLabel
                            + ") max by (instance, " + nodeLabel + ") (node_uname_info))";
        }

        private String overTime(String way, String device) {
            return (originalBehavior ? "sum_over_time" : "rate") + "(node_network_" + way + "_bytes_total{device=\""
                    + device + "\"}[" + range() + "])";
        }
    }

    /**
     * The result of a query.
     *
     * @param until the expiry time of the result
     * @param bytesByNode the traffic by node name
     * @param failure the error; empty if there is none
     */
    private record Answer(Instant until, Map<String, Long> bytesByNode, String failure) {
        static final Answer NONE = new Answer(Instant.MIN, Map.of(), "");
    }

    /**
     * Creates the plugin for one profile.
     *
     * @throws PrometheusException if the file with the authorities cannot be used
     */
    public NetworkTraffic(Args args, Handle handle) {
        this.args = args;
        this.promql = args.promql();
        this.prometheus = Prometheus.connect(args.settings());
        this.clock = handle.clock();
        this.writer = handle.cluster().writer();
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Status preScore(CycleState state, Pod pod, List<NodeInfo> nodes) {
        Answer answer = answer(pod);
        Status known = known(nodes, answer);
        if (!known.isSuccess()) {
            return known;
        }
        for (NodeInfo node : nodes) {
            if (bytes(node, answer.bytesByNode()) != UNKNOWN) {
                state.put(TRAFFIC, answer.bytesByNode());
                return Status.success();
            }
        }
        // Without a figure for any node, all nodes are equal for this plugin.
        return Status.skip();
    }

    // Returns an error if missingNode is ERROR and figures are missing.
    private Status known(List<NodeInfo> nodes, Answer answer) {
        if (args.missingNode() != MissingNode.ERROR) {
            return Status.success();
        }
        if (!answer.failure().isEmpty()) {
            return Status.error(answer.failure());
        }
        List<String> missing = missing(nodes, answer.bytesByNode());
        return missing.isEmpty() ? Status.success() : Status.error(missing(missing));
    }

    // Profiles or threads may send the same query concurrently, which is harmless.
    private Answer answer(Pod pod) {
        Answer known = Objects.requireNonNull(last.get());
        Instant now = clock.instant();
        if (now.isBefore(known.until())) {
            return known;
        }
        Answer answer;
        Instant until = now.plus(args.cacheTTL());
        try {
            answer = new Answer(until, bytesByNode(prometheus.query(promql), args.nodeLabel()), "");
        } catch (PrometheusException failed) {
            // Failures are cached, too, so that not every pod waits for an unreachable Prometheus.
            answer = new Answer(until, Map.of(), String.valueOf(failed.getMessage()));
            if (args.missingNode() != MissingNode.ERROR) {
                writer.report(PodEvent.warning(
                        pod,
                        "NetworkTrafficUnknown",
                        "Scheduling",
                        "scheduled without regard to network traffic: " + failed.getMessage()));
            }
        }
        last.set(answer);
        return answer;
    }

    /**
     * Returns the traffic by node: whole bytes from 0; adds up several samples of a node and ignores values that are
     * not a number.
     */
    static Map<String, Long> bytesByNode(List<Sample> samples, String nodeLabel) {
        Map<String, Long> bytesByNode = new HashMap<>();
        for (Sample sample : samples) {
            String node = sample.labels().get(nodeLabel);
            if (node != null && !Double.isNaN(sample.value())) {
                long bytes = Math.max(0, (long) sample.value());
                bytesByNode.merge(node, bytes, NetworkTraffic::sum);
            }
        }
        return bytesByNode;
    }

    private static long sum(long first, long second) {
        return first > Long.MAX_VALUE - second ? Long.MAX_VALUE : first + second;
    }

    private static List<String> missing(List<NodeInfo> nodes, Map<String, Long> bytesByNode) {
        List<String> missing = new ArrayList<>();
        for (NodeInfo node : nodes) {
            if (bytes(node, bytesByNode) == UNKNOWN) {
                missing.add(node.name());
            }
        }
        return missing;
    }

    private String missing(List<String> nodes) {
        int more = nodes.size() - MOST_NAMED;
        return "no network traffic of node " + String.join(", ", nodes.subList(0, Math.min(MOST_NAMED, nodes.size())))
                + (more > 0 ? " and " + more + " more" : "") + " (expected: a sample of " + args.deviceName()
                + " with label " + args.nodeLabel() + ", see missingNode)";
    }

    // A host's name is the node's name unless the kubelet overrides it; then the label has the host's name.
    private static long bytes(NodeInfo info, Map<String, Long> bytesByNode) {
        Node node = info.node();
        Long bytes = bytesByNode.get(node.name());
        if (bytes == null) {
            String hostname = node.labels().get(HOSTNAME);
            bytes = hostname == null ? null : bytesByNode.get(hostname);
        }
        return bytes == null ? UNKNOWN : bytes;
    }

    @Override
    public long score(CycleState state, Pod pod, NodeInfo node) {
        Map<String, Long> bytesByNode = state.find(TRAFFIC).orElse(null);
        return bytesByNode == null ? UNKNOWN : bytes(node, bytesByNode);
    }

    @Override
    public NodeScores normalize(CycleState state, Pod pod, NodeScores scores) {
        // A profile may enable the plugin only at Score, as customScheduler's profile does.
        long[] traffic = state.find(TRAFFIC).isPresent() ? scores.toArray() : traffic(pod, scores);
        return scores.with(normalized(traffic, args.missingNode()));
    }

    private long[] traffic(Pod pod, NodeScores scores) {
        List<NodeInfo> nodes = new ArrayList<>(scores.size());
        for (int i = 0; i < scores.size(); i++) {
            nodes.add(scores.node(i));
        }
        Answer answer = answer(pod);
        Status known = known(nodes, answer);
        if (!known.isSuccess()) {
            throw new IllegalStateException(known.message());
        }
        long[] traffic = new long[nodes.size()];
        for (int i = 0; i < traffic.length; i++) {
            traffic[i] = bytes(nodes.get(i), answer.bytesByNode());
        }
        return traffic;
    }

    /** Converts traffic to scores, where -1 is unknown traffic. Modifies the array and returns it. */
    static long[] normalized(long[] traffic, MissingNode missingNode) {
        long highest = 0;
        for (long bytes : traffic) {
            highest = Math.max(highest, bytes);
        }
        long sum = 0;
        int known = 0;
        for (int i = 0; i < traffic.length; i++) {
            if (traffic[i] != UNKNOWN) {
                traffic[i] = NodeScores.MAX - percent(traffic[i], highest);
                sum += traffic[i];
                known++;
            }
        }
        long unknown = missingNode == MissingNode.WORST || known == 0 ? 0 : sum / known;
        for (int i = 0; i < traffic.length; i++) {
            if (traffic[i] == UNKNOWN) {
                traffic[i] = unknown;
            }
        }
        return traffic;
    }

    private static long percent(long bytes, long highest) {
        if (highest == 0) {
            return 0;
        }
        if (bytes <= Long.MAX_VALUE / NodeScores.MAX) {
            return bytes * NodeScores.MAX / highest;
        }
        return BigInteger.valueOf(bytes)
                .multiply(BigInteger.valueOf(NodeScores.MAX))
                .divide(BigInteger.valueOf(highest))
                .longValue();
    }

    /** Named in {@code META-INF/services/org.moorage.api.plugin.PluginFactory}, which registers the plugin. */
    public static final class Factory implements PluginFactory<Args> {
        @Override
        public String name() {
            return NAME;
        }

        @Override
        public Class<Args> argsType() {
            return Args.class;
        }

        @Override
        public Plugin create(Args args, Handle handle) {
            return new NetworkTraffic(args, handle);
        }
    }
}
