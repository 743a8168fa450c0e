// SPDX-License-Identifier: Apache-2.0
package org.moorage.examples.minimal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.moorage.api.Status;
import org.moorage.api.event.Hint;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.Node;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.Problems;
import org.moorage.api.plugin.cluster.PodEvent;
import org.moorage.builtin.dra.KubeSchedulerPlugins;
import org.moorage.config.ConfigLoader;
import org.moorage.config.LoadedConfig;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.examples.minimal.RandomNodeSample.Args;
import org.moorage.runtime.Scheduler;
import org.moorage.runtime.decision.Decision;
import org.moorage.simulation.SimulatedPod;
import org.moorage.simulation.Simulation;
import org.moorage.simulation.cluster.InMemoryCluster;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.PluginContract;
import org.moorage.testkit.PluginTester;
import org.moorage.testkit.Pods;
import org.moorage.testkit.TestScheduler;

class RandomNodeSampleTest {
    private static final PluginFactory<?> FACTORY = new RandomNodeSample.Factory();
    private static final PluginRegistry PLUGINS =
            PluginRegistry.of(KubeSchedulerPlugins.all()).with(List.of(FACTORY));
    private static final Pod POD = Pods.named("p").build();

    private static Args args(int sampleSize, boolean withReplacement, long seed) {
        return new Args(sampleSize, withReplacement, OptionalLong.of(seed), Duration.ZERO, false);
    }

    private static PluginTester plugin(Args args, Node... nodes) {
        return PluginTester.of(new RandomNodeSample.Factory(), args).cluster(nodes);
    }

    private static Node[] nodes(int count) {
        Node[] nodes = new Node[count];
        for (int i = 0; i < count; i++) {
            nodes[i] = Nodes.named("n" + i).build();
        }
        return nodes;
    }

    private static Set<String> drawn(TestScheduler scheduler) {
        return drawn(scheduler, 1).get(0);
    }

    private static List<Set<String>> drawn(TestScheduler scheduler, int times) {
        List<Set<String>> drawn = new ArrayList<>();
        RandomNodeSample plugin = scheduler.plugin(RandomNodeSample.class);
        scheduler.inCycle(POD, (state, snapshot) -> {
            for (int i = 0; i < times; i++) {
                drawn.add(plugin.preFilter(state, POD, snapshot).nodeNames().orElseThrow());
            }
        });
        return drawn;
    }

    /** Pods that the profile of {@code scheduler.yaml} decides about, on one node of two processors and 4 GiB. */
    record Case(String id, String what, String original, Pod pod, List<ClusterObject> cluster, String expected) {
        @Override
        public String toString() {
            return id + ": " + expected;
        }
    }

    private static final VectorTable TABLE = new VectorTable("random-five");

    @AfterAll
    static void writeTable() {
        TABLE.write();
    }

    private static final String NO_LABEL =
            "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector." + " nodes drawn: node1";

    static Stream<Case> cases() {
        Node node = Nodes.named("node1")
                .label("name", "node1")
                .allocatable("cpu", "2")
                .allocatable("memory", "4Gi")
                .build();
        Node bare = Nodes.named("node1")
                .allocatable("cpu", "2")
                .allocatable("memory", "4Gi")
                .build();
        Pod used = Pods.named("used")
                .requests("cpu", "1500m")
                .requests("memory", "1Gi")
                .on("node1")
                .build();
        return Stream.of(
                new Case(
                        "RS-1",
                        "no selector, node label name=node1",
                        "match",
                        pod("p").build(),
                        List.of(node),
                        "node1"),
                new Case(
                        "RS-2",
                        "selector foo=bar",
                        "NodeSelectorMismatch",
                        pod("p").nodeSelector("foo", "bar").build(),
                        List.of(node),
                        NO_LABEL),
                new Case(
                        "RS-3",
                        "selector name=node1",
                        "match",
                        pod("p").nodeSelector("name", "node1").build(),
                        List.of(node),
                        "node1"),
                new Case(
                        "RS-4",
                        "a selector, and a node without labels",
                        "NodeSelectorMismatch",
                        pod("p").nodeSelector("name", "node1").build(),
                        List.of(bare),
                        NO_LABEL),
                new Case(
                        "RS-5",
                        "2 CPU and 4Gi, of which 1500m and 1Gi are taken; pod of 500m and 3Gi",
                        "fits",
                        pod("p").requests("cpu", "500m")
                                .requests("memory", "3Gi")
                                .build(),
                        List.of(node, used),
                        "node1"),
                new Case(
                        "RS-6",
                        "the same node, pod of 600m whose selector does not match either",
                        "NotEnoughResources",
                        pod("p").requests("cpu", "600m")
                                .nodeSelector("foo", "bar")
                                .build(),
                        List.of(node, used),
                        "0/1 nodes are available: 1 Insufficient cpu. nodes drawn: node1"),
                new Case(
                        "RS-8",
                        "no nodes",
                        "no-node-found",
                        pod("p").build(),
                        List.of(),
                        "no nodes available to schedule pods"));
    }

