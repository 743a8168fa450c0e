// SPDX-License-Identifier: Apache-2.0
package org.moorage.traffic;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.moorage.api.Status;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.IntOrString;
import org.moorage.api.plugin.Plugin;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.Problems;
import org.moorage.api.plugin.point.ExtensionPoint;
import org.moorage.builtin.dra.KubeSchedulerPlugins;
import org.moorage.config.ConfigLoader;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.prometheus.Sample;
import org.moorage.runtime.Scheduler;
import org.moorage.runtime.decision.Decision;
import org.moorage.runtime.decision.Evaluation;
import org.moorage.simulation.cluster.InMemoryCluster;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.PluginContract;
import org.moorage.testkit.PluginTester;
import org.moorage.testkit.Pods;
import org.moorage.testkit.TestScheduler;
import org.moorage.traffic.NetworkTraffic.Args;
import org.moorage.traffic.NetworkTraffic.Direction;
import org.moorage.traffic.NetworkTraffic.MissingNode;

class NetworkTrafficTest {
    private static final Pod POD = Pods.named("web").build();

    private final StubPrometheus prometheus =
            new StubPrometheus(StubPrometheus.vector(Map.of("node01", "140000", "node02", "200000")));

    @AfterEach
    void end() {
        prometheus.close();
    }

    private Args args(MissingNode missingNode, Duration cacheTtl) {
        return Changed.DEFAULTS
                .ip(prometheus.address())
                .missing(missingNode)
                .cache(cacheTtl)
                .args();
    }

    private PluginTester plugin(MissingNode missingNode, String... nodes) {
        List<ClusterObject> cluster = new ArrayList<>();
        for (String node : nodes) {
            cluster.add(Nodes.named(node).build());
        }
        return PluginTester.of(new NetworkTraffic.Factory(), args(missingNode, Duration.ofSeconds(15)))
                .cluster(cluster);
    }

    // What PreScore says where each node must be known.
    private Object preScore(String... nodes) {
        try (TestScheduler scheduler = plugin(MissingNode.ERROR, nodes).start()) {
            Decision ignored = scheduler.schedule(POD);
            return scheduler.answers("preScore").get(0);
        }
    }

    /** Arguments that differ from the defaults in a few fields. */
    record Changed(Args args) {
        static final Changed DEFAULTS = new Changed(Args.DEFAULTS);

        Changed ip(String ip) {
            return with(ip, args.cacheTTL(), args.missingNode(), args.timeRange(), args.direction(), args.query());
        }

        Changed cache(Duration ttl) {
            return with(args.ip(), ttl, args.missingNode(), args.timeRange(), args.direction(), args.query());
        }

        Changed missing(MissingNode missing) {
            return with(args.ip(), args.cacheTTL(), missing, args.timeRange(), args.direction(), args.query());
        }

        Changed range(IntOrString range) {
            return with(args.ip(), args.cacheTTL(), args.missingNode(), range, args.direction(), args.query());
        }

        Changed direction(Direction direction) {
            return with(args.ip(), args.cacheTTL(), args.missingNode(), args.timeRange(), direction, args.query());
        }

        Changed query(String query) {
            return with(args.ip(), args.cacheTTL(), args.missingNode(), args.timeRange(), args.direction(), query);
        }

        Changed original() {
            Args a = args;
            return new Changed(new Args(
                    a.ip(),
                    "",
                    a.deviceName(),
                    a.timeRange(),
                    a.direction(),
                    a.query(),
                    a.nodeLabel(),
                    a.timeout(),
                    a.cacheTTL(),
                    a.missingNode(),
                    "",
                    "",
                    "",
                    "",
                    false,
                    true));
        }

        private Changed with(
                String ip, Duration ttl, MissingNode missing, IntOrString range, Direction direction, String query) {
            Args a = args;
            return new Changed(new Args(
                    ip,
                    "",
                    a.deviceName(),
                    range,
                    direction,
                    query,
                    a.nodeLabel(),
                    a.timeout(),
                    ttl,
                    missing,
                    "",
                    "",
                    "",
                    "",
                    false,
                    a.originalBehavior()));
        }
    }

