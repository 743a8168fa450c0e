// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.whatif;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.function.IntConsumer;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.OwnerReference;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodSpec;
import org.moorage.api.model.Volume;
import org.moorage.runtime.cluster.ClusterSource;
import org.moorage.runtime.whatif.PreemptionResult;
import org.moorage.runtime.whatif.Transaction;

/**
 * Has pods scheduled in a transaction, as its scheduler would with all of them in its queue: the most important first, each with those before
 * it in place. One that fits nowhere may preempt others, which their controllers create again; these then wait like it. What found no place
 * is tried again for as long as anything else has changed since. Of pods that differ in their names alone, those after one that found no place
 * find none either, and are not tried.
 *
 * <p>The pods stay where they were placed until the transaction is closed.
 */
public final class Rescheduling {
    // Preemption removes pods of lower priority alone, so that it ends; a plugin of others may do otherwise.
    private static final int MOST_PREEMPTIONS = 10;
    private static final String PREEMPTED_TOO_OFTEN = "preempted " + MOST_PREEMPTIONS + " times, and not tried again";

    private final Transaction cluster;
    private final ClusterSource objects;
    private final Instant now;
    private final PriorityQueue<Waiting> queue = new PriorityQueue<>(
            Comparator.<Waiting>comparingInt(waiting -> -waiting.pod.spec().priority())
                    .thenComparingInt(Waiting::number));
    private final List<Unplaced> unplaced = new ArrayList<>();
    private final Map<String, Placed> placed = new LinkedHashMap<>();
    /** What was said last to pods like one, and how much had changed by then. */
    private final Map<Alike, Unplaced> said = new HashMap<>();

    private final List<RecreatedPod> gone = new ArrayList<>();
    private IntConsumer progress = tried -> {};
    private int arrived;
    private int changes;
    private int tried;

    /** A pod in the queue, where its predecessor was, and how often that was preempted here. */
    private record Waiting(Pod pod, String nodeBefore, int number, int preemptions) {}

    /** A pod that found no place when so much had changed. */
    private record Unplaced(Waiting waiting, String message, int changes) {}

    /** What pods have in common that differ in their names alone. */
    private record Alike(
            String namespace,
            PodSpec spec,
            Map<String, String> labels,
            Map<String, String> annotations,
            List<OwnerReference> owners) {
        /** Empty for a pod that has claims of its own, or a text that plugins read. */
        static Optional<Alike> of(Pod pod) {
            boolean hasOwn = pod.json().isPresent()
                    || !pod.status().resourceClaimStatuses().isEmpty()
                    || !pod.status().nominatedNodeName().isEmpty()
                    || pod.spec().volumes().stream()
                            .anyMatch(volume -> volume.source() instanceof Volume.EphemeralClaim);
            ObjectMeta metadata = pod.metadata();
            return hasOwn
                    ? Optional.empty()
                    : Optional.of(new Alike(
                            pod.namespace(),
                            pod.spec(),
                            metadata.labels(),
                            metadata.annotations(),
                            metadata.ownerReferences()));
        }
    }

    private record Placed(Waiting waiting, PreemptionResult answer) {}

    /**
     * No pods yet.
     *
     * @param cluster where they are placed
     * @param objects the cluster's objects, which tell of the claims of pods that are created again, and which names are taken
     * @param now when they are created again
     */
    public Rescheduling(Transaction cluster, ClusterSource objects, Instant now) {
        this.cluster = Objects.requireNonNull(cluster, "cluster");
        this.objects = Objects.requireNonNull(objects, "objects");
        this.now = Objects.requireNonNull(now, "now");
    }

    /** Sets who is told how many attempts have been made; nobody if not set. */
    public Rescheduling progress(IntConsumer told) {
        progress = Objects.requireNonNull(told, "told");
        return this;
    }

    /** Adds pods that wait for a node, in the order in which they came to the queue. */
    public Rescheduling waiting(Collection<Pod> pods) {
        pods.forEach(pod -> add(pod, "", 0));
        return this;
    }

    /** Adds what becomes of pods that are gone, in the order in which they went. */
    public Rescheduling gone(Collection<Pod> pods) {
        RecreatedPod.all(pods, objects, now).forEach(pod -> gone(pod, pod.gone().nodeName(), 0));
        return this;
    }

    private void gone(RecreatedPod pod, String nodeBefore, int preemptions) {
        cluster.with(pod.claims());
        pod.pod().ifPresentOrElse(again -> add(again, nodeBefore, preemptions), () -> gone.add(pod));
    }

    private void add(Pod pod, String nodeBefore, int preemptions) {
        queue.add(new Waiting(pod, nodeBefore, arrived++, preemptions));
    }

    /**
     * Schedules them. May be called again when more were added.
     *
     * @return what has become of all that were added
     * @throws RuntimeException if a plugin fails; the message says which one
     */
    public RescheduledPods schedule() {
        do {
            for (Waiting next = queue.poll(); next != null; next = queue.poll()) {
                scheduleNext(next);
            }
        } while (retry());
        return answer();
    }

    private void scheduleNext(Waiting next) {
        progress.accept(++tried);
        if (next.preemptions > MOST_PREEMPTIONS) {
            unplaced.add(new Unplaced(next, PREEMPTED_TOO_OFTEN, Integer.MAX_VALUE));
            return;
        }
        Optional<Alike> alike = Alike.of(next.pod);
        Optional<Unplaced> before = alike.map(said::get).filter(last -> last.changes == changes);
        if (before.isPresent()) {
            unplaced.add(new Unplaced(next, before.get().message, changes));
            return;
        }
        PreemptionResult answer = cluster.preempt(next.pod);
        if (answer.nodeName().isEmpty()) {
            Unplaced now = new Unplaced(next, answer.message(), changes);
            unplaced.add(now);
            alike.ifPresent(key -> said.put(key, now));
            return;
        }
        changes++;
        placed.put(next.pod.uid(), new Placed(next, answer));
        for (Pod victim : answer.victims()) {
            Placed former = placed.remove(victim.uid());
            gone(
                    RecreatedPod.of(victim, objects, now),
                    former == null ? victim.nodeName() : former.waiting.nodeBefore,
                    former == null ? 1 : former.waiting.preemptions + 1);
        }
    }

    // Another pod in place, or one that left, may be what it needs.
    private boolean retry() {
        List<Unplaced> again =
                unplaced.stream().filter(pod -> pod.changes < changes).toList();
        unplaced.removeAll(again);
        again.forEach(pod -> queue.add(pod.waiting));
        return !again.isEmpty();
    }

    private RescheduledPods answer() {
        List<RescheduledPods.RescheduledPod> pods = new ArrayList<>();
        placed.values()
                .forEach(pod -> pods.add(new RescheduledPods.RescheduledPod(
                        pod.waiting.pod, pod.waiting.nodeBefore, pod.answer.nodeName(), "", pod.answer.victims())));
        unplaced.forEach(pod -> pods.add(new RescheduledPods.RescheduledPod(
                pod.waiting.pod, pod.waiting.nodeBefore, Optional.empty(), pod.message, List.of())));
        return new RescheduledPods(pods, gone);
    }
}
