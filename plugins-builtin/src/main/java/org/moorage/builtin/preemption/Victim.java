// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.preemption;

import java.time.Instant;
import java.util.List;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.moorage.api.Snapshot;
import org.moorage.api.model.Pod;

/** Pods that leave together or not at all: one pod, or those of a group that is only disrupted as a whole. */
final class Victim {
    /** What it is; of two of the same priority the one of the later kind is more important. */
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
     * A victim.
     *
     * @param priority of a group and its pods, that of the group that they are part of in the end
     * @param pods at least one
     * @param number its place among the victims that may have to leave
     */
    Victim(Kind kind, int priority, List<Pod> pods, int number) {
        this.kind = kind;
        this.priority = priority;
        this.pods = pods;
        this.number = number;
    }

    Kind kind() {
        return kind;
    }

    int priority() {
        return priority;
    }

    List<Pod> pods() {
        return pods;
    }

    /** Whether it is a group, or a pod of one. */
    boolean isOfGroup() {
        return kind != Kind.POD;
    }

    /**
     * Has each pod and the name of its node tried. A pod on a node that is not there any more is left out: it leaves with the others,
     * and takes no room.
     */
    void forEachPodOn(Snapshot snapshot, BiConsumer<Pod, String> tried) {
        for (Pod pod : pods) {
            if (snapshot.node(pod.nodeName()).isPresent()) {
                tried.accept(pod, pod.nodeName());
            }
        }
    }

    // kube-scheduler has a pod that has not started start when it is looked at, so of two victims without such a pod
    // the
    // first one is the more important one.
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

    // When the first of its pods started.
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
