// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.whatif;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.function.IntConsumer;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.OwnerReference;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodGroup;
import org.moorage.api.model.PodSpec;
import org.moorage.api.plugin.WaitingPod;
import org.moorage.runtime.whatif.PlacedPods;
import org.moorage.runtime.whatif.PreemptionResult;
import org.moorage.runtime.whatif.Transaction;
import org.moorage.simulation.admission.AdmittedPod;
import org.moorage.simulation.admission.RecreatedPod;
import org.moorage.simulation.dump.ManifestPods;
import org.moorage.simulation.dump.Manifests;

/**
 * A simulated scheduling of pods in a transaction, as if all of them were in the scheduler's queue: by priority, each
 * with the earlier ones on their nodes. An unschedulable pod may preempt others, which their controllers recreate; the
 * new pods are then pending, too. A pending pod is retried if pods have left their nodes since its last attempt, and,
 * if it depends on the nodes of other pods, also if any pods were scheduled since.
 *
 * <p>With the feature {@code GenericWorkload}, the pending pods of a group are scheduled together when it is the
 * group's turn. Groups do not preempt here, and a group that is part of a composite group is scheduled without its
 * siblings.
 *
 * <p>A pod that waits for a permit of a plugin, such as a member of a gang, keeps its node while other pods are
 * scheduled. If it still waits in the end, it is pending, and leaves its node to others. All waiting pods are tried
 * once more before, with the pods of a controller next to each other.
 *
 * <p>The pods stay on their nodes until the transaction is closed.
 */
public final class Rescheduling {
    // Preemption removes only pods of lower priority, so that it ends; a third-party plugin may do otherwise.
    private static final int MOST_PREEMPTIONS = 10;
    private static final PodReason PREEMPTED_TOO_OFTEN =
            PodReason.of("preempted " + MOST_PREEMPTIONS + " times, and not tried again");

    private final Transaction cluster;
    private final KnownCluster known;
    private final AddedObjects objects;
    private final PriorityQueue<Turn> queue = new PriorityQueue<>(
            Comparator.<Turn>comparingInt(turn -> -turn.priority).thenComparingInt(Turn::number));
    // By namespace and name of the group, while it is in the queue.
    private final Map<String, Turn> groups = new HashMap<>();
    private final Map<String, PodGroup> newGroups = new HashMap<>();
    private final List<Unplaced> unplaced = new ArrayList<>();
    private final Map<String, Placed> placed = new LinkedHashMap<>();
    private final List<RecreatedPod> gone = new ArrayList<>();
    // By UID: the last reason why a pod had no node.
    private final Map<String, PodReason> lastReasons = new HashMap<>();
    // The pods that waited for a permit in the end, and left their nodes.
    private final Set<String> released = new HashSet<>();
    // Why pods have no node since the last change, by the fields that decide it.
    private final Map<AlikePods, PodReason> reasons = new HashMap<>();
    private IntConsumer progress = tried -> {};
    private boolean preempts = true;
    private boolean endsEarly;
    private boolean hasEnded;
    private int tried;
    private int arrived;
    private int changes;
    private int departures;

    /**
     * A pod in the queue.
     *
     * @param origin the pod itself, or the first of those whose place it takes
     * @param nodeBefore the node that the origin was on
     * @param preemptions how often it was preempted here
     */
    private record Waiting(Pod pod, Pod origin, String nodeBefore, int preemptions) {}

    /** A pod, or the pods of a group, in the queue. */
    private record Turn(int priority, int number, List<Waiting> pods, Optional<PodGroup> group) {}

    /** An unschedulable pod, with the number of changes and departures when it was tried. */
    private record Unplaced(Waiting waiting, PodReason reason, int changes, int departures) {}

    private record Placed(Waiting waiting, String nodeName, List<Pod> victims) {}

    /** The answer for a pod; it preempts the victims, perhaps for a later attempt. */
    private record PodAnswer(Optional<String> nodeName, List<Pod> victims, PodReason reason) {}

    /**
     * Creates a rescheduling without pods.
     *
     * @param cluster the transaction in which pods are scheduled
     * @param known the cluster that the transaction changes: its objects contain the claims of recreated pods and the
     *     names in use; pods for schedulers other than its own are never scheduled
     */
    Rescheduling(Transaction cluster, KnownCluster known) {
        this.cluster = Objects.requireNonNull(cluster, "cluster");
        this.known = Objects.requireNonNull(known, "known");
        objects = new AddedObjects(known.source());
    }

