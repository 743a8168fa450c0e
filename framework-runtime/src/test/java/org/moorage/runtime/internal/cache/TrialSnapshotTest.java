// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.moorage.api.NodeInfo;
import org.moorage.api.PodCount;
import org.moorage.api.Snapshot;
import org.moorage.api.TemplatePredicate;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.Affinity;
import org.moorage.api.model.Container;
import org.moorage.api.model.ContainerImage;
import org.moorage.api.model.HostPort;
import org.moorage.api.model.Node;
import org.moorage.api.model.NodeAffinity;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodAffinity;
import org.moorage.api.model.PodAffinityTerm;
import org.moorage.api.model.PodGroup;
import org.moorage.api.model.PodSpec;
import org.moorage.api.model.Quantity;
import org.moorage.api.model.ResourceName;
import org.moorage.api.model.Volume;
import org.moorage.runtime.Samples;

class TrialSnapshotTest {
    private static final String ZONE = "topology.kubernetes.io/zone";
    private static final List<String> CLAIMS = List.of("c0", "c1");
    private static final List<HostPort> PORTS = List.of(new HostPort("", "TCP", 80), new HostPort("", "TCP", 81));
    private static final List<String> IMAGES = List.of("app:0", "app:1", "app:2");

    private static final List<String> GROUPS = List.of("g0", "g1", "g2");
    private static final FeatureGates WITH_GROUPS = FeatureGates.of(Map.of(FeatureGates.GENERIC_WORKLOAD, true));

    private final SchedulerCache cache = new SchedulerCache();
    private final TrialSnapshot trial = new TrialSnapshot();

    private record Colored(String color) implements Predicate<Pod> {
        @Override
        public boolean test(Pod pod) {
            return color.equals(pod.labels().get("color"));
        }
    }

    private record OfTemplate(String color) implements TemplatePredicate {
        @Override
        public boolean test(Pod pod) {
            return new Colored(color).test(pod);
        }
    }

    private static Node node(String name, Random random) {
        return Samples.node(name, Map.of(ZONE, "z" + random.nextInt(3))).toBuilder()
                .images(List.of(new ContainerImage(List.of(IMAGES.get(random.nextInt(IMAGES.size()))), 500)))
                .unschedulable(random.nextBoolean())
                .build();
    }

    private static Pod pod(int number, Random random) {
        List<HostPort> ports = random.nextInt(3) == 0 ? List.of(PORTS.get(random.nextInt(PORTS.size()))) : List.of();
        PodSpec.Builder spec = PodSpec.builder()
                .containers(List.of(new Container(
                        "main", "app", Map.of("cpu", Quantity.ofMilli(100 + number)), Map.of(), ports, "")));
        if (random.nextInt(3) == 0) {
            spec.volumes(List.of(new Volume("v", new Volume.Claim(CLAIMS.get(random.nextInt(CLAIMS.size()))))));
        }
        if (random.nextInt(3) == 0) {
            Optional<PodAffinity> required = Optional.of(new PodAffinity(
                    List.of(new PodAffinityTerm(Optional.empty(), List.of(), Optional.empty(), ZONE)), List.of()));
            boolean isAnti = random.nextBoolean();
            spec.affinity(new Affinity(
                    NodeAffinity.NONE, isAnti ? Optional.empty() : required, isAnti ? required : Optional.empty()));
        }
        spec.priority(random.nextInt(5));
        if (random.nextBoolean()) {
            spec.podGroupName(GROUPS.get(random.nextInt(GROUPS.size())));
        }
        ObjectMeta.Builder metadata = ObjectMeta.named("p" + number)
                .namespace("default")
                .uid("uid-" + number)
                .labels(Map.of("color", "c" + random.nextInt(2)));
        return Pod.of(metadata.build(), spec.build());
    }

    /** All that a snapshot says, without the generations. */
    private static List<String> describe(Snapshot snapshot) {
        List<String> lines = new ArrayList<>();
        for (NodeInfo node : snapshot.nodes()) {
            List<String> pods = new ArrayList<>();
            node.pods().forEach(pod -> pods.add(pod.name()));
            pods.sort(Comparator.naturalOrder());
            List<String> images = new ArrayList<>();
            IMAGES.forEach(image -> images.add(node.image(image).toString()));
            lines.add(node.index() + " " + node.node() + " " + pods + " " + node.podCount() + " "
                    + lowestPriority(node) + " " + node.requested(ResourceName.CPU) + " "
                    + node.nonZeroRequested(ResourceName.MEMORY) + " "
                    + node.conflicts(PORTS.get(0)) + node.conflicts(PORTS.get(1)) + " " + images + " "
                    + (snapshot.node(node.name()).orElseThrow() == node));
        }
        lines.add("affinity " + names(snapshot.nodesWithAffinityPods()) + " "
                + names(snapshot.nodesWithRequiredAntiAffinityPods()));
        CLAIMS.forEach(claim -> lines.add(claim + " " + snapshot.isClaimInUse("default", claim)));
        IMAGES.forEach(image -> lines.add(image + " " + snapshot.hasImage(image)));
        for (String name : GROUPS) {
            lines.add(snapshot.podGroups()
                    .podGroup("default", name)
                    .map(group -> name + " " + group.podGroup() + " " + group.unscheduledPods()
                            + places(group.assumedPods()) + places(group.assignedPods()) + " "
                            + group.scheduledPodsCount() + " of " + group.allPodsCount())
                    .orElse(name));
        }
        for (String color : List.of("c0", "c1")) {
            // The last one equals no other, so that its count is never kept.
            TemplatePredicate unequalled = pod -> new Colored(color).test(pod);
            for (Predicate<Pod> which : List.of(new Colored(color), new OfTemplate(color), unequalled)) {
                PodCount count = snapshot.count(which);
                snapshot.nodes()
                        .forEach(node -> lines.add(color + " " + count.on(node) + " of "
                                + node.pods().stream().filter(which).count()));
                lines.add(color + " by zone " + Arrays.toString(count.in(snapshot.topology(ZONE))));
            }
        }
        return lines;
    }

