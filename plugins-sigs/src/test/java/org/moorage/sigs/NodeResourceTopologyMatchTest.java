// SPDX-License-Identifier: Apache-2.0
package org.moorage.sigs;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.StringJoiner;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.Status;
import org.moorage.api.model.Node;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.OtherObject;
import org.moorage.api.model.Pod;
import org.moorage.api.model.QosClass;
import org.moorage.api.plugin.Problems;
import org.moorage.sigs.NodeResourceTopologyMatch.Args;
import org.moorage.sigs.NodeResourceTopologyMatch.Cache;
import org.moorage.sigs.NodeResourceTopologyMatch.ScoringStrategy;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.PluginContract;
import org.moorage.testkit.PluginTester;
import org.moorage.testkit.Pods;
import org.moorage.testkit.TestScheduler;

class NodeResourceTopologyMatchTest {
    private static final Instant NOON = Instant.parse("2026-06-01T12:00:00Z");
    private static final Node NODE = Nodes.named("n")
            .allocatable("cpu", "16")
            .allocatable("memory", "64Gi")
            .allocatable("example.com/nic", "4")
            .build();
    private static final String SINGLE =
            "'attributes': [{'name': 'topologyManagerPolicy', 'value': 'single-numa-node'}]";
    private static final Status CONTAINER = Status.unschedulable("cannot align container");
    private static final Status STALE = Status.unschedulable("invalid node topology data");

    record Case(String name, OtherObject topology, Pod pod, Status status) {
        @Override
        public String toString() {
            return name;
        }
    }

    // Both cells have 8 cores, of which 6 and 4 are available.
    static final List<Case> CASES = List.of(
            new Case("fits one cell", single(""), guaranteed("6"), Status.success()),
            new Case("fits both cells together only", single(""), guaranteed("7"), CONTAINER),
            new Case("each container fits one cell", single(""), guaranteed("6", "4"), Status.success()),
            new Case("the second container finds too little left", single(""), guaranteed("4", "4", "4"), CONTAINER),
            new Case(
                    "containers of a pod stay together",
                    single("{'name': 'topologyManagerScope', 'value': 'pod'}"),
                    guaranteed("4", "4"),
                    Status.unschedulable("cannot align pod")),
            new Case(
                    "another policy does not align",
                    topology("'attributes': [{'name': 'topologyManagerPolicy', 'value': 'best-effort'}]", cells()),
                    guaranteed("7"),
                    Status.success()),
            new Case(
                    "a policy of the older field",
                    topology("'topologyPolicies': ['SingleNUMANodeContainerLevel']", cells()),
                    guaranteed("7"),
                    CONTAINER),
            new Case(
                    "cpu of a burstable pod may span cells",
                    single(""),
                    Pods.named("p").requests("cpu", "7").build(),
                    Status.success()),
            new Case(
                    "devices of a pod without other requests",
                    single(""),
                    Pods.named("p").requests("example.com/nic", "3").build(),
                    CONTAINER),
            new Case(
                    "a resource that the node does not have",
                    single(""),
                    Pods.named("p").requests("example.com/gpu", "1").build(),
                    CONTAINER),
            new Case(
                    "an init container alone",
                    single(""),
                    Pods.named("p")
                            .initContainer("i")
                            .requests("example.com/nic", "3")
                            .build(),
                    Status.unschedulable("cannot align init container")),
            new Case(
                    "a sidecar alone",
                    single(""),
                    Pods.named("p")
                            .sidecar("s")
                            .requests("example.com/nic", "3")
                            .build(),
                    Status.unschedulable("cannot align sidecar container")),
            new Case(
                    "zones that are no cells",
                    topology(SINGLE, "{'name': 'node-64', 'type': 'Node'}, {'name': 'cache', 'type': 'Node'}"),
                    guaranteed("1"),
                    CONTAINER),
            new Case(
                    "a malformed object is ignored",
                    topology(SINGLE, "{'name': 5, 'type': 'Node'}"),
                    guaranteed("7"),
                    Status.success()));

    @ParameterizedTest
    @FieldSource("CASES")
    void filters(Case each) {
        try (TestScheduler scheduler =
                tester(Args.DEFAULTS).cluster(each.topology()).start()) {
            if (each.status().isSuccess()) {
                scheduler.pod(each.pod()).accepts("n");
            } else {
                scheduler.pod(each.pod()).rejects("n", each.status());
            }
        }
    }

