// SPDX-License-Identifier: Apache-2.0
package org.moorage.schedulertests.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.LabelSelector;
import org.moorage.api.model.Node;
import org.moorage.api.model.NodeSelector;
import org.moorage.api.model.Pod;
import org.moorage.api.model.Taint;
import org.moorage.api.model.TopologySpreadConstraint;
import org.moorage.builtin.dra.KubeSchedulerPlugins;
import org.moorage.config.ConfigLoader;
import org.moorage.config.LoadedConfig;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.runtime.Scheduler;
import org.moorage.runtime.decision.Evaluation;
import org.moorage.runtime.whatif.Transaction;
import org.moorage.runtime.whatif.WhatIf;
import org.moorage.simulation.Explanation;
import org.moorage.simulation.SimulatedPod;
import org.moorage.simulation.SimulatedPod.State;
import org.moorage.simulation.Simulation;
import org.moorage.simulation.whatif.FittingChange;
import org.moorage.simulation.whatif.FittingChange.Kind;
import org.moorage.simulation.whatif.FittingChanges;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.Pods;

class FittingChangesTest {
    private static final PluginRegistry REGISTRY = PluginRegistry.of(KubeSchedulerPlugins.all());
    private static final LoadedConfig CONFIG = ConfigLoader.defaults(REGISTRY);
    private static final String ZONE = "topology.kubernetes.io/zone";

    /**
     * A pod "p" that fits nowhere before, and somewhere after the change.
     *
     * @param before the cluster
     * @param change the change that is expected among those that are found
     * @param after the cluster, with the change made by hand
     */
    private record Case(String name, List<ClusterObject> before, FittingChange change, List<ClusterObject> after) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static Simulation simulation(List<ClusterObject> objects) {
        return Simulation.of(objects, CONFIG, REGISTRY).seed(1);
    }

    private static List<ClusterObject> objects(ClusterObject... objects) {
        return List.of(objects);
    }

    private static FittingChange change(Kind kind, String details, String... nodes) {
        return new FittingChange(kind, details.isEmpty() ? List.of() : List.of(details.split(", ")), List.of(nodes));
    }

    private static Nodes node(String name, String cpu) {
        return Nodes.named(name)
                .allocatable("cpu", cpu)
                .allocatable("memory", "4Gi")
                .allocatable("pods", "10");
    }

    private static Pods pod(String cpu) {
        return pod("p", cpu);
    }

    private static Pods pod(String name, String cpu) {
        return Pods.named(name).container("c").requests("cpu", cpu);
    }

    private static TopologySpreadConstraint spread(int maxSkew) {
        return new TopologySpreadConstraint(
                maxSkew,
                ZONE,
                "DoNotSchedule",
                Optional.of(new LabelSelector(Map.of("app", "x"), List.of())),
                OptionalInt.empty(),
                "",
                "",
                List.of());
    }

    private static List<ClusterObject> zones(int maxSkew) {
        List<ClusterObject> objects = new ArrayList<>(objects(
                node("a", "8").zone("a").build(),
                node("b", "1").zone("b").build(),
                pod("1500m").label("app", "x").spread(spread(maxSkew)).build()));
        for (int i = 0; i < 3; i++) {
            objects.add(pod("x" + i, "1").label("app", "x").on("a").build());
        }
        return objects;
    }

