// SPDX-License-Identifier: Apache-2.0
package org.moorage.schedulertests.whatif;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.Node;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodCondition;
import org.moorage.api.model.Quantity;
import org.moorage.api.model.ResourceName;
import org.moorage.api.model.Taint;
import org.moorage.objects.EventType;
import org.moorage.simulation.dump.RecordedChange;
import org.moorage.simulation.whatif.ClusterComparison;
import org.moorage.simulation.whatif.ClusterComparison.Change;
import org.moorage.simulation.whatif.ClusterComparison.MovedPod;
import org.moorage.simulation.whatif.ClusterComparison.NodeChange;
import org.moorage.simulation.whatif.ClusterComparison.PendingPod;
import org.moorage.simulation.whatif.ClusterComparison.WorkloadChange;
import org.moorage.simulation.whatif.Workload;
import org.moorage.simulation.whatif.ZoneRoom;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.Pods;

/** {@code -Dtests.clusters=N} sets the number of random clusters, {@code -Dtests.seed=N} the first seed. */
class ClusterComparisonTest {
    private static Nodes node(String name) {
        return Nodes.named(name).zone("east").allocatable("cpu", "4").allocatable("memory", "8Gi");
    }

    private static Pods web(String name) {
        return Pods.named(name).controlledBy("apps/v1", "ReplicaSet", "web").requests("cpu", "1");
    }

    private static Pod unschedulable(Pods pod, String message) {
        return pod.status(status -> status.conditions(
                        List.of(new PodCondition(PodCondition.POD_SCHEDULED, "False", "Unschedulable", message, 0))))
                .build();
    }

    /** A change of one node, and its expected report. */
    private record NodeCase(String name, Node before, Node after, String expected) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<NodeCase> nodes() {
        Node plain = node("n").build();
        return Stream.of(
                new NodeCase("nothing", plain, node("n").build(), "none"),
                new NodeCase("image", plain, node("n").image(1, "nginx").build(), "none"),
                new NodeCase(
                        "less cpu", plain, node("n").allocatable("cpu", "2").build(), "allocatable cpu 4 to 2"),
                new NodeCase(
                        "new resource",
                        plain,
                        node("n").allocatable("example.com/gpu", "1").build(),
                        "allocatable example.com/gpu - to 1"),
                new NodeCase("new label", plain, node("n").label("a", "b").build(), "label a - to b"),
                new NodeCase(
                        "other label",
                        node("n").label("a", "b").build(),
                        node("n").label("a", "c").build(),
                        "label a b to c"),
                new NodeCase("label gone", node("n").label("a", "b").build(), plain, "label a b to -"),
                new NodeCase(
                        "new taint",
                        plain,
                        node("n").taint("k", "v", "NoSchedule").build(),
                        "taint k added"),
                new NodeCase(
                        "taint gone", node("n").taint("k", "v", "NoSchedule").build(), plain, "taint k removed"),
                new NodeCase(
                        "other effect",
                        node("n").taint("k", "v", "NoSchedule").build(),
                        node("n").taint("k", "v", "NoExecute").build(),
                        "taint k added, taint k removed"),
                new NodeCase("cordoned", plain, node("n").unschedulable().build(), "cordoned"),
                new NodeCase("uncordoned", node("n").unschedulable().build(), plain, "uncordoned"));
    }

    @ParameterizedTest
    @MethodSource("nodes")
    void reportsWhatChangedOfANode(NodeCase example) {
        ClusterComparison comparison = ClusterComparison.of(List.of(example.before), List.of(example.after));

        List<String> changes = new ArrayList<>();
        for (NodeChange change : comparison.changedNodes()) {
            change.allocatable().forEach((name, values) -> changes.add("allocatable " + name + text(values)));
            change.labels().forEach((key, values) -> changes.add("label " + key + text(values)));
            change.addedTaints().forEach(taint -> changes.add("taint " + taint.key() + " added"));
            change.removedTaints().forEach(taint -> changes.add("taint " + taint.key() + " removed"));
            if (change.isCordoned()) {
                changes.add("cordoned");
            }
            if (change.isUncordoned()) {
                changes.add("uncordoned");
            }
        }
        assertThat(changes.isEmpty() ? "none" : String.join(", ", changes)).isEqualTo(example.expected);
        assertThat(comparison.isEmpty()).isEqualTo(example.expected.equals("none"));
    }