    /** Disables preemption from now on. */
    public Rescheduling withoutPreemption() {
        preempts = false;
        return this;
    }

    /**
     * Disables preemption, and ends with the first pod that is unschedulable and that other pods cannot make
     * schedulable. The pods after it are not among the results.
     */
    Rescheduling untilUnschedulable() {
        endsEarly = true;
        return withoutPreemption();
    }

    /** Sets the receiver of the number of attempts made so far; none by default. */
    public Rescheduling progress(IntConsumer told) {
        progress = Objects.requireNonNull(told, "told");
        return this;
    }

    /** Adds objects that pods need, such as claims, and the groups that they are in. */
    public Rescheduling with(Collection<? extends ClusterObject> added) {
        Objects.requireNonNull(added, "added");
        Transaction ignored = cluster.with(added);
        objects.add(added);
        for (ClusterObject object : added) {
            if (object instanceof PodGroup group) {
                newGroups.put(group.key(), group);
            }
        }
        return this;
    }

    /** Adds pending pods, in the order in which they were added to the queue. */
    public Rescheduling waiting(Collection<Pod> pods) {
        Objects.requireNonNull(pods, "pods");
        Pod.distinct(pods).forEach(pod -> add(new Waiting(pod, pod, "", 0)));
        return this;
    }

    /** Adds the pods of manifests, in their order, with the objects that they need. */
    Rescheduling waiting(Manifests.Contents manifests) {
        Rescheduling ignored = with(manifests.objects());
        List<Pod> pods = new ArrayList<>();
        List<ClusterObject> claims = new ArrayList<>();
        for (ManifestPods manifest : manifests.pods()) {
            ignored = with(manifest.objects());
            for (AdmittedPod pod : manifest.pods()) {
                claims.addAll(pod.claims());
                pods.add(pod.pod());
            }
        }
        // Together, so that their volumes are provisioned in the same order as in a simulation of the cluster.
        return with(claims).waiting(pods);
    }

    /**
     * Adds the replacements of pods that are gone, including pods that were scheduled here, in the order in which they
     * went.
     */
    public Rescheduling gone(Collection<Pod> pods) {
        Objects.requireNonNull(pods, "pods");
        departures++;
        return goneWithNodes(pods);
    }

    /**
     * As {@link #gone}, for pods whose nodes are gone, too, or unschedulable: this frees no capacity for other pods.
     */
    public Rescheduling goneWithNodes(Collection<Pod> pods) {
        Objects.requireNonNull(pods, "pods");
        changed();
        for (RecreatedPod pod : RecreatedPod.all(pods, objects, known.now())) {
            Placed before = placed.remove(pod.gone().uid());
            gone(pod, pod.gone(), before == null ? pod.gone().nodeName() : before.nodeName, 0);
        }
        return this;
    }

    private void gone(RecreatedPod pod, Pod origin, String nodeBefore, int preemptions) {
        Transaction ignored = cluster.with(pod.claims());
        objects.add(pod.claims());
        pod.pod()
                .ifPresentOrElse(
                        again -> add(new Waiting(again, origin, nodeBefore, preemptions)), () -> gone.add(pod));
    }

    private void add(Waiting waiting) {
        String groupName = waiting.pod.spec().podGroupName();
        if (groupName.isEmpty() || !known.features().isEnabled(FeatureGates.GENERIC_WORKLOAD)) {
            queue.add(new Turn(waiting.pod.spec().priority(), arrived++, List.of(waiting), Optional.empty()));
            return;
        }
        Optional<PodGroup> group = Optional.ofNullable(newGroups.get(waiting.pod.namespace() + "/" + groupName))
                .or(() -> objects.read(ObjectKind.POD_GROUP, waiting.pod.namespace(), groupName));
        if (group.isEmpty()) {
            forGood(waiting, PodReason.of("waiting for PodGroup " + groupName + " to be created"));
            return;
        }
        groups.computeIfAbsent(group.get().key(), any -> {
                    Turn turn = new Turn(group.get().priority(), arrived++, new ArrayList<>(), group);
                    queue.add(turn);
                    return turn;
                })
                .pods
                .add(waiting);
    }

