// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.whatif;

import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;
import org.moorage.api.model.Node;
import org.moorage.api.model.OwnerReference;
import org.moorage.api.model.Pod;
import org.moorage.api.model.Volume;
import org.moorage.objects.GoDuration;
import org.moorage.simulation.admission.RecreatedPod;

/**
 * The rules by which cluster-autoscaler 1.36 removes nodes, with its flags of the same names. Immutable.
 *
 * <p>The rules are applied to a pod in the order of cluster-autoscaler's drainability rules; the first one that applies
 * decides.
 *
 * <pre>{@code
 * RemovalRules rules = RemovalRules.builder().skipNodesWithLocalStorage(false).build();
 * }</pre>
 */
public final class RemovalRules {
    /** The defaults of cluster-autoscaler, except that a node may be removed at any utilization. */
    public static final RemovalRules DEFAULTS = builder().build();

    /** The default of cluster-autoscaler's flag {@code --expendable-pods-priority-cutoff}. */
    public static final int EXPENDABLE_PODS_PRIORITY_CUTOFF = -10;

    private static final String PREFIX = "cluster-autoscaler.kubernetes.io/";
    private static final String SAFE_TO_EVICT = PREFIX + "safe-to-evict";
    private static final String SAFE_VOLUMES = PREFIX + "safe-to-evict-local-volumes";
    private static final String DAEMON_SET_POD = PREFIX + "daemonset-pod";
    private static final String SCALE_DOWN_DISABLED = PREFIX + "scale-down-disabled";
    private static final String TRUE = "true";
    private static final String MEMORY = "Memory";
    // Matched by kind alone; the API group is ignored.
    private static final Set<String> REPLICATING_KINDS =
            Set.of("ReplicationController", "Job", "ReplicaSet", "StatefulSet");

    private final double utilizationThreshold;
    private final boolean skipNodesWithLocalStorage;
    private final boolean skipNodesWithSystemPods;
    private final boolean skipNodesWithCustomControllerPods;
    private final int minReplicaCount;
    private final Duration blockingSystemPodTimeout;
    private final int expendablePodsPriorityCutoff;
    private final Predicate<Pod> orphaned;

    private RemovalRules(Builder builder) {
        utilizationThreshold = builder.utilizationThreshold;
        skipNodesWithLocalStorage = builder.skipNodesWithLocalStorage;
        skipNodesWithSystemPods = builder.skipNodesWithSystemPods;
        skipNodesWithCustomControllerPods = builder.skipNodesWithCustomControllerPods;
        minReplicaCount = builder.minReplicaCount;
        blockingSystemPodTimeout = builder.blockingSystemPodTimeout;
        expendablePodsPriorityCutoff = builder.expendablePodsPriorityCutoff;
        orphaned = builder.orphaned;
    }

    /** A builder that starts from {@link #DEFAULTS}. */
    public static Builder builder() {
        return new Builder();
    }

    /** Collects the flags. */
    public static final class Builder {
        private double utilizationThreshold = 1;
        private boolean skipNodesWithLocalStorage = true;
        private boolean skipNodesWithSystemPods = true;
        private boolean skipNodesWithCustomControllerPods = true;
        private int minReplicaCount;
        private Duration blockingSystemPodTimeout = Duration.ofHours(1);
        private int expendablePodsPriorityCutoff = EXPENDABLE_PODS_PRIORITY_CUTOFF;
        private Predicate<Pod> orphaned = any -> false;

        private Builder() {}

        /**
         * Sets the utilization from which on a node is kept, such as 0.5; 1 keeps no node for its utilization.
         *
         * @throws IllegalArgumentException if the value is negative
         */
        public Builder utilizationThreshold(double value) {
            if (!(value >= 0)) {
                throw new IllegalArgumentException("utilizationThreshold: " + value + " (expected: 0 or more)");
            }
            utilizationThreshold = value;
            return this;
        }

        /** Sets whether a pod with an emptyDir or a hostPath volume keeps its node. */
        public Builder skipNodesWithLocalStorage(boolean value) {
            skipNodesWithLocalStorage = value;
            return this;
        }

        /** Sets whether a {@code kube-system} pod that no disruption budget selects keeps its node while it is new. */
        public Builder skipNodesWithSystemPods(boolean value) {
            skipNodesWithSystemPods = value;
            return this;
        }

        /**
         * Sets whether a pod keeps its node if its controller is of another kind than those of Kubernetes that
         * replicate pods.
         */
        public Builder skipNodesWithCustomControllerPods(boolean value) {
            skipNodesWithCustomControllerPods = value;
            return this;
        }

        /** Sets how many replicas a ReplicaSet or ReplicationController needs for its pods to leave their nodes. */
        public Builder minReplicaCount(int value) {
            minReplicaCount = value;
            return this;
        }

        /**
         * Sets the age from which on a {@code kube-system} pod without a disruption budget no longer keeps its node.
         */
        public Builder blockingSystemPodTimeout(Duration value) {
            blockingSystemPodTimeout = Objects.requireNonNull(value, "blockingSystemPodTimeout");
            return this;
        }

