// SPDX-License-Identifier: Apache-2.0
package org.moorage.schedulertests.whatif;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.LabelSelector;
import org.moorage.api.model.NodeSelector;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.PersistentVolume;
import org.moorage.api.model.PersistentVolumeClaim;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodCondition;
import org.moorage.api.model.PodDisruptionBudget;
import org.moorage.api.model.Toleration;
import org.moorage.api.model.Volume;
import org.moorage.builtin.dra.KubeSchedulerPlugins;
import org.moorage.config.ConfigLoader;
import org.moorage.config.LoadedConfig;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.runtime.Scheduler;
import org.moorage.runtime.whatif.WhatIf;
import org.moorage.simulation.whatif.DisruptedPod;
import org.moorage.simulation.whatif.DisruptedPod.Outcome;
import org.moorage.simulation.whatif.Drain;
import org.moorage.simulation.whatif.DrainResult;
import org.moorage.simulation.whatif.DrainRules;
import org.moorage.simulation.whatif.KnownCluster;
import org.moorage.simulation.whatif.PodReason;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.PodGroups;
import org.moorage.testkit.Pods;

/** Tests clusters of nodes with four CPUs each; node a is drained. */
@Tag("any-jvm")
class DrainTest {
    private static final PluginRegistry PLUGINS = PluginRegistry.of(KubeSchedulerPlugins.all());
    private static final LoadedConfig DEFAULTS = ConfigLoader.defaults(PLUGINS);
    private static final DrainRules FORCE = new DrainRules(true, true, false, any -> true, any -> false);

    private static Nodes node(String name) {
        return Nodes.named(name).allocatable("cpu", "4").allocatable("memory", "8Gi");
    }

    private static Pods web(String name) {
        return Pods.named(name)
                .label("app", "web")
                .controlledBy("apps/v1", "ReplicaSet", "web")
                .requests("cpu", "1");
    }

    private static PodDisruptionBudget budget(String name, int allowed) {
        return new PodDisruptionBudget(
                ObjectMeta.named(name).namespace("default").build(),
                Optional.of(new LabelSelector(Map.of("app", "web"), List.of())),
                allowed,
                Set.of());
    }

    private static DrainResult drain(
            LoadedConfig config, DrainRules rules, List<ClusterObject> objects, String... nodes) {
        try (WhatIf cluster = Scheduler.whatIf(objects, config, PLUGINS)) {
            return Drain.of(new KnownCluster(cluster, objects, config, Instant.EPOCH), List.of(nodes), rules);
        }
    }

    private static String told(DisruptedPod pod) {
        return pod.pod().name()
                + (pod.round() > 0 ? " " + pod.round() : "")
                + " " + pod.outcome()
                + pod.newNodeName().map(name -> " " + name).orElse("");
    }

    record Case(
            String name,
            List<ClusterObject> objects,
            DrainRules rules,
            List<String> pods,
            List<String> preempted,
            boolean complete) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static Case drained(String name, DrainRules rules, List<ClusterObject> objects, String... pods) {
        return new Case(name, objects, rules, List.of(pods), List.of(), true);
    }

    private static Case stopped(String name, DrainRules rules, List<ClusterObject> objects, String... pods) {
        return new Case(name, objects, rules, List.of(pods), List.of(), false);
    }

    private static List<ClusterObject> with(ClusterObject... objects) {
        List<ClusterObject> all =
                new ArrayList<>(List.of(node("a").build(), node("b").build()));
        all.addAll(List.of(objects));
        return all;
    }

