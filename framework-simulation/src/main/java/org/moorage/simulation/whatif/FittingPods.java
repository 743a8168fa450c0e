// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.whatif;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.moorage.api.model.Pod;
import org.moorage.runtime.decision.Evaluation;
import org.moorage.simulation.admission.RecreatedPod;
import org.moorage.simulation.dump.ManifestPods;
import org.moorage.simulation.whatif.RescheduledPods.RescheduledPod;

/**
 * What room a cluster has for pods of manifests. Immutable.
 *
 * @param workloads the manifests, in the order in which they were asked about
 * @param before what became of the pods that were placed first
 * @param preempted the pods that their controllers create for those that are preempted, and where these find a place
 * @param gone those that are preempted, in whose place nobody creates another
 * @param unplaced one of the pods that find no place, for the most frequent reason; empty if all find one
 */
public record FittingPods(
        List<FittingWorkload> workloads,
        List<RescheduledPod> before,
        List<RescheduledPod> preempted,
        List<RecreatedPod> gone,
        Optional<UnplacedPod> unplaced) {
    public FittingPods {
        workloads = List.copyOf(workloads);
        before = List.copyOf(before);
        preempted = List.copyOf(preempted);
        gone = List.copyOf(gone);
        Objects.requireNonNull(unplaced, "unplaced");
    }

    /**
     * What becomes of the pods that a manifest asks for.
     *
     * @param manifest the manifest
     * @param pods its pods, those that were preempted by others of the manifests left out
     * @param more how many more copies fit when all asked pods are in place; empty if that was not asked
     */
    public record FittingWorkload(ManifestPods manifest, List<RescheduledPod> pods, Optional<MorePods> more) {
        public FittingWorkload {
            Objects.requireNonNull(manifest, "manifest");
            pods = List.copyOf(pods);
            Objects.requireNonNull(more, "more");
        }

        /** Returns the unschedulable pods. */
        public List<RescheduledPod> unplaced() {
            return pods.stream().filter(pod -> pod.nodeName().isEmpty()).toList();
        }

        /** Returns the number of pods that are scheduled. */
        public int placed() {
            return pods.size() - unplaced().size();
        }

        /**
         * Returns the number of requested pods that were not tried, since at most {@value
         * org.moorage.simulation.dump.Manifests#MOST_PODS} are.
         */
        public int untried() {
            return manifest.whyNone().isEmpty()
                    ? manifest.asked() - manifest.pods().size()
                    : 0;
        }

        /** Returns whether all pods that the manifest asks for are scheduled. */
        public boolean isComplete() {
            return placed() == manifest.asked() && manifest.whyNone().isEmpty();
        }
    }

    /**
     * How many more pods of a manifest fit.
     *
     * @param count how many
     * @param byNode how many on each node, in the order in which the nodes were first chosen
     * @param stoppedBy why the next one finds no place; empty if as many as were to be tried did
     */
    public record MorePods(int count, Map<String, Integer> byNode, String stoppedBy) {
        public MorePods {
            byNode = Collections.unmodifiableMap(new LinkedHashMap<>(byNode));
            Objects.requireNonNull(stoppedBy, "stoppedBy");
        }
    }

    /**
     * A pod that finds no place.
     *
     * @param pod the pod
     * @param evaluation what the plugins say of it when all others are in place
     * @param changes what would help it
     */
    public record UnplacedPod(Pod pod, Evaluation evaluation, List<FittingChange> changes) {
        public UnplacedPod {
            Objects.requireNonNull(pod, "pod");
            Objects.requireNonNull(evaluation, "evaluation");
            changes = List.copyOf(changes);
        }
    }

    /** Returns whether all requested pods are scheduled. */
    public boolean isComplete() {
        return workloads.stream().allMatch(FittingWorkload::isComplete);
    }
}
