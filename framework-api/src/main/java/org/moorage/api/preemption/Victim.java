// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.preemption;

import java.time.Instant;
import java.util.List;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.moorage.api.Snapshot;
import org.moorage.api.model.Pod;

/** Pods that are evicted together or not at all: one pod, or those of a group that is only disrupted as a whole. */
public final class Victim {
    /** The kind of a victim; if two have the same priority, the one of the later kind is more important. */
    enum Kind {
        POD,
        /** A pod group, or one of its pods. */
        POD_GROUP,
        COMPOSITE_POD_GROUP
    }

    private final Kind kind;
    private final int priority;
    private final List<Pod> pods;
    private final int number;
    private @Nullable Instant start;

    /**
     * Creates a victim.
     *
     * @param priority the priority; for a group and its pods, that of their topmost group
     * @param pods at least one
     * @param number its index among the possible victims
     */
    Victim(Kind kind, int priority, List<Pod> pods, int number) {
        this.kind = kind;
        this.priority = priority;
        this.pods = List.copyOf(pods);
        this.number = number;
    }

    Kind kind() {
        return kind;
    }

    /** Returns the priority of the pod, or of the topmost group that its pods belong to. */
    public int priority() {
        return priority;
    }

    /** Returns the pods, at least one. */
    public List<Pod> pods() {
        return pods;
    }

    /** Returns whether it is a group, or a pod of one. */
    boolean isOfGroup() {
        return kind != Kind.POD;
    }

    /**
     * Passes each pod and the name of its node to a consumer. Skips pods whose node is gone: they leave with the
     * others, and take no room.
     */
    void forEachPodOn(Snapshot snapshot, BiConsumer<Pod, String> tried) {
        for (Pod pod : pods) {
            if (snapshot.node(pod.nodeName()).isPresent()) {
                tried.accept(pod, pod.nodeName());
            }
        }
    }

    // kube-scheduler takes the current time as the start of a pod that has not started, so of two victims without a
    // started pod the first is more important.
    static boolean isMoreImportant(Victim first, Victim second) {
        if (first.priority != second.priority) {
            return first.priority > second.priority;
        }
        if (first.kind != second.kind) {
            return first.kind.compareTo(second.kind) > 0;
        }
        if (first.pods.size() != second.pods.size()) {
            return first.pods.size() > second.pods.size();
        }
        Instant firstStart = first.start();
        Instant secondStart = second.start();
        return firstStart.equals(Instant.MAX) && secondStart.equals(Instant.MAX)
                ? first.number < second.number
                : firstStart.isBefore(secondStart);
    }

    // The earliest start of its pods.
    private Instant start() {
        Instant earliest = start;
        if (earliest == null) {
            earliest = Instant.MAX;
            for (Pod pod : pods) {
                Instant ofPod = Candidate.startTime(pod);
                earliest = ofPod.isBefore(earliest) ? ofPod : earliest;
            }
            start = earliest;
        }
        return earliest;
    }
}