    static Stream<Case> cases() {
        Node small = node("small", "2").build();
        Node large = node("large", "4").build();
        Node tainted =
                node("tainted", "4").taint("team", "red", Taint.NO_SCHEDULE).build();
        Node labelled = node("labelled", "4").label("disk", "hdd").build();
        NodeSelector.Term ssd =
                new NodeSelector.Term(List.of(new NodeSelector.Requirement("disk", "In", List.of("ssd"))), List.of());
        return Stream.of(
                new Case(
                        "requests as little less as the node with the smallest shortage needs",
                        objects(small, large, pod("5").build()),
                        change(Kind.LOWER_REQUESTS, "cpu 1", "large"),
                        objects(small, large, pod("4").build())),
                new Case(
                        "requests less of everything that is short, in whole Mi",
                        objects(
                                large,
                                pod("4500m").requests("memory", "5000000001").build()),
                        change(Kind.LOWER_REQUESTS, "cpu 500m, memory 673Mi", "large"),
                        objects(large, pod("4").requests("memory", "4294352896").build())),
                new Case(
                        "requests much less, in numbers that are short",
                        objects(
                                large,
                                pod("50850m").requests("memory", "20000000000").build()),
                        change(Kind.LOWER_REQUESTS, "cpu 46.9, memory 15Gi", "large"),
                        objects(
                                large,
                                pod("3950m").requests("memory", "3893872640").build())),
                new Case(
                        "requests less in an init container, too",
                        objects(
                                large,
                                pod("3").initContainer("i").requests("cpu", "6").build()),
                        change(Kind.LOWER_REQUESTS, "cpu 2", "large"),
                        objects(
                                large,
                                pod("3").initContainer("i").requests("cpu", "4").build())),
                new Case(
                        "tolerates a taint",
                        objects(tainted, small, pod("3").build()),
                        change(Kind.TOLERATIONS, "team=red:NoSchedule", "tainted"),
                        objects(
                                tainted,
                                small,
                                pod("3").tolerates("team", "red", Taint.NO_SCHEDULE)
                                        .build())),
                new Case(
                        "selects nodes by fewer labels",
                        objects(labelled, pod("1").nodeSelector("disk", "ssd").build()),
                        change(Kind.NODE_SELECTOR, "disk=ssd", "labelled"),
                        objects(labelled, pod("1").build())),
                new Case(
                        "has no required node affinity",
                        objects(labelled, pod("1").requiresNode(ssd).build()),
                        change(Kind.NODE_AFFINITY, "", "labelled"),
                        objects(labelled, pod("1").build())),
                new Case(
                        "has no required pod affinity",
                        objects(
                                large,
                                pod("1").requiresPodAffinity("kubernetes.io/hostname", "app", "db")
                                        .build()),
                        change(Kind.POD_AFFINITY, "kubernetes.io/hostname", "large"),
                        objects(large, pod("1").build())),
                new Case(
                        "has no required pod anti-affinity",
                        objects(
                                node("a", "4").zone("a").build(),
                                pod("x", "1").label("app", "x").on("a").build(),
                                pod("1").requiresPodAntiAffinity(ZONE, "app", "x")
                                        .build()),
                        change(Kind.POD_ANTI_AFFINITY, ZONE, "a"),
                        objects(
                                node("a", "4").zone("a").build(),
                                pod("x", "1").label("app", "x").on("a").build(),
                                pod("1").build())),
                new Case(
                        "may be spread as much less evenly as it takes",
                        zones(1),
                        change(Kind.TOPOLOGY_SPREAD, ZONE + ": maxSkew 4 instead of 1", "a"),
                        zones(4)),
                new Case(
                        "finds a node uncordoned",
                        objects(node("off", "4").unschedulable().build(), pod("1").build()),
                        change(Kind.UNCORDON, "off", "off"),
                        objects(node("off", "4").build(), pod("1").build())),
                new Case(
                        "finds a node uncordoned that has the taint as well",
                        objects(
                                node("off", "4")
                                        .unschedulable()
                                        .taint("node.kubernetes.io/unschedulable", "", Taint.NO_SCHEDULE)
                                        .build(),
                                pod("1").build()),
                        change(Kind.UNCORDON, "off", "off"),
                        objects(node("off", "4").build(), pod("1").build())),
                new Case(
                        "finds as few pods gone as it takes, the largest first",
                        objects(
                                large,
                                pod("x", "1").on("large").build(),
                                pod("y", "2").on("large").build(),
                                pod("z", "1").on("large").build(),
                                pod("3").build()),
                        change(Kind.FEWER_PODS, "default/y, default/x", "large"),
                        objects(large, pod("z", "1").on("large").build(), pod("3").build())),
                new Case(
                        "finds a pod gone where there are too many",
                        objects(
                                Nodes.named("one").allocatable("pods", "1").build(),
                                Pods.named("x").on("one").build(),
                                Pods.named("p").build()),
                        change(Kind.FEWER_PODS, "default/x", "one"),
                        objects(
                                Nodes.named("one").allocatable("pods", "1").build(),
                                Pods.named("p").build())),
                new Case(
                        "finds the pod gone that has its host port",
                        objects(
                                large,
                                pod("x", "1").hostPort(80).on("large").build(),
                                pod("y", "1").on("large").build(),
                                pod("1").hostPort(80).build()),
                        change(Kind.FEWER_PODS, "default/x", "large"),
                        objects(
                                large,
                                pod("y", "1").on("large").build(),
                                pod("1").hostPort(80).build())));
    }

