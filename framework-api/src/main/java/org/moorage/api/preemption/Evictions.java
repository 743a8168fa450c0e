// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.preemption;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodCondition;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.PluginException;
import org.moorage.api.plugin.WaitingPod;
import org.moorage.api.plugin.cluster.ClusterException;
import org.moorage.api.plugin.cluster.Nomination;
import org.moorage.api.plugin.cluster.ObjectLister;
import org.moorage.api.plugin.cluster.PodEvent;

/** Evicts the victims of preemptions, and tracks for which pods and groups evictions are in progress. */
final class Evictions {
    /** The reason in the condition of a victim. */
    static final String REASON = "PreemptionByScheduler";

    /**
     * How long a preemptor waits for the event that its last victim is deleted, after the API server has accepted the
     * request. An overloaded API server delays events by ten seconds and more, and a preemptor that is tried before
     * them still finds its victims on the nodes and evicts other pods.
     */
    private static final Duration LONGEST_GATE = Duration.ofMinutes(1);

    private final Handle handle;
    private final String pluginName;
    private final ObjectLister<Pod> pods;
    /** The last victim by the uid of the preemptor; empty until the others are evicted. */
    private final Map<String, Optional<Pod>> lastVictimByPreemptor = new ConcurrentHashMap<>();
    /** The uids of the pods that were kept out at their last check, with those of their preemptors. */
    private final Map<String, String> keptOut = new ConcurrentHashMap<>();

    Evictions(Handle handle, String pluginName) {
        this.handle = handle;
        this.pluginName = pluginName;
        pods = handle.cluster().lister(ObjectKind.POD);
        handle.cluster().onChange(ObjectKind.POD, this::podChanged);
    }

    /**
     * Returns whether victims are being evicted for a pod, until the last one is observed to leave.
     *
     * @param preemptor the uid of the pod, or of the group that it is part of
     */
    boolean isRunningFor(Pod pod, String preemptor) {
        // Recorded before the check, so that an eviction that ends in between finds the pod.
        keptOut.put(pod.uid(), preemptor);
        boolean isRunning = isRunningFor(preemptor);
        // Looked up after it was recorded, so that a pod that is deleted or bound at the same moment is dropped here or
        // in podChanged.
        if (!isRunning || !isWaiting(pod)) {
            keptOut.remove(pod.uid());
        }
        return isRunning;
    }

    /** As {@link #isRunningFor(Pod, String)}, for a pod that is tried nevertheless. */
    boolean isRunningFor(String preemptor) {
        Optional<Pod> last = lastVictimByPreemptor.get(preemptor);
        return last != null && (last.isEmpty() || isStaying(last.get()));
    }

    private boolean isWaiting(Pod pod) {
        return pods.current(pod)
                .filter(known -> known.uid().equals(pod.uid()) && !known.isBound())
                .isPresent();
    }

    private void podChanged(ObjectChange<Pod> change) {
        if (change.after().filter(pod -> !pod.isBound()).isEmpty()) {
            keptOut.remove(change.latest().uid());
        }
    }

    /** Returns how many pods were kept out at their last check. */
    int keptOut() {
        return keptOut.size();
    }

    // As far as the scheduler has observed. The event of a deletion follows the response to the request; a preemptor
    // that is tried in between still finds the victims on the node and evicts them again. A victim that is deleted
    // immediately causes two events, and takes room until the second one.
    private boolean isStaying(Pod victim) {
        return pods.current(victim)
                .filter(known -> known.uid().equals(victim.uid())
                        && !known.status().isTerminal()
                        && (!known.metadata().isDeleting() || known.metadata().isDeletedAtOnce()))
                .isPresent();
    }

    /**
     * Evicts the victims, and returns when that is done. The scheduler may observe it later.
     *
     * @throws ClusterException if one cannot be evicted
     */
    void run(Preemptor preemptor, String nodeName, List<Pod> victims) {
        forgetEnded();
        for (Pod victim : notDeleting(victims)) {
            evict(preemptor, nodeName, victim);
            lastVictimByPreemptor.put(preemptor.uid(), Optional.of(victim));
        }
        // In the background, since a failure must not keep the preemptor from the node that is free for it now.
        handle.tasks().background().execute(() -> {
            List<RuntimeException> failures = clearNominations(preemptor, nodeName);
            if (!failures.isEmpty()) {
                throw failure(preemptor, nodeName, failures);
            }
        });
    }

