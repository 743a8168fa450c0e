// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.resources;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.GroupKey;
import org.moorage.api.NodeInfo;
import org.moorage.api.Placement;
import org.moorage.api.PodGroupAssignments;
import org.moorage.api.PodGroupInfo;
import org.moorage.api.ProposedAssignment;
import org.moorage.api.Status;
import org.moorage.api.event.ActionType;
import org.moorage.api.event.ClusterEvent;
import org.moorage.api.event.EventResource;
import org.moorage.api.event.Hint;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.DeviceClass;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodCondition;
import org.moorage.api.model.PodStatus;
import org.moorage.api.model.Quantity;
import org.moorage.api.model.SchedulingGroup;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.Plugin;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.Problems;
import org.moorage.api.plugin.builtin.DeviceCounts;
import org.moorage.api.plugin.point.ExtensionPoint;
import org.moorage.builtin.resources.NodeResourcesFit.RequestedToCapacityRatio;
import org.moorage.builtin.resources.NodeResourcesFit.ScoringStrategy;
import org.moorage.builtin.resources.NodeResourcesFit.UtilizationShapePoint;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.PluginTester;
import org.moorage.testkit.Pods;
import org.moorage.testkit.TestScheduler;

class NodeResourcesFitTest {
    private static final PluginTester PLUGIN = plugin(NodeResourcesFit.Args.DEFAULTS);

    private static PluginTester plugin(NodeResourcesFit.Args args) {
        return PluginTester.of(NodeResourcesFit.FACTORY, args);
    }

    private static PluginTester scoring(String type, List<ResourceSpec> resources, UtilizationShapePoint... shape) {
        return plugin(new NodeResourcesFit.Args(List.of(), List.of(), strategy(type, resources, shape)));
    }

    private static ScoringStrategy strategy(String type, List<ResourceSpec> resources, UtilizationShapePoint... shape) {
        return new ScoringStrategy(
                type,
                resources,
                shape.length == 0 ? Optional.empty() : Optional.of(new RequestedToCapacityRatio(List.of(shape))));
    }

    private static Pods pod() {
        return Pods.named("p");
    }

    private static Pods running() {
        return Pods.named("r").on("n");
    }

    private static Nodes node() {
        return Nodes.named("n")
                .allocatable("cpu", "4")
                .allocatable("memory", "8Gi")
                .allocatable("ephemeral-storage", "10Gi");
    }

    private static List<ClusterObject> cluster(Nodes node, Pods... pods) {
        List<ClusterObject> objects = new ArrayList<>();
        objects.add(node.build());
        for (Pods pod : pods) {
            objects.add(pod.build());
        }
        return objects;
    }

    @Nested
    class Filter {
        record Case(String name, Pods pod, List<ClusterObject> cluster, Status status) {
            @Override
            public String toString() {
                return name;
            }
        }