    private static Pod named(String name, List<ClusterObject> objects) {
        return objects.stream()
                .filter(object -> object instanceof Pod pod && pod.name().equals(name))
                .map(Pod.class::cast)
                .findFirst()
                .orElseThrow();
    }

    private static SimulatedPod simulated(List<ClusterObject> objects) {
        return simulation(objects).run().pods().stream()
                .filter(pod -> pod.pod().name().equals("p"))
                .findFirst()
                .orElseThrow();
    }

    @ParameterizedTest
    @MethodSource("cases")
    void fitsIfIt(Case expected) {
        Explanation explanation = simulation(expected.before).explain(named("p", expected.before));

        assertThat(simulated(expected.before).state()).isEqualTo(State.UNSCHEDULABLE);
        assertThat(explanation.changes()).contains(expected.change);
        assertThat(simulated(expected.after).state()).isEqualTo(State.SCHEDULED);
        assertThat(expected.change.nodes()).contains(simulated(expected.after).nodeName());
    }

    @Test
    void findsNothingForNodesWithTwoFaults() {
        List<ClusterObject> objects = objects(
                node("a", "1").taint("team", "red", Taint.NO_SCHEDULE).build(),
                node("b", "4")
                        .unschedulable()
                        .taint("team", "red", Taint.NO_SCHEDULE)
                        .build(),
                pod("2").build());

        assertThat(simulation(objects).explain(named("p", objects)).changes()).isEmpty();
    }

    @Test
    void findsNothingForAPodThatFits() {
        List<ClusterObject> objects =
                objects(node("a", "1").build(), node("b", "4").build(), pod("2").build());

        assertThat(simulation(objects).explain(named("p", objects)).changes()).isEmpty();
    }

    @Test
    void findsNothingThatDependsOnWhatItDoesNotChange() {
        // With less cpu the anti-affinity of the other pod would still be in the way.
        List<ClusterObject> objects = objects(
                node("a", "4").zone("a").build(),
                pod("x", "1")
                        .label("app", "x")
                        .on("a")
                        .requiresPodAntiAffinity(ZONE, "app", "y")
                        .build(),
                pod("5").label("app", "y").build());

        assertThat(simulation(objects).explain(named("p", objects)).changes()).isEmpty();
    }

    @Test
    void namesGroupsOfNodesRatherThanNodes() {
        List<ClusterObject> objects = new ArrayList<>();
        String[] names = new String[20];
        for (int i = 0; i < names.length; i++) {
            names[i] = "node-" + (char) ('a' + i);
            objects.add(node(names[i], "4")
                    .taint("team", i < 5 ? "red" : "blue", Taint.NO_SCHEDULE)
                    .build());
        }
        objects.add(pod("1").build());

        assertThat(simulation(objects).explain(named("p", objects)).changes())
                .containsExactly(
                        change(Kind.TOLERATIONS, "team=blue:NoSchedule", Arrays.copyOfRange(names, 5, 20)),
                        change(Kind.TOLERATIONS, "team=red:NoSchedule", Arrays.copyOfRange(names, 0, 5)));
    }

    @Test
    void reportsThatTimeRanOut() {
        List<ClusterObject> objects = objects(node("small", "1").build(), pod("2").build());
        try (WhatIf questions = Scheduler.whatIf(objects, CONFIG, REGISTRY);
                Transaction cluster = questions.begin()) {
            Evaluation evaluation = cluster.evaluate(named("p", objects));
            List<Node> nodes = List.of(node("small", "1").build());
            FittingChanges all = new FittingChanges(cluster, nodes, evaluation);
            FittingChanges none = new FittingChanges(cluster, nodes, evaluation).within(Duration.ZERO);

            assertThat(all.all()).containsExactly(change(Kind.LOWER_REQUESTS, "cpu 1", "small"));
            assertThat(all.isComplete()).isTrue();
            assertThat(none.all()).isEmpty();
            assertThat(none.isComplete()).isFalse();
        }
    }
}