    @Test
    void acceptsNodesWithoutAnObject() {
        try (TestScheduler scheduler = tester(Args.DEFAULTS).start()) {
            scheduler.pod(guaranteed("7")).accepts("n").scores("n", 0);
        }
    }

    @Nested
    class Scores {
        record ScoreCase(String name, String strategy, String cells, Pod pod, long score) {
            @Override
            public String toString() {
                return name;
            }
        }

        static final List<ScoreCase> SCORES = List.of(
                new ScoreCase("the least free cell", "LeastAllocated", cells(), guaranteed("2"), 50),
                new ScoreCase("the least used cell", "MostAllocated", cells(), guaranteed("2"), 33),
                new ScoreCase("cells without room have no say", "MostAllocated", cells(), guaranteed("6"), 100),
                new ScoreCase("balanced requests", "BalancedAllocation", memoryCell(), balanced(), 100),
                new ScoreCase("one resource is balanced", "BalancedAllocation", cells(), guaranteed("2"), 100),
                new ScoreCase("one cell", "LeastNUMANodes", cells(), guaranteed("2"), 94),
                new ScoreCase("two cells", "LeastNUMANodes", cells(), guaranteed("7"), 82),
                new ScoreCase("more than all cells", "LeastNUMANodes", cells(), guaranteed("11"), 0),
                new ScoreCase("not guaranteed", "LeastAllocated", cells(), burstable(), 100));

        @ParameterizedTest
        @FieldSource("SCORES")
        void ofNodes(ScoreCase each) {
            NodeTopology topology = NodeTopology.of(topology(SINGLE, each.cells()));
            NumaRequests requests = NumaRequests.of(each.pod());
            NumaScore score = new NumaScore(
                    Map.of(
                                    "LeastAllocated", NumaScore.Strategy.LEAST_ALLOCATED,
                                    "MostAllocated", NumaScore.Strategy.MOST_ALLOCATED,
                                    "BalancedAllocation", NumaScore.Strategy.BALANCED_ALLOCATION,
                                    "LeastNUMANodes", NumaScore.Strategy.LEAST_NUMA_NODES)
                            .get(each.strategy()),
                    List.of());

            assertThat(requests.isGuaranteed() ? score.of(requests, topology) : 100)
                    .isEqualTo(each.score());
        }

        @Test
        void endsForAnyNumberOfCells() {
            StringJoiner cells = new StringJoiner(",");
            for (int i = 0; i < 1000; i++) {
                cells.add("{'name': 'node-" + i % 64
                        + "', 'type': 'Node', 'resources': [{'name': 'cpu', 'available': '1'}]}");
            }
            NodeTopology topology = NodeTopology.of(topology(SINGLE, cells.toString()));
            NumaScore score = new NumaScore(NumaScore.Strategy.LEAST_NUMA_NODES, List.of());

            assertThat(score.of(NumaRequests.of(guaranteed("40")), topology)).isZero();
        }
    }

    @Nested
    class WithACache {
        private final Args reserved = new Args(Args.DEFAULTS.scoringStrategy(), 5, false, Cache.DEFAULTS);
        private final Pod other = guaranteed("4")
                .withMetadata(ObjectMeta.named("other")
                        .namespace("default")
                        .uid("other")
                        .build());

        @Test
        void rejectsANodeWhileAPodIsNotBound() {
            try (TestScheduler scheduler = tester(new Args(Args.DEFAULTS.scoringStrategy(), 0, true, Cache.DEFAULTS))
                    .cluster(single(""))
                    .start()) {
                scheduler.reserve(other, "n");
                scheduler.pod(guaranteed("1")).rejects("n", STALE);
                scheduler.unreserve(other);
                scheduler.pod(guaranteed("1")).accepts("n");
            }
        }

        @Test
        void subtractsAssumedPodsFromEveryCell() {
            try (TestScheduler scheduler = tester(reserved).cluster(single("")).start()) {
                scheduler.pod(guaranteed("3")).accepts("n");
                scheduler.reserve(other, "n");
                scheduler.pod(guaranteed("3")).rejects("n", CONTAINER);
                scheduler.unreserve(other);
                scheduler.pod(guaranteed("3")).accepts("n");
            }
        }