        static final Case[] CASES = {
            new Case("what just fits fits", pod().requests("cpu", "4"), cluster(node()), Status.success()),
            new Case(
                    "a thousandth too much is too much",
                    pod().requests("cpu", "2001m"),
                    cluster(node(), running().requests("cpu", "2")),
                    Status.unschedulable("Insufficient cpu")),
            new Case(
                    "more than the node has cannot be resolved",
                    pod().requests("cpu", "4001m"),
                    cluster(node()),
                    Status.unresolvable("Insufficient cpu")),
            new Case(
                    "memory",
                    pod().requests("memory", "4Gi"),
                    cluster(node(), running().requests("memory", "5Gi")),
                    Status.unschedulable("Insufficient memory")),
            new Case(
                    "ephemeral storage",
                    pod().requests("ephemeral-storage", "11Gi"),
                    cluster(node()),
                    Status.unresolvable("Insufficient ephemeral-storage")),
            new Case(
                    "all reasons are given",
                    pod().requests("cpu", "3").requests("memory", "7Gi").requests("ephemeral-storage", "9Gi"),
                    cluster(
                            node().allocatable("pods", "1"),
                            running()
                                    .requests("cpu", "2")
                                    .requests("memory", "2Gi")
                                    .requests("ephemeral-storage", "2Gi")),
                    Status.unschedulable(
                            "Too many pods",
                            "Insufficient cpu",
                            "Insufficient memory",
                            "Insufficient ephemeral-storage")),
            new Case(
                    "one that cannot be resolved makes all so",
                    pod().requests("cpu", "3").requests("memory", "9Gi"),
                    cluster(node(), running().requests("cpu", "2")),
                    Status.unresolvable("Insufficient cpu", "Insufficient memory")),
            new Case(
                    "a node takes so many pods",
                    pod(),
                    cluster(node().allocatable("pods", "1"), running()),
                    Status.unschedulable("Too many pods")),
            new Case(
                    "a node that takes no pods might some day",
                    pod(),
                    cluster(node().allocatable("pods", "0")),
                    Status.unschedulable("Too many pods")),
            new Case(
                    "who requests nothing fits on an overcommitted node",
                    pod(),
                    cluster(node(), running().requests("cpu", "9")),
                    Status.success()),
            new Case(
                    "who requests no cpu fits where there is none left",
                    pod().requests("memory", "1Gi"),
                    cluster(node(), running().requests("cpu", "9")),
                    Status.success()),
            new Case(
                    "defaults of scoring do not count",
                    pod().requests("cpu", "4").requests("memory", "8Gi"),
                    cluster(node(), running()),
                    Status.success()),
            new Case(
                    "an extended resource that the node has",
                    pod().requests("example.com/gpu", "2"),
                    cluster(node().allocatable("example.com/gpu", "2")),
                    Status.success()),
            new Case(
                    "an extended resource that is used",
                    pod().requests("example.com/gpu", "2"),
                    cluster(
                            node().allocatable("example.com/gpu", "2"),
                            running().requests("example.com/gpu", "1")),
                    Status.unschedulable("Insufficient example.com/gpu")),
            new Case(
                    "an extended resource that the node does not have",
                    pod().requests("example.com/gpu", "1").requests("cpu", "1"),
                    cluster(node()),
                    Status.unresolvable("Insufficient example.com/gpu")),
            new Case(
                    "none of an extended resource",
                    pod().requests("example.com/gpu", "0"),
                    cluster(node()),
                    Status.success()),
            new Case(
                    "many other resources, by name",
                    pod().requests("hugepages-2Mi", "2Mi")
                            .requests("d.example/x", "1")
                            .requests("a.example/x", "1")
                            .requests("c.example/x", "1")
                            .requests("b.example/x", "1"),
                    cluster(node().allocatable("b.example/x", "1")),
                    Status.unresolvable(
                            "Insufficient a.example/x",
                            "Insufficient c.example/x",
                            "Insufficient d.example/x",
                            "Insufficient hugepages-2Mi")),
            new Case(
                    "what nodes do not account for does not count",
                    pod().requests("storage", "1Gi"),
                    cluster(node()),
                    Status.success()),
            new Case(
                    "init containers count by the largest",
                    pod().requests("cpu", "1").initContainer("i").requests("cpu", "5"),
                    cluster(node()),
                    Status.unresolvable("Insufficient cpu")),
            new Case(
                    "sidecars add up with containers",
                    pod().requests("cpu", "3").sidecar("s").requests("cpu", "2"),
                    cluster(node()),
                    Status.unresolvable("Insufficient cpu")),
            new Case(
                    "overhead comes on top",
                    pod().requests("cpu", "4").overhead("cpu", "1m"),
                    cluster(node()),
                    Status.unresolvable("Insufficient cpu")),
            new Case(
                    "requests of the pod as a whole replace those of containers",
                    pod().requests("cpu", "1").podRequests("cpu", "5"),
                    cluster(node()),
                    Status.unresolvable("Insufficient cpu")),
            new Case(
                    "a status of the waiting pod does not count",
                    pod().requests("cpu", "1")
                            .status(status -> status.containerResources(List.of(new PodStatus.ContainerResources(
                                    "main", Optional.of(Map.of("cpu", Quantity.of(9))), Optional.empty())))),
                    cluster(node()),
                    Status.success()),
            new Case(
                    "a status of a running pod counts",
                    pod().requests("cpu", "1"),
                    cluster(
                            node(),
                            running()
                                    .requests("cpu", "1")
                                    .status(status ->
                                            status.containerResources(List.of(new PodStatus.ContainerResources(
                                                    "main",
                                                    Optional.of(Map.of("cpu", Quantity.of(4))),
                                                    Optional.empty()))))),
                    Status.unschedulable("Insufficient cpu")),
        };

        @ParameterizedTest
        @FieldSource("CASES")
        void filters(Case c) {
            PLUGIN.cluster(c.cluster).pod(c.pod.build()).filters("n", c.status);
        }

        @Test
        void answersWithTheSameObjectTwice() {
            Pod pod =
                    pod().requests("cpu", "5").requests("example.com/gpu", "1").build();
            Status status = Status.unresolvable("Insufficient cpu", "Insufficient example.com/gpu");
            try (TestScheduler scheduler = PLUGIN.cluster(cluster(node())).start()) {
                scheduler.pod(pod).rejects("n", status);
                NodeResourcesFit plugin = scheduler.plugin(NodeResourcesFit.class);
                scheduler.inCycle(pod, (state, snapshot) -> {
                    NodeInfo node = snapshot.nodes().get(0);
                    assertThat(plugin.filter(state, pod, node))
                            .isSameAs(plugin.filter(state, pod, node))
                            .isEqualTo(status);
                });
            }
        }