    /** Traffic and scores, as customScheduler gave them where it did not end by dividing by zero. */
    record Vector(String name, long[] traffic, long[] scores) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Vector> vectors() {
        return Stream.of(
                new Vector("the article's two nodes", longs(140000, 200000), longs(30, 0)),
                new Vector("one idle node", longs(0, 12541068340L), longs(100, 0)),
                new Vector("a third is rounded down", longs(1, 3), longs(67, 0)),
                new Vector("equally busy", longs(5, 5), longs(0, 0)),
                new Vector("seven of a hundred", longs(7, 100), longs(93, 0)),
                new Vector("no traffic anywhere", longs(0, 0), longs(100, 100)),
                new Vector("more than fits times a hundred", longs(1L << 61, 3L << 60, 0), longs(34, 0, 100)));
    }

    private static long[] longs(long... values) {
        return values;
    }

    @ParameterizedTest
    @MethodSource("vectors")
    void scoresByTheShareOfTheHighestTraffic(Vector vector) {
        assertArrayEquals(
                vector.scores(), NetworkTraffic.normalized(vector.traffic().clone(), MissingNode.NEUTRAL));
        Map<String, String> bytes = new TreeMap<>();
        String[] nodes = new String[vector.traffic().length];
        for (int i = 0; i < nodes.length; i++) {
            nodes[i] = "n" + i;
            bytes.put(nodes[i], String.valueOf(vector.traffic()[i]));
        }
        prometheus.answer(StubPrometheus.vector(bytes));

        var pod = plugin(MissingNode.ERROR, nodes).pod(POD);

        for (int i = 0; i < nodes.length; i++) {
            pod.scores(nodes[i], vector.scores()[i]);
        }
    }

    @Test
    void findsANodeByItsHostnameToo() {
        PluginTester.of(new NetworkTraffic.Factory(), args(MissingNode.ERROR, Duration.ZERO))
                .cluster(
                        Nodes.named("10.0.0.1")
                                .label("kubernetes.io/hostname", "node01")
                                .build(),
                        Nodes.named("node02").build())
                .pod(POD)
                .scores("10.0.0.1", 30)
                .scores("node02", 0);
    }

    record ValueCase(String value, long bytes) {
        @Override
        public String toString() {
            return value + " is " + (bytes < 0 ? "none" : bytes);
        }
    }

    static Stream<ValueCase> values() {
        return Stream.of(
                new ValueCase("NaN", -1),
                new ValueCase("-5", 0),
                new ValueCase("1.9", 1),
                new ValueCase("-Infinity", 0),
                new ValueCase("Infinity", Long.MAX_VALUE),
                new ValueCase("1e30", Long.MAX_VALUE));
    }

    @ParameterizedTest
    @MethodSource("values")
    void takesWholeBytesFromZero(ValueCase value) {
        double number = Double.parseDouble(value.value());

        Map<String, Long> bytes = NetworkTraffic.bytesByNode(List.of(sample("n", number)), "nodename");

        assertEquals(value.bytes() < 0 ? Map.of() : Map.of("n", value.bytes()), bytes);
    }

    @Test
    void addsUpTheSamplesOfANode() {
        assertEquals(
                Map.of("a", 7L, "b", Long.MAX_VALUE),
                NetworkTraffic.bytesByNode(
                        List.of(
                                sample("a", 3),
                                sample("a", 4),
                                sample("b", Double.POSITIVE_INFINITY),
                                sample("b", 1),
                                new Sample(Map.of("instance", "c"), Instant.EPOCH, 9)),
                        "nodename"));
    }

    private static Sample sample(String node, double value) {
        return new Sample(Map.of("nodename", node), Instant.EPOCH, value);
    }

