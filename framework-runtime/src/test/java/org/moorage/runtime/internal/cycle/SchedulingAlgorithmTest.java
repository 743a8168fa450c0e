// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.moorage.api.Code;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.Snapshot;
import org.moorage.api.Status;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodSpec;
import org.moorage.api.model.PodStatus;
import org.moorage.api.plugin.Plugin;
import org.moorage.api.plugin.point.ExtensionPoint;
import org.moorage.api.plugin.point.FilterPlugin;
import org.moorage.api.plugin.point.PreFilterPlugin;
import org.moorage.api.plugin.point.PreFilterResult;
import org.moorage.api.plugin.point.ScorePlugin;
import org.moorage.runtime.Samples;
import org.moorage.runtime.internal.cache.SchedulerCache;
import org.moorage.runtime.internal.cache.TrialSnapshot;
import org.moorage.runtime.internal.extender.Extenders;
import org.moorage.runtime.internal.log.Listeners;
import org.moorage.runtime.internal.plugin.PluginCaller;
import org.moorage.runtime.internal.plugin.PluginFailure;
import org.moorage.runtime.metrics.SchedulerListener;

class SchedulingAlgorithmTest {
    private static final Pod POD = Samples.pod("p");

    private final Map<String, List<Pod>> nominated = new HashMap<>();

    record Filtering(String name, Predicate<NodeInfo> accepts, Status otherwise) implements FilterPlugin {
        @Override
        public Status filter(CycleState state, Pod pod, NodeInfo node) {
            return accepts.test(node) ? Status.success() : otherwise;
        }
    }

    record Narrowing(String name, PreFilterResult result) implements PreFilterPlugin {
        @Override
        public PreFilterResult preFilter(CycleState state, Pod pod, Snapshot snapshot) {
            return result;
        }
    }

    record Scoring(String name, Map<String, Long> scores) implements ScorePlugin {
        @Override
        public long score(CycleState state, Pod pod, NodeInfo node) {
            return scores.getOrDefault(node.name(), 0L);
        }
    }

    private static final Scoring FLAT = new Scoring("Flat", Map.of());

    private static TrialSnapshot cluster(int nodes) {
        SchedulerCache cache = new SchedulerCache();
        for (int i = 0; i < nodes; i++) {
            cache.putNode(Samples.node("n" + i));
        }
        TrialSnapshot snapshot = new TrialSnapshot();
        snapshot.update(cache);
        return snapshot;
    }

    private Profile profile(OptionalInt percentage, Plugin... plugins) {
        return profile(Listeners.NONE, percentage, plugins);
    }

    private Profile profile(Listeners listeners, OptionalInt percentage, Plugin... plugins) {
        Map<ExtensionPoint, List<PluginCaller>> byPoint = new EnumMap<>(ExtensionPoint.class);
        for (Plugin plugin : plugins) {
            PluginCaller caller = PluginCaller.of(plugin);
            for (ExtensionPoint point : ExtensionPoint.values()) {
                if (point.type().isInstance(plugin)) {
                    byPoint.computeIfAbsent(point, any -> new ArrayList<>()).add(caller);
                }
            }
        }
        return new Profile("default-scheduler", percentage, byPoint, Map.of(), () -> nominated, listeners);
    }

    private Profile profile(Plugin... plugins) {
        return profile(OptionalInt.empty(), plugins);
    }

    private static SchedulingAlgorithm algorithm(int percentage, TrialSnapshot cluster) {
        return new SchedulingAlgorithm(
                cluster, percentage, 0, Parallelism.none(), Extenders.NONE, new Random(1), false);
    }

    @Nested
    class Sampling {
        @ParameterizedTest(name = "{0} nodes at {1} %: {2}")
        @CsvSource({
            "50, 0, 50",
            "99, 1, 99",
            "100, 0, 100",
            "1000, 0, 420",
            "5000, 0, 500",
            "6000, 0, 300",
            "1000, 30, 300",
            "1000, 5, 100",
            "1000, 100, 1000"
        })
        void looksForAsManyFeasibleNodesAsThePercentageSays(int nodes, int percentage, int expected) {
            SchedulingAlgorithm.Result result =
                    algorithm(percentage, cluster(nodes)).find(profile(FLAT), new CycleState(), POD);
            assertThat(result.feasible()).isEqualTo(expected);
        }