        /** Sets the priority below which pods are expendable: they keep no node, and take no room on other nodes. */
        public Builder expendablePodsPriorityCutoff(int value) {
            expendablePodsPriorityCutoff = value;
            return this;
        }

        /** Sets which pods are controlled by a DaemonSet that no longer exists; none by default. */
        public Builder orphaned(Predicate<Pod> value) {
            orphaned = Objects.requireNonNull(value, "orphaned");
            return this;
        }

        /** The rules. */
        public RemovalRules build() {
            return new RemovalRules(this);
        }
    }

    /** Returns whether a pod is expendable: the autoscaler acts as if it did not exist. */
    boolean isExpendable(Pod pod) {
        return pod.spec().priority() < expendablePodsPriorityCutoff;
    }

    /** Returns whether a pod does not have to move: it belongs to its node, or is finished or being deleted. */
    boolean isIgnored(Pod pod) {
        return isGone(pod) || isDaemon(pod) || isLeftToComplete(pod);
    }

    /** Returns whether a pod is ignored that {@code kubectl drain} would evict. */
    boolean isIgnoredUnlikeDrain(Pod pod) {
        return !isGone(pod) && !RecreatedPod.isOfDaemonSet(pod) && isIgnored(pod);
    }

    private static boolean isGone(Pod pod) {
        return RecreatedPod.isMirror(pod)
                || pod.status().isTerminal()
                || pod.metadata().isDeleting();
    }

    /** Returns whether a pod counts as one of a DaemonSet: by the kind of its controller, or by its annotation. */
    public static boolean isDaemon(Pod pod) {
        Objects.requireNonNull(pod, "pod");
        return pod.metadata()
                        .controller()
                        .filter(owner -> owner.kind().equals("DaemonSet"))
                        .isPresent()
                || annotation(pod, DAEMON_SET_POD).equals(TRUE);
    }

    private static boolean isLeftToComplete(Pod pod) {
        return annotation(pod, SAFE_TO_EVICT).equals("on-completion");
    }

    private static String annotation(Pod pod, String key) {
        return pod.metadata().annotations().getOrDefault(key, "");
    }

    /** Returns why a node is kept, regardless of its pods; empty if the node itself may be removed. */
    Optional<String> objection(Node node, double utilization) {
        if (TRUE.equals(node.metadata().annotations().get(SCALE_DOWN_DISABLED))) {
            return Optional.of("annotated with " + SCALE_DOWN_DISABLED);
        }
        return utilizationThreshold < 1 && utilization >= utilizationThreshold
                ? Optional.of("utilization of " + Math.round(100 * utilizationThreshold) + "% or more")
                : Optional.empty();
    }

    /**
     * Returns why a pod keeps its node, in the same words for all such pods; empty if it does not. Whether budgets
     * allow its eviction is not checked here.
     *
     * @param now the time at which nodes are removed
     * @param replicas counts the pods with the same controller
     */
    Optional<String> objection(Pod pod, EvictionBudgets budgets, Instant now, ToIntFunction<OwnerReference> replicas) {
        if (isGone(pod)) {
            return Optional.empty();
        }
        Optional<OwnerReference> controller = pod.metadata().controller();
        if (skipNodesWithCustomControllerPods && orphaned.test(pod)) {
            return Optional.of("pods of a DaemonSet that no longer exists");
        }
        if (skipNodesWithCustomControllerPods
                && controller
                        .filter(owner -> isScaled(owner) && replicas.applyAsInt(owner) < minReplicaCount)
                        .isPresent()) {
            return Optional.of("pods with fewer than " + minReplicaCount + " replicas");
        }
        if (isDaemon(pod) || annotation(pod, SAFE_TO_EVICT).equals(TRUE) || isLeftToComplete(pod)) {
            return Optional.empty();
        }
        if (controller.isEmpty()) {
            return Optional.of("pods that declare no controller");
        }
        if (skipNodesWithCustomControllerPods
                && !REPLICATING_KINDS.contains(controller.get().kind())) {
            return Optional.of("pods of custom controllers");
        }
        if (skipNodesWithSystemPods && pod.namespace().equals("kube-system") && !budgets.selects(pod)) {
            Optional<Instant> created = pod.metadata().creationTimestamp();
            String without = "kube-system pods without a disruption budget";
            if (created.isEmpty()) {
                return Optional.of(without + ", of unknown age");
            }
            if (now.isBefore(created.get().plus(blockingSystemPodTimeout))) {
                return Optional.of(without + ", less than " + GoDuration.format(blockingSystemPodTimeout) + " old");
            }
        }
        if (annotation(pod, SAFE_TO_EVICT).equals("false")) {
            return Optional.of("pods annotated as not safe to evict");
        }
        if (skipNodesWithLocalStorage && hasLocalStorage(pod)) {
            return Optional.of("pods with local storage");
        }
        return Optional.empty();
    }

    private static boolean isScaled(OwnerReference owner) {
        return owner.kind().equals("ReplicaSet") || owner.kind().equals("ReplicationController");
    }

    private static boolean hasLocalStorage(Pod pod) {
        Set<String> safeVolumes =
                new HashSet<>(Arrays.asList(annotation(pod, SAFE_VOLUMES).split(",", -1)));
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