    @Nested
    class ANodeWithoutAFigure {
        @Test
        void getsTheAverage() {
            plugin(MissingNode.NEUTRAL, "node01", "node02", "new")
                    .pod(POD)
                    .scores("node01", 30)
                    .scores("new", 15);
        }

        @Test
        void getsTheWorstIfSoConfigured() {
            plugin(MissingNode.WORST, "node01", "node02", "new")
                    .pod(POD)
                    .scores("node01", 30)
                    .scores("new", 0);
        }

        @Test
        void failsTheAttemptIfSoConfigured() {
            assertEquals(
                    Status.error("no network traffic of node new (expected: a sample of eth0 with label nodename,"
                            + " see missingNode)"),
                    preScore("node01", "node02", "new"));
            assertEquals(
                    Status.error("no network traffic of node a, b, c and 2 more (expected: a sample of eth0 with label"
                            + " nodename, see missingNode)"),
                    preScore("a", "b", "c", "d", "e"));
        }

        @Test
        void leavesTheChoiceToOthersIfThereIsNoOther() {
            plugin(MissingNode.NEUTRAL, "new", "newer").pod(POD).skipsScore();
            plugin(MissingNode.WORST, "new", "newer").pod(POD).skipsScore();
        }
    }

    @Nested
    class APrometheusThatFails {
        @Test
        void leavesTheChoiceToOthersAndSaysSoOnce() {
            prometheus.answer(StubPrometheus.unavailable());
            try (TestScheduler scheduler =
                    plugin(MissingNode.NEUTRAL, "node01", "node02").start()) {
                scheduler.pod(POD).skipsScore();
                scheduler.pod(POD).skipsScore();

                assertEquals(1, prometheus.queries().size());
                assertEquals(1, scheduler.writes().size());
                assertTrue(
                        scheduler
                                .writes()
                                .get(0)
                                .toString()
                                .contains("scheduled without regard to network traffic: Prometheus at "
                                        + prometheus.address() + "/api/v1/query: unavailable: starting"),
                        scheduler.writes().toString());
            }
        }

        @Test
        void failsTheAttemptIfANodeMustBeKnown() {
            prometheus.answer(StubPrometheus.unavailable());

            assertEquals(
                    Status.error("Prometheus at " + prometheus.address() + "/api/v1/query: unavailable: starting"),
                    preScore("node01", "node02"));
        }
    }

    /** Without PreScore, as a profile has it that enables the plugin at Score alone. */
    @Nested
    class EnabledAtScoreAlone {
        private PluginTester alone(MissingNode missingNode, String... nodes) {
            return plugin(missingNode, nodes).disabledAt(ExtensionPoint.PRE_SCORE);
        }

        @ParameterizedTest
        @ValueSource(strings = {"v1beta1", "v1beta2", "v1beta3", "v1"})
        void scoresByTheArticlesConfiguration(String version) {
            prometheus.answer(StubPrometheus.vector(Map.of("node01", "140000", "master-machine", "200000")));
            String config = """
                    apiVersion: kubescheduler.config.k8s.io/%s
                    kind: KubeSchedulerConfiguration
                    clientConnection:
                      kubeconfig: "/etc/kubernetes/scheduler.conf"
                    profiles:
                    - schedulerName: custom-scheduler
                      plugins:
                        score:
                          enabled:
                          - name: "NetworkTraffic"
                          disabled:
                          - name: "*"
                      pluginConfig:
                        - name: "NetworkTraffic"
                          args:
                            ip: "%s"
                            deviceName: "eth0"
                            timeRange: 60
                    """.formatted(version, prometheus.address());
            PluginRegistry plugins =
                    PluginRegistry.of(KubeSchedulerPlugins.all()).with(List.of(new NetworkTraffic.Factory()));
            InMemoryCluster cluster = InMemoryCluster.of(List.of(
                    Nodes.named("node01").build(), Nodes.named("master-machine").build()));
            try (Scheduler scheduler = Scheduler.builder(
                            ConfigLoader.load(config, "article", plugins), plugins, cluster)
                    .build()) {
                scheduler.start();

                Evaluation evaluation = scheduler.evaluate(
                        Pods.named("nginx").schedulerName("custom-scheduler").build());

                assertEquals(
                        Map.of(
                                "node01", Map.of(NetworkTraffic.NAME, 30L),
                                "master-machine", Map.of(NetworkTraffic.NAME, 0L)),
                        evaluation.scores());
            }
            assertEquals(
                    List.of("sum by (nodename) (rate(node_network_receive_bytes_total{device=\"eth0\"}[60m])"
                            + " * on(instance) group_left(nodename) max by (instance, nodename) (node_uname_info))"),
                    prometheus.queries());
        }