        @Test
        void takesTheProfilesPercentageBeforeTheGlobalOne() {
            SchedulingAlgorithm.Result result =
                    algorithm(30, cluster(1000)).find(profile(OptionalInt.of(50), FLAT), new CycleState(), POD);
            assertThat(result.feasible()).isEqualTo(500);
        }

        @Test
        void takesTheFirstFeasibleNodeWhenNothingIsScored() {
            SchedulingAlgorithm.Result result = algorithm(0, cluster(300))
                    .find(
                            profile(new Filtering("Odd", node -> node.index() % 2 == 1, Status.unschedulable("even"))),
                            new CycleState(),
                            POD);
            assertThat(result.feasible()).isEqualTo(1);
            assertThat(result.node()).extracting(NodeInfo::name).isEqualTo("n1");
        }

        @ParameterizedTest(name = "of {0} nodes")
        @ValueSource(ints = {3, 300})
        void filtersThoseThatPreFilterLeavesInTheOrderOfTheNodes(int nodes) {
            List<String> filtered = new ArrayList<>();
            Filtering all = new Filtering(
                    "All",
                    node -> {
                        filtered.add(node.name());
                        return true;
                    },
                    Status.success());
            Narrowing two = new Narrowing("Two", PreFilterResult.onlyNodes(Set.of("n2", "gone", "n1")));
            SchedulingAlgorithm.Result result =
                    algorithm(0, cluster(nodes)).find(profile(two, all, FLAT), new CycleState(), POD);
            assertThat(filtered).containsExactly("n1", "n2");
            assertThat(result.feasible()).isEqualTo(2);
        }

        @Test
        void goesOnWhereTheLastCycleStopped() {
            SchedulingAlgorithm algorithm = algorithm(0, cluster(250));
            Profile profile = profile(FLAT);
            List<String> chosen = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                chosen.add(algorithm.find(profile, new CycleState(), POD).node().name());
            }
            // 250 nodes: 48 % of them are 120.
            assertThat(chosen).containsExactly("n0", "n120", "n240", "n110");
        }