        @Test
        void rejectsANodeWithAForeignPodUntilItsAgentHasSeenIt() {
            Pod foreign = Pods.named("foreign")
                    .schedulerName("another")
                    .on("n")
                    .status(status -> status.phase("Running"))
                    .build();
            try (TestScheduler scheduler =
                    tester(reserved).cluster(single(""), foreign).startAt(NOON)) {
                scheduler.pod(guaranteed("1")).rejects("n", STALE);

                scheduler.cluster().apply(single(fingerprint(List.of())));
                scheduler.advance(Duration.ofSeconds(6));
                scheduler.pod(guaranteed("1")).rejects("n", STALE);

                scheduler.cluster().apply(single(fingerprint(List.of(foreign))));
                scheduler.advance(Duration.ofSeconds(6));
                scheduler.pod(guaranteed("1")).accepts("n");
            }
        }

        private static String fingerprint(List<Pod> pods) {
            return "{'name': 'nodeTopologyPodsFingerprint', 'value': '" + PodFingerprint.of(pods) + "'}";
        }
    }

    @Test
    void hashesLikeXxh64() {
        // The test values of the hash's specification.
        assertThat(PodFingerprint.xxh64(new byte[0], 0)).isEqualTo(0xEF46DB3751D8E999L);
        assertThat(PodFingerprint.xxh64("abc".getBytes(UTF_8), 0)).isEqualTo(0x44BC2CF5AD770999L);
        assertThat(PodFingerprint.of(List.of())).isEqualTo("pfp0v001ef46db3751d8e999");
    }

    @Test
    void reportsAnUnknownStrategy() {
        Problems problems = Problems.collector();
        new Args(new ScoringStrategy("Odd", List.of()), 0, false, Cache.DEFAULTS).validate(problems);

        assertThat(problems.all().toString())
                .isEqualTo("[scoringStrategy.type: Invalid value: \"Odd\": invalid ScoringStrategyType]");
    }

    @Test
    void keepsTheContract() {
        PluginContract.verify(new NodeResourceTopologyMatch.Factory());
        PluginContract.verify(
                new NodeResourceTopologyMatch.Factory(),
                new Args(
                        new ScoringStrategy("LeastNUMANodes", List.of()),
                        5,
                        false,
                        new Cache("None", "All", "Shared", Optional.of("OnlyResources"))),
                single(""));
    }

    private static PluginTester tester(Args args) {
        return PluginTester.of(new NodeResourceTopologyMatch.Factory(), args).cluster(NODE);
    }

    private static OtherObject single(String attribute) {
        return topology(SINGLE.replace("}]", attribute.isEmpty() ? "}]" : "}, " + attribute + "]"), cells());
    }

    private static String cells() {
        return cell(0, "'cpu', 'available': '6'") + "," + cell(1, "'cpu', 'available': '4'") + "";
    }

    private static String memoryCell() {
        return cell(0, "'cpu', 'available': '4'}, {'name': 'memory', 'available': '4Gi'");
    }

    private static String cell(int number, String resources) {
        return "{'name': 'node-" + number + "', 'type': 'Node', 'resources': [{'name': " + resources
                + "}, {'name': 'example.com/nic', 'available': '2'}],"
                + " 'costs': [{'name': 'node-" + number + "', 'value': 10}, {'name': 'node-" + (1 - number)
                + "', 'value': 20}]}";
    }

    private static OtherObject topology(String fields, String zones) {
        return new OtherObject(
                NodeTopology.KIND,
                ObjectMeta.named("n").build(),
                ("{" + fields + ", 'zones': [" + zones + "]}").replace('\'', '"'));
    }

    private static Pod guaranteed(String... cores) {
        Pods pod = Pods.named("p");
        for (int i = 0; i < cores.length; i++) {
            pod.container("c" + i).requests("cpu", cores[i]).limits("cpu", cores[i]);
        }
        return withClass(pod);
    }

    // Without memory, so that the tables need no amounts of it.
    private static Pod withClass(Pods pod) {
        return pod.status(status -> status.qosClass(QosClass.GUARANTEED)).build();
    }

    private static Pod balanced() {
        return withClass(Pods.named("p").requests("cpu", "2").requests("memory", "2Gi"));
    }

    private static Pod burstable() {
        return Pods.named("p").requests("cpu", "1").build();
    }
}