    private static String lowestPriority(NodeInfo node) {
        return node.lowestPriority() + " of "
                + node.pods().stream()
                        .map(pod -> pod.spec().priority())
                        .sorted()
                        .toList();
    }

    private static List<String> places(List<Pod> pods) {
        return pods.stream().map(pod -> pod.name() + " on " + pod.nodeName()).toList();
    }

    private static List<String> names(List<NodeInfo> nodes) {
        return nodes.stream().map(NodeInfo::name).toList();
    }

    /** A trial, and a cache to which the same is done. */
    private static final class Changed {
        private final SchedulerCache cache = new SchedulerCache(WITH_GROUPS);
        private final TrialSnapshot trial = new TrialSnapshot();
        private final Random random;
        // Pods without a node, including those that the trial has removed.
        private final List<Pod> waiting = new ArrayList<>();
        private final Map<String, Pod> gone = new HashMap<>();
        private int pods;

        Changed(Random random) {
            this.random = random;
            for (int i = 0; i < 8; i++) {
                cache.putNode(node("n" + i, random));
            }
            for (int i = 0; i < 20; i++) {
                cache.putPod(pod(pods++, random).withNode("n" + random.nextInt(8)));
            }
            for (int i = 0; i < 15; i++) {
                Pod pod = pod(pods++, random);
                waiting.add(pod);
                cache.putWaitingPod(pod);
            }
            if (random.nextBoolean()) {
                cache.putGroup(PodGroup.of(ObjectMeta.named(GROUPS.get(0))
                                .namespace("default")
                                .build())
                        .build());
            }
            trial.update(cache);
        }

        // Assumes a pending pod in the cache. A pod with a node that the trial has removed returns to its node. A pod
        // that the cluster has not reported does not become a member of a group.
        private void assume(String nodeName) {
            switch (random.nextInt(3)) {
                case 0 -> {
                    if (!waiting.isEmpty()) {
                        Pod pod = waiting.remove(random.nextInt(waiting.size()));
                        trial.assume(random.nextBoolean() ? pod : pod.withNode(nodeName), nodeName);
                        cache.assume(pod.withNode(nodeName));
                    }
                }
                case 1 -> {
                    if (!gone.isEmpty()) {
                        List<String> uids = new ArrayList<>(gone.keySet());
                        Pod pod = gone.remove(uids.get(random.nextInt(uids.size())));
                        // The trial assumes it on the given node; the cluster's pod stays where it was.
                        if (trial.node(pod.nodeName()).isPresent()) {
                            trial.assume(pod, pod.nodeName());
                            cache.putPod(pod);
                        }
                    }
                }
                default -> {
                    Pod pod = pod(pods++, random);
                    trial.assume(pod, nodeName);
                    PodSpec alone = pod.spec().toBuilder().podGroupName("").build();
                    cache.putPod(pod.withSpec(alone).withNode(nodeName));
                }
            }
        }

        private void remove(Pod pod, String nodeName) {
            Pod placed = pod.withNode(nodeName);
            if (!cache.isAssumed(pod.uid()) && pod.isBound()) {
                gone.put(pod.uid(), placed);
            }
            cache.removePod(placed);
        }