    static Stream<Case> cases() {
        Pod first = web("web-1").on("a").build();
        Pod second = web("web-2").on("a").build();
        Pod third = web("web-3").on("a").build();
        Pod unready = web("web-4")
                .on("a")
                .status(status ->
                        status.phase("Running").conditions(List.of(new PodCondition("Ready", "False", "", "", 0))))
                .build();
        Pod bare = Pods.named("bare").requests("cpu", "1").on("a").build();
        Pod cached = web("cached").volume(new Volume.EmptyDir("")).on("a").build();
        Pod daemon = Pods.named("proxy")
                .controlledBy("apps/v1", "DaemonSet", "proxy")
                .on("a")
                .build();
        Pod mirror = Pods.named("etcd")
                .annotation("kubernetes.io/config.mirror", "x")
                .on("a")
                .build();
        Pod ended = Pods.named("ended")
                .controlledBy("apps/v1", "ReplicaSet", "web")
                .deleting(Instant.EPOCH)
                .on("a")
                .build();
        Pod zonal = Pods.named("db-0")
                .controlledBy("apps/v1", "StatefulSet", "db")
                .claim("data-db-0")
                .on("a")
                .build();
        return Stream.of(
                drained("a pod moves", DrainRules.DEFAULTS, with(first), "web-1 1 RESCHEDULED b"),
                stopped(
                        "a pod for which there is no room waits",
                        DrainRules.DEFAULTS,
                        with(first, web("x").requests("cpu", "4").on("b").build()),
                        "web-1 1 PENDING"),
                drained(
                        "a budget allows one pod in a round",
                        DrainRules.DEFAULTS,
                        with(first, second, third, budget("web", 1)),
                        "web-1 1 RESCHEDULED b",
                        "web-2 2 RESCHEDULED b",
                        "web-3 3 RESCHEDULED b"),
                stopped(
                        "a budget is used up by pods that are not rescheduled",
                        DrainRules.DEFAULTS,
                        with(
                                first,
                                second,
                                third,
                                budget("web", 2),
                                web("x").requests("cpu", "3").on("b").build()),
                        "web-1 1 RESCHEDULED b",
                        "web-2 1 PENDING",
                        "web-3 2 PENDING"),
                stopped(
                        "a budget that allows nothing blocks",
                        DrainRules.DEFAULTS,
                        with(first, budget("web", 0)),
                        "web-1 BLOCKED_BY_BUDGET"),
                drained(
                        "a budget does not count when pods are deleted",
                        new DrainRules(false, false, true, any -> true, any -> false),
                        with(first, budget("web", 0)),
                        "web-1 1 RESCHEDULED b"),
                stopped(
                        "a pod of two budgets is blocked",
                        DrainRules.DEFAULTS,
                        with(first, budget("web", 1), budget("other", 1)),
                        "web-1 BLOCKED_BY_BUDGET"),
                stopped(
                        "a pod that is not ready counts against its budget, too",
                        DrainRules.DEFAULTS,
                        with(unready, budget("web", 0)),
                        "web-4 BLOCKED_BY_BUDGET"),
                drained(
                        "a pod that is not ready goes while enough others are",
                        DrainRules.DEFAULTS,
                        with(unready, budget(0, 3, 3, "")),
                        "web-4 1 RESCHEDULED b"),
                drained(
                        "a pod that is not ready goes by the policy",
                        DrainRules.DEFAULTS,
                        with(unready, budget(0, 1, 3, PodDisruptionBudget.ALWAYS_ALLOW)),
                        "web-4 1 RESCHEDULED b"),
                stopped(
                        "a bare pod keeps its node from being drained",
                        DrainRules.DEFAULTS,
                        with(bare, first),
                        "bare REFUSED",
                        "web-1 BLOCKED_BY_OTHER_PODS"),
                drained(
                        "a bare pod is lost by force",
                        FORCE,
                        with(bare, first),
                        "bare 1 LOST",
                        "web-1 1 RESCHEDULED b"),
                stopped(
                        "an emptyDir keeps its node from being drained",
                        DrainRules.DEFAULTS,
                        with(cached),
                        "cached REFUSED"),
                drained("an emptyDir may be deleted", FORCE, with(cached), "cached 1 RESCHEDULED b"),
                drained(
                        "pods of the node stay",
                        DrainRules.DEFAULTS,
                        with(daemon, mirror, first),
                        "etcd DAEMON_PODS",
                        "proxy DAEMON_PODS",
                        "web-1 1 RESCHEDULED b"),
                drained(
                        "a pod that is being deleted is not created again",
                        DrainRules.DEFAULTS,
                        with(ended),
                        "ended 1 ENDED"),
                stopped(
                        "other pods than the selected stay",
                        new DrainRules(false, false, false, pod -> pod.name().equals("web-1"), any -> false),
                        with(first, second),
                        "web-1 1 RESCHEDULED b",
                        "web-2 NOT_SELECTED"),
                stopped(
                        "a pod that tolerates everything comes back",
                        DrainRules.DEFAULTS,
                        with(
                                web("anywhere")
                                        .toleration(new Toleration("", "Exists", "", ""))
                                        .on("a")
                                        .build(),
                                web("x").requests("cpu", "4").on("b").build()),
                        "anywhere 1 RETURNED a"),
                stopped(
                        "a volume keeps a pod in its zone",
                        DrainRules.DEFAULTS,
                        List.of(
                                node("a").zone("east").build(),
                                node("b").zone("west").build(),
                                zonal,
                                PersistentVolumeClaim.of(ObjectMeta.named("data-db-0")
                                                .namespace("default")
                                                .build())
                                        .volumeName("disk")
                                        .phase("Bound")
                                        .build(),
                                PersistentVolume.of(ObjectMeta.named("disk").build())
                                        .nodeAffinity(new NodeSelector(List.of(new NodeSelector.Term(
                                                List.of(new NodeSelector.Requirement(
                                                        "topology.kubernetes.io/zone", "In", List.of("east"))),
                                                List.of()))))
                                        .phase("Bound")
                                        .build()),
                        "db-0 1 PENDING"),
                new Case(
                        "preemption moves others, which may preempt in turn",
                        List.of(
                                node("a").build(),
                                node("b").build(),
                                node("c").label("small", "yes").build(),
                                web("high")
                                        .priority(9)
                                        .requests("cpu", "4")
                                        .on("a")
                                        .build(),
                                web("middle")
                                        .priority(5)
                                        .requests("cpu", "3")
                                        .nodeSelector("x", "y")
                                        .on("b")
                                        .build(),
                                web("low").requests("cpu", "4").on("c").build()),
                        DrainRules.DEFAULTS,
                        List.of("high 1 RESCHEDULED c"),
                        List.of("low PENDING"),
                        false));
    }

