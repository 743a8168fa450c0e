// SPDX-License-Identifier: Apache-2.0
package org.moorage.schedulertests.whatif;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.LabelSelector;
import org.moorage.api.model.Node;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodDisruptionBudget;
import org.moorage.api.model.ResourceName;
import org.moorage.builtin.dra.KubeSchedulerPlugins;
import org.moorage.config.ConfigLoader;
import org.moorage.config.LoadedConfig;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.objects.EventType;
import org.moorage.runtime.Scheduler;
import org.moorage.runtime.cluster.ClusterSource;
import org.moorage.runtime.whatif.PreemptionResult;
import org.moorage.runtime.whatif.Transaction;
import org.moorage.runtime.whatif.WhatIf;
import org.moorage.simulation.Simulation;
import org.moorage.simulation.SimulationResult;
import org.moorage.simulation.admission.AdmittedPod;
import org.moorage.simulation.admission.RecreatedPod;
import org.moorage.simulation.dump.ManifestPods;
import org.moorage.simulation.dump.Manifests;
import org.moorage.simulation.dump.RecordedChange;
import org.moorage.simulation.whatif.ClusterBalance;
import org.moorage.simulation.whatif.DrainRules;
import org.moorage.simulation.whatif.KnownCluster;
import org.moorage.simulation.whatif.PodSizes;
import org.moorage.simulation.whatif.Rebalance;
import org.moorage.simulation.whatif.RebalanceGoal;
import org.moorage.simulation.whatif.RebalancePlan;
import org.moorage.simulation.whatif.RebalancePlan.Move;
import org.moorage.simulation.whatif.RescheduledPods.RescheduledPod;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.Pods;

/**
 * Plans of moves in random clusters hold what they state when their moves are made one by one.
 * {@code -Dtests.clusters=N} sets the number of clusters, {@code -Dtests.seed=N} the first seed.
 */
@Tag("any-jvm")
class RandomRebalanceTest {
    private static final PluginRegistry PLUGINS = PluginRegistry.of(KubeSchedulerPlugins.all());
    private static final LoadedConfig SPREADING = ConfigLoader.defaults(PLUGINS);
    private static final LoadedConfig PACKING = ConfigLoader.load("""
            apiVersion: kubescheduler.config.k8s.io/v1
            kind: KubeSchedulerConfiguration
            profiles:
            - pluginConfig:
              - name: NodeResourcesFit
                args: {scoringStrategy: {type: MostAllocated, resources: [{name: cpu, weight: 1}, {name: example.com/gpu, weight: 2}]}}
              plugins:
                score: {disabled: [{name: NodeResourcesBalancedAllocation}, {name: PodTopologySpread}]}
            """, "packing.yaml", PLUGINS);
    private static final String GPU = "example.com/gpu";

    static Stream<Long> seeds() {
        return LongStream.range(0, Integer.getInteger("tests.clusters", 200))
                .mapToObj(i -> Long.getLong("tests.seed", 1) + i);
    }

    /** A random cluster, and a random question about it. */
    private static final class Drawn {
        private final SplittableRandom random;
        private final List<ClusterObject> objects = new ArrayList<>();
        private final List<Pod> pods = new ArrayList<>();
        private final List<PodDisruptionBudget> budgets = new ArrayList<>();
        private final LoadedConfig config;
        private final RebalanceGoal goal;
        private final boolean force;
        private final int maxMoves;

        Drawn(long seed) {
            random = new SplittableRandom(seed);
            force = random.nextInt(4) == 0;
            maxMoves = random.nextInt(8);
            int nodes = 2 + random.nextInt(6);
            for (int i = 0; i < nodes; i++) {
                addNode("n" + i);
            }
            int pending = random.nextInt(2) * random.nextInt(4);
            for (int i = 0; i < pending; i++) {
                pods.add(pod("pending-" + i)
                        .on("")
                        .requests("cpu", "" + (3 + random.nextInt(4)))
                        .build());
            }
            for (int app = 0; app < 4; app++) {
                int allowed = random.nextInt(4);
                if (allowed < 3) {
                    budgets.add(new PodDisruptionBudget(
                            ObjectMeta.named("budget-" + app)
                                    .namespace("default")
                                    .build(),
                            Optional.of(new LabelSelector(Map.of("app", "app-" + app), List.of())),
                            allowed,
                            Set.of()));
                }
            }
            objects.addAll(pods);
            objects.addAll(budgets);
            goal = goal();
            boolean isForPods = goal instanceof RebalanceGoal.FitPending || goal instanceof RebalanceGoal.Fit;
            config = isForPods != (random.nextInt(4) == 0) ? SPREADING : PACKING;
        }