    /**
     * Starts to evict the victims in the background, the last one when all others are evicted.
     *
     * @return completes when that has ended, exceptionally if anything has failed
     */
    CompletionStage<?> start(Preemptor preemptor, String nodeName, List<Pod> victims) {
        List<Pod> remaining = notDeleting(victims);
        if (remaining.isEmpty()) {
            return CompletableFuture.completedStage(null);
        }
        BackgroundEviction eviction = new BackgroundEviction(preemptor, nodeName, remaining);
        forgetEnded();
        lastVictimByPreemptor.put(preemptor.uid(), Optional.empty());
        try {
            handle.tasks().background().execute(eviction);
        } catch (RejectedExecutionException refused) {
            lastVictimByPreemptor.remove(preemptor.uid());
            throw refused;
        }
        return eviction.ended;
    }

    private void forgetEnded() {
        lastVictimByPreemptor.values().removeIf(last -> last.isPresent() && !isStaying(last.get()));
    }

    private static List<Pod> notDeleting(List<Pod> victims) {
        List<Pod> remaining = new ArrayList<>(victims);
        remaining.removeIf(victim -> victim.metadata().isDeleting());
        return remaining;
    }

    /**
     * The eviction of the victims of one preemptor. No thread waits for another: the one that ends last evicts the last
     * victim. It throws the failures, so that they are logged; the preemptor is then tried again when its backoff is
     * over.
     */
    private final class BackgroundEviction implements Runnable {
        private final Preemptor preemptor;
        private final String nodeName;
        private final List<Pod> others;
        private final Pod last;
        private final AtomicInteger runningOthers;
        private final Queue<RuntimeException> evictionFailures = new ConcurrentLinkedQueue<>();
        /** Failures that do not prevent the eviction of victims. */
        private final Queue<RuntimeException> nominationFailures = new ConcurrentLinkedQueue<>();

        private final CompletableFuture<Preemptor> ended = new CompletableFuture<>();

        BackgroundEviction(Preemptor preemptor, String nodeName, List<Pod> victims) {
            this.preemptor = preemptor;
            this.nodeName = nodeName;
            others = List.copyOf(victims.subList(0, victims.size() - 1));
            last = victims.get(victims.size() - 1);
            runningOthers = new AtomicInteger(others.size());
        }

        @Override
        public void run() {
            nominationFailures.addAll(clearNominations(preemptor, nodeName));
            if (others.isEmpty()) {
                finish();
            }
            for (Pod victim : others) {
                try {
                    handle.tasks().background().execute(() -> evictOther(victim));
                } catch (RejectedExecutionException refused) {
                    evictionFailures.add(refused);
                    otherEnded();
                }
            }
        }

        private void evictOther(Pod victim) {
            boolean isEnded = false;
            try {
                if (evictionFailures.isEmpty()) {
                    evict(preemptor, nodeName, victim);
                }
                isEnded = true;
            } catch (RuntimeException failed) {
                isEnded = true;
                evictionFailures.add(failed);
            } finally {
                if (!isEnded) {
                    evictionFailures.add(new PluginException("pod " + victim.key() + " was not evicted"));
                }
                otherEnded();
            }
        }

        private void otherEnded() {
            if (runningOthers.decrementAndGet() == 0) {
                finish();
            }
        }

        private void finish() {
            try {
                evictLastAfterOthers();
                ended.complete(preemptor);
            } finally {
                // No effect after a success. The failure itself is thrown, so that it is logged.
                ended.completeExceptionally(new PluginException("preemption for " + preemptor + " has failed"));
            }
        }

        private void evictLastAfterOthers() {
            boolean isEvicted = false;
            boolean isAwaited = false;
            try {
                if (evictionFailures.isEmpty()) {
                    isAwaited = evictLast();
                    isEvicted = true;
                }
            } catch (RuntimeException failed) {
                evictionFailures.add(failed);
            } finally {
                if (!isEvicted) {
                    // The pod is no longer kept out, after any exception or error.
                    lastVictimByPreemptor.remove(preemptor.uid());
                    handle.queue().activateAfterBackoff(preemptor.pods());
                }
            }
            if (isEvicted && !isAwaited) {
                handle.queue().activate(preemptor.pods());
            } else if (isEvicted && !nominationFailures.isEmpty()) {
                handle.queue().activateAfterBackoff(preemptor.pods());
            }
            List<RuntimeException> failures = new ArrayList<>(evictionFailures);
            failures.addAll(nominationFailures);
            if (!failures.isEmpty()) {
                throw failure(preemptor, nodeName, failures);
            }
        }