    private static String text(Change<?> change) {
        Function<Optional<?>, String> text =
                value -> value.isPresent() ? value.get().toString() : "-";
        return " " + text.apply(change.before()) + " to " + text.apply(change.after());
    }

    @Test
    void distinguishesNewlyPendingPodsFromThoseThatAreStillPending() {
        List<ClusterObject> before = List.of(
                node("n").build(),
                web("evicted").on("n").build(),
                unschedulable(web("stuck"), "0/1 nodes are available: 1 Insufficient cpu."),
                web("waiting").build(),
                web("withdrawn").build());
        List<ClusterObject> after = List.of(
                node("n").build(),
                unschedulable(web("evicted"), "0/1 nodes are available: 1 Insufficient memory."),
                unschedulable(web("stuck"), "0/1 nodes are available: 1 node(s) were unschedulable."),
                web("waiting").on("n").build(),
                web("created").build());

        ClusterComparison comparison = ClusterComparison.of(before, after);

        assertThat(comparison.newlyPending())
                .extracting(pod -> pod.pod().name())
                .containsExactly("created", "evicted");
        assertThat(comparison.newlyPending().get(0).message()).isEmpty();
        assertThat(comparison.newlyPending().get(1).message()).contains("Insufficient memory");
        assertThat(comparison.newlyPending().get(1).otherNode()).contains("n");
        assertThat(comparison.stillPending())
                .extracting(pod -> pod.pod().name())
                .containsExactly("stuck");
        assertThat(comparison.stillPending().get(0).message()).contains("were unschedulable");
        assertThat(comparison.noLongerPending())
                .extracting(pod -> pod.pod().name() + " " + pod.otherNode().orElse("gone"))
                .containsExactly("waiting n", "withdrawn gone");
        assertThat(comparison.newPods()).extracting(Pod::name).containsExactly("created");
        assertThat(comparison.gonePods()).extracting(Pod::name).containsExactly("withdrawn");
    }

    @Test
    void countsPodsByWorkload() {
        Function<String, Pods> ofDeployment = hash -> Pods.named("web-" + hash)
                .label("pod-template-hash", hash)
                .controlledBy("apps/v1", "ReplicaSet", "web-" + hash);
        List<ClusterObject> before = List.of(
                node("a").build(),
                node("b").build(),
                ofDeployment.apply("1").on("a").build(),
                Pods.named("db-0")
                        .controlledBy("apps/v1", "StatefulSet", "db")
                        .on("a")
                        .build(),
                Pods.named("cache-x")
                        .controlledBy("apps/v1", "ReplicaSet", "cache")
                        .on("a")
                        .build(),
                Pods.named("cache-y")
                        .controlledBy("apps/v1", "ReplicaSet", "cache")
                        .on("a")
                        .build(),
                Pods.named("debug").on("a").build(),
                Pods.named("same")
                        .controlledBy("apps/v1", "DaemonSet", "agent")
                        .on("a")
                        .build());
        List<ClusterObject> after = List.of(
                node("a").build(),
                node("b").build(),
                ofDeployment.apply("2").on("b").build(),
                Pods.named("db-0")
                        .controlledBy("apps/v1", "StatefulSet", "db")
                        .on("b")
                        .build(),
                Pods.named("cache-x")
                        .controlledBy("apps/v1", "ReplicaSet", "cache")
                        .on("a")
                        .build(),
                Pods.named("job-1").controlledBy("batch/v1", "Job", "job").build(),
                Pods.named("done")
                        .controlledBy("batch/v1", "Job", "job")
                        .status(status -> status.phase("Succeeded"))
                        .build(),
                Pods.named("same")
                        .controlledBy("apps/v1", "DaemonSet", "agent")
                        .on("a")
                        .build());

        ClusterComparison comparison = ClusterComparison.of(before, after);

        assertThat(comparison.workloads())
                .containsExactly(
                        new WorkloadChange(new Workload("default", "Deployment", "web"), 1, 1, 1, 1, 0),
                        new WorkloadChange(new Workload("default", "Job", "job"), 0, 1, 1, 0, 0),
                        new WorkloadChange(new Workload("default", "Pod", "debug"), 1, 0, 0, 1, 0),
                        new WorkloadChange(new Workload("default", "ReplicaSet", "cache"), 2, 1, 0, 1, 0),
                        new WorkloadChange(new Workload("default", "StatefulSet", "db"), 1, 1, 0, 0, 1));
        assertThat(comparison.workloads())
                .extracting(change ->
                        change.isNew() ? "new" : change.isGone() ? "gone" : change.isScaled() ? "scaled" : "-")
                .containsExactly("-", "new", "gone", "scaled", "-");
        assertThat(comparison.movedPods())
                .extracting(pod -> pod.before().nodeName() + pod.after().nodeName())
                .containsExactly("ab");
    }