        private void addNode(String name) {
            int cpu = 4 + random.nextInt(5);
            int gpus = random.nextInt(3) == 0 ? 4 : 0;
            Nodes node = Nodes.named(name)
                    .allocatable("cpu", "" + cpu)
                    .allocatable("memory", "32Gi")
                    .allocatable("pods", "10");
            if (gpus > 0) {
                node.allocatable(GPU, "" + gpus);
            }
            if (random.nextInt(8) == 0) {
                node.unschedulable().taint("node.kubernetes.io/unschedulable", "", "NoSchedule");
            }
            Node built = node.build();
            objects.add(built);
            pods.add(Pods.named("agent-" + name)
                    .controlledBy("apps/v1", "DaemonSet", "agent")
                    .requests("cpu", "100m")
                    .on(name)
                    .build());
            long free = cpu * 1000L - 100;
            long freeGpus = gpus;
            int count = random.nextInt(6);
            for (int i = 0; i < count; i++) {
                Pods next = pod(name + "-" + i).on(name);
                Pod pod = next.status(status -> status.phase("Running")).build();
                long asked = pod.requestsWithClaims().milliCpu();
                long askedGpus = pod.requestsWithClaims().amount(ResourceName.of(GPU));
                if (asked <= free && askedGpus <= freeGpus) {
                    free -= asked;
                    freeGpus -= askedGpus;
                    pods.add(pod);
                }
            }
        }

        private Pods pod(String name) {
            int app = random.nextInt(4);
            Pods pod = Pods.named(name)
                    .label("app", "app-" + app)
                    .requests("cpu", "" + (app == 3 ? 3 : 1 + random.nextInt(2)))
                    .priority(app == 2 ? 10 : 0);
            if (random.nextInt(4) == 0) {
                pod.requests(GPU, "" + (1 + random.nextInt(2)));
            }
            return random.nextInt(12) == 0 ? pod : pod.controlledBy("apps/v1", "ReplicaSet", "app-" + app);
        }

        private RebalanceGoal goal() {
            return switch (random.nextInt(5)) {
                case 0, 1 -> new RebalanceGoal.FreeNodes();
                case 2 -> new RebalanceGoal.Pack(random.nextBoolean() ? ResourceName.CPU : ResourceName.of(GPU));
                case 3 -> new RebalanceGoal.FitPending();
                default -> {
                    List<AdmittedPod> asked = new ArrayList<>();
                    for (int i = 0; i < 1 + random.nextInt(3); i++) {
                        asked.add(new AdmittedPod(
                                Pods.named("asked-" + i)
                                        .on("")
                                        .requests("cpu", "" + (4 + random.nextInt(4)))
                                        .build(),
                                List.of(),
                                List.of()));
                    }
                    yield new RebalanceGoal.Fit(new Manifests.Contents(
                            List.of(),
                            List.of(new ManifestPods(
                                    "Pod default/asked",
                                    0,
                                    asked.size(),
                                    asked,
                                    Optional.empty(),
                                    List.of(),
                                    Set.of(),
                                    "")),
                            List.of()));
                }
            };
        }

        RebalancePlan plan(int most) {
            try (WhatIf whatIf = Scheduler.whatIf(objects, config, PLUGINS)) {
                KnownCluster known = new KnownCluster(whatIf, objects, config, Instant.EPOCH);
                DrainRules rules = new DrainRules(force, false, false, any -> true, any -> false);
                return Rebalance.of(known, goal, rules, most, PodSizes.of(pods), tried -> {});
            }
        }

        List<Node> nodes() {
            return objects.stream()
                    .filter(Node.class::isInstance)
                    .map(Node.class::cast)
                    .toList();
        }

