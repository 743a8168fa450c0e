// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.whatif;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.moorage.api.model.Pod;
import org.moorage.api.model.Volume;
import org.moorage.simulation.admission.RecreatedPod;

/**
 * Which nodes cluster-autoscaler would take away, by its flags of the same names.
 *
 * @param maxUtilization up to which share of its cpu or memory, whichever is more, a node may be requested, such as 0.5; 1 for any
 * @param skipNodesWithLocalStorage whether pods with an emptyDir or a folder of the node keep it
 * @param skipNodesWithSystemPods whether pods of {@code kube-system} keep it that no disruption budget selects
 */
public record RemovalRules(double maxUtilization, boolean skipNodesWithLocalStorage, boolean skipNodesWithSystemPods) {
    /** What cluster-autoscaler does unless told otherwise, but of any node, however it is used. */
    public static final RemovalRules DEFAULTS = new RemovalRules(1, true, true);

    private static final String SAFE_TO_EVICT = "cluster-autoscaler.kubernetes.io/safe-to-evict";
    private static final String SAFE_VOLUMES = "cluster-autoscaler.kubernetes.io/safe-to-evict-local-volumes";
    private static final String MEMORY = "Memory";

    public RemovalRules {
        if (!(maxUtilization >= 0)) {
            throw new IllegalArgumentException("maxUtilization: " + maxUtilization + " (expected: 0 or more)");
        }
    }

    /** Whether a pod need not move: it belongs to its node, or is going anyway. */
    static boolean isIgnored(Pod pod) {
        return RecreatedPod.isMirror(pod)
                || RecreatedPod.isOfDaemonSet(pod)
                || pod.status().isTerminal()
                || pod.metadata().isDeleting();
    }

    /** Why a pod keeps its node, in words for all such pods; empty if it does not. Budgets are asked elsewhere. */
    Optional<String> objection(Pod pod, EvictionBudgets budgets) {
        String safe = pod.metadata().annotations().getOrDefault(SAFE_TO_EVICT, "");
        if (safe.equals("true")) {
            return Optional.empty();
        }
        if (pod.metadata().controller().isEmpty()) {
            return Optional.of("pods that declare no controller");
        }
        if (skipNodesWithSystemPods && pod.namespace().equals("kube-system") && !budgets.selects(pod)) {
            return Optional.of("kube-system pods without a disruption budget");
        }
        if (safe.equals("false")) {
            return Optional.of("pods annotated as not safe to evict");
        }
        if (skipNodesWithLocalStorage && hasLocalStorage(pod)) {
            return Optional.of("pods with local storage");
        }
        return Optional.empty();
    }

    private static boolean hasLocalStorage(Pod pod) {
        String safe = pod.metadata().annotations().getOrDefault(SAFE_VOLUMES, "");
        Set<String> safeVolumes = new HashSet<>(Arrays.asList(safe.split(",", -1)));
        for (Volume volume : pod.spec().volumes()) {
            boolean isLocal = volume.source() instanceof Volume.HostPath
                    || volume.source() instanceof Volume.EmptyDir folder
                            && !folder.medium().equals(MEMORY);
            if (isLocal && !safeVolumes.contains(volume.name())) {
                return true;
            }
        }
        return false;
    }
}