        /** One change of each. */
        void change() {
            List<NodeInfo> nodes = trial.nodes();
            String name = nodes.isEmpty()
                    ? "n0"
                    : nodes.get(random.nextInt(nodes.size())).name();
            switch (nodes.isEmpty() ? 3 : random.nextInt(6)) {
                case 0, 1, 2 -> assume(name);
                case 3 -> {
                    Node node = node("n" + random.nextInt(12), random);
                    trial.putNodes(List.of(node));
                    cache.putNode(node);
                }
                case 4 -> {
                    trial.node(name).orElseThrow().pods().forEach(pod -> remove(pod, name));
                    trial.removeNodes(List.of(name));
                    cache.removeNode(name);
                }
                default -> {
                    List<Pod> there = trial.node(name).orElseThrow().pods();
                    if (!there.isEmpty()) {
                        int first = random.nextInt(there.size());
                        List<Pod> gone = there.subList(first, first + 1 + random.nextInt(there.size() - first));
                        trial.remove(gone, name);
                        gone.forEach(pod -> remove(pod, name));
                    }
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void matchesTheChangedCacheAndTheOriginalOnceReverted(boolean isLookedAtInBetween) {
        long seed = System.nanoTime();
        for (int run = 0; run < 60; run++) {
            Random random = new Random(seed + run);
            Changed changed = new Changed(random);
            TrialSnapshot trial = changed.trial;
            List<List<String>> before = new ArrayList<>();
            List<long[]> generations = new ArrayList<>();
            List<Integer> changes = new ArrayList<>();
            for (int step = 0; step < 25; step++) {
                before.add(isLookedAtInBetween ? describe(trial) : describe(trial.branch()));
                generations.add(trial.branch().generations().clone());
                changes.add(trial.changes());
                changed.change();
                if (isLookedAtInBetween || step == 24) {
                    TrialSnapshot expected = new TrialSnapshot();
                    expected.update(changed.cache);
                    assertThat(describe(trial))
                            .as("seed %d, step %d", seed + run, step)
                            .isEqualTo(describe(expected));
                }
            }
            // Back in strides of any length.
            for (int step = 24; step >= 0; step -= 1 + random.nextInt(3)) {
                trial.revertTo(changes.get(step));
                assertThat(describe(trial))
                        .as("seed %d, back to %d", seed + run, step)
                        .isEqualTo(before.get(step));
                assertThat(trial.generations()).isEqualTo(generations.get(step));
            }
            trial.revertTo(0);
            assertThat(describe(trial)).as("seed %d", seed + run).isEqualTo(before.get(0));
        }
    }

    @Test
    void isBroughtUpToDateAfterATrial() {
        cache.putNode(Samples.node("a"));
        trial.update(cache);
        trial.assume(Samples.pod("p"), "a");
        assertThat(trial.nodes().get(0).podCount()).isEqualTo(trial.generations().length);
        cache.putNode(Samples.node("b"));
        cache.putPod(Samples.pod("q").withNode("b"));

        trial.update(cache);

        TrialSnapshot expected = new TrialSnapshot();
        expected.update(cache);
        assertThat(trial.changes()).isZero();
        assertThat(names(trial.nodes())).containsExactly("a", "b");
        assertThat(trial.generations()).isEqualTo(expected.generations());
        assertThat(describe(trial)).isEqualTo(describe(expected));
    }

    @Test
    void givesEachStateOfANodeItsOwnGeneration() {
        cache.putNode(Samples.node("a"));
        cache.putNode(Samples.node("b"));
        trial.update(cache);
        long before = trial.node("a").orElseThrow().generation();
        Set<Long> seen =
                new HashSet<>(Set.of(before, trial.node("b").orElseThrow().generation()));
        TrialSnapshot branch = trial.branch();
        for (int i = 0; i < 10; i++) {
            for (TrialSnapshot changing : List.of(trial, branch)) {
                changing.assume(Samples.pod("p" + i), "a");
                assertThat(seen.add(changing.node("a").orElseThrow().generation()))
                        .isTrue();
                changing.putNodes(List.of(Samples.node("b", Map.of(ZONE, "z" + i))));
                assertThat(seen.add(changing.node("b").orElseThrow().generation()))
                        .isTrue();
            }
        }
        trial.revertTo(0);
        assertThat(trial.node("a").orElseThrow().generation()).isEqualTo(before);
        assertThat(branch.node("a").orElseThrow().podCount()).isEqualTo(10);
    }

    @Test
    void undoesInReverseOrderAlsoWhatFails() {
        cache.putNode(Samples.node("a"));
        trial.update(cache);
        List<String> undone = new ArrayList<>();
        for (String name : List.of("first", "second", "third")) {
            trial.assume(Samples.pod(name), "a", () -> {
                undone.add(name + " of " + trial.node("a").orElseThrow().podCount());
                if (name.equals("second")) {
                    throw new IllegalStateException("second");
                }
            });
        }
        assertThatThrownBy(() -> trial.revertTo(0)).hasMessage("second");
        trial.revertTo(0);
        assertThat(undone).containsExactly("third of 3", "second of 2", "first of 1");
        assertThat(trial.node("a").orElseThrow().podCount()).isZero();
    }

    @Test
    void refusesWhatIsNotThere() {
        cache.putNode(Samples.node("a"));
        trial.update(cache);
        assertThatThrownBy(() -> trial.assume(Samples.pod("p"), "b"))
                .hasMessage("nodeName: \"b\" (expected: a node of the snapshot)");
        assertThatThrownBy(() -> trial.removeNodes(List.of("b")))
                .hasMessage("nodeName: \"b\" (expected: a node of the snapshot)");
        assertThatThrownBy(() -> trial.remove(List.of(Samples.pod("p")), "a"))
                .hasMessage("pod: default/p (expected: a pod on node a)");
        assertThat(trial.changes()).isZero();
    }
}