        boolean hasPending() {
            return pods.stream().anyMatch(pod -> !pod.isBound());
        }
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void movesOneByOneLeadToTheStatedEnd(long seed) {
        Drawn drawn = new Drawn(seed);
        RebalancePlan plan = drawn.plan(drawn.maxMoves);
        try (WhatIf whatIf = Scheduler.whatIf(drawn.objects, drawn.config, PLUGINS);
                Transaction cluster = whatIf.begin()) {
            Replayed replayed = new Replayed(cluster, drawn);
            replayed.schedulePending(true);
            plan.moves().forEach(replayed::move);

            ClusterBalance balance = ClusterBalance.of(drawn.nodes(), cluster::podsOn, PodSizes.of(drawn.pods));
            assertThat(balance).isEqualTo(plan.after().balance());
            assertThat(replayed.pending.size()).isEqualTo(plan.after().pending());
            long lost =
                    plan.moves().stream().filter(move -> move.to().isEmpty()).count();
            int scheduled = plan.before().pending() - plan.after().pending();
            assertThat((long) balance.pods()).isEqualTo(plan.before().balance().pods() - lost + scheduled);
            for (String emptied : plan.emptiedNodes()) {
                assertThat(cluster.podsOn(emptied)).allMatch(pod -> pod.name().startsWith("agent-"));
            }
            if (drawn.goal instanceof RebalanceGoal.Fit fit) {
                assertThat(replayed.fitting(fit.manifests())).isEqualTo(names(plan.fitting()));
            } else {
                assertThat(plan.notFitting())
                        .extracting(pod -> pod.pod().name())
                        .containsExactlyInAnyOrderElementsOf(
                                replayed.pending.stream().map(Pod::name).toList());
            }
        }
    }

    private static Map<String, String> names(List<RescheduledPod> pods) {
        Map<String, String> nodes = new LinkedHashMap<>();
        pods.forEach(pod -> nodes.put(pod.pod().name(), pod.nodeName().orElse("")));
        return nodes;
    }

    /** A cluster in which moves are made with the questions of a transaction alone. */
    private static final class Replayed {
        private final Transaction cluster;
        private final Drawn drawn;
        private List<Pod> pending = new ArrayList<>();

        Replayed(Transaction cluster, Drawn drawn) {
            this.cluster = cluster;
            this.drawn = drawn;
            drawn.pods.stream().filter(pod -> !pod.isBound()).forEach(pending::add);
        }

        // Preempted pods are created again, and are scheduled by priority with those that are still pending.
        void schedulePending(boolean mayPreempt) {
            List<Pod> queue = new ArrayList<>(pending);
            List<Pod> unplaced = new ArrayList<>();
            boolean hasLeft = false;
            while (!queue.isEmpty()) {
                queue.sort(Comparator.comparingInt(pod -> -pod.spec().priority()));
                Pod next = queue.remove(0);
                PreemptionResult result = cluster.preempt(next);
                assertThat(mayPreempt || result.victims().isEmpty()).isTrue();
                if (result.nodeName().isEmpty()) {
                    unplaced.add(next);
                }
                for (Pod victim : result.victims()) {
                    hasLeft = true;
                    again(victim).ifPresent(queue::add);
                }
                if (queue.isEmpty() && hasLeft) {
                    hasLeft = false;
                    queue.addAll(unplaced);
                    unplaced.clear();
                }
            }
            pending = unplaced;
        }

        private Optional<Pod> again(Pod gone) {
            return RecreatedPod.of(gone, ClusterSource.of(drawn.objects), Instant.EPOCH)
                    .pod();
        }

        void move(Move move) {
            assertThat(cluster.podsOn(move.from()))
                    .extracting(Pod::uid)
                    .contains(move.pod().uid());
            cluster.evict(List.of(move.pod()));
            Optional<Pod> again = again(move.pod());
            assertThat(again.map(Pod::uid)).isEqualTo(move.replacement().map(Pod::uid));
            assertThat(again.isPresent() || drawn.force).isTrue();
            if (again.isPresent()) {
                PreemptionResult result = cluster.preempt(again.get());
                assertThat(result.victims()).isEmpty();
                assertThat(result.nodeName()).isPresent().isEqualTo(move.to()).isNotEqualTo(Optional.of(move.from()));
            }
            schedulePending(false);
        }

