// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.whatif;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.moorage.api.NodeInfo;
import org.moorage.api.model.Pod;
import org.moorage.runtime.decision.PluginStatus;
import org.moorage.runtime.decision.UnschedulableReasons;
import org.moorage.runtime.internal.cycle.Diagnosis;
import org.moorage.runtime.internal.cycle.RejectionMessage;
import org.moorage.runtime.whatif.Fit;
import org.moorage.runtime.whatif.HowMany;
import org.moorage.runtime.whatif.PlacedPods;
import org.moorage.runtime.whatif.PreemptionResult;
import org.moorage.runtime.whatif.ProfileComparison;

/** The answers that only hold values. */
final class QuestionAnswers {
    private QuestionAnswers() {}

    /**
     * The nodes that a pod fits.
     *
     * @param gate the rejection by PreEnqueue, which keeps the pod from being tried; empty if there is none
     * @param diagnosis the feasible nodes, and why the others are not
     */
    record Fits(Pod pod, Optional<PluginStatus> gate, Diagnosis diagnosis) implements Fit {
        @Override
        public boolean fits() {
            return gate.isEmpty() && !diagnosis.feasible().isEmpty();
        }

        @Override
        public List<String> feasible() {
            return diagnosis.feasible().stream().map(NodeInfo::name).toList();
        }

        @Override
        public int nodeCount() {
            return diagnosis.nodes().size();
        }

        @Override
        public Optional<PluginStatus> whyNot(String nodeName) {
            for (NodeInfo node : diagnosis.nodes()) {
                if (node.name().equals(nodeName)) {
                    return Optional.ofNullable(diagnosis.whyNot(node));
                }
            }
            return Optional.empty();
        }

        @Override
        public Map<String, PluginStatus> rejections() {
            Map<String, PluginStatus> rejections = new LinkedHashMap<>();
            for (NodeInfo node : diagnosis.nodes()) {
                PluginStatus rejection = diagnosis.whyNot(node);
                if (rejection != null) {
                    rejections.put(node.name(), rejection);
                }
            }
            return Collections.unmodifiableMap(rejections);
        }

        @Override
        public String message() {
            return gate.map(answer -> answer.status().message()).orElseGet(this::messageOfNodes);
        }

        private String messageOfNodes() {
            return diagnosis.feasible().isEmpty() ? diagnosis.message("").text() : "";
        }
    }

    record Placed(Pod pod, Optional<String> nodeName, RejectionMessage rejection) implements PlacedPods.PlacedPod {
        static Placed on(Pod pod, String nodeName) {
            return new Placed(pod, Optional.of(nodeName), RejectionMessage.NONE);
        }

        static Placed none(Pod pod, RejectionMessage rejection) {
            return new Placed(pod, Optional.empty(), rejection);
        }

        @Override
        public String message() {
            return rejection.text();
        }

        @Override
        public Optional<UnschedulableReasons> reasons() {
            return rejection.reasons();
        }
    }

    record Places(List<PlacedPods.PlacedPod> pods, String message) implements PlacedPods {
        Places {
            pods = List.copyOf(pods);
        }

        /** Returns the pods without nodes, because not all of them can have one together. */
        Places withoutNodes(String why) {
            List<PlacedPods.PlacedPod> none = new ArrayList<>();
            for (PlacedPods.PlacedPod place : pods) {
                none.add(Placed.none(place.pod(), new RejectionMessage(place.message(), place.reasons())));
            }
            return new Places(none, why);
        }

        @Override
        public int placed() {
            int placed = 0;
            for (PlacedPods.PlacedPod place : pods) {
                placed += place.nodeName().isPresent() ? 1 : 0;
            }
            return placed;
        }

        @Override
        public boolean isComplete() {
            return placed() == pods.size();
        }
    }

    record Copies(int count, Map<String, Integer> byNode, String stoppedBy) implements HowMany {
        Copies {
            byNode = Collections.unmodifiableMap(new LinkedHashMap<>(byNode));
        }
    }

    record Preempted(Pod pod, Optional<String> nodeName, List<Pod> victims, RejectionMessage rejection)
            implements PreemptionResult {
        Preempted {
            victims = List.copyOf(victims);
        }

        static Preempted none(Pod pod, RejectionMessage rejection) {
            return new Preempted(pod, Optional.empty(), List.of(), rejection);
        }

        @Override
        public String message() {
            return rejection.text();
        }

        @Override
        public Optional<UnschedulableReasons> reasons() {
            return rejection.reasons();
        }
    }

    record ComparedProfiles(PlacedPods own, PlacedPods other) implements ProfileComparison {
        @Override
        public List<Pod> moved() {
            List<Pod> moved = new ArrayList<>();
            for (int i = 0; i < own.pods().size(); i++) {
                if (!own.pods().get(i).nodeName().equals(other.pods().get(i).nodeName())) {
                    moved.add(own.pods().get(i).pod());
                }
            }
            return List.copyOf(moved);
        }
    }
}
