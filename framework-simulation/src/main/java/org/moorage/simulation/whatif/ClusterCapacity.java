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
import java.util.Set;
import java.util.function.IntConsumer;
import org.moorage.api.model.Pod;
import org.moorage.runtime.decision.Evaluation;
import org.moorage.runtime.whatif.HowMany;
import org.moorage.runtime.whatif.PlacedPods;
import org.moorage.runtime.whatif.Transaction;
import org.moorage.simulation.admission.AdmittedPod;
import org.moorage.simulation.dump.FurtherPods;
import org.moorage.simulation.dump.ManifestPods;
import org.moorage.simulation.dump.Manifests;
import org.moorage.simulation.whatif.FittingPods.FittingWorkload;
import org.moorage.simulation.whatif.FittingPods.MorePods;
import org.moorage.simulation.whatif.FittingPods.UnplacedPod;
import org.moorage.simulation.whatif.RescheduledPods.RescheduledPod;

/**
 * The capacity of a cluster for the pods of manifests: which of them are schedulable, which pods they preempt, which
 * changes would help the others, and how many more copies would fit. The cluster does not change. Safe for use by
 * several threads.
 *
 * <p>Pods are scheduled by {@link Rescheduling}; more copies are scheduled one after the other, without preemption.
 */
public final class ClusterCapacity {
    private static final int MOST_EXPLAINED = 8;

    private final KnownCluster cluster;
    private final IntConsumer progress;

    /**
     * Creates a capacity query.
     *
     * @param cluster the cluster in its present state
     * @param progress receives the number of pods tried so far
     */
    public ClusterCapacity(KnownCluster cluster, IntConsumer progress) {
        this.cluster = Objects.requireNonNull(cluster, "cluster");
        this.progress = Objects.requireNonNull(progress, "progress");
    }

    /**
     * Schedules the pods of all manifests together in one copy of the cluster.
     *
     * @param asked the manifests, whose other objects are also added to the cluster
     * @param before pending pods that are scheduled first
     * @param atMost the maximum number of more copies of each manifest's pod, tried for each manifest separately; 0 for
     *     none
     * @throws RuntimeException if a plugin fails when more copies are tried; the message says which one
     */
    public FittingPods fit(Manifests.Contents asked, Collection<Pod> before, int atMost) {
        Objects.requireNonNull(asked, "asked");
        Objects.requireNonNull(before, "before");
        try (Transaction tried = cluster.whatIf().begin()) {
            Rescheduling scheduling = cluster.rescheduling(tried).progress(progress);
            if (!before.isEmpty()) {
                RescheduledPods ignored = scheduling.waiting(before).schedule();
            }
            RescheduledPods end = scheduling.waiting(asked).schedule();
            return answer(asked.pods(), before, end, tried, atMost);
        }
    }

    private FittingPods answer(
            List<ManifestPods> asked, Collection<Pod> before, RescheduledPods end, Transaction tried, int atMost) {
        Map<String, RescheduledPod> byUid = new LinkedHashMap<>();
        end.pods().forEach(pod -> byUid.put(pod.pod().uid(), pod));
        List<FittingWorkload> workloads = new ArrayList<>();
        for (ManifestPods manifest : asked) {
            List<RescheduledPod> ofManifest =
                    take(manifest.pods().stream().map(AdmittedPod::pod).toList(), byUid);
            Optional<MorePods> more =
                    atMost == 0 ? Optional.empty() : manifest.further().map(pods -> more(pods, tried, atMost));
            workloads.add(new FittingWorkload(manifest, ofManifest, more));
        }
        List<RescheduledPod> first = take(before, byUid);
        Optional<UnplacedPod> unplaced = unplaced(workloads, tried);
        return new FittingPods(workloads, first, List.copyOf(byUid.values()), end.gone(), unplaced);
    }

    // Omits pods that were preempted, since their replacements are other pods.
    private static List<RescheduledPod> take(Collection<Pod> pods, Map<String, RescheduledPod> byUid) {
        List<RescheduledPod> taken = new ArrayList<>();
        for (Pod pod : pods) {
            Optional.ofNullable(byUid.remove(pod.uid())).ifPresent(taken::add);
        }
        return taken;
    }

    // The first pod of each message, the most frequent message first.
    private static List<Pod> oneByMessage(List<FittingWorkload> workloads) {
        Map<String, List<Pod>> byMessage = new LinkedHashMap<>();
        for (FittingWorkload workload : workloads) {
            for (RescheduledPod pod : workload.unplaced()) {
                byMessage
                        .computeIfAbsent(pod.message(), any -> new ArrayList<>())
                        .add(pod.pod());
            }
        }
        List<List<Pod>> most = new ArrayList<>(byMessage.values());
        most.sort(Comparator.comparingInt(pods -> -pods.size()));
        return most.stream().limit(MOST_EXPLAINED).map(pods -> pods.get(0)).toList();
    }

    // A member of a group may fit by itself, and be pending because of the other members.
    private Optional<UnplacedPod> unplaced(List<FittingWorkload> workloads, Transaction tried) {
        for (Pod pod : oneByMessage(workloads)) {
            Evaluation evaluation;
            try {
                evaluation = tried.evaluate(pod);
            } catch (RuntimeException failedPlugin) {
                // The message of the pod has the plugin and its failure already.
                continue;
            }
            if (evaluation.feasible().isEmpty()) {
                return Optional.of(new UnplacedPod(pod, evaluation, changes(evaluation, workloads, tried)));
            }
        }
        return Optional.empty();
    }

    private List<FittingChange> changes(Evaluation evaluation, List<FittingWorkload> workloads, Transaction tried) {
        Set<String> asked = new HashSet<>();
        for (FittingWorkload workload : workloads) {
            workload.manifest().pods().forEach(pod -> asked.add(pod.pod().uid()));
        }
        Map<String, List<Pod>> podsByNode = new HashMap<>();
        return new FittingChanges(
                        tried,
                        name -> Optional.ofNullable(cluster.nodes().get(name)),
                        name -> podsByNode.computeIfAbsent(name, tried::podsOn),
                        other -> !asked.contains(other.uid()),
                        evaluation)
                .all();
    }

    private MorePods more(FurtherPods pods, Transaction tried, int atMost) {
        if (!pods.haveOwnClaims()) {
            HowMany more = tried.howMany(pods.first().pod(), atMost);
            return new MorePods(more.count(), more.byNode(), more.stoppedBy());
        }
        Map<String, String> nodeByUid = new LinkedHashMap<>();
        String stoppedBy = "";
        try (Transaction further = tried.begin()) {
            for (int count = 0; count < atMost && stoppedBy.isEmpty(); count++) {
                Optional<AdmittedPod> next = pods.pod(count);
                if (next.isEmpty()) {
                    stoppedBy = "the name of the next pod is taken by a pod of another owner";
                    break;
                }
                Pod pod = next.get().pod();
                PlacedPods.PlacedPod place = further.with(next.get().claims())
                        .place(List.of(pod))
                        .pods()
                        .get(0);
                stoppedBy = place.message();
                place.nodeName().ifPresent(nodeName -> nodeByUid.put(pod.uid(), nodeName));
                progress.accept(count);
            }
            further.waitingPods()
                    .forEach(waiting -> nodeByUid.remove(waiting.pod().uid()));
        }
        Map<String, Integer> byNode = new LinkedHashMap<>();
        nodeByUid.values().forEach(nodeName -> byNode.merge(nodeName, 1, Integer::sum));
        return new MorePods(nodeByUid.size(), byNode, stoppedBy);
    }
}