        @Test
        void skipsIgnoredResources() {
            PluginTester plugin = plugin(new NodeResourcesFit.Args(
                            List.of("example.com/gpu", "cpu"),
                            List.of("vendor.example"),
                            NodeResourcesFit.Args.DEFAULTS.scoringStrategy()))
                    .cluster(cluster(node()));
            Pod ignored = pod().requests("example.com/gpu", "1")
                    .requests("vendor.example/x", "1")
                    .build();
            Pod other = pod().requests("example.com/other", "1").build();
            Pod cpu = pod().requests("cpu", "5").build();
            plugin.pod(ignored).accepts("n");
            plugin.pod(other).rejects("n", Status.unresolvable("Insufficient example.com/other"));
            plugin.pod(cpu).rejects("n", Status.unresolvable("Insufficient cpu"));
        }
    }

    @Nested
    class Score {
        private static final List<ResourceSpec> CPU = List.of(new ResourceSpec("cpu", 1));
        private static final List<ResourceSpec> CPU_THREE_TIMES =
                List.of(new ResourceSpec("cpu", 3), new ResourceSpec("memory", 1));
        private static final List<ResourceSpec> GPU_AND_CPU =
                List.of(new ResourceSpec("example.com/gpu", 3), new ResourceSpec("cpu", 1));

        record Case(String name, PluginTester plugin, Pods pod, List<ClusterObject> cluster, long score) {
            @Override
            public String toString() {
                return name;
            }
        }

        static final Case[] CASES = {
            new Case(
                    "least: what is left counts",
                    PLUGIN,
                    pod().requests("cpu", "1").requests("memory", "4Gi"),
                    cluster(node(), running().requests("cpu", "1").requests("memory", "2Gi")),
                    37),
            new Case("least: weights", least(CPU_THREE_TIMES), halfCpu(), cluster(node()), 62),
            new Case(
                    "least: overcommitted is 0",
                    least(CPU),
                    pod().requests("cpu", "3"),
                    cluster(node(), running().requests("cpu", "3")),
                    0),
            new Case("least: defaults for who requests nothing", least(CPU), pod(), cluster(node(), running()), 95),
            new Case(
                    "least: an explicit 0 has no default",
                    least(CPU),
                    pod().requests("cpu", "0"),
                    cluster(node(), running()),
                    97),
            new Case(
                    "least: a resource that the node does not have is ignored",
                    least(GPU_AND_CPU),
                    halfCpu().requests("example.com/gpu", "1"),
                    cluster(node()),
                    50),
            new Case(
                    "least: so is one that the pod does not request",
                    least(GPU_AND_CPU),
                    halfCpu(),
                    cluster(node().allocatable("example.com/gpu", "4")),
                    50),
            new Case(
                    "least: a requested one counts",
                    least(GPU_AND_CPU),
                    halfCpu().requests("example.com/gpu", "1"),
                    cluster(node().allocatable("example.com/gpu", "4")),
                    68),
            new Case("least: nothing to count is 0", least(CPU), pod(), cluster(Nodes.named("n")), 0),
            new Case(
                    "least: requests of the pod as a whole do not count",
                    least(CPU),
                    pod().requests("cpu", "1").podRequests("cpu", "4"),
                    cluster(node()),
                    75),
            new Case("most: what is used counts", most(CPU_THREE_TIMES), halfCpu(), cluster(node()), 37),
            new Case(
                    "most: overcommitted is 100",
                    most(CPU),
                    pod().requests("cpu", "3"),
                    cluster(node(), running().requests("cpu", "3")),
                    100),
            new Case("shape: a point", shaped(CPU), halfCpu(), cluster(node()), 40),
            new Case("shape: between points", shaped(CPU), pod().requests("cpu", "1"), cluster(node()), 20),
            new Case("shape: below the first point", fromForty(CPU), pod().requests("cpu", "1"), cluster(node()), 30),
            new Case("shape: above the last point", fromForty(CPU), pod().requests("cpu", "4"), cluster(node()), 70),
            new Case(
                    "shape: overcommitted is as full",
                    shaped(CPU),
                    pod().requests("cpu", "3"),
                    cluster(node(), running().requests("cpu", "3")),
                    100),
            new Case(
                    "shape: what scores 0 has no weight",
                    shaped(CPU_THREE_TIMES),
                    pod().requests("cpu", "0").requests("memory", "4Gi"),
                    cluster(node()),
                    40),
            new Case(
                    "shape: rounds the mean",
                    shaped(List.of(new ResourceSpec("cpu", 1), new ResourceSpec("memory", 1))),
                    pod().requests("cpu", "2").requests("memory", "3Gi"),
                    cluster(node()),
                    35),
        };

        private static Pods halfCpu() {
            return pod().requests("cpu", "2").requests("memory", "0");
        }

        private static PluginTester least(List<ResourceSpec> resources) {
            return scoring(ScoringStrategy.LEAST_ALLOCATED, resources);
        }

        private static PluginTester most(List<ResourceSpec> resources) {
            return scoring(ScoringStrategy.MOST_ALLOCATED, resources);
        }

