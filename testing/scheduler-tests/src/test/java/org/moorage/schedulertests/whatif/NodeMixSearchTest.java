// SPDX-License-Identifier: Apache-2.0
package org.moorage.schedulertests.whatif;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Function;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.Pod;
import org.moorage.builtin.dra.KubeSchedulerPlugins;
import org.moorage.config.ConfigLoader;
import org.moorage.config.LoadedConfig;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.runtime.Scheduler;
import org.moorage.runtime.whatif.Transaction;
import org.moorage.runtime.whatif.WhatIf;
import org.moorage.simulation.whatif.KnownCluster;
import org.moorage.simulation.whatif.NodeEstimator;
import org.moorage.simulation.whatif.NodeMix;
import org.moorage.simulation.whatif.NodeMix.Arrival;
import org.moorage.simulation.whatif.NodeMix.End;
import org.moorage.simulation.whatif.NodeMix.NodesOfType;
import org.moorage.simulation.whatif.NodeMixSearch;
import org.moorage.simulation.whatif.NodeMixSearch.Offer;
import org.moorage.simulation.whatif.NodeTemplate;
import org.moorage.simulation.whatif.RescheduledPods;
import org.moorage.simulation.whatif.RescheduledPods.RescheduledPod;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.Pods;

/** {@code -Dtests.clusters=N} sets the number of random clusters, {@code -Dtests.seed=N} the first seed. */
@Tag("any-jvm")
class NodeMixSearchTest {
    private static final PluginRegistry PLUGINS = PluginRegistry.of(KubeSchedulerPlugins.all());
    private static final LoadedConfig DEFAULTS = ConfigLoader.defaults(PLUGINS);
    private static final String GPU = "example.com/gpu";
    private static final int CUTOFF = -10;
    private static final int MAX_NODES = 20;

    /** A node type with its price. */
    private record Priced(NodeTemplate type, double price) {}

    private static Priced type(String name, double price, String cpu, String... more) {
        Nodes node = Nodes.named("template-" + name)
                .label("type", name)
                .allocatable("cpu", cpu)
                .allocatable("memory", "64Gi")
                .allocatable("pods", "110");
        for (int i = 0; i < more.length; i += 2) {
            node.allocatable(more[i], more[i + 1]);
        }
        return new Priced(new NodeTemplate(name, name + "-new-", node.build(), List.of(), List.of(), List.of()), price);
    }

    private static Pod pod(String name, String cpu) {
        return Pods.named(name).requests("cpu", cpu).build();
    }

    /** A question: a cluster, its pending pods and the types. */
    private static final class Question implements AutoCloseable {
        private final WhatIf whatIf;
        private final KnownCluster cluster;
        private final List<Priced> types;
        private final List<Offer> offers = new ArrayList<>();

        Question(List<ClusterObject> objects, LoadedConfig config, List<Priced> types) {
            this.types = types;
            whatIf = Scheduler.whatIf(objects, config, PLUGINS);
            cluster = new KnownCluster(whatIf, objects, config, Instant.EPOCH);
            NodeEstimator estimator = new NodeEstimator(cluster, CUTOFF, tried -> {});
            types.forEach(each ->
                    offers.add(new Offer(estimator.estimate(each.type, cluster.waitingPods(), MAX_NODES), each.price)));
        }

        Offer singleType() {
            return offers.stream().min(Offer.BEST_FIRST).orElseThrow();
        }

        NodeMix find(Arrival arrival, int maxTried) {
            return new NodeMixSearch(cluster, CUTOFF, tried -> {})
                    .find(offers, cluster.waitingPods(), arrival, MAX_NODES, maxTried);
        }

        /** Schedules the pending pods, and then again with each step of new nodes. */
        List<RescheduledPod> schedule(List<List<ClusterObject>> steps) {
            try (Transaction transaction = whatIf.begin()) {
                RescheduledPods result = cluster.rescheduling(transaction)
                        .waiting(cluster.waitingPods())
                        .schedule();
                for (List<ClusterObject> nodes : steps) {
                    List<Pod> left = result.unplaced().stream()
                            .map(RescheduledPod::pod)
                            .filter(pod -> pod.spec().priority() >= CUTOFF)
                            .toList();
                    result = cluster.rescheduling(transaction.with(nodes))
                            .waiting(left)
                            .schedule();
                }
                return result.unplaced().stream()
                        .filter(pod -> pod.pod().spec().priority() >= CUTOFF)
                        .toList();
            }
        }