    private static Pods pod(String name) {
        return Pods.named(name).schedulerName("random-five");
    }

    private static Path file(String name) {
        return Path.of(System.getProperty("basedir", "")).resolve(name);
    }

    private static LoadedConfig config() throws IOException {
        Path file = file("scheduler.yaml");
        return ConfigLoader.load(Files.readString(file), file.toString(), PLUGINS);
    }

    private static String outcome(List<ClusterObject> objects) throws IOException {
        List<SimulatedPod> pods =
                Simulation.of(objects, config(), PLUGINS).run().pods();
        assertEquals(1, pods.size(), pods::toString);
        SimulatedPod pod = pods.get(0);
        return pod.nodeName().isEmpty() ? pod.message() : pod.nodeName();
    }

    @ParameterizedTest
    @MethodSource("cases")
    void decidesAsKubeSchedulerRsReference(Case c) throws IOException {
        List<ClusterObject> objects = new ArrayList<>(c.cluster());
        objects.add(c.pod());

        String outcome = outcome(objects);
        assertEquals(c.expected(), outcome);
        TABLE.add(c.id(), c.what(), c.original(), outcome);
    }

    @Nested
    class Drawing {
        // RS-7: one feasible node of ten. 200,000 draws of either kind; the limit is five standard deviations.
        @Test
        void findsTheOneNodeOfTenAsOftenAsItShould() {
            double without = hits(false);
            double with = hits(true);
            assertEquals(0.5, without, 0.0056);
            assertEquals(0.40951, with, 0.0056);
            TABLE.add(
                    "RS-7",
                    "one feasible node of ten: drawn with, without replacement",
                    "0.40951, 0.5",
                    String.format(Locale.ROOT, "%.4f, %.4f of 200,000 draws", with, without));
        }

        private double hits(boolean withReplacement) {
            int hits = 0;
            int draws = 0;
            for (long seed = 1; seed <= 20; seed++) {
                try (TestScheduler scheduler =
                        plugin(args(5, withReplacement, seed), nodes(10)).start()) {
                    for (Set<String> drawn : drawn(scheduler, 10_000)) {
                        hits += drawn.contains("n7") ? 1 : 0;
                        draws++;
                    }
                }
            }
            return (double) hits / draws;
        }

        // RS-10: of three nodes, five draws without replacement are all.
        @Test
        void triesAllNodesWhereThereAreNoMore() {
            for (long seed = 1; seed <= 20; seed++) {
                plugin(args(5, false, seed), nodes(3)).pod(POD).leavesOnlyNodes("n0", "n1", "n2");
            }
        }

        @Test
        void findsTheOneNodeOfThree() throws IOException {
            List<ClusterObject> objects = List.of(
                    room("n0", "1").build(),
                    room("n1", "4").build(),
                    room("n2", "1").build(),
                    pod("p").requests("cpu", "2").build());
            int founds = 0;
            for (long seed = 1; seed <= 20; seed++) {
                SimulatedPod found = Simulation.of(objects, config(), PLUGINS)
                        .seed(seed)
                        .run()
                        .pods()
                        .get(0);

                assertEquals("n1", found.nodeName(), found::toString);
                assertEquals(1, found.attempts(), found::toString);
                founds++;
            }
            TABLE.add(
                    "RS-10",
                    "three nodes, one feasible, without replacement",
                    "always found",
                    "found in the first attempt, with " + founds + " seeds of 20");
        }