    private static PodDisruptionBudget budget(int allowed, int healthy, int desired, String policy) {
        PodDisruptionBudget budget = budget("web", allowed);
        return new PodDisruptionBudget(
                budget.metadata(), budget.selector(), allowed, Set.of(), healthy, desired, policy);
    }

    @ParameterizedTest
    @MethodSource("cases")
    void reportsTheResultsOfPods(Case drain) {
        DrainResult result = drain(DEFAULTS, drain.rules, drain.objects, "a");

        assertThat(result.pods().stream().map(DrainTest::told)).containsExactlyElementsOf(drain.pods);
        assertThat(result.preempted().stream().map(DrainTest::told)).containsExactlyElementsOf(drain.preempted);
        assertThat(result.isComplete()).isEqualTo(drain.complete);
    }

    @Test
    void reportsWhyAnEvictionIsRefused() {
        Pod pod = web("web-1").on("a").build();
        PodReason refusal = drain(DEFAULTS, DrainRules.DEFAULTS, with(pod, budget(0, 2, 2, "")), "a")
                .pods()
                .get(0)
                .reason();
        String needed = "Cannot evict pod as it would violate the pod's disruption budget."
                + " The disruption budget web needs 2 healthy pods";
        assertThat(refusal.message()).isEqualTo(needed + " and has 2 currently");
        assertThat(refusal.summary()).isEqualTo(needed);
        assertThat(drain(
                                DEFAULTS,
                                DrainRules.DEFAULTS,
                                with(Pods.named("bare").on("a").build()),
                                "a")
                        .pods()
                        .get(0)
                        .message())
                .isEqualTo("cannot delete Pods that declare no controller (use --force to override)");
    }

    @Test
    void keepsApartWhatWaitedBefore() {
        Pod waiting = web("waiting").requests("cpu", "4").build();
        DrainResult result = drain(
                DEFAULTS,
                DrainRules.DEFAULTS,
                with(waiting, web("a-1").on("a").build(), web("b-1").on("b").build()),
                "a");

        assertThat(result.pods().stream().map(DrainTest::told)).containsExactly("a-1 1 RESCHEDULED b");
        assertThat(result.waitedBefore()).singleElement().satisfies(pod -> {
            assertThat(pod.pod().name()).isEqualTo("waiting");
            assertThat(pod.nodeName()).isEmpty();
        });
        assertThat(result.isComplete()).isTrue();
    }

