// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.whatif;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiFunction;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.Node;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodCondition;
import org.moorage.api.model.Quantity;
import org.moorage.api.model.Taint;

/**
 * The differences between two snapshots of a cluster. Nodes are matched by name, pods by namespace and name. Pods that
 * have succeeded or failed do not count. All lists are in order: nodes by name, pods and workloads by namespace and
 * name. Immutable.
 *
 * <p>A pod never moves in a cluster: a moved pod was created again under its name, as by a StatefulSet. Controllers of
 * other workloads create pods under new names, so that such a move is a new pod and a gone pod of one workload.
 *
 * @param addedNodes the nodes of the second snapshot only
 * @param removedNodes the nodes of the first snapshot only
 * @param changedNodes the nodes of both whose allocatable resources, labels, taints or schedulability differ
 * @param zones the utilization of each zone in both snapshots
 * @param newlyPending the pods that are pending in the second snapshot and were not in the first one
 * @param stillPending the pods that are pending in both, as of the second snapshot
 * @param noLongerPending the pods that were pending in the first snapshot and are not in the second one
 * @param newPods the pods of the second snapshot only, pending or not
 * @param gonePods the pods of the first snapshot only, pending or not
 * @param movedPods the pods that are on different nodes
 * @param workloads the workloads whose pods changed
 */
