// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.preemption;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodCondition;
import org.moorage.api.plugin.ClusterException;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.Nomination;
import org.moorage.api.plugin.ObjectLister;
import org.moorage.api.plugin.PodEvent;
import org.moorage.api.plugin.WaitingPod;

/** Has victims leave, and keeps in mind for whom that is under way. */
final class Evictions {
    /** The reason in the condition of a pod that has to leave. */
    static final String REASON = "PreemptionByScheduler";

    private final Handle handle;
    private final ObjectLister<Pod> pods;
    // By the identity of the pod that they leave for; with the last victim once it is its turn.
    private final Map<String, Optional<Pod>> underWay = new ConcurrentHashMap<>();

    Evictions(Handle handle) {
        this.handle = handle;
        pods = handle.lister(ObjectKind.POD);
    }

    /** Whether pods are being evicted for the pod of that identity. */
    boolean isUnderWay(String preemptorUid) {
        Optional<Pod> last = underWay.get(preemptorUid);
        return last != null && (last.isEmpty() || isStaying(last.get()));
    }

    // As far as is known here. What the cluster tells comes later than the answers to requests: until it tells that the
    // last
    // victim is going, the pod would only find the others in its way, and have them evicted once more.
    private boolean isStaying(Pod victim) {
        return pods.get(victim.namespace(), victim.name())
                .filter(known ->
                        known.uid().equals(victim.uid()) && !known.metadata().isDeleting())
                .isPresent();
    }

    /**
     * Evicts the victims, and returns when that is done.
     *
     * @throws ClusterException if one cannot be evicted
     */
    void run(Pod preemptor, String nodeName, List<Pod> victims) {
        for (Pod victim : staying(victims)) {
            evict(preemptor, nodeName, victim);
        }
        clearNominations(preemptor, nodeName);
    }

    /** Starts to evict the victims, the last one when all others are gone. */
    void begin(Pod preemptor, String nodeName, List<Pod> victims) {
        List<Pod> staying = staying(victims);
        if (staying.isEmpty()) {
            return;
        }
        underWay.values().removeIf(last -> last.isPresent() && !isStaying(last.get()));
        underWay.put(preemptor.uid(), Optional.empty());
        try {
            handle.background().execute(() -> evictAll(preemptor, nodeName, staying));
        } catch (RuntimeException refused) {
            underWay.remove(preemptor.uid());
            throw refused;
        }
    }

    private static List<Pod> staying(List<Pod> victims) {
        List<Pod> staying = new ArrayList<>(victims);
        staying.removeIf(victim -> victim.metadata().isDeleting());
        return staying;
    }

    // No thread waits for another here: the last victim's turn comes on the thread that ends last.
    private void evictAll(Pod preemptor, String nodeName, List<Pod> victims) {
        boolean cleared = clearNominations(preemptor, nodeName);
        AtomicBoolean failed = new AtomicBoolean();
        Pod last = victims.get(victims.size() - 1);
        List<CompletableFuture<Void>> others = new ArrayList<>();
        for (Pod victim : victims.subList(0, victims.size() - 1)) {
            others.add(CompletableFuture.runAsync(
                    () -> {
                        if (!failed.get()) {
                            evictNoting(failed, preemptor, nodeName, victim);
                        }
                    },
                    handle.background()));
        }
        CompletableFuture<Void> ignored = CompletableFuture.allOf(others.toArray(CompletableFuture[]::new))
                .whenComplete((done, refused) -> {
                    if (refused != null) {
                        failed.set(true);
                    }
                    boolean wasThere = true;
                    if (!failed.get()) {
                        if (isUnbound(last)) {
                            // It gives way at once, and nobody would see it go: the pod must not be kept out then.
                            underWay.remove(preemptor.uid());
                        } else {
                            underWay.put(preemptor.uid(), Optional.of(last));
                        }
                        wasThere = evictNoting(failed, preemptor, nodeName, last);
                    }
                    if (failed.get()) {
                        underWay.remove(preemptor.uid());
                    }
                    // One that had gone before may have been seen to go while the pod was kept out.
                    boolean wasMissed = !wasThere && !isStaying(last);
                    if (failed.get() || !cleared || wasMissed) {
                        // No event would bring the pod back.
                        handle.activate(List.of(preemptor));
                    }
                });
    }

    private boolean isUnbound(Pod victim) {
        return handle.waitingPod(victim.uid()).isPresent()
                || handle.podInPreBind(victim.uid()).isPresent();
    }

    /** Whether the victim was there. */
    private boolean evictNoting(AtomicBoolean failed, Pod preemptor, String nodeName, Pod victim) {
        try {
            return evict(preemptor, nodeName, victim);
        } catch (RuntimeException thrown) {
            failed.set(true);
            return true;
        }
    }

    /** Whether the victim was there. */
    private boolean evict(Pod preemptor, String nodeName, Pod victim) {
        String note = "Preempted by pod " + preemptor.uid() + " on node " + nodeName;
        Optional<WaitingPod> waiting = handle.waitingPod(victim.uid());
        boolean givesWay = waiting.isPresent()
                ? waiting.get().preempt(DefaultPreemption.NAME, "preempted")
                : handle.podInPreBind(victim.uid())
                        .filter(pod -> pod.cancel("preempted by " + DefaultPreemption.NAME))
                        .isPresent();
        if (givesWay) {
            note += " (in kube-scheduler memory).";
        } else if (!delete(preemptor, victim)) {
            return false;
        }
        handle.writer()
                .report(new PodEvent(victim, Optional.of(preemptor), PodEvent.NORMAL, "Preempted", "Preempting", note));
        return true;
    }

    private boolean delete(Pod preemptor, Pod victim) {
        PodCondition condition = new PodCondition(
                PodCondition.DISRUPTION_TARGET,
                "True",
                REASON,
                preemptor.spec().schedulerName() + ": preempting to accommodate a higher priority pod",
                victim.metadata().generation());
        try {
            if (!saysSo(victim, condition)) {
                handle.writer().patchStatus(victim, Optional.of(condition), Nomination.keep());
            }
            handle.writer().delete(victim);
            return true;
        } catch (ClusterException failed) {
            if (failed.isNotFound()) {
                return false;
            }
            throw failed;
        }
    }

    private static boolean saysSo(Pod victim, PodCondition condition) {
        return victim.status()
                .condition(condition.type())
                .filter(known -> known.status().equals(condition.status())
                        && known.reason().equals(condition.reason())
                        && known.message().equals(condition.message()))
                .isPresent();
    }

    // Less important pods that were to get the node may find another one sooner than they would find out.
    private boolean clearNominations(Pod preemptor, String nodeName) {
        boolean cleared = true;
        for (Pod nominated : handle.nominatedPods(nodeName)) {
            if (nominated.spec().priority() < preemptor.spec().priority()
                    && !nominated.status().nominatedNodeName().isEmpty()) {
                try {
                    handle.writer().patchStatus(nominated, Optional.empty(), Nomination.clear());
                } catch (ClusterException failed) {
                    cleared = false;
                }
            }
        }
        return cleared;
    }
}