    @Test
    void measuresTheUtilizationOfEachZone() {
        List<ClusterObject> before = List.of(
                node("e").build(),
                web("a").on("e").build(),
                web("lost").on("no such node").build());
        List<ClusterObject> after = List.of(
                node("e").build(),
                node("w").zone("west").build(),
                web("a").on("e").build(),
                web("b").on("w").build(),
                web("c").on("w").build());

        List<ZoneRoom> zones = ClusterComparison.of(before, after).zones();

        assertThat(zones).extracting(ZoneRoom::zone).containsExactly("east", "west");
        assertThat(zones.get(0).before()).isEqualTo(zones.get(0).after());
        assertThat(zones.get(1).before().nodes()).isZero();
        assertThat(zones.get(1).after().requested()).containsEntry(ResourceName.CPU, 2000L);
        assertThat(zones.get(1).after().allocatable()).containsEntry(ResourceName.CPU, 4000L);
        assertThat(zones.get(1).after().pods()).isEqualTo(2);
    }

    static Stream<Long> seeds() {
        return LongStream.range(0, Integer.getInteger("tests.clusters", 200))
                .mapToObj(i -> Long.getLong("tests.seed", 1) + i);
    }

    /** A random cluster, random changes to it, and the expected differences. */
    private static final class Drawn {
        private final Random random;
        private final List<ClusterObject> before;
        private final List<RecordedChange> changes = new ArrayList<>();
        private final Set<String> addedNodes = new TreeSet<>();
        private final Set<String> removedNodes = new TreeSet<>();
        private final Set<String> changedNodes = new TreeSet<>();
        private final Set<String> newPods = new TreeSet<>();
        private final Set<String> gonePods = new TreeSet<>();
        private final Set<String> movedPods = new TreeSet<>();
        private final Set<String> newlyPending = new TreeSet<>();
        private final Set<String> noLongerPending = new TreeSet<>();

        Drawn(long seed) {
            random = new Random(seed);
            before = RandomClusters.cluster(random);
            for (ClusterObject object : before) {
                if (object instanceof Node node) {
                    change(node);
                } else if (object instanceof Pod pod) {
                    change(pod);
                }
            }
            for (int i = random.nextInt(3); i > 0; i--) {
                record(EventType.ADDED, node("added-" + i).build());
                addedNodes.add("added-" + i);
            }
            for (int i = random.nextInt(4); i > 0; i--) {
                boolean isPending = random.nextBoolean();
                Pod pod = web("added-" + i).on(isPending ? "" : "n0").build();
                record(EventType.ADDED, pod);
                newPods.add(pod.key());
                if (isPending) {
                    newlyPending.add(pod.key());
                }
            }
        }