        @ParameterizedTest
        @CsvSource({"NEUTRAL, 15", "WORST, 0"})
        void scoresANodeWithoutAFigureTheSame(MissingNode missingNode, long score) {
            alone(missingNode, "node01", "node02", "new")
                    .pod(POD)
                    .scores("node01", 30)
                    .scores("node02", 0)
                    .scores("new", score);
        }

        @Test
        void failsTheAttemptForANodeWithoutAFigureIfSoConfigured() {
            alone(MissingNode.ERROR, "node01", "node02", "new")
                    .pod(POD)
                    .fails("no network traffic of node new (expected: a sample of eth0 with label nodename,"
                            + " see missingNode)");
        }

        @Test
        void asksOnceForEachPodIfNothingIsKept() {
            try (TestScheduler scheduler = PluginTester.of(
                            new NetworkTraffic.Factory(), args(MissingNode.ERROR, Duration.ZERO))
                    .cluster(
                            Nodes.named("node01").build(), Nodes.named("node02").build())
                    .disabledAt(ExtensionPoint.PRE_SCORE)
                    .start()) {
                scheduler.pod(POD).scores("node01", 30);
                assertEquals(1, prometheus.queries().size());
                prometheus.answer(StubPrometheus.vector(Map.of("node01", "2", "node02", "1")));
                scheduler.pod(POD).scores("node02", 50);
            }
        }

        @Test
        void makesNoDifferenceIfThePrometheusFailsAndSaysSoOnce() {
            prometheus.answer(StubPrometheus.unavailable());
            try (TestScheduler scheduler =
                    alone(MissingNode.NEUTRAL, "node01", "node02").start()) {
                scheduler.pod(POD).scores("node01", 0).scores("node02", 0);
                scheduler.pod(POD).scores("node01", 0);

                assertEquals(1, prometheus.queries().size());
                assertEquals(1, scheduler.writes().size());
            }
        }

        @Test
        void failsTheAttemptIfThePrometheusFailsAndANodeMustBeKnown() {
            prometheus.answer(StubPrometheus.unavailable());

            alone(MissingNode.ERROR, "node01", "node02")
                    .pod(POD)
                    .fails("Prometheus at " + prometheus.address() + "/api/v1/query: unavailable: starting");
        }
    }

    @Nested
    class Asking {
        @Test
        void asksOnceForAllNodesAndKeepsTheAnswer() {
            try (TestScheduler scheduler =
                    plugin(MissingNode.ERROR, "node01", "node02").start()) {
                scheduler.pod(POD).scores("node01", 30).scores("node02", 0);
                prometheus.answer(StubPrometheus.vector(Map.of("node01", "2", "node02", "1")));
                scheduler.pod(POD).scores("node01", 30);

                assertEquals(1, prometheus.queries().size());
            }
        }

        @Test
        void asksForEachPodIfNothingIsKept() {
            try (TestScheduler scheduler = PluginTester.of(
                            new NetworkTraffic.Factory(), args(MissingNode.ERROR, Duration.ZERO))
                    .cluster(
                            Nodes.named("node01").build(), Nodes.named("node02").build())
                    .start()) {
                scheduler.pod(POD).scores("node01", 30);
                prometheus.answer(StubPrometheus.vector(Map.of("node01", "2", "node02", "1")));
                scheduler.pod(POD).scores("node02", 50);
            }
        }