    /**
     * Schedules the added pods. May be called again after more have been added.
     *
     * @return the results of all added pods; a pod for which a plugin fails is pending, with the failure as its message
     */
    public RescheduledPods schedule() {
        released.clear();
        do {
            announce();
            while (!queue.isEmpty() && !hasEnded) {
                Turn next = queue.remove();
                if (next.group.isPresent()) {
                    schedule(next, next.group.get());
                } else {
                    schedule(next.pods.get(0));
                }
            }
        } while (!hasEnded && (retry() || release()));
        return answer();
    }

    // So that plugins that count the members of a gang see all of them.
    private void announce() {
        List<Pod> pods = new ArrayList<>();
        for (Turn turn : queue) {
            if (turn.group.isEmpty()) {
                turn.pods.forEach(waiting -> pods.add(waiting.pod));
            }
        }
        Transaction ignored = cluster.withPending(pods);
    }

    // Takes the pods that wait for a permit off their nodes, and tries them once more, each controller's after each
    // other: without the parts of several gangs between each other, one of the gangs may fit.
    private boolean release() {
        List<Placed> waiting = new ArrayList<>();
        List<Waiting> again = new ArrayList<>();
        Map<String, PodReason> permits = new HashMap<>();
        for (WaitingPod pod : cluster.waitingPods()) {
            Optional.ofNullable(placed.get(pod.pod().uid())).ifPresent(waiting::add);
            permits.put(pod.pod().uid(), PodReason.ofPermit(pod.pendingPlugins()));
        }
        if (waiting.isEmpty()) {
            return false;
        }
        List<Pod> pods = waiting.stream().map(one -> one.waiting.pod).toList();
        Transaction ignored = cluster.evict(pods).withPending(pods);
        changed();
        departures++;
        for (Placed one : waiting) {
            String uid = one.waiting.pod.uid();
            placed.remove(uid);
            if (released.add(uid)) {
                again.add(one.waiting);
            } else {
                forGood(one.waiting, lastReasons.getOrDefault(uid, Objects.requireNonNull(permits.get(uid))));
            }
        }
        unplaced.stream().filter(this::mayFitNow).forEach(pod -> again.add(pod.waiting));
        unplaced.removeIf(this::mayFitNow);
        Map<String, List<Waiting>> byController = new LinkedHashMap<>();
        again.forEach(pod -> byController
                .computeIfAbsent(controller(pod.pod), any -> new ArrayList<>())
                .add(pod));
        byController.values().forEach(ofOne -> ofOne.forEach(this::add));
        return true;
    }

    private static String controller(Pod pod) {
        return pod.metadata().controller().map(OwnerReference::uid).orElse(pod.uid());
    }

    private void schedule(Waiting next) {
        progress.accept(++tried);
        if (next.preemptions > MOST_PREEMPTIONS) {
            forGood(next, PREEMPTED_TOO_OFTEN);
            return;
        }
        if (!known.schedules(next.pod.spec().schedulerName())) {
            forGood(next, otherScheduler(next.pod));
            return;
        }
        Optional<AlikePods> alike = AlikePods.of(next.pod);
        Optional<PodReason> known = alike.flatMap(pods -> Optional.ofNullable(reasons.get(pods)));
        if (known.isPresent()) {
            forNow(next, known.get());
            return;
        }
        PodAnswer answer;
        try {
            answer = ask(next.pod);
        } catch (RuntimeException failed) {
            // A plugin that fails for one pod, such as a pod whose volume is missing, must not block other pods.
            forGood(next, failure(failed));
            return;
        }
        boolean isPlaced = answer.nodeName.isPresent();
        if (isPlaced || !answer.victims.isEmpty()) {
            changed();
        }
        if (isPlaced) {
            placed.put(next.pod.uid(), new Placed(next, answer.nodeName.get(), answer.victims));
        } else {
            forNow(next, answer.reason);
            alike.ifPresent(pods -> reasons.put(pods, answer.reason));
        }
        answer.victims.forEach(this::preempted);
    }

    private PodAnswer ask(Pod pod) {
        if (preempts) {
            PreemptionResult result = cluster.preempt(pod);
            return new PodAnswer(result.nodeName(), result.victims(), PodReason.of(result.message(), result.reasons()));
        }
        PlacedPods.PlacedPod place = cluster.place(List.of(pod)).pods().get(0);
        return new PodAnswer(place.nodeName(), List.of(), PodReason.of(place.message(), place.reasons()));
    }

    private static PodReason otherScheduler(Pod pod) {
        return PodReason.of(
                "for the scheduler \"" + pod.spec().schedulerName() + "\", which has no profile in the configuration");
    }