        private void record(EventType type, ClusterObject object) {
            changes.add(new RecordedChange(changes.size() + 1, type, object));
        }

        private void change(Node node) {
            Node.Builder changed = node.toBuilder();
            switch (random.nextInt(12)) {
                case 0 -> changed = changed.unschedulable(true);
                case 1 -> changed = changed.taints(List.of(new Taint("k", "v", "NoSchedule")));
                case 2 -> changed = changed.allocatable(Map.of("cpu", Quantity.of(7), "pods", Quantity.of(50)));
                case 3 ->
                    changed = changed.metadata(node.metadata().toBuilder(node.name())
                            .labels(Map.of("other", "label"))
                            .build());
                case 4 -> {
                    record(EventType.DELETED, node);
                    removedNodes.add(node.name());
                    return;
                }
                default -> {
                    return;
                }
            }
            record(EventType.MODIFIED, changed.build());
            changedNodes.add(node.name());
        }

        private void change(Pod pod) {
            switch (random.nextInt(8)) {
                case 0 -> {
                    record(EventType.DELETED, pod);
                    gonePods.add(pod.key());
                    if (!pod.isBound()) {
                        noLongerPending.add(pod.key());
                    }
                }
                case 1 -> {
                    record(EventType.MODIFIED, pod.withNode("elsewhere"));
                    if (pod.isBound()) {
                        movedPods.add(pod.key());
                    } else {
                        noLongerPending.add(pod.key());
                    }
                }
                case 2 -> {
                    record(EventType.MODIFIED, pod.withoutNode());
                    if (pod.isBound()) {
                        newlyPending.add(pod.key());
                    }
                }
                default -> {}
            }
        }

        List<ClusterObject> after() {
            Map<String, ClusterObject> objects = new LinkedHashMap<>();
            before.forEach(object -> objects.put(key(object), object));
            for (RecordedChange change : changes) {
                if (change.type() == EventType.DELETED) {
                    objects.remove(key(change.object()));
                } else {
                    objects.put(key(change.object()), change.object());
                }
            }
            List<ClusterObject> after = new ArrayList<>(objects.values());
            Collections.shuffle(after, random);
            return after;
        }

        private static String key(ClusterObject object) {
            return ObjectKind.of(object).kind() + " " + object.key();
        }
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void recordedChangesAreTheDifference(long seed) {
        Drawn drawn = new Drawn(seed);

        ClusterComparison comparison = ClusterComparison.of(drawn.before, drawn.after());

        assertThat(comparison.addedNodes()).extracting(Node::name).containsExactlyElementsOf(drawn.addedNodes);
        assertThat(comparison.removedNodes()).extracting(Node::name).containsExactlyElementsOf(drawn.removedNodes);
        assertThat(comparison.changedNodes())
                .extracting(NodeChange::name)
                .containsExactlyElementsOf(drawn.changedNodes);
        assertThat(comparison.newPods()).extracting(Pod::key).containsExactlyElementsOf(drawn.newPods);
        assertThat(comparison.gonePods()).extracting(Pod::key).containsExactlyElementsOf(drawn.gonePods);
        assertThat(comparison.movedPods())
                .extracting(pod -> pod.after().key())
                .containsExactlyElementsOf(drawn.movedPods);
        assertThat(keys(comparison.newlyPending())).containsExactlyElementsOf(drawn.newlyPending);
        assertThat(keys(comparison.noLongerPending())).containsExactlyElementsOf(drawn.noLongerPending);
        assertThat(comparison.workloads().stream()
                        .mapToInt(WorkloadChange::newPods)
                        .sum())
                .isEqualTo(drawn.newPods.size());
        assertThat(comparison.workloads().stream()
                        .mapToInt(WorkloadChange::gonePods)
                        .sum())
                .isEqualTo(drawn.gonePods.size());
        assertThat(comparison.workloads().stream()
                        .mapToInt(WorkloadChange::movedPods)
                        .sum())
                .isEqualTo(drawn.movedPods.size());
        assertThat(comparison.workloads())
                .allMatch(change -> change.after() - change.before() == change.newPods() - change.gonePods());
        assertThat(comparison.isEmpty())
                .isEqualTo(drawn.changes.stream().allMatch(change -> isNoDifference(change, drawn)));
    }