public record ClusterComparison(
        List<Node> addedNodes,
        List<Node> removedNodes,
        List<NodeChange> changedNodes,
        List<ZoneRoom> zones,
        List<PendingPod> newlyPending,
        List<PendingPod> stillPending,
        List<PendingPod> noLongerPending,
        List<Pod> newPods,
        List<Pod> gonePods,
        List<MovedPod> movedPods,
        List<WorkloadChange> workloads) {
    public ClusterComparison {
        addedNodes = List.copyOf(addedNodes);
        removedNodes = List.copyOf(removedNodes);
        changedNodes = List.copyOf(changedNodes);
        zones = List.copyOf(zones);
        newlyPending = List.copyOf(newlyPending);
        stillPending = List.copyOf(stillPending);
        noLongerPending = List.copyOf(noLongerPending);
        newPods = List.copyOf(newPods);
        gonePods = List.copyOf(gonePods);
        movedPods = List.copyOf(movedPods);
        workloads = List.copyOf(workloads);
    }

    /**
     * Two values that differ.
     *
     * @param before the value in the first snapshot; empty if there is none
     * @param after the value in the second snapshot; empty if there is none
     * @param <T> the type of the values
     */
    public record Change<T>(Optional<T> before, Optional<T> after) {
        public Change {
            Objects.requireNonNull(before, "before");
            Objects.requireNonNull(after, "after");
        }
    }

    /**
     * A node that changed.
     *
     * @param before the node in the first snapshot
     * @param after the node in the second snapshot
     * @param allocatable the changed allocatable resources, by name
     * @param labels the changed labels, by key
     * @param addedTaints the taints of the second snapshot only
     * @param removedTaints the taints of the first snapshot only
     */
    public record NodeChange(
            Node before,
            Node after,
            Map<String, Change<Quantity>> allocatable,
            Map<String, Change<String>> labels,
            List<Taint> addedTaints,
            List<Taint> removedTaints) {
        public NodeChange {
            Objects.requireNonNull(before, "before");
            Objects.requireNonNull(after, "after");
            allocatable = Collections.unmodifiableMap(new LinkedHashMap<>(allocatable));
            labels = Collections.unmodifiableMap(new LinkedHashMap<>(labels));
            addedTaints = List.copyOf(addedTaints);
            removedTaints = List.copyOf(removedTaints);
        }

        private static Optional<NodeChange> of(Node before, Node after) {
            NodeChange change = new NodeChange(
                    before,
                    after,
                    changes(before.allocatable(), after.allocatable()),
                    changes(before.labels(), after.labels()),
                    without(after.taints(), before.taints()),
                    without(before.taints(), after.taints()));
            boolean isChanged = !change.allocatable.isEmpty()
                    || !change.labels.isEmpty()
                    || !change.addedTaints.isEmpty()
                    || !change.removedTaints.isEmpty()
                    || before.unschedulable() != after.unschedulable();
            return isChanged ? Optional.of(change) : Optional.empty();
        }

        private static <T> Map<String, Change<T>> changes(Map<String, T> before, Map<String, T> after) {
            Map<String, Change<T>> changes = new LinkedHashMap<>();
            TreeSet<String> keys = new TreeSet<>(before.keySet());
            keys.addAll(after.keySet());
            for (String key : keys) {
                Change<T> change =
                        new Change<>(Optional.ofNullable(before.get(key)), Optional.ofNullable(after.get(key)));
                if (!change.before.equals(change.after)) {
                    changes.put(key, change);
                }
            }
            return changes;
        }

        private static List<Taint> without(List<Taint> taints, List<Taint> others) {
            List<Taint> left = new ArrayList<>(taints);
            left.removeAll(others);
            return left;
        }

        /** Returns the name of the node. */
        public String name() {
            return after.name();
        }

        /** Returns whether the node was cordoned in between. */
        public boolean isCordoned() {
            return !before.unschedulable() && after.unschedulable();
        }

        /** Returns whether the node was uncordoned in between. */
        public boolean isUncordoned() {
            return before.unschedulable() && !after.unschedulable();
        }
    }

    /**
     * A pending pod: it has no node, and is not being deleted.
     *
     * @param pod the pod, in the snapshot in which it is pending; in the second one if it is pending in both
     * @param message why it is pending, by its condition PodScheduled; empty if it has none
     * @param otherNode the node that the pod is on in the other snapshot; empty if it is pending there, too, or not
     *     there
     */
    public record PendingPod(Pod pod, String message, Optional<String> otherNode) {
        public PendingPod {
            Objects.requireNonNull(pod, "pod");
            Objects.requireNonNull(message, "message");
            Objects.requireNonNull(otherNode, "otherNode");
        }
    }

    /**
     * A pod on another node than before.
     *
     * @param before the pod in the first snapshot
     * @param after the pod in the second snapshot
     */
    public record MovedPod(Pod before, Pod after) {
        public MovedPod {
            Objects.requireNonNull(before, "before");
            Objects.requireNonNull(after, "after");
        }
    }

    /**
     * A workload whose pods changed.
     *
     * @param workload the workload
     * @param before how many pods it has in the first snapshot
     * @param after how many pods it has in the second snapshot
     * @param newPods how many of its pods are in the second snapshot only
     * @param gonePods how many of its pods are in the first snapshot only
     * @param movedPods how many of its pods are on different nodes
     */
    public record WorkloadChange(Workload workload, int before, int after, int newPods, int gonePods, int movedPods) {
        public WorkloadChange {
            Objects.requireNonNull(workload, "workload");
        }

        /** Returns whether it has pods in the second snapshot only. */
        public boolean isNew() {
            return before == 0;
        }

        /** Returns whether it has pods in the first snapshot only. */
        public boolean isGone() {
            return after == 0;
        }

        /** Returns whether it has pods in both snapshots, but another number of them. */
        public boolean isScaled() {
            return before != after && !isNew() && !isGone();
        }
    }

    /** The nodes and pods of a snapshot. */
    private record Snapshot(SortedMap<String, Node> nodes, SortedMap<String, Pod> pods) {
        static Snapshot of(Collection<? extends ClusterObject> objects) {
            Snapshot snapshot = new Snapshot(new TreeMap<>(), new TreeMap<>());
            for (ClusterObject object : objects) {
                if (object instanceof Node node) {
                    snapshot.nodes.put(node.name(), node);
                } else if (object instanceof Pod pod && !pod.status().isTerminal()) {
                    snapshot.pods.put(pod.key(), pod);
                }
            }
            return snapshot;
        }

        boolean isPending(String key) {
            Pod pod = pods.get(key);
            return pod != null && !pod.isBound() && !pod.metadata().isDeleting();
        }

        Optional<String> nodeOf(String key) {
            return Optional.ofNullable(pods.get(key)).map(Pod::nodeName).filter(name -> !name.isEmpty());
        }

        Map<String, ZoneRoom.Room> rooms() {
            Map<String, List<Pod>> byNode = new LinkedHashMap<>();
            pods.values()
                    .forEach(pod -> byNode.computeIfAbsent(pod.nodeName(), any -> new ArrayList<>())
                            .add(pod));
            return ZoneRoom.of(nodes.values(), name -> byNode.getOrDefault(name, List.of()));
        }

        List<PendingPod> pending(Snapshot other, boolean inBoth) {
            List<PendingPod> pending = new ArrayList<>();
            pods.forEach((key, pod) -> {
                if (isPending(key) && other.isPending(key) == inBoth) {
                    String message = pod.status()
                            .condition(PodCondition.POD_SCHEDULED)
                            .map(PodCondition::message)
                            .orElse("");
                    pending.add(new PendingPod(pod, message, other.nodeOf(key)));
                }
            });
            return pending;
        }
    }

    /**
     * Compares two snapshots.
     *
     * @param before the objects of the first snapshot; of several nodes or pods of one name the last one counts
     * @param after the objects of the second snapshot
     */
    public static ClusterComparison of(
            Collection<? extends ClusterObject> before, Collection<? extends ClusterObject> after) {
        Snapshot first = Snapshot.of(Objects.requireNonNull(before, "before"));
        Snapshot second = Snapshot.of(Objects.requireNonNull(after, "after"));
        List<MovedPod> moved = inBoth(
                first.pods,
                second.pods,
                (earlier, later) -> earlier.isBound()
                                && later.isBound()
                                && !earlier.nodeName().equals(later.nodeName())
                        ? Optional.of(new MovedPod(earlier, later))
                        : Optional.empty());
        List<Pod> newPods = without(second.pods, first.pods);
        List<Pod> gonePods = without(first.pods, second.pods);
        return new ClusterComparison(
                without(second.nodes, first.nodes),
                without(first.nodes, second.nodes),
                inBoth(first.nodes, second.nodes, NodeChange::of),
                ZoneRoom.all(first.rooms(), second.rooms()),
                second.pending(first, false),
                second.pending(first, true),
                first.pending(second, false),
                newPods,
                gonePods,
                moved,
                workloads(first, second, newPods, gonePods, moved));
    }

    private static <T> List<T> without(SortedMap<String, T> objects, Map<String, T> others) {
        Map<String, T> left = new TreeMap<>(objects);
        left.keySet().removeAll(others.keySet());
        return List.copyOf(left.values());
    }

    private static <T, R> List<R> inBoth(
            SortedMap<String, T> before, Map<String, T> after, BiFunction<T, T, Optional<R>> change) {
        List<R> changes = new ArrayList<>();
        before.forEach((name, earlier) -> {
            T later = after.get(name);
            if (later != null) {
                change.apply(earlier, later).ifPresent(changes::add);
            }
        });
        return changes;
    }

    private static List<WorkloadChange> workloads(
            Snapshot first, Snapshot second, List<Pod> newPods, List<Pod> gonePods, List<MovedPod> moved) {
        Map<Workload, Integer> before = counts(first.pods.values());
        Map<Workload, Integer> after = counts(second.pods.values());
        Map<Workload, Integer> created = counts(newPods);
        Map<Workload, Integer> gone = counts(gonePods);
        Map<Workload, Integer> elsewhere =
                counts(moved.stream().map(MovedPod::after).toList());
        TreeSet<Workload> all = new TreeSet<>(before.keySet());
        all.addAll(after.keySet());
        List<WorkloadChange> changes = new ArrayList<>();
        for (Workload workload : all) {
            WorkloadChange change = new WorkloadChange(
                    workload,
                    before.getOrDefault(workload, 0),
                    after.getOrDefault(workload, 0),
                    created.getOrDefault(workload, 0),
                    gone.getOrDefault(workload, 0),
                    elsewhere.getOrDefault(workload, 0));
            boolean isChanged =
                    change.before != change.after || change.newPods + change.gonePods + change.movedPods > 0;
            if (isChanged) {
                changes.add(change);
            }
        }
        return changes;
    }

    private static Map<Workload, Integer> counts(Collection<Pod> pods) {
        Map<Workload, Integer> counts = new TreeMap<>();
        pods.forEach(pod -> counts.merge(Workload.of(pod), 1, Integer::sum));
        return counts;
    }

    /** Returns whether the snapshots do not differ in any of this. Pods that are pending in both are no difference. */
    public boolean isEmpty() {
        return addedNodes.isEmpty()
                && removedNodes.isEmpty()
                && changedNodes.isEmpty()
                && zones.stream().allMatch(zone -> zone.before().equals(zone.after()))
                && newlyPending.isEmpty()
                && noLongerPending.isEmpty()
                && newPods.isEmpty()
                && gonePods.isEmpty()
                && movedPods.isEmpty()
                && workloads.isEmpty();
    }
}