        @Test
        void countsWhatWasRejectedOnTheWay() {
            SchedulingAlgorithm algorithm = algorithm(0, cluster(500));
            Profile profile =
                    profile(new Filtering("Half", node -> node.index() % 2 == 0, Status.unschedulable("odd")), FLAT);
            SchedulingAlgorithm.Result first = algorithm.find(profile, new CycleState(), POD);
            // 46 % of 500 are 230; the 231st success is seen and dropped, after 230 rejections.
            assertThat(first.feasible()).isEqualTo(230);
            assertThat(first.evaluated()).isEqualTo(460);
            SchedulingAlgorithm.Result second = algorithm.find(profile, new CycleState(), POD);
            assertThat(second.node()).extracting(NodeInfo::name).isEqualTo("n460");
        }
    }

    @Nested
    class Nomination {
        private final Pod nominatedPod =
                POD.withStatus(PodStatus.builder().nominatedNodeName("n3").build());

        @Test
        void takesTheNominatedNodeIfItWillDo() {
            SchedulingAlgorithm.Result result = algorithm(0, cluster(5))
                    .find(profile(new Scoring("S", Map.of("n1", 100L))), new CycleState(), nominatedPod);
            assertThat(result.node()).extracting(NodeInfo::name).isEqualTo("n3");
            assertThat(result.feasible()).isEqualTo(1);
        }

        @Test
        void looksAtTheOthersIfItWillNot() {
            SchedulingAlgorithm.Result result = algorithm(0, cluster(5))
                    .find(
                            profile(
                                    new Filtering("F", node -> !node.name().equals("n3"), Status.unschedulable("no")),
                                    new Scoring("S", Map.of("n1", 100L))),
                            new CycleState(),
                            nominatedPod);
            assertThat(result.node()).extracting(NodeInfo::name).isEqualTo("n1");
        }

        @Test
        void countsThePodsNominatedToANodeThatAreAsImportant() {
            Filtering alone = new Filtering("Alone", node -> node.podCount() == 0, Status.unschedulable("taken"));
            nominated.put("n0", List.of(Samples.pod("other", PodSpec.builder().priority(5))));
            Pod low = Samples.pod("low", PodSpec.builder().priority(5));
            Pod high = Samples.pod("high", PodSpec.builder().priority(6));
            assertThat(algorithm(0, cluster(1))
                            .find(profile(alone, FLAT), new CycleState(), low)
                            .node())
                    .isNull();
            assertThat(algorithm(0, cluster(1))
                            .find(profile(alone, FLAT), new CycleState(), high)
                            .node())
                    .isNotNull();
        }
    }

    @Nested
    class Rejections {
        record Case(String name, int nodes, List<Plugin> plugins, String message) {
            @Override
            public String toString() {
                return name;
            }
        }

        static Stream<Case> cases() {
            Status first = Status.unschedulable("first");
            Status second = Status.unresolvable("second", "third");
            return Stream.of(
                    new Case(
                            "counts reasons over nodes, ordered as texts",
                            12,
                            List.of(
                                    new Filtering("A", node -> node.index() >= 10, first),
                                    new Filtering("B", node -> false, second)),
                            "0/12 nodes are available: 10 first, 2 second, 2 third."),
                    new Case(
                            "a PreFilter rejection stands for all nodes",
                            3,
                            List.of(new Narrowing("P", PreFilterResult.rejected(Status.unresolvable("bad pod")))),
                            "0/3 nodes are available: bad pod."),
                    new Case(
                            "the last of several PreFilter rejections is reported",
                            3,
                            List.of(
                                    new Narrowing("P", PreFilterResult.rejected(Status.unschedulable("one"))),
                                    new Narrowing("Q", PreFilterResult.rejected(Status.unschedulable("two")))),
                            "0/3 nodes are available: two."),
                    new Case(
                            "an unresolvable PreFilter rejection ends it",
                            3,
                            List.of(
                                    new Narrowing("P", PreFilterResult.rejected(Status.unresolvable("one"))),
                                    new Narrowing("Q", PreFilterResult.rejected(Status.unschedulable("two")))),
                            "0/3 nodes are available: one."),
                    new Case(
                            "nodes that PreFilter excluded are counted for the plugins that selected the others",
                            4,
                            List.of(
                                    new Narrowing("P", PreFilterResult.onlyNodes(Set.of("n1", "gone"))),
                                    new Filtering("A", node -> false, first)),
                            "0/4 nodes are available: 1 first, 3 node(s) didn't satisfy plugin(s) [P]."),
                    new Case(
                            "plugins that have no node in common",
                            4,
                            List.of(
                                    new Narrowing("Q", PreFilterResult.onlyNodes(Set.of("n1"))),
                                    new Narrowing("P", PreFilterResult.onlyNodes(Set.of("n2")))),
                            "0/4 nodes are available: node(s) didn't satisfy plugin(s) [P Q] simultaneously."),
                    new Case(
                            "a plugin that names no node",
                            4,
                            List.of(new Narrowing("P", PreFilterResult.onlyNodes(Set.of()))),
                            "0/4 nodes are available: node(s) didn't satisfy plugin P."));
        }

        @ParameterizedTest
        @MethodSource("cases")
        void areToldInOneSentence(Case given) {
            List<Plugin> plugins = new ArrayList<>(given.plugins());
            plugins.add(FLAT);
            SchedulingAlgorithm.Result result = algorithm(0, cluster(given.nodes()))
                    .find(profile(plugins.toArray(Plugin[]::new)), new CycleState(), POD);
            assertThat(result.node()).isNull();
            assertThat(result.diagnosis()).isNotNull();
            assertThat(result.diagnosis().message("").text()).isEqualTo(given.message());
        }

        @Test
        void tellPendingPluginsFromOthers() {
            SchedulingAlgorithm.Result result = algorithm(0, cluster(2))
                    .find(
                            profile(
                                    new Filtering("A", node -> node.index() > 0, Status.pending("soon")),
                                    new Filtering("B", node -> false, Status.unschedulable("no"))),
                            new CycleState(),
                            POD);
            assertThat(result.diagnosis().pendingPlugins()).containsExactly("A");
            assertThat(result.diagnosis().unschedulablePlugins()).containsExactly("B");
            assertThat(result.diagnosis().nodesWithCode(Code.PENDING))
                    .extracting(NodeInfo::name)
                    .containsExactly("n0");
        }
    }

    @Nested
    class Failures {
        @Test
        void nameThePluginThatThrew() {
            Filtering broken = new Filtering(
                    "Broken",
                    node -> {
                        throw new IllegalStateException("boom");
                    },
                    Status.success());
            assertThatThrownBy(() -> algorithm(0, cluster(600)).find(profile(broken, FLAT), new CycleState(), POD))
                    .isInstanceOf(PluginFailure.class)
                    .hasMessage("running \"Broken\" filter plugin: boom");
        }

        @Test
        void nameThePluginWhoseScoreIsOutOfRange() {
            assertThatThrownBy(() -> algorithm(0, cluster(2))
                            .find(profile(new Scoring("S", Map.of("n0", 101L))), new CycleState(), POD))
                    .isInstanceOf(PluginFailure.class)
                    .hasMessageEndingWith(
                            "plugin \"S\" returns an invalid score 101, it should in the range of [0, 100]"
                                    + " after normalizing");
        }
    }

    @Test
    void choosesTheSameOnSeveralThreadsAsOnOne() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        ExecutorService executor = Executors.newFixedThreadPool(3);
        try {
            TrialSnapshot cluster = cluster(3_000);
            SchedulingAlgorithm alone =
                    new SchedulingAlgorithm(cluster, 0, 0, Parallelism.none(), Extenders.NONE, new Random(1), false);
            SchedulingAlgorithm together =
                    new SchedulingAlgorithm(cluster, 0, 0, helped(executor), Extenders.NONE, new Random(1), false);
            for (int round = 0; round < 60; round++) {
                int share = random.nextInt(40) + 1;
                int salt = random.nextInt(1_000);
                Map<String, Long> scores = new HashMap<>();
                for (NodeInfo node : cluster.nodes()) {
                    scores.put(node.name(), (long) random.nextInt(4));
                }
                Profile profile = profile(
                        new Filtering(
                                "Some",
                                node -> (node.index() * 31 + salt) % share == 0,
                                Status.unschedulable("not chosen")),
                        new Scoring("S", scores));
                SchedulingAlgorithm.Result one = alone.find(profile, new CycleState(), POD);
                SchedulingAlgorithm.Result other = together.find(profile, new CycleState(), POD);
                assertThat(describe(other)).as("seed %d, round %d", seed, round).isEqualTo(describe(one));
            }
        } finally {
            executor.shutdown();
        }
    }

    @Test
    void countsTheNodesThatWereFilteredAlsoOnSeveralThreads() {
        AtomicInteger counted = new AtomicInteger();
        SchedulerListener counting = new SchedulerListener() {
            @Override
            public boolean takesMeasurements() {
                return true;
            }

            @Override
            public void pluginEvaluated(String profile, String plugin, String point, int times) {
                if (point.equals("Filter")) {
                    counted.addAndGet(times);
                }
            }
        };
        AtomicInteger asked = new AtomicInteger();
        Predicate<NodeInfo> isEven = node -> {
            asked.incrementAndGet();
            return node.index() % 2 == 0;
        };
        ExecutorService executor = Executors.newFixedThreadPool(3);
        try {
            TrialSnapshot cluster = cluster(5_000);
            SchedulingAlgorithm algorithm =
                    new SchedulingAlgorithm(cluster, 0, 0, helped(executor), Extenders.NONE, new Random(1), false);
            for (int round = 0; round < 20; round++) {
                Profile profile = profile(
                        new Listeners(List.of(counting)),
                        OptionalInt.empty(),
                        new Filtering("Even", isEven, Status.unschedulable("odd")),
                        FLAT);
                assertThat(algorithm.find(profile, new CycleState(), POD).node())
                        .isNotNull();
                // Enough are found before all nodes are filtered.
                assertThat(asked.get()).isLessThan(5_000);
                assertThat(counted.getAndSet(0)).as("round %d", round).isEqualTo(asked.getAndSet(0));
            }
        } finally {
            executor.shutdown();
        }
    }

    // By a clock that has others help as soon as the first nodes are done.
    private static Parallelism helped(ExecutorService executor) {
        AtomicLong nanoTime = new AtomicLong();
        return new Parallelism(
                executor, 4, () -> nanoTime.addAndGet(Duration.ofSeconds(1).toNanos()));
    }

    private static String describe(SchedulingAlgorithm.Result result) {
        return result.node() + " " + result.score() + " " + result.evaluated() + " " + result.feasible() + " "
                + (result.diagnosis() == null
                        ? ""
                        : result.diagnosis().message("").text());
    }
}