    // Returns whether the change is of a pending pod that is still pending.
    private static boolean isNoDifference(RecordedChange change, Drawn drawn) {
        return change.type() == EventType.MODIFIED
                && change.object() instanceof Pod pod
                && !drawn.newlyPending.contains(pod.key())
                && !drawn.noLongerPending.contains(pod.key())
                && !drawn.movedPods.contains(pod.key());
    }

    private static List<String> keys(List<PendingPod> pods) {
        return pods.stream().map(pod -> pod.pod().key()).toList();
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void snapshotDoesNotDifferFromItself(long seed) {
        List<ClusterObject> objects = new Drawn(seed).before;
        List<ClusterObject> shuffled = new ArrayList<>(objects);
        Collections.shuffle(shuffled, new Random(seed));

        ClusterComparison comparison = ClusterComparison.of(objects, shuffled);

        assertThat(comparison.isEmpty()).isTrue();
        assertThat(comparison).isEqualTo(ClusterComparison.of(shuffled, objects));
        assertThat(keys(comparison.stillPending()))
                .containsExactlyElementsOf(objects.stream()
                        .filter(object -> object instanceof Pod pod && !pod.isBound())
                        .map(ClusterObject::key)
                        .sorted()
                        .toList());
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void oppositeComparisonIsTheMirrorImage(long seed) {
        Drawn drawn = new Drawn(seed);
        List<ClusterObject> after = drawn.after();

        ClusterComparison there = ClusterComparison.of(drawn.before, after);
        ClusterComparison back = ClusterComparison.of(after, drawn.before);

        assertThat(back.addedNodes()).isEqualTo(there.removedNodes());
        assertThat(back.removedNodes()).isEqualTo(there.addedNodes());
        assertThat(back.changedNodes())
                .isEqualTo(there.changedNodes().stream()
                        .map(change -> new NodeChange(
                                change.after(),
                                change.before(),
                                mirrored(change.allocatable()),
                                mirrored(change.labels()),
                                change.removedTaints(),
                                change.addedTaints()))
                        .toList());
        assertThat(back.zones())
                .isEqualTo(there.zones().stream()
                        .map(zone -> new ZoneRoom(zone.zone(), zone.after(), zone.before()))
                        .toList());
        assertThat(back.newlyPending()).isEqualTo(there.noLongerPending());
        assertThat(back.noLongerPending()).isEqualTo(there.newlyPending());
        assertThat(keys(back.stillPending())).isEqualTo(keys(there.stillPending()));
        assertThat(back.newPods()).isEqualTo(there.gonePods());
        assertThat(back.gonePods()).isEqualTo(there.newPods());
        assertThat(back.movedPods())
                .isEqualTo(there.movedPods().stream()
                        .map(pod -> new MovedPod(pod.after(), pod.before()))
                        .toList());
        assertThat(back.workloads())
                .isEqualTo(there.workloads().stream()
                        .map(change -> new WorkloadChange(
                                change.workload(),
                                change.after(),
                                change.before(),
                                change.gonePods(),
                                change.newPods(),
                                change.movedPods()))
                        .toList());
    }

    private static <T> Map<String, Change<T>> mirrored(Map<String, Change<T>> changes) {
        Map<String, Change<T>> mirrored = new LinkedHashMap<>();
        changes.forEach((key, change) -> mirrored.put(key, new Change<>(change.after(), change.before())));
        return mirrored;
    }
}