        Map<String, String> fitting(Manifests.Contents contents) {
            Map<String, String> nodes = new LinkedHashMap<>();
            for (AdmittedPod pod : contents.pods().get(0).pods()) {
                cluster.place(List.of(pod.pod()))
                        .pods()
                        .get(0)
                        .nodeName()
                        .ifPresent(node -> nodes.put(pod.pod().name(), node));
            }
            return nodes;
        }
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void aSchedulerThatRunsMakesTheSameDecisions(long seed) {
        Drawn drawn = new Drawn(seed);
        if (drawn.hasPending()) {
            // Whether a pending pod or a replacement is scheduled first depends on the time there.
            return;
        }
        List<RecordedChange> changes = new ArrayList<>();
        Map<String, String> expected = new HashMap<>();
        for (Move move : drawn.plan(drawn.maxMoves).moves()) {
            changes.add(new RecordedChange(changes.size() + 1, EventType.DELETED, move.pod()));
            move.replacement().ifPresent(pod -> {
                changes.add(new RecordedChange(changes.size() + 1, EventType.ADDED, pod));
                expected.put(pod.name(), move.to().orElseThrow());
            });
        }
        SimulationResult result = Simulation.of(drawn.objects, drawn.config, PLUGINS)
                .seed(1)
                .changes(changes)
                .run();

        Map<String, String> actual = new HashMap<>();
        result.nodes()
                .forEach(node -> node.pods().stream()
                        .filter(pod -> expected.containsKey(pod.name()))
                        .forEach(pod -> actual.put(pod.name(), pod.nodeName())));
        assertThat(actual).isEqualTo(expected);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void keepsItsLimits(long seed) {
        Drawn drawn = new Drawn(seed);
        RebalancePlan plan = drawn.plan(drawn.maxMoves);

        assertThat(plan.moves()).hasSizeLessThanOrEqualTo(drawn.maxMoves);
        assertThat(plan.moves()).extracting(move -> move.pod().uid()).doesNotHaveDuplicates();
        assertThat(plan.moves()).extracting(Move::round).isSorted();
        for (Move move : plan.moves()) {
            boolean isOfDaemonSet = move.pod().name().startsWith("agent-");
            assertThat(isOfDaemonSet).isFalse();
            assertThat(move.pod().metadata().controller().isPresent() || drawn.force)
                    .isTrue();
        }
        for (PodDisruptionBudget budget : drawn.budgets) {
            Map<Integer, Integer> evicted = new HashMap<>();
            plan.moves().stream()
                    .filter(move -> budget.selects(move.pod()))
                    .forEach(move -> evicted.merge(move.round(), 1, Integer::sum));
            // Each pending pod that is scheduled is one more healthy pod.
            long more = drawn.pods.stream().filter(pod -> !pod.isBound()).count();
            assertThat(evicted.values()).allMatch(count -> count <= budget.disruptionsAllowed() + more);
        }
        if (drawn.goal instanceof RebalanceGoal.Pack pack && plan.isReached()) {
            assertThat(fragmentation(plan.after().balance(), pack))
                    .isLessThan(fragmentation(plan.before().balance(), pack));
        }
        assertThat(plan.emptiedNodes().size()
                        >= plan.after().balance().emptyNodes()
                                - plan.before().balance().emptyNodes())
                .isTrue();
    }

    private static double fragmentation(ClusterBalance balance, RebalanceGoal.Pack pack) {
        return balance.byResource().get(pack.resource()).fragmentation();
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void theSameQuestionHasTheSamePlan(long seed) {
        assertThat(text(new Drawn(seed).plan(8))).isEqualTo(text(new Drawn(seed).plan(8)));
    }

    private static String text(RebalancePlan plan) {
        StringBuilder text = new StringBuilder();
        plan.moves()
                .forEach(move -> text.append(move.pod().key())
                        .append(move.from())
                        .append(move.to())
                        .append(move.round())
                        .append('\n'));
        return text.append(plan.before())
                .append(plan.after())
                .append(plan.obstacles())
                .toString();
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void withoutMovesTheClusterStaysAsItIs(long seed) {
        RebalancePlan plan = new Drawn(seed).plan(0);

        assertThat(plan.moves()).isEmpty();
        assertThat(plan.rounds()).isZero();
        assertThat(plan.emptiedNodes()).isEmpty();
        assertThat(plan.after()).isEqualTo(plan.before());
    }

    @Test
    void eachGoalIsReachedInSomeClusters() {
        Map<String, Integer> reached = new HashMap<>();
        for (long seed = 1; seed <= 1500; seed++) {
            Drawn drawn = new Drawn(seed);
            RebalancePlan plan = drawn.plan(drawn.maxMoves);
            if (plan.isReached() && !plan.moves().isEmpty()) {
                reached.merge(drawn.goal.getClass().getSimpleName(), 1, Integer::sum);
            }
        }

        assertThat(reached).containsOnlyKeys("FreeNodes", "Pack", "FitPending", "Fit");
    }
}