        /** Evicts the last victim. Returns whether the event that activates the preemptor is still to come. */
        private boolean evictLast() {
            if (isUnbound(last)) {
                // It returns to the queue immediately, without a later event, so the preemptor must not be kept out.
                lastVictimByPreemptor.remove(preemptor.uid());
            } else {
                lastVictimByPreemptor.put(preemptor.uid(), Optional.of(last));
            }
            boolean isAwaited = switch (evict(preemptor, nodeName, last)) {
                case DELETED -> true;
                // Its deletion may have been observed while the preemptor was kept out.
                case GONE -> isStaying(last);
                // The same, if it was not known to be unbound.
                case UNBOUND -> lastVictimByPreemptor.remove(preemptor.uid()) == null;
            };
            if (isAwaited && lastVictimByPreemptor.containsKey(preemptor.uid())) {
                handle.tasks().backgroundAfter(LONGEST_GATE, this::letIn);
            }
            return isAwaited;
        }

        // Either the event of the last victim did not arrive, so the preemptor checks for itself; or there was no
        // event, since the victim was not bound, or it arrived while the preemptor was kept out.
        private void letIn() {
            boolean isOver = lastVictimByPreemptor.remove(preemptor.uid(), Optional.of(last));
            boolean isKeptOut = !lastVictimByPreemptor.containsKey(preemptor.uid())
                    && keptOut.values().removeIf(preemptor.uid()::equals);
            if (isKeptOut || isOver && isStaying(last)) {
                handle.queue().activateAfterBackoff(preemptor.pods());
            }
        }
    }

    private boolean isUnbound(Pod victim) {
        return handle.binding().waitingPod(victim.uid()).isPresent()
                || handle.binding().podInPreBind(victim.uid()).isPresent();
    }

    private static IllegalStateException failure(
            Preemptor preemptor, String nodeName, List<? extends RuntimeException> failures) {
        RuntimeException first = failures.get(0);
        IllegalStateException failure = new PluginException(
                "preemption for " + preemptor + " on node " + nodeName + ": " + first.getMessage(), first);
        failures.subList(1, failures.size()).forEach(failure::addSuppressed);
        return failure;
    }

    /** The result of evicting a victim. */
    private enum Eviction {
        DELETED,
        /** It was already gone. */
        GONE,
        /** It was not bound yet, and returns to the queue. */
        UNBOUND
    }

    private Eviction evict(Preemptor preemptor, String nodeName, Pod victim) {
        String note = "Preempted by " + preemptor.type() + " " + preemptor.uid() + " on node " + nodeName;
        Optional<WaitingPod> waiting = handle.binding().waitingPod(victim.uid());
        boolean isUnboundInMemory = waiting.isPresent()
                ? waiting.get().preempt(pluginName, "preempted")
                : handle.binding()
                        .podInPreBind(victim.uid())
                        .filter(pod -> pod.cancel("preempted by " + pluginName))
                        .isPresent();
        if (isUnboundInMemory) {
            note += " (in kube-scheduler memory).";
        } else if (!delete(preemptor, victim)) {
            return Eviction.GONE;
        }
        handle.cluster()
                .writer()
                .report(PodEvent.normal(victim, "Preempted", "Preempting", note).withRelated(preemptor.object()));
        return isUnboundInMemory ? Eviction.UNBOUND : Eviction.DELETED;
    }

    private boolean delete(Preemptor preemptor, Pod victim) {
        PodCondition condition = new PodCondition(
                PodCondition.DISRUPTION_TARGET,
                "True",
                REASON,
                preemptor.schedulerName() + ": preempting to accommodate a higher priority " + preemptor.type(),
                victim.metadata().generation());
        try {
            if (!hasCondition(victim, condition)) {
                handle.cluster().writer().patchStatus(victim, Optional.of(condition), Nomination.keep());
            }
            handle.cluster().writer().delete(victim);
            return true;
        } catch (ClusterException failed) {
            if (failed.isNotFound()) {
                return false;
            }
            throw failed;
        }
    }

    private static boolean hasCondition(Pod victim, PodCondition condition) {
        return victim.status()
                .condition(condition.type())
                .filter(known -> known.status().equals(condition.status())
                        && known.reason().equals(condition.reason())
                        && known.message().equals(condition.message()))
                .isPresent();
    }

    // Makes pods of lower priority that are nominated to the node look for another node immediately. Returns the
    // failures.
    private List<RuntimeException> clearNominations(Preemptor preemptor, String nodeName) {
        List<RuntimeException> failures = new ArrayList<>();
        for (Pod nominated : handle.preemption().nominatedPods(nodeName)) {
            if (nominated.spec().priority() < preemptor.priority()
                    && !nominated.status().nominatedNodeName().isEmpty()) {
                try {
                    handle.cluster().writer().patchStatus(nominated, Optional.empty(), Nomination.clear());
                } catch (RuntimeException failed) {
                    failures.add(failed);
                }
            }
        }
        return failures;
    }
}
