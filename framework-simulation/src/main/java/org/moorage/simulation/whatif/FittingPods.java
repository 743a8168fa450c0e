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
 * How many pods of manifests fit in a cluster. Immutable.
 *
 * @param workloads the manifests, in the order of the question
 * @param before the results of the pods that were scheduled first
 * @param preempted the replacements that controllers create for preempted pods, with their nodes
 * @param gone the preempted pods that no controller recreates
 * @param unplaced one of the unschedulable pods, with the most frequent reason; empty if all pods fit
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
     * The results of the pods of a manifest.
     *
     * @param manifest the manifest
     * @param pods its pods, without those that pods of other manifests preempted
     * @param more how many more replicas fit when all requested pods are scheduled; empty if that was not asked
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
     * @param count the number of pods
     * @param byNode the number of pods on each node, in the order in which the nodes were first chosen
     * @param stoppedBy why the next one is unschedulable; empty if the limit of the question was reached
     */
    public record MorePods(int count, Map<String, Integer> byNode, String stoppedBy) {
        public MorePods {
            byNode = Collections.unmodifiableMap(new LinkedHashMap<>(byNode));
            Objects.requireNonNull(stoppedBy, "stoppedBy");
        }
    }

    /**
     * An unschedulable pod.
     *
     * @param pod the pod
     * @param evaluation the plugins' results when all others are scheduled
     * @param changes changes that would make it fit
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