        private static PluginTester shaped(List<ResourceSpec> resources) {
            return scoring(
                    ScoringStrategy.REQUESTED_TO_CAPACITY_RATIO,
                    resources,
                    new UtilizationShapePoint(0, 0),
                    new UtilizationShapePoint(50, 4),
                    new UtilizationShapePoint(100, 10));
        }

        private static PluginTester fromForty(List<ResourceSpec> resources) {
            return scoring(
                    ScoringStrategy.REQUESTED_TO_CAPACITY_RATIO,
                    resources,
                    new UtilizationShapePoint(40, 3),
                    new UtilizationShapePoint(60, 7));
        }

        // Filter is disabled: scores are also checked where the pod would not fit.
        @ParameterizedTest
        @FieldSource("CASES")
        void scores(Case c) {
            c.plugin
                    .disabledAt(ExtensionPoint.FILTER)
                    .cluster(c.cluster)
                    .pod(c.pod.build())
                    .scores("n", c.score);
        }

        @ParameterizedTest
        @FieldSource("CASES")
        void scoresWithoutPreScore(Case c) {
            c.plugin
                    .disabledAt(ExtensionPoint.FILTER)
                    .disabledAt(ExtensionPoint.PRE_SCORE)
                    .cluster(c.cluster)
                    .pod(c.pod.build())
                    .scores("n", c.score);
        }
    }

    @Nested
    class ScorePlacement {
        private static final String GPU = "nvidia.com/gpu";
        private static final List<ResourceSpec> CPU_AND_MEMORY =
                List.of(new ResourceSpec("cpu", 1), new ResourceSpec("memory", 1));
        private static final List<ResourceSpec> WITH_GPU =
                List.of(new ResourceSpec("cpu", 1), new ResourceSpec("memory", 1), new ResourceSpec(GPU, 1));

        /**
         * A placement of the nodes n1 and n2, of 5 cores and 5,000 bytes each.
         *
         * @param others what else is in the cluster
         */
        record Case(
                String name,
                List<ResourceSpec> resources,
                List<Pods> proposed,
                List<ClusterObject> others,
                long score) {
            @Override
            public String toString() {
                return name;
            }
        }

        private static Nodes node(String name) {
            return Nodes.named(name)
                    .allocatable("cpu", "5")
                    .allocatable("memory", "5000")
                    .allocatable(GPU, "5");
        }

        private static Pods pod(String name, String cpu, String memory, String gpus) {
            return Pods.named(name)
                    .requests("cpu", cpu)
                    .requests("memory", memory)
                    .requests(GPU, gpus);
        }

        private static final List<Pods> PROPOSED = List.of(pod("a", "1", "0", "0"), pod("b", "2", "2000", "0"));

        static final Case[] CASES = {
            // cpu 3 of 10, memory 2,000 of 10,000
            new Case("the sum of all requests", CPU_AND_MEMORY, PROPOSED, List.of(), 25),
            new Case(
                    "weights",
                    List.of(new ResourceSpec("cpu", 4), new ResourceSpec("memory", 1)),
                    PROPOSED,
                    List.of(),
                    28),
            new Case(
                    "nodes that are not in the placement do not count",
                    CPU_AND_MEMORY,
                    PROPOSED,
                    List.of(node("n3").build(), pod("c", "1", "0", "0").on("n3").build()),
                    25),
            new Case(
                    "pods that are there count",
                    CPU_AND_MEMORY,
                    PROPOSED,
                    List.of(pod("c", "1", "0", "0").on("n1").build()),
                    30),
            new Case(
                    "a scalar resource counts if one pod requests it",
                    WITH_GPU,
                    List.of(pod("a", "1", "0", "0"), pod("b", "1", "2000", "1")),
                    List.of(pod("c", "1", "0", "0").on("n1").build()),
                    20),
            new Case(
                    "a scalar resource that no pod requests does not count",
                    WITH_GPU,
                    List.of(pod("a", "1", "0", "0"), pod("b", "1", "2000", "0")),
                    List.of(pod("c", "1", "0", "1").on("n1").build()),
                    25),
            new Case(
                    "pods without requests count with what scoring takes for them",
                    List.of(new ResourceSpec("cpu", 1)),
                    List.of(Pods.named("a"), Pods.named("b")),
                    List.of(Pods.named("c").on("n2").build()),
                    3),
            new Case(
                    "more than there is counts as all there is",
                    List.of(new ResourceSpec("cpu", 1)),
                    List.of(pod("a", "11", "0", "0")),
                    List.of(),
                    100),
            new Case(
                    "a resource that no node has does not count",
                    List.of(new ResourceSpec("cpu", 1), new ResourceSpec("example.com/none", 1)),
                    List.of(pod("a", "5", "0", "0").requests("example.com/none", "1")),
                    List.of(),
                    50),
        };