    @Test
    void evictsAlsoWhatOnlyWouldHaveBeenPlaced() {
        Pod waiting = web("waiting").nodeSelector("disk", "ssd").build();
        List<ClusterObject> objects =
                List.of(node("a").label("disk", "ssd").build(), node("b").build(), waiting, budget("web", 0));

        DrainResult result = drain(DEFAULTS, DrainRules.DEFAULTS, objects, "a");

        assertThat(result.pods().stream().map(DrainTest::told)).containsExactly("waiting 1 PENDING");
        assertThat(result.waitedBefore()).isEmpty();
    }

    @Test
    void placesTheMembersOfAGangTogether() {
        LoadedConfig config =
                ConfigLoader.defaults(PLUGINS, FeatureGates.of(Map.of(FeatureGates.GENERIC_WORKLOAD, true)));
        List<ClusterObject> objects = new ArrayList<>(List.of(
                node("a").build(),
                node("b").build(),
                node("c").build(),
                PodGroups.named("gang").gang(2).build(),
                web("x").requests("cpu", "1").on("b").build()));
        IntStream.of(1, 2)
                .forEach(i -> objects.add(web("p" + i)
                        .requests("cpu", "2")
                        .podGroup("gang")
                        .on("a")
                        .build()));

        assertThat(drain(config, DrainRules.DEFAULTS, objects, "a").isComplete())
                .isTrue();
        objects.add(web("y").requests("cpu", "4").on("c").build());
        assertThat(drain(config, DrainRules.DEFAULTS, objects, "a").pods().stream()
                        .map(DrainTest::told))
                .containsExactly("p1 1 PENDING", "p2 1 PENDING");
    }

    @Test
    void leavesPodsOfOtherSchedulersToThem() {
        DrainResult result = drain(
                DEFAULTS,
                DrainRules.DEFAULTS,
                with(web("other").schedulerName("other").on("a").build()),
                "a");

        assertThat(result.pods().get(0).outcome()).isEqualTo(Outcome.PENDING);
        assertThat(result.pods().get(0).message()).contains("for the scheduler \"other\"");
    }

    @Test
    void refusesANodeThatIsNotThere() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> drain(DEFAULTS, DrainRules.DEFAULTS, with(), "none"))
                .withMessageContaining("\"none\"");
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void accountsForEachPodOnceAndTakesEverythingBack(long seed) {
        RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
        List<ClusterObject> objects = RandomClusters.cluster(random);
        List<String> names = RandomClusters.someNodes(objects, random);
        try (WhatIf whatIf = Scheduler.whatIf(objects, DEFAULTS, PLUGINS)) {
            KnownCluster cluster = new KnownCluster(whatIf, objects, DEFAULTS, Instant.EPOCH);
            Map<String, List<String>> before = podsByNode(whatIf);

            DrainResult result = Drain.of(cluster, names, FORCE);

            String about = "seed " + seed;
            Set<String> told = new HashSet<>();
            for (DisruptedPod pod : result.pods()) {
                assertThat(told.add(pod.pod().uid())).as(about).isTrue();
                assertThat(pod.newNodeName())
                        .as(about)
                        .isNotIn(names.stream().map(Optional::of).toList());
                assertThat(pod.round() > 0)
                        .as(about + " " + pod)
                        .isEqualTo(pod.outcome() != Outcome.BLOCKED_BY_BUDGET && pod.outcome() != Outcome.DAEMON_PODS);
            }
            for (DisruptedPod pod : result.preempted()) {
                assertThat(told.add(pod.pod().uid())).as(about).isTrue();
                assertThat(pod.newNodeName())
                        .as(about)
                        .isNotIn(names.stream().map(Optional::of).toList());
            }
            result.waitedBefore()
                    .forEach(pod ->
                            assertThat(told.add(pod.origin().uid())).as(about).isTrue());
            for (String name : names) {
                assertThat(before.getOrDefault(name, List.of())).as(about).allMatch(told::contains);
            }
            assertThat(podsByNode(whatIf)).as(about).isEqualTo(before);
            // Recreated pods are different objects each time.
            assertThat(Drain.of(cluster, names, FORCE)).as(about).hasToString(result.toString());
        }
    }

    private static Map<String, List<String>> podsByNode(WhatIf cluster) {
        Map<String, List<String>> pods = new TreeMap<>();
        for (String node : cluster.nodeNames()) {
            pods.put(node, cluster.podsOn(node).stream().map(Pod::uid).sorted().toList());
        }
        return pods;
    }
}