        List<RescheduledPod> schedule(NodeMix mix) {
            List<List<ClusterObject>> steps = new ArrayList<>();
            for (NodesOfType nodes : mix.nodes()) {
                steps.add(List.copyOf(nodes.type().newNodes(nodes.count())));
            }
            return schedule(
                    mix.arrival() == Arrival.IN_STEPS
                            ? steps
                            : List.of(steps.stream().flatMap(List::stream).toList()));
        }

        @Override
        public void close() {
            whatIf.close();
        }
    }

    private static Map<String, Integer> counts(NodeMix mix) {
        Map<String, Integer> counts = new LinkedHashMap<>();
        mix.nodes().forEach(nodes -> counts.put(nodes.type().name(), nodes.count()));
        return counts;
    }

    // Pods that were created again have no equals.
    private static String summary(NodeMix mix) {
        return mix.arrival() + " " + counts(mix) + " " + mix.pods() + " " + mix.lowerBound() + " " + mix.tried() + " "
                + mix.end();
    }

    private static List<String> names(List<RescheduledPod> pods) {
        return pods.stream().map(pod -> pod.pod().key()).sorted().toList();
    }

    @Test
    void gpuPodsGetGpuNodesAndTheOthersCheapOnes() {
        List<ClusterObject> pods = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            pods.add(pod("web-" + i, "4"));
        }
        pods.add(Pods.named("train").requests("cpu", "7").requests(GPU, "1").build());
        List<Priced> types = List.of(type("plain", 1, "8"), type("gpu", 5, "8", GPU, "1"));
        try (Question question = new Question(pods, DEFAULTS, types)) {
            NodeMix mix = question.find(Arrival.IN_STEPS, 100);

            assertThat(question.singleType().costPerHour()).isEqualTo(35);
            assertThat(counts(mix)).containsExactly(Map.entry("plain", 3), Map.entry("gpu", 1));
            assertThat(mix.costPerHour()).isEqualTo(8);
            assertThat(mix.nodeCount()).isEqualTo(4);
            assertThat(mix.left()).isEmpty();
            assertThat(mix.lowerBound()).isGreaterThan(5).isLessThanOrEqualTo(8);
            // Pods that need no GPU prefer the empty node with one.
            assertThat(question.find(Arrival.TOGETHER, 100).costPerHour()).isEqualTo(11);
        }
    }

    /**
     * The pods that fit on either type prefer the larger nodes, which others need. The larger type then costs less
     * alone than with smaller nodes that are added at the same time.
     */
    @Test
    void stepsKeepLargeNodesForThePodsThatNeedThem() {
        List<ClusterObject> pods = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            pods.add(pod("a-small-" + i, "7"));
        }
        pods.add(pod("large", "15"));
        List<Priced> types = List.of(type("small", 1, "8"), type("large", 3, "16"));
        try (Question question = new Question(pods, DEFAULTS, types)) {
            NodeMix inSteps = question.find(Arrival.IN_STEPS, 100);
            NodeMix together = question.find(Arrival.TOGETHER, 100);

            assertThat(counts(inSteps)).containsExactly(Map.entry("small", 5), Map.entry("large", 1));
            assertThat(inSteps.end()).isEqualTo(End.CHEAPEST);
            assertThat(inSteps.gap()).hasValue(0);
            assertThat(inSteps.lowerBound()).isEqualTo(8);
            assertThat(together.costPerHour()).isGreaterThan(8);
            assertThat(together.left()).isEmpty();
            assertThat(together.lowerBound()).isEqualTo(8);
            assertThat(together.gap()).hasValueCloseTo(together.costPerHour() / 8 - 1, within(1e-9));
        }
    }

    @Test
    void podsThatNoTypeFitsStayPendingAndCostNothing() {
        List<ClusterObject> pods = List.of(pod("fits", "4"), pod("huge", "64"));
        try (Question question = new Question(pods, DEFAULTS, List.of(type("plain", 2, "8"), type("big", 3, "16")))) {
            NodeMix mix = question.find(Arrival.TOGETHER, 100);

            assertThat(counts(mix)).containsExactly(Map.entry("plain", 1));
            assertThat(names(mix.left())).containsExactly("default/huge");
            assertThat(mix.left().get(0).message()).contains("Insufficient cpu");
            assertThat(mix.end()).isEqualTo(End.CHEAPEST);
        }
    }

    @Test
    void needsNoNodesWhereNoPodsArePending() {
        List<ClusterObject> objects =
                List.of(Nodes.named("n").allocatable("cpu", "8").build(), pod("p", "1"));
        try (Question question = new Question(objects, DEFAULTS, List.of(type("plain", 2, "8")))) {
            NodeMix mix = question.find(Arrival.IN_STEPS, 100);

            assertThat(mix.nodes()).isEmpty();
            assertThat(mix.costPerHour()).isZero();
            assertThat(mix.left()).isEmpty();
            assertThat(mix.end()).isEqualTo(End.CHEAPEST);
        }
    }

    /** Where the scheduler's configuration does not hold requests against the room of a node, they bound no cost. */
    @Test
    void resourceThatTheSchedulerIgnoresBoundsNoCost() {
        LoadedConfig ignoring = ConfigLoader.load("""
                apiVersion: kubescheduler.config.k8s.io/v1
                kind: KubeSchedulerConfiguration
                profiles:
                - pluginConfig:
                  - name: NodeResourcesFit
                    args: {ignoredResources: [example.com/gpu]}
                """, "ignoring.yaml", PLUGINS);
        List<ClusterObject> pods = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            pods.add(Pods.named("p" + i).requests("cpu", "1").requests(GPU, "8").build());
        }
        List<Priced> types = List.of(type("gpu", 10, "8", GPU, "8"));
        try (Question ignored = new Question(pods, ignoring, types);
                Question counted = new Question(pods, DEFAULTS, types)) {
            assertThat(ignored.find(Arrival.TOGETHER, 10).costPerHour()).isEqualTo(10);
            assertThat(ignored.find(Arrival.TOGETHER, 10).lowerBound()).isEqualTo(10);
            assertThat(counted.find(Arrival.TOGETHER, 10).lowerBound()).isEqualTo(40);
        }
    }

    @Test
    void typesOfOneNodeNameGetNodesOfDifferentNames() {
        Priced first = type("first", 1, "8");
        Priced second = new Priced(
                new NodeTemplate(
                        "second",
                        "first-new-",
                        Nodes.named("b")
                                .allocatable("cpu", "16")
                                .allocatable("pods", "110")
                                .build(),
                        List.of(),
                        List.of(),
                        List.of()),
                10);
        List<ClusterObject> pods = List.of(pod("small", "7"), pod("large", "15"));
        try (Question question = new Question(pods, DEFAULTS, List.of(first, second))) {
            NodeMix mix = question.find(Arrival.IN_STEPS, 100);

            assertThat(counts(mix)).containsExactly(Map.entry("first", 1), Map.entry("second", 1));
            assertThat(mix.pods().pods())
                    .extracting(pod -> pod.nodeName().orElse(""))
                    .doesNotHaveDuplicates();
        }
    }

    @Test
    void triesNoMoreMixesThanAllowed() {
        List<ClusterObject> pods = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            pods.add(pod("p" + i, Integer.toString(1 + i % 5)));
        }
        List<Priced> types = List.of(type("a", 3, "5"), type("b", 4, "6"), type("c", 5, "9"));
        try (Question question = new Question(pods, DEFAULTS, types)) {
            for (int most : List.of(1, 2, 5)) {
                List<Integer> counted = new ArrayList<>();
                NodeMix mix = new NodeMixSearch(question.cluster, CUTOFF, counted::add)
                        .find(question.offers, question.cluster.waitingPods(), Arrival.TOGETHER, MAX_NODES, most);
                assertThat(mix.tried()).isLessThanOrEqualTo(most).isEqualTo(counted.size());
                assertThat(mix.end()).isNotEqualTo(End.NO_IMPROVEMENT);
                assertThat(mix.costPerHour())
                        .isLessThanOrEqualTo(question.singleType().costPerHour());
            }
        }
    }

    @ParameterizedTest
    @ValueSource(doubles = {-0.1, Double.NaN, Double.POSITIVE_INFINITY})
    void refusesPricesThatAreNone(double price) {
        try (Question question = new Question(List.of(), DEFAULTS, List.of(type("a", 0, "4")))) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> new Offer(question.offers.get(0).estimate(), price))
                    .withMessageStartingWith("pricePerHour: " + price);
        }
    }

    static Stream<Long> seeds() {
        return LongStream.range(0, Integer.getInteger("tests.clusters", 150))
                .mapToObj(i -> Long.getLong("tests.seed", 1) + i);
    }

    private static Question random(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        List<ClusterObject> objects = new ArrayList<>();
        int nodes = random.nextInt(4);
        for (int i = 0; i < nodes; i++) {
            objects.add(Nodes.named("n" + i)
                    .zone("z" + i % 2)
                    .allocatable("cpu", "8")
                    .allocatable("memory", "32Gi")
                    .allocatable("pods", "20")
                    .build());
            objects.add(somePod("running-" + i, 4 + random.nextInt(4), random)
                    .on("n" + i)
                    .build());
        }
        int pending = 1 + random.nextInt(7);
        for (int i = 0; i < pending; i++) {
            objects.add(somePod("pending-" + i, 1 + random.nextInt(9), random).build());
        }
        List<Priced> types = new ArrayList<>();
        int count = 1 + random.nextInt(3);
        for (int i = 0; i < count; i++) {
            int cpu = 4 + random.nextInt(9);
            double price = random.nextInt(12) == 0 ? 0 : (cpu + random.nextInt(8)) / 10.0;
            int gpus = random.nextInt(3) == 0 ? 4 : 0;
            Nodes node = Nodes.named("template-" + i)
                    .zone("z" + random.nextInt(2))
                    .allocatable("cpu", Integer.toString(cpu))
                    .allocatable("memory", (8 + random.nextInt(40)) + "Gi")
                    .allocatable("pods", Integer.toString(2 + random.nextInt(8)));
            if (gpus > 0) {
                node.allocatable(GPU, "4");
            }
            if (random.nextInt(6) == 0) {
                node.taint("dedicated", "x", "NoSchedule");
            }
            List<Pod> daemonPods = random.nextInt(3) == 0
                    ? List.of(Pods.named("agent")
                            .controlledBy("apps/v1", "DaemonSet", "agent")
                            .priority(random.nextInt(2) * 10)
                            .requests("cpu", "500m")
                            .build())
                    : List.of();
            List<String> zones = random.nextInt(4) == 0 ? List.of("z0", "z1") : List.of();
            types.add(new Priced(
                    new NodeTemplate("t" + i, "t" + i + "-new-", node.build(), List.of(), daemonPods, zones),
                    price + gpus / 4.0));
        }
        return new Question(objects, DEFAULTS, types);
    }

    private static Pods somePod(String name, int cpu, SplittableRandom random) {
        int app = random.nextInt(3);
        Pods pod = Pods.named(name)
                .label("app", "app-" + app)
                .controlledBy("apps/v1", "ReplicaSet", "app-" + app)
                .requests("cpu", cpu * 900 + "m")
                .requests("memory", random.nextInt(1, 12) + "Gi")
                .priority(random.nextInt(5) == 0 ? 5 : random.nextInt(12) == 0 ? -20 : 0);
        if (random.nextInt(5) == 0) {
            pod.requests(GPU, Integer.toString(1 + random.nextInt(3)));
        }
        switch (random.nextInt(10)) {
            case 0 -> pod.requiresPodAntiAffinity("kubernetes.io/hostname", "app", "app-" + app);
            case 1 -> pod.requiresPodAffinity("topology.kubernetes.io/zone", "app", "app-" + random.nextInt(3));
            case 2 -> pod.nodeSelector("topology.kubernetes.io/zone", "z" + random.nextInt(2));
            default -> {}
        }
        return pod;
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void podsFitWhenTheyAreScheduledWithTheMixAndItIsNoWorseThanOneType(long seed) {
        try (Question question = random(seed)) {
            Offer single = question.singleType();
            for (Arrival arrival : Arrival.values()) {
                NodeMix mix = question.find(arrival, 60);

                assertThat(names(question.schedule(mix))).isEqualTo(names(mix.left()));
                assertThat(mix.left())
                        .hasSizeLessThanOrEqualTo(single.estimate().left().size());
                if (mix.left().size() == single.estimate().left().size()) {
                    assertThat(mix.costPerHour()).isLessThanOrEqualTo(single.costPerHour() + 1e-9);
                }
                assertThat(mix.nodeCount()).isLessThanOrEqualTo(MAX_NODES);
                assertThat(mix.pods().pods()).extracting(pod -> pod.pod().uid()).doesNotHaveDuplicates();
                assertThat(mix.lowerBound()).isLessThanOrEqualTo(mix.costPerHour());
                assertThat(mix.tried()).isLessThanOrEqualTo(60);
                assertThat(summary(question.find(arrival, 60))).isEqualTo(summary(mix));
            }
        }
    }

    /**
     * All mixes of a few nodes are tried: none falls below the bound, and the cheapest is the result, unless the result
     * states that it may not be.
     */
    @Test
    void noMixFallsBelowTheBound() {
        int equal = 0;
        int all = 0;
        int proven = 0;
        for (long seed : seeds().toList()) {
            try (Question question = random(seed)) {
                for (Arrival arrival : Arrival.values()) {
                    NodeMix mix = question.find(arrival, 200);
                    double cheapest = cheapest(question, mix, seed);
                    all++;
                    equal += mix.costPerHour() <= cheapest + 1e-9 ? 1 : 0;
                    proven += mix.end() == End.CHEAPEST ? 1 : 0;
                    if (mix.end() == End.CHEAPEST) {
                        assertThat(mix.costPerHour())
                                .as("seed %d, %s", seed, arrival)
                                .isLessThanOrEqualTo(cheapest + 1e-9);
                    }
                }
            }
        }
        assertThat(equal).as("results that are the cheapest mix").isGreaterThan(all * 9 / 10);
        assertThat(proven).as("results that are proven to be").isGreaterThan(all / 4);
    }

    private static double cheapest(Question question, NodeMix mix, long seed) {
        double cheapest = Double.POSITIVE_INFINITY;
        int[] counts = new int[question.types.size()];
        for (boolean more = true; more; more = next(counts, question.types.size() < 3 ? 5 : 4)) {
            List<List<ClusterObject>> steps = new ArrayList<>();
            double cost = 0;
            for (int type = 0; type < counts.length; type++) {
                steps.add(List.copyOf(question.types.get(type).type.newNodes(counts[type])));
                cost += counts[type] * question.types.get(type).price;
            }
            if (cost < mix.costPerHour() - 1e-9) {
                List<List<ClusterObject>> arriving = mix.arrival() == Arrival.IN_STEPS
                        ? inOrder(steps, question, mix)
                        : List.of(steps.stream().flatMap(List::stream).toList());
                if (question.schedule(arriving).size() <= mix.left().size()) {
                    assertThat(cost)
                            .as("cost of %s, seed %d", Arrays.toString(counts), seed)
                            .isGreaterThanOrEqualTo(mix.lowerBound() - 1e-9);
                    cheapest = Math.min(cheapest, cost);
                }
            }
        }
        return cheapest;
    }

    // Any order is an order in which nodes may be added; that of the mix comes first.
    private static List<List<ClusterObject>> inOrder(List<List<ClusterObject>> steps, Question question, NodeMix mix) {
        Map<String, Integer> turns = new HashMap<>();
        mix.nodes().forEach(nodes -> turns.put(nodes.type().name(), turns.size()));
        Function<Integer, Integer> turn =
                type -> turns.getOrDefault(question.types.get(type).type.name(), turns.size());
        List<Integer> order = new ArrayList<>();
        for (int type = 0; type < steps.size(); type++) {
            order.add(type);
        }
        order.sort((first, second) -> Integer.compare(turn.apply(first), turn.apply(second)));
        return order.stream().map(steps::get).toList();
    }

    private static boolean next(int[] counts, int most) {
        for (int type = 0; type < counts.length; type++) {
            if (counts[type] < most) {
                counts[type]++;
                return true;
            }
            counts[type] = 0;
        }
        return false;
    }
}