        @ParameterizedTest
        @FieldSource("CASES")
        void prefersThoseThatAreFuller(Case c) {
            for (String type : List.of(ScoringStrategy.LEAST_ALLOCATED, ScoringStrategy.MOST_ALLOCATED)) {
                PluginTester tester = scoring(type, c.resources)
                        .cluster(node("n1").build(), node("n2").build())
                        .cluster(c.others);
                AtomicLong score = new AtomicLong();
                try (TestScheduler scheduler = tester.start()) {
                    scheduler.inCycle(Pods.named("asking").build(), (state, snapshot) -> {
                        List<NodeInfo> nodes = new ArrayList<>(snapshot.nodes());
                        nodes.removeIf(node -> node.name().equals("n3"));
                        List<ProposedAssignment> assignments = new ArrayList<>();
                        for (Pods pod : c.proposed) {
                            assignments.add(ProposedAssignment.of(pod.build(), "n1", state));
                        }
                        score.set(scheduler
                                .plugin(NodeResourcesFit.class)
                                .scorePlacement(
                                        state,
                                        NO_GROUP,
                                        PodGroupAssignments.of(Placement.of("p", nodes), assignments)));
                    });
                }
                assertThat(score.get()).as(type).isEqualTo(c.score);
            }
        }

        private static final PodGroupInfo NO_GROUP = new PodGroupInfo() {
            @Override
            public GroupKey key() {
                return GroupKey.podGroup("default", "g");
            }

            @Override
            public SchedulingGroup group() {
                throw new UnsupportedOperationException("group");
            }

            @Override
            public List<Pod> unscheduledPods() {
                return List.of();
            }

            @Override
            public List<PodGroupInfo> children() {
                return List.of();
            }
        };
    }

    @Nested
    class Devices {
        private static final DeviceClass GPUS =
                new DeviceClass(ObjectMeta.named("gpu").build(), List.of(), List.of(), "example.com/gpu");
        private static final FeatureGates OFF = FeatureGates.DEFAULTS.with(FeatureGates.DRA_EXTENDED_RESOURCE, false);

        record Case(String name, Pods pod, Nodes node, FeatureGates features, long least) {
            @Override
            public String toString() {
                return name;
            }
        }

        // There are 8 devices on every node, of which 3 are taken.
        static final Case[] CASES = {
            new Case("devices count", wanting("example.com/gpu"), node(), FeatureGates.DEFAULTS, 50),
            new Case(
                    "so they do by the name of their class",
                    wanting("deviceclass.resource.kubernetes.io/gpu"),
                    node(),
                    FeatureGates.DEFAULTS,
                    50),
            new Case(
                    "the node's own resource counts instead",
                    wanting("example.com/gpu"),
                    node().allocatable("example.com/gpu", "4"),
                    FeatureGates.DEFAULTS,
                    75),
            new Case("no pod requests devices", pod(), node(), FeatureGates.DEFAULTS, 0),
            new Case("no class stands for the resource", wanting("example.com/nic"), node(), FeatureGates.DEFAULTS, 0),
            new Case("the feature is off", wanting("example.com/gpu"), node(), OFF, 0),
        };

        private static Pods wanting(String resource) {
            return pod().requests(resource, "1");
        }

        @ParameterizedTest
        @FieldSource("CASES")
        void scores(Case c) {
            Pod pod = c.pod.build();
            String resource = pod.requests().scalarCount() == 0
                    ? "example.com/gpu"
                    : pod.requests().scalarName(0);
            PluginTester plugin = scoring(ScoringStrategy.LEAST_ALLOCATED, List.of(new ResourceSpec(resource, 1)))
                    .beside(new EightDevices.Factory())
                    .disabledAt(ExtensionPoint.FILTER)
                    .features(c.features)
                    .cluster(GPUS, c.node.build());
            plugin.pod(pod).scores("n", c.least);
            plugin.disabledAt(ExtensionPoint.PRE_SCORE).pod(pod).scores("n", c.least);
        }

        @Test
        void areAmountsWhileTheFeatureIsOff() {
            PLUGIN.features(OFF)
                    .cluster(GPUS, node().build())
                    .registers(
                            "AssignedPodDelete",
                            "NodeAdd|UpdateNodeAllocatable",
                            "AssignedPodUpdatePodScaleDown",
                            "TargetPodUpdatePodScaleDown")
                    .pod(wanting("example.com/gpu").build())
                    .rejects("n", Status.unresolvable("Insufficient example.com/gpu"));
        }

        /** Stands for DynamicResources, which knows the devices of each node. It may be made later. */
        private record EightDevices() implements Plugin {
            @Override
            public String name() {
                return "EightDevices";
            }

            private record Factory() implements PluginFactory<PluginArgs.None> {
                @Override
                public String name() {
                    return "EightDevices";
                }

                @Override
                public Class<PluginArgs.None> argsType() {
                    return PluginArgs.None.class;
                }