        private static Nodes room(String name, String cpu) {
            return Nodes.named(name).allocatable("cpu", cpu).allocatable("memory", "4Gi");
        }

        @Test
        void triesAsManyNodesAsAreWanted() {
            Set<String> seen = new TreeSet<>();
            for (long seed = 1; seed <= 20; seed++) {
                try (TestScheduler scheduler =
                        plugin(args(5, false, seed), nodes(100)).start()) {
                    Set<String> drawn = drawn(scheduler);
                    assertEquals(5, drawn.size(), () -> "drawn: " + drawn);
                    seen.addAll(drawn);
                }
            }
            assertTrue(seen.size() > 40, () -> "of 100 draws: " + seen);
        }

        @Test
        void drawsTheSameNodesForTheSameSeed() {
            try (TestScheduler first = plugin(args(5, false, 42), nodes(100)).start();
                    TestScheduler second =
                            plugin(args(5, false, 42), nodes(100)).start()) {
                Set<String> drawn = drawn(first);
                assertEquals(drawn, drawn(second));
                assertNotEquals(drawn, drawn(first));
            }
        }

        @Test
        void drawsFiveTimesWithReplacementIfItIsToBeAsTheOriginal() {
            Args original = new Args(1, false, OptionalLong.of(3), Duration.ZERO, true);
            Set<Integer> sizes = new TreeSet<>();
            try (TestScheduler scheduler = plugin(original, nodes(5)).start()) {
                drawn(scheduler, 200).forEach(drawn -> sizes.add(drawn.size()));
            }
            assertTrue(sizes.contains(2) && sizes.contains(4) && !sizes.contains(6), sizes::toString);
        }
    }

    @Nested
    class APodThatFoundNoNode {
        private final Pod choosy =
                Pods.named("choosy").nodeSelector("disk", "tape").build();

        private TestScheduler start(Args args, int nodes) {
            return plugin(args, nodes(nodes))
                    .beside(PLUGINS.find("NodeAffinity").orElseThrow())
                    .start();
        }

        @Test
        void isTriedOnOtherNodesAfterItsBackoff() {
            try (TestScheduler scheduler = start(args(5, false, 1), 10)) {
                Decision decision = scheduler.schedule(choosy);

                String[] said = decision.message().split(" nodes drawn: ");
                assertEquals(
                        "0/10 nodes are available: 5 node(s) didn't match Pod's node affinity/selector,"
                                + " 5 node(s) didn't satisfy plugin(s) [RandomNodeSample].",
                        said[0]);
                assertEquals(5, Set.of(said[1].split(", ")).size());
                assertEquals(1, scheduler.activatedAfterBackoff().size());
            }
        }

        @Test
        void waitsForAChangeOnceAllNodesWereTried() {
            try (TestScheduler scheduler = start(args(5, false, 1), 5)) {
                Decision ignored = scheduler.schedule(choosy);

                assertEquals(List.of(), scheduler.activatedAfterBackoff());
            }
            plugin(args(5, false, 1), nodes(5)).pod(POD).hint(ObjectChange.added(nodes(6)[5]), Hint.QUEUE);
        }

        @Test
        void waitsAsLongAsConfigured() {
            Args later = new Args(5, false, OptionalLong.of(1), Duration.ofSeconds(300), false);
            try (TestScheduler scheduler = start(later, 10)) {
                Decision ignored = scheduler.schedule(choosy);

                assertEquals(List.of(), scheduler.activatedAfterBackoff());
                assertEquals(List.of(), scheduler.activated());
            }
        }