        record Query(String name, Changed args, String expected) {
            @Override
            public String toString() {
                return name;
            }
        }

        static Stream<Query> queries() {
            Changed args = Changed.DEFAULTS;
            String joined = " * on(instance) group_left(nodename) max by (instance, nodename) (node_uname_info))";
            return Stream.of(
                    new Query(
                            "what a node receives",
                            args,
                            "sum by (nodename) (rate(node_network_receive_bytes_total{device=\"eth0\"}[5m])" + joined),
                    new Query(
                            "what a node sends, over minutes",
                            args.direction(Direction.transmit).range(IntOrString.of(60)),
                            "sum by (nodename) (rate(node_network_transmit_bytes_total{device=\"eth0\"}[60m])"
                                    + joined),
                    new Query(
                            "both",
                            args.direction(Direction.both).range(IntOrString.of("90s")),
                            "sum by (nodename) ((rate(node_network_receive_bytes_total{device=\"eth0\"}[90s])"
                                    + " + rate(node_network_transmit_bytes_total{device=\"eth0\"}[90s]))" + joined),
                    new Query(
                            "the original",
                            args.range(IntOrString.of(60)).original(),
                            "sum_over_time(node_network_receive_bytes_total{device=\"eth0\"}[60m])"
                                    + " * on(instance) group_left(nodename) (node_uname_info)"),
                    new Query(
                            "one's own",
                            args.query("sum by (nodename) (x{d=\"$device\"}[$range])"),
                            "sum by (nodename) (x{d=\"eth0\"}[5m])"));
        }

        @ParameterizedTest
        @MethodSource("queries")
        void asksFor(Query query) {
            Args args = query.args().ip(prometheus.address()).args();

            PluginTester.of(new NetworkTraffic.Factory(), args)
                    .cluster(
                            Nodes.named("node01").build(), Nodes.named("node02").build())
                    .pod(POD)
                    .scores("node01", 30);

            assertEquals(List.of(query.expected()), prometheus.queries());
        }
    }

    @Nested
    class Arguments {
        record Wrong(Args args, String problem) {
            @Override
            public String toString() {
                return problem;
            }
        }

        static Stream<Wrong> wrong() {
            Changed args = Changed.DEFAULTS;
            return Stream.of(
                    new Wrong(
                            args.ip("10.0.0.4:9090").args(),
                            "address: \"10.0.0.4:9090\" (expected: a URL such as http://10.0.0.4:9090)"),
                    new Wrong(
                            args.range(IntOrString.of(0)).args(),
                            "timeRange: 0 (expected: a number of minutes > 0, or a duration such as 90s or 1h30m)"),
                    new Wrong(
                            args.range(IntOrString.of("soon")).args(),
                            "timeRange: \"soon\" (expected: a number of minutes > 0, or a duration such as 90s or"
                                    + " 1h30m)"),
                    new Wrong(args.cache(Duration.ofSeconds(-1)).args(), "cacheTTL: PT-1S (expected: >= 0s)"));
        }

        @ParameterizedTest
        @MethodSource("wrong")
        void saysWhatIsWrong(Wrong wrong) {
            Problems problems = Problems.collector();

            wrong.args().validate(problems);

            assertEquals(
                    List.of(wrong.problem()),
                    problems.all().stream().map(Object::toString).toList());
        }
    }

    @Test
    void keepsTheContractOfAPlugin() {
        NetworkTraffic.Factory factory = new NetworkTraffic.Factory();
        Args args = args(MissingNode.NEUTRAL, Duration.ofSeconds(15));

        PluginContract.verify(new PluginFactory<Args>() {
            @Override
            public String name() {
                return factory.name();
            }

            @Override
            public Class<Args> argsType() {
                return factory.argsType();
            }

            @Override
            public Plugin create(Args ignored, Handle handle) {
                return factory.create(args, handle);
            }
        });
    }
}