                @Override
                public Plugin create(PluginArgs.None args, Handle handle) {
                    handle.shared(
                            DeviceCounts.SHARED,
                            () -> (deviceClass, nodes) ->
                                    Collections.nCopies(nodes.size(), new DeviceCounts.Count(8, 3)));
                    return new EightDevices();
                }
            }
        }
    }

    @Nested
    class Resizes {
        private static final PluginTester RESIZING = PLUGIN.features(
                FeatureGates.DEFAULTS.with(FeatureGates.IN_PLACE_POD_VERTICAL_SCALING_SCHEDULER_PREEMPTION, true));
        private static final PodCondition DEFERRED =
                new PodCondition("PodResizePending", "True", "Deferred", "no room", 1);

        private static Pods resized() {
            return Pods.named("p").on("n").status(status -> status.conditions(List.of(DEFERRED)));
        }

        private static Pods before() {
            return Pods.named("p").on("n");
        }

        private static Nodes four() {
            return Nodes.named("n")
                    .allocatable("cpu", "4")
                    .allocatable("example.com/gpu", "4")
                    .allocatable("pods", "9");
        }

        record Case(String name, Pods pod, List<Pods> there, Nodes node, Status status) {
            @Override
            public String toString() {
                return name;
            }
        }

        static final Case[] CASES = {
            new Case(
                    "what it has already is not needed again",
                    resized().requests("cpu", "2"),
                    List.of(before().requests("cpu", "1"), running().requests("cpu", "2")),
                    four(),
                    Status.success()),
            new Case(
                    "what it wants more may not be there",
                    resized().requests("cpu", "3"),
                    List.of(before().requests("cpu", "1"), running().requests("cpu", "2")),
                    four(),
                    Status.unschedulable("Insufficient cpu")),
            new Case(
                    "a node may be too small for all of it",
                    resized().requests("cpu", "5"),
                    List.of(before().requests("cpu", "1")),
                    four(),
                    Status.unresolvable("Insufficient cpu")),
            new Case(
                    "only the additional devices decide whether a node is too small",
                    resized().requests("example.com/gpu", "5"),
                    List.of(before().requests("example.com/gpu", "3")),
                    four(),
                    Status.unschedulable("Insufficient example.com/gpu")),
            new Case(
                    "a node that counts the resize already must not give more than it has",
                    resized().requests("cpu", "3"),
                    List.of(resized().requests("cpu", "3"), running().requests("cpu", "2")),
                    four(),
                    Status.unschedulable("Insufficient cpu")),
            new Case(
                    "a full node takes one more pod for itself",
                    resized().requests("cpu", "1"),
                    List.of(before().requests("cpu", "1")),
                    four().allocatable("pods", "1"),
                    Status.unschedulable("Too many pods")),
            new Case(
                    "what a node does not know of is needed whole",
                    resized().requests("cpu", "3"),
                    List.of(running().requests("cpu", "2")),
                    four(),
                    Status.unschedulable("Insufficient cpu")),
        };

        @ParameterizedTest
        @FieldSource("CASES")
        void needWhatTheirNodeDoesNotCount(Case c) {
            PluginTester plugin = RESIZING.cluster(c.node.build());
            for (Pods there : c.there) {
                plugin = plugin.cluster(there.build());
            }
            plugin.pod(c.pod.build()).filters("n", c.status);
        }

        @Test
        void needAllOfItWithoutTheFeature() {
            PLUGIN.cluster(four().build(), before().requests("cpu", "2").build())
                    .pod(resized().requests("cpu", "3").build())
                    .filters("n", Status.unschedulable("Insufficient cpu"));
        }

        record Change(String name, ObjectChange<? extends ClusterObject> change, Hint resized, Hint waiting) {
            @Override
            public String toString() {
                return name;
            }
        }

        private static ObjectChange<? extends ClusterObject> onNode(String node, String before, String after) {
            return ObjectChange.updated(
                    Pods.named("r").on(node).requests("cpu", before).build(),
                    Pods.named("r").on(node).requests("cpu", after).build());
        }

        static final Change[] CHANGES = {
            new Change(
                    "a pod of its node is gone", ObjectChange.deleted(running().build()), Hint.QUEUE, Hint.QUEUE),
            new Change(
                    "a pod of another node is gone",
                    ObjectChange.deleted(Pods.named("r").on("m").build()),
                    Hint.SKIP,
                    Hint.QUEUE),
            new Change("a pod of its node reduces its cpu", onNode("n", "2", "1"), Hint.QUEUE, Hint.QUEUE),
            new Change("a pod of another node does", onNode("m", "2", "1"), Hint.SKIP, Hint.QUEUE),
            new Change("a pod of its node takes cpu", onNode("n", "1", "2"), Hint.QUEUE, Hint.SKIP),
            new Change("a pod of another node takes cpu", onNode("m", "1", "2"), Hint.SKIP, Hint.SKIP),
            new Change("its node comes", ObjectChange.added(four().build()), Hint.QUEUE, Hint.QUEUE),
            new Change(
                    "another node comes",
                    ObjectChange.added(Nodes.named("m").allocatable("cpu", "4").build()),
                    Hint.SKIP,
                    Hint.QUEUE),
        };

