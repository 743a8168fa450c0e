// SPDX-License-Identifier: Apache-2.0
package org.moorage.testkit;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.Placement;
import org.moorage.api.PlacementProgress;
import org.moorage.api.PodGroupInfo;
import org.moorage.api.Snapshot;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.CompositePodGroup;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodCondition;
import org.moorage.api.model.PodGroup;
import org.moorage.api.model.SchedulingGroup;
import org.moorage.api.plugin.Plugin;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.group.PlacementFeasiblePlugin;
import org.moorage.api.plugin.group.PlacementFeasibleResult;
import org.moorage.api.plugin.group.PlacementGeneratePlugin;
import org.moorage.api.plugin.group.PlacementGenerateResult;
import org.moorage.api.plugin.group.PlacementScorePlugin;
import org.moorage.api.plugin.group.PodGroupPostFilterPlugin;
import org.moorage.testkit.TestScheduler.GroupAttempt;

/**
 * The contract of a plugin for groups: equal groups get equal results, the scheduler accepts all results, placements
 * consist of the given nodes, and a feasible placement stays feasible.
 */
final class GroupContract {
    private static final FeatureGates FEATURES = FeatureGates.DEFAULTS
            .with(FeatureGates.GENERIC_WORKLOAD, true)
            .with(FeatureGates.TOPOLOGY_AWARE_WORKLOAD_SCHEDULING, true)
            .with(FeatureGates.COMPOSITE_POD_GROUP, true);
    // The methods whose results do not depend on the nodes of the pods, which the scheduler chooses at random among the
    // best.
    private static final Set<String> REPEATED = Set.of("generatePlacements", "placementFeasible");

    private final Set<String> violations;

    GroupContract(Set<String> violations) {
        this.violations = violations;
    }

    /**
     * A group to test the plugin with.
     *
     * @param members its pods, or those of all groups below it
     * @param others the groups below it
     * @param onlyNode the only available node; empty if all nodes are available
     */
    private record Sample(
            SchedulingGroup group, List<Pod> members, List<ClusterObject> others, Optional<String> onlyNode) {}

    private static List<Sample> samples(List<ClusterObject> objects) {
        List<Sample> samples = new ArrayList<>();
        samples.add(sample(PodGroups.named("basic").build(), Optional.empty()));
        samples.add(sample(PodGroups.named("gang").gang(2).build(), Optional.empty()));
        samples.add(sample(
                PodGroups.named("zoned")
                        .gang(2)
                        .topologyKey("topology.kubernetes.io/zone")
                        .build(),
                Optional.empty()));
        samples.add(sample(PodGroups.named("left-out").gang(2).build(), Optional.of("none")));
        PodGroup first = PodGroups.named("first").parent("tree").gang(2).build();
        PodGroup second = PodGroups.named("second").parent("tree").build();
        List<Pod> members = new ArrayList<>(members(first));
        members.addAll(members(second));
        samples.add(new Sample(
                CompositePodGroup.of(ObjectMeta.named("tree")
                                .namespace("default")
                                .uid("tree")
                                .build())
                        .gang(2)
                        .build(),
                members,
                List.of(first, second),
                Optional.empty()));
        for (ClusterObject object : objects) {
            if (object instanceof PodGroup group && group.parentName().isEmpty()) {
                samples.add(sample(group, Optional.empty()));
            }
        }
        return samples;
    }

    private static Sample sample(PodGroup group, Optional<String> onlyNode) {
        return new Sample(group, members(group), List.of(), onlyNode);
    }

    private static List<Pod> members(PodGroup group) {
        List<Pod> members = new ArrayList<>();
        for (int i = 0; i < Math.max(2, group.minimum()); i++) {
            members.add(Pods.named(group.name() + "-" + i)
                    .namespace(group.namespace())
                    .podGroup(group.name())
                    .priority(group.priority())
                    .requests("cpu", "100m")
                    .build());
        }
        return members;
    }

    /** Returns whether a plugin is for groups. */
    static boolean isAbout(Plugin plugin) {
        return plugin instanceof PlacementGeneratePlugin
                || plugin instanceof PlacementFeasiblePlugin
                || plugin instanceof PlacementScorePlugin
                || plugin instanceof PodGroupPostFilterPlugin;
    }

    /**
     * Checks a plugin.
     *
     * @param tester a tester of the plugin, with a cluster
     * @param objects objects of the cluster; the plugin is tested with each pod group among them
     */
    void verify(Plugin plugin, PluginTester tester, List<ClusterObject> objects) {
        PluginTester groups =
                tester.features(FEATURES).beside(PluginFactory.of(Gangs.NAME, Gangs.class, handle -> new Gangs()));
        if (!(plugin instanceof PlacementGeneratePlugin)) {
            // Provides several placements to choose from.
            groups = groups.beside(PluginFactory.of(EachNode.NAME, EachNode.class, handle -> new EachNode()));
        }
        for (Sample sample : samples(objects)) {
            verify(groups.cluster(sample.others), sample);
        }
    }