    private static PodReason failure(RuntimeException failed) {
        return PodReason.of(Objects.requireNonNullElse(failed.getMessage(), failed.toString()));
    }

    private void forGood(Waiting pod, PodReason reason) {
        hasEnded |= endsEarly;
        unplaced.add(new Unplaced(pod, reason, Integer.MAX_VALUE, Integer.MAX_VALUE));
    }

    private void forNow(Waiting pod, PodReason reason) {
        lastReasons.put(pod.pod.uid(), reason);
        hasEnded |= endsEarly
                && !dependsOnOthers(pod.pod, known)
                && cluster.waitingPods().isEmpty();
        unplaced.add(new Unplaced(pod, reason, changes, departures));
    }

    private void changed() {
        changes++;
        reasons.clear();
    }

    private void preempted(Pod victim) {
        departures++;
        Placed before = placed.remove(victim.uid());
        RecreatedPod again = RecreatedPod.of(victim, objects, known.now());
        if (before == null) {
            gone(again, victim, victim.nodeName(), 1);
        } else {
            gone(again, before.waiting.origin, before.waiting.nodeBefore, before.waiting.preemptions + 1);
        }
    }

    private void schedule(Turn turn, PodGroup group) {
        groups.remove(group.key());
        List<Pod> pods = turn.pods.stream().map(Waiting::pod).toList();
        PlacedPods answer;
        try {
            answer = cluster.place(group.toBuilder().parentName("").build(), pods);
        } catch (RuntimeException failed) {
            // Also where the pods do not agree with their group.
            PodReason why = failure(failed);
            turn.pods.forEach(pod -> forGood(pod, why));
            return;
        }
        if (answer.placed() > 0) {
            changed();
        }
        Map<String, PlacedPods.PlacedPod> byUid = new HashMap<>();
        answer.pods().forEach(pod -> byUid.put(pod.pod().uid(), pod));
        for (Waiting pod : turn.pods) {
            Optional<PlacedPods.PlacedPod> place = Optional.ofNullable(byUid.get(pod.pod.uid()));
            Optional<String> nodeName = place.flatMap(PlacedPods.PlacedPod::nodeName);
            if (nodeName.isPresent()) {
                placed.put(pod.pod.uid(), new Placed(pod, nodeName.get(), List.of()));
            } else {
                forNow(
                        pod,
                        place.filter(none -> !none.message().isEmpty())
                                .map(none -> PodReason.of(none.message(), none.reasons()))
                                .orElseGet(() -> PodReason.of(answer.message())));
            }
        }
    }

    private boolean retry() {
        List<Unplaced> again = unplaced.stream().filter(this::mayFitNow).toList();
        unplaced.removeIf(this::mayFitNow);
        again.forEach(pod -> add(pod.waiting));
        return !again.isEmpty();
    }

    // Some pods depend on other pods that are scheduled; most need capacity, which requires that other pods leave.
    private boolean mayFitNow(Unplaced pod) {
        return pod.departures < departures || pod.changes < changes && dependsOnOthers(pod.waiting.pod, known);
    }

    /** Returns whether a pod that a node rejects may fit there once other pods have been scheduled. */
    static boolean dependsOnOthers(Pod pod, KnownCluster known) {
        PodSpec spec = pod.spec();
        return spec.affinity().hasPodAffinity()
                || !spec.topologySpreadConstraints().isEmpty()
                || !spec.claimNames().isEmpty()
                || !spec.resourceClaims().isEmpty()
                || !spec.podGroupName().isEmpty()
                || spec.tolerations().stream()
                        .anyMatch(toleration -> toleration.tolerates(
                                Drain.UNSCHEDULABLE, known.features().tolerationOperators()));
    }

    private RescheduledPods answer() {
        List<RescheduledPods.RescheduledPod> pods = new ArrayList<>();
        placed.values()
                .forEach(pod -> pods.add(new RescheduledPods.RescheduledPod(
                        pod.waiting.pod,
                        pod.waiting.origin,
                        pod.waiting.nodeBefore,
                        Optional.of(pod.nodeName),
                        PodReason.NONE,
                        pod.victims)));
        unplaced.forEach(pod -> pods.add(new RescheduledPods.RescheduledPod(
                pod.waiting.pod, pod.waiting.origin, pod.waiting.nodeBefore, Optional.empty(), pod.reason, List.of())));
        return new RescheduledPods(pods, gone);
    }
}