        @ParameterizedTest
        @FieldSource("CHANGES")
        void areTriedAgainForTheirOwnNode(Change c) {
            RESIZING.pod(resized().requests("cpu", "2").build()).hint(c.change, c.resized);
            RESIZING.pod(pod().requests("cpu", "2").build()).hint(c.change, c.waiting);
        }
    }

    @Nested
    class Events {
        private static final Pod POD =
                pod().requests("cpu", "2").requests("example.com/gpu", "1").build();
        private static final Pod NOTHING = pod().build();

        record Case(String name, Pod pod, ObjectChange<? extends ClusterObject> change, Hint hint) {
            @Override
            public String toString() {
                return name;
            }
        }

        static final Case[] PODS = {
            new Case(
                    "a pod that ran is gone",
                    POD,
                    ObjectChange.deleted(running().build()),
                    Hint.QUEUE),
            new Case(
                    "a pod that was nominated is gone",
                    POD,
                    ObjectChange.deleted(Pods.named("r").nominatedTo("n").build()),
                    Hint.QUEUE),
            new Case("the pod itself requests less", POD, ObjectChange.updated(POD, NOTHING), Hint.QUEUE),
            new Case("a running pod reduces its cpu", POD, fromTo("cpu", "2", "1"), Hint.QUEUE),
            new Case("a running pod reduces its memory", POD, fromTo("memory", "2", "1"), Hint.SKIP),
            new Case("a running pod releases a device", POD, fromTo("example.com/gpu", "2", "1"), Hint.QUEUE),
        };

        static final Case[] NODES = {
            new Case("a new node on which it fits", POD, ObjectChange.added(big("4").build()), Hint.QUEUE),
            new Case("a new node that is too small", POD, ObjectChange.added(big("1").build()), Hint.SKIP),
            new Case(
                    "a new node that takes no pods",
                    NOTHING,
                    ObjectChange.added(big("4").allocatable("pods", "0").build()),
                    Hint.SKIP),
            new Case("a node with more cpu", POD, resized(big("2"), big("4")), Hint.QUEUE),
            new Case("a node with less cpu", POD, resized(big("4"), big("3")), Hint.SKIP),
            new Case("a node with more cpu, still too little", POD, resized(big("1"), big("1500m")), Hint.SKIP),
            new Case(
                    "a node with more of something else",
                    POD,
                    resized(big("4"), big("4").allocatable("memory", "1Gi")),
                    Hint.SKIP),
            new Case(
                    "a node that takes more pods",
                    NOTHING,
                    resized(big("4").allocatable("pods", "5"), big("4").allocatable("pods", "6")),
                    Hint.QUEUE),
            new Case("more cpu, for who requests nothing", NOTHING, resized(big("2"), big("4")), Hint.SKIP),
        };

        record Unasked(String name, ObjectChange<? extends ClusterObject> change) {
            @Override
            public String toString() {
                return name;
            }
        }

        static final Unasked[] UNASKED = {
            new Unasked(
                    "a pending pod is deleted",
                    ObjectChange.deleted(Pods.named("r").build())),
            new Unasked("a pod that runs takes cpu", fromTo("cpu", "1", "2")),
            new Unasked(
                    "another pending pod requests less",
                    ObjectChange.updated(
                            Pods.named("r").requests("cpu", "2").build(),
                            Pods.named("r").requests("cpu", "1").build())),
        };

        @ParameterizedTest
        @FieldSource("UNASKED")
        void isNotAskedAboutWhatIsNoEvent(Unasked c) {
            PLUGIN.pod(POD).isNotAskedAbout(c.change);
        }

        private static Nodes big(String cpu) {
            return Nodes.named("n").allocatable("cpu", cpu).allocatable("example.com/gpu", "4");
        }

        private static ObjectChange<? extends ClusterObject> resized(Nodes before, Nodes after) {
            return ObjectChange.updated(before.build(), after.build());
        }

        private static ObjectChange<? extends ClusterObject> fromTo(String resource, String before, String after) {
            return ObjectChange.updated(
                    running().requests(resource, before).build(),
                    running().requests(resource, after).build());
        }

        @ParameterizedTest
        @FieldSource("PODS")
        void hintsAfterPods(Case c) {
            PLUGIN.pod(c.pod).hint(c.change, c.hint);
        }

        @ParameterizedTest
        @FieldSource("NODES")
        void hintsAfterNodes(Case c) {
            PLUGIN.pod(c.pod).hint(c.change, c.hint);
        }