    private void verify(PluginTester groups, Sample sample) {
        try (TestScheduler first = groups.start();
                TestScheduler second = groups.start()) {
            GroupAttempt attempt = attempt(first, sample);
            List<String> texts = texts(attempt, false);
            if (!texts.equals(texts(attempt(second, sample), false))) {
                violations.add("other answers from a second plugin for group " + sample.group.name());
            }
            verifyAnswers(sample, attempt);
            sample.members.forEach(first.cluster()::remove);
            first.cluster().remove(sample.group);
            if (!texts(attempt, true).equals(texts(attempt(first, sample), true))) {
                violations.add("other answers the second time for group " + sample.group.name());
            }
        }
    }

    private static GroupAttempt attempt(TestScheduler scheduler, Sample sample) {
        return scheduler.attempt(sample.group, sample.members, sample.onlyNode);
    }

    private static List<String> texts(GroupAttempt attempt, boolean isRepeated) {
        return attempt.answers().stream()
                .filter(answer -> !isRepeated || REPEATED.contains(answer.method()))
                .map(PluginCall::text)
                .toList();
    }

    private void verifyAnswers(Sample sample, GroupAttempt attempt) {
        boolean hasThrown = false;
        Set<CycleState> feasible = new HashSet<>();
        for (PluginCall answer : attempt.answers()) {
            if (answer.thrown() != null) {
                hasThrown = true;
                violations.add("fails for group " + group(sample, answer) + ": " + answer.thrown());
            } else if (answer.value() instanceof PlacementGenerateResult result) {
                verifyPlacements(
                        group(sample, answer), (Placement) answer.arguments().get(2), result);
            } else if (answer.value() instanceof PlacementFeasibleResult result) {
                CycleState placement = (CycleState) answer.arguments().get(0);
                boolean isFeasible = result.outcome() == PlacementFeasibleResult.Outcome.FEASIBLE;
                if (isFeasible) {
                    feasible.add(placement);
                } else if (feasible.contains(placement)) {
                    violations.add("takes back that a placement is feasible for group " + group(sample, answer));
                }
            }
        }
        for (PodGroup group : attempt.podGroups()) {
            Optional<PodCondition> condition = group.initiallyScheduled();
            if (!hasThrown && condition.isPresent() && condition.get().reason().equals("SchedulerError")) {
                violations.add("is refused by the scheduler for group " + sample.group.name() + ": "
                        + condition.get().message());
            }
        }
    }

    private static String group(Sample sample, PluginCall answer) {
        return answer.arguments().stream()
                .filter(PodGroupInfo.class::isInstance)
                .findFirst()
                .map(info -> ((PodGroupInfo) info).key().name())
                .orElse(sample.group.name());
    }

    private void verifyPlacements(String group, Placement parent, PlacementGenerateResult result) {
        Map<String, NodeInfo> choice = new HashMap<>();
        parent.nodes().forEach(node -> choice.put(node.name(), node));
        Set<String> names = new HashSet<>();
        for (Placement placement : result.placements()) {
            String what = "placement \"" + placement.name() + "\" for group " + group + ": ";
            if (!names.add(placement.name())) {
                violations.add(what + "twice");
            }
            int last = -1;
            for (NodeInfo node : placement.nodes()) {
                if (!choice.containsKey(node.name())) {
                    violations.add(what + "has node " + node.name() + ", which is none of the parent's");
                } else if (node.index() <= last) {
                    violations.add(what + "its nodes are not ordered by their index");
                }
                last = node.index();
            }
        }
    }

    /** Rejects a placement in which too few pods of a group get a node, as GangScheduling does. */
    private record Gangs() implements PlacementFeasiblePlugin {
        private static final String NAME = "PluginTesterGangs";

        @Override
        public String name() {
            return NAME;
        }

        @Override
        public PlacementFeasibleResult placementFeasible(
                CycleState state, PodGroupInfo group, PlacementProgress progress) {
            int wanted = group.group().minimum();
            if (progress.scheduled() >= wanted) {
                return PlacementFeasibleResult.feasible();
            }
            return progress.scheduled() + progress.remaining() < wanted
                    ? PlacementFeasibleResult.unschedulable("too few")
                    : PlacementFeasibleResult.waiting("too few yet");
        }
    }

    /** Generates a placement for each node, and one for all nodes. */
    private record EachNode() implements PlacementGeneratePlugin {
        private static final String NAME = "PluginTesterPlacements";

        @Override
        public String name() {
            return NAME;
        }

        @Override
        public PlacementGenerateResult generatePlacements(
                CycleState state, PodGroupInfo group, Placement parent, Snapshot snapshot) {
            List<Placement> placements = new ArrayList<>();
            for (NodeInfo node : parent.nodes()) {
                placements.add(Placement.of(node.name(), List.of(node)));
            }
            placements.add(Placement.of("all", parent.nodes()));
            return PlacementGenerateResult.of(placements);
        }
    }
}