        // RS-8: in 300 seconds again, and not before; also when all nodes were drawn.
        @ParameterizedTest
        @ValueSource(ints = {1, 2, 10})
        void isTriedAgainIn300SecondsIfItIsToBeAsTheOriginal(int nodes) {
            ManualTimers timers = new ManualTimers();
            Args original = new Args(5, false, OptionalLong.empty(), Duration.ZERO, true);
            try (TestScheduler scheduler = PluginTester.of(timers.factory(), original)
                    .cluster(nodes(nodes))
                    .beside(PLUGINS.find("NodeAffinity").orElseThrow())
                    .start()) {
                Decision ignored = scheduler.schedule(choosy);
                for (int retries = 0; retries < 3; retries++) {
                    timers.pass(Duration.ofSeconds(299));
                    assertEquals(retries, scheduler.activated().size());
                    assertEquals(Optional.empty(), scheduler.scheduler().scheduleNext());

                    timers.pass(Duration.ofSeconds(1));
                    assertEquals(retries + 1, scheduler.activated().size());
                    Decision again = scheduler.scheduler().scheduleNext().orElseThrow();
                    assertEquals(choosy.name(), again.pod().name());
                    assertEquals(Optional.empty(), again.node());
                }
                assertEquals(List.of(), scheduler.activatedAfterBackoff());
            }
            TABLE.add(
                    "RS-8, " + nodes + (nodes == 1 ? " node" : " nodes"),
                    "no feasible node, `originalBehavior`",
                    "no-node-found, in 300 s again",
                    "not tried at 299 s, tried at 300 s, three times in a row");
        }

        // RS-8
        @Test
        void saysThatThereIsNoNode() {
            plugin(Args.DEFAULTS).pod(POD).rejectsPod(Status.unresolvable("no node to draw"));
        }
    }

    // RS-9
    @Test
    void leavesAPodThatHasANode() throws IOException {
        Node node = Nodes.named("node1")
                .allocatable("cpu", "2")
                .allocatable("memory", "4Gi")
                .build();
        Pod bound = pod("bound").on("elsewhere").build();
        InMemoryCluster cluster = InMemoryCluster.of(List.of(node, bound, pod("p").build()));
        try (Scheduler scheduler = Scheduler.builder(config(), PLUGINS, cluster)
                .bindingExecutor(Runnable::run)
                .build()) {
            scheduler.start();

            Decision decision = scheduler.scheduleNext().orElseThrow();
            assertEquals("p", decision.pod().name());
            assertEquals(Optional.of("node1"), decision.node());
            assertEquals(Optional.empty(), scheduler.scheduleNext());
        }
        assertSame(bound, cluster.find(ObjectKind.POD, "default", "bound").orElseThrow());
        assertEquals(
                "node1",
                cluster.find(ObjectKind.POD, "default", "p").orElseThrow().nodeName());
        for (PodEvent event : cluster.events()) {
            assertEquals("p", event.pod().name(), event::toString);
        }
        TABLE.add("RS-9", "a pod that has a node", "no action", "no attempt, no event, the same pod");
    }

    @Nested
    class TheProgram {
        @Test
        void hasTheConfigurationOfTheExample() throws IOException {
            LoadedConfig own = ConfigLoader.load(MinimalScheduler.CONFIG, "MinimalScheduler", PLUGINS);

            assertEquals(config().config(), own.config());
        }

        @Test
        void isSuchASchedulerByItself() throws IOException, InterruptedException {
            Process program = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-cp",
                            System.getProperty("java.class.path"),
                            MinimalScheduler.class.getName(),
                            "simulate",
                            file("cluster.yaml").toString())
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            String said = new String(program.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

            assertTrue(Pattern.compile("default/anywhere +n[1-7]").matcher(said).find(), said);
            assertTrue(said.contains("nodes drawn: "), said);
            assertTrue(program.waitFor(20, TimeUnit.SECONDS), said);
        }
    }

    @Test
    void refusesASampleOfNone() {
        Problems problems = Problems.collector();

        new Args(0, false, OptionalLong.empty(), Duration.ofSeconds(-1), false).validate(problems);

        assertEquals(
                List.of("sampleSize: 0 (expected: >= 1)", "retryAfter: PT-1S (expected: >= 0s)"),
                problems.all().stream().map(Object::toString).toList());
    }

    @Test
    void keepsTheContractOfAPlugin() {
        PluginContract.verify(FACTORY);
    }
}