        @Test
        void waitsForPodsNodesAndClassesOfDevices() {
            Set<ActionType> addAndUpdate = EnumSet.copyOf(ActionType.UPDATE);
            addAndUpdate.add(ActionType.ADD);
            PLUGIN.registers(
                    "AssignedPodDelete",
                    "NodeAdd|UpdateNodeAllocatable",
                    ClusterEvent.of(EventResource.DEVICE_CLASS, addAndUpdate).label(),
                    "AssignedPodUpdatePodScaleDown",
                    "TargetPodUpdatePodScaleDown");
        }
    }

    @Nested
    class Args {
        private static final String TYPES = " (expected: LeastAllocated, MostAllocated or RequestedToCapacityRatio)";

        record Case(String name, NodeResourcesFit.Args args, String... problems) {
            @Override
            public String toString() {
                return name;
            }
        }

        static final Case[] CASES = {
            new Case("the defaults", NodeResourcesFit.Args.DEFAULTS),
            new Case(
                    "a type that is not known",
                    with(strategy("Fancy", List.of())),
                    "scoringStrategy.type: \"Fancy\"" + TYPES),
            new Case("a strategy without a type", with(ScoringStrategy.DEFAULTS), "scoringStrategy.type: \"\"" + TYPES),
            new Case(
                    "weights",
                    with(strategy(
                            ScoringStrategy.MOST_ALLOCATED,
                            List.of(new ResourceSpec("cpu", 101), new ResourceSpec("memory", -5)))),
                    "scoringStrategy.resources[0].weight: 101 (expected: 1 to 100)",
                    "scoringStrategy.resources[1].weight: -5 (expected: 1 to 100)"),
            new Case(
                    "no shape",
                    with(strategy(ScoringStrategy.REQUESTED_TO_CAPACITY_RATIO, List.of())),
                    "scoringStrategy.requestedToCapacityRatio: missing (expected: a shape, for type"
                            + " RequestedToCapacityRatio)"),
            new Case(
                    "a shape for another type",
                    with(strategy(ScoringStrategy.LEAST_ALLOCATED, List.of(), new UtilizationShapePoint(0, 1))),
                    "scoringStrategy.requestedToCapacityRatio: present (expected: nothing, unless type is"
                            + " RequestedToCapacityRatio)"),
            new Case(
                    "an empty shape",
                    with(new ScoringStrategy(
                            ScoringStrategy.REQUESTED_TO_CAPACITY_RATIO,
                            List.of(),
                            Optional.of(RequestedToCapacityRatio.DEFAULTS))),
                    "scoringStrategy.requestedToCapacityRatio.shape: missing (expected: at least one point)"),
            new Case(
                    "points",
                    with(strategy(
                            ScoringStrategy.REQUESTED_TO_CAPACITY_RATIO,
                            List.of(),
                            new UtilizationShapePoint(101, 11),
                            new UtilizationShapePoint(50, -1))),
                    "scoringStrategy.requestedToCapacityRatio.shape[0].utilization: 101 (expected: 0 to 100)",
                    "scoringStrategy.requestedToCapacityRatio.shape[0].score: 11 (expected: 0 to 10)",
                    "scoringStrategy.requestedToCapacityRatio.shape[1].utilization: 50 (expected: more than in the"
                            + " point before)",
                    "scoringStrategy.requestedToCapacityRatio.shape[1].score: -1 (expected: 0 to 10)"),
            new Case(
                    "ignored resources",
                    new NodeResourcesFit.Args(
                            List.of("example.com/ok", "a b"),
                            List.of("example.com", "a/b"),
                            NodeResourcesFit.Args.DEFAULTS.scoringStrategy()),
                    "ignoredResources[1]: \"a b\" (expected: letters, digits, '-', '_' and '.', at most 63, with an"
                            + " optional prefix such as example.com/)",
                    "ignoredResourceGroups[1]: \"a/b\" (expected: a prefix without '/')"),
        };

        private static NodeResourcesFit.Args with(ScoringStrategy strategy) {
            return new NodeResourcesFit.Args(List.of(), List.of(), strategy);
        }

        @ParameterizedTest
        @FieldSource("CASES")
        void validates(Case c) {
            Problems problems = Problems.collector();
            c.args.validate(problems);
            assertThat(problems.all()).extracting(Object::toString).containsExactly(c.problems);
        }

        @Test
        void fillsIn() {
            assertThat(new ResourceSpec("cpu", 0).weight()).isEqualTo(1);
            assertThat(strategy(ScoringStrategy.MOST_ALLOCATED, List.of()).resources())
                    .containsExactly(new ResourceSpec("cpu", 1), new ResourceSpec("memory", 1));
        }
    }

    @Test
    void roundsRequestsUp() {
        PLUGIN.cluster(cluster(node(), running().requests("cpu", "3999500u")))
                .pod(pod().requests("cpu", "500u").build())
                .rejects("n", Status.unschedulable("Insufficient cpu"));
    }
}
