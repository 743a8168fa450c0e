// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The status of a pod. */
public final class PodStatus {
    /** An empty status. */
    public static final PodStatus NONE = new Builder().build();

    private final String phase;
    private final String nominatedNodeName;
    private final String hostIp;
    private final List<PodCondition> conditions;
    private final List<ContainerResources> containerResources;
    private final List<ContainerState> containerStates;
    private final List<ClaimStatus> resourceClaimStatuses;
    private final List<NodeAllocatableResourceClaimStatus> nodeAllocatableResourceClaimStatuses;
    private final @Nullable ContainerResources podResources;
    private final @Nullable Instant startTime;
    private final @Nullable QosClass qosClass;
    private final @Nullable Instant scheduledAt;

    private PodStatus(Builder builder) {
        phase = builder.phase;
        nominatedNodeName = builder.nominatedNodeName;
        hostIp = builder.hostIp;
        conditions = List.copyOf(builder.conditions);
        containerResources = List.copyOf(builder.containerResources);
        containerStates = List.copyOf(builder.containerStates);
        resourceClaimStatuses = List.copyOf(builder.resourceClaimStatuses);
        nodeAllocatableResourceClaimStatuses = List.copyOf(builder.nodeAllocatableResourceClaimStatuses);
        podResources = builder.podResources;
        startTime = builder.startTime;
        qosClass = builder.qosClass;
        scheduledAt = builder.scheduledAt;
    }

    /** Returns an empty builder. */
    public static Builder builder() {
        return new Builder();
    }

    /** Returns a builder that starts from this status. */
    public Builder toBuilder() {
        Builder builder = new Builder()
                .phase(phase)
                .nominatedNodeName(nominatedNodeName)
                .hostIp(hostIp)
                .conditions(conditions)
                .containerResources(containerResources)
                .containerStates(containerStates)
                .resourceClaimStatuses(resourceClaimStatuses)
                .nodeAllocatableResourceClaimStatuses(nodeAllocatableResourceClaimStatuses);
        builder.podResources = podResources;
        builder.startTime = startTime;
        builder.qosClass = qosClass;
        builder.scheduledAt = scheduledAt;
        return builder;
    }

    /**
     * The resources that the node reports for a container, or for the pod as a whole; they may differ from the requests
     * during a resize.
     *
     * @param name the container's name; empty for the pod as a whole
     * @param requests the actuated requests; empty if they are not reported, which differs from an empty report
     * @param allocated the allocated requests; empty if they are not reported
     */
    public record ContainerResources(
            String name, Optional<Map<String, Quantity>> requests, Optional<Map<String, Quantity>> allocated) {
        public ContainerResources {
            Objects.requireNonNull(name, "name");
            requests = requests.map(Map::copyOf);
            allocated = allocated.map(Map::copyOf);
        }
    }

    /**
     * The state of a container.
     *
     * @param name the container's name
     * @param phase whether it is waiting, running or terminated
     * @param finishedAt when it terminated, if it has
     * @param lastFinishedAt when its previous run terminated, if it was restarted
     */
    public record ContainerState(
            String name, ContainerPhase phase, Optional<Instant> finishedAt, Optional<Instant> lastFinishedAt) {
        public ContainerState {
            Objects.requireNonNull(name, "name");
            Objects.requireNonNull(phase, "phase");
            Objects.requireNonNull(finishedAt, "finishedAt");
            Objects.requireNonNull(lastFinishedAt, "lastFinishedAt");
        }
    }

    /** The phase of a container. */
    public enum ContainerPhase {
        /** It is waiting to be started or restarted. */
        WAITING,
        /** It is running. */
        RUNNING,
        /** It has terminated. */
        TERMINATED
    }

    /**
     * The claim that was created for an entry of the resource claims of a pod, or of a {@link PodGroup}.
     *
     * @param name the entry's name
     * @param claimName the claim's name; empty if no claim is needed
     */
    public record ClaimStatus(String name, String claimName) {}

    /**
     * The node allocatable resources of a claim of the pod, see {@link Device#nodeAllocatableResources}.
     *
     * @param claimName the claim's name
     * @param containers the containers that use the claim; a container that names it twice is listed twice
     * @param mapping the amounts that its devices represent, by resource
     * @param overhead the additional amounts that its devices consume, by resource
     */
    public record NodeAllocatableResourceClaimStatus(
            String claimName,
            List<String> containers,
            Map<String, Quantity> mapping,
            Map<String, Device.NodeAllocatableOverhead> overhead) {
        public NodeAllocatableResourceClaimStatus {
            Objects.requireNonNull(claimName, "claimName");
            containers = List.copyOf(containers);
            mapping = Map.copyOf(mapping);
            overhead = Map.copyOf(overhead);
        }

        /** Returns the amounts that the pod consumes because of the claim, by resource. */
        public Map<String, Quantity> resources() {
            return resources(containers.size());
        }

        /** Returns the amounts that one container consumes because of the claim, by resource. */
        public Map<String, Quantity> resourcesOf(String container) {
            return containers.contains(container) ? resources(1) : Map.of();
        }

        private Map<String, Quantity> resources(int users) {
            Map<String, Quantity> total = new HashMap<>(mapping);
            overhead.forEach((resource, amounts) -> {
                Quantity perContainer = amounts.perContainer().orElse(Quantity.ZERO);
                Quantity besides = amounts.perPod().orElse(Quantity.ZERO).plus(perContainer.times(Quantity.of(users)));
                total.merge(resource, besides, Quantity::plus);
            });
            return total;
        }
    }

    /**
     * The claim for the extended resources of the pod.
     *
     * @param claimName the claim's name
     * @param requestMappings the request of the claim for each container and resource
     */
    public record ExtendedResourceClaimStatus(
            String claimName, List<ContainerExtendedResourceRequest> requestMappings) {
        public ExtendedResourceClaimStatus {
            Objects.requireNonNull(claimName, "claimName");
            requestMappings = List.copyOf(requestMappings);
        }
    }

    /**
     * The request of the claim for extended resources that provides a container's resource.
     *
     * @param containerName the container
     * @param resourceName the resource
     * @param requestName the request
     */
    public record ContainerExtendedResourceRequest(String containerName, String resourceName, String requestName) {}

    /** Returns the phase: {@code Pending}, {@code Running}, {@code Succeeded} or {@code Failed}; empty if unknown. */
    public String phase() {
        return phase;
    }

    /** Returns whether the pod has succeeded or failed. */
    public boolean isTerminal() {
        return phase.equals("Succeeded") || phase.equals("Failed");
    }

    /** Returns the nominated node; empty if there is none. */
    public String nominatedNodeName() {
        return nominatedNodeName;
    }

    /** Returns the address of the node whose kubelet acknowledged the pod; empty if there is none yet. */
    public String hostIp() {
        return hostIp;
    }

    /** Returns the conditions. */
    public List<PodCondition> conditions() {
        return conditions;
    }

    /** Returns the condition of a type, or empty. */
    public Optional<PodCondition> condition(String type) {
        for (PodCondition condition : conditions) {
            if (condition.type().equals(type)) {
                return Optional.of(condition);
            }
        }
        return Optional.empty();
    }

    /** Returns the reported resources of the containers, including init containers, that have any. */
    public List<ContainerResources> containerResources() {
        return containerResources;
    }

    /**
     * Returns the states of the containers, except init containers, that are waiting, have terminated, or were
     * restarted. Omits containers in their first run, so that a healthy pod has none.
     */
    public List<ContainerState> containerStates() {
        return containerStates;
    }

    /** Returns the reported pod-level resources; empty if the pod has no actuated ones. */
    public Optional<ContainerResources> podResources() {
        return Optional.ofNullable(podResources);
    }

    /** Returns whether the node rejected the pod's resize as infeasible. */
    public boolean isResizeInfeasible() {
        return isResizePending("Infeasible");
    }

    /** Returns whether the node deferred the pod's resize until it has room. */
    public boolean isResizeDeferred() {
        return isResizePending("Deferred");
    }

    // Called for each node, so without a lambda. Only the first condition of the type counts.
    private boolean isResizePending(String reason) {
        for (int i = 0; i < conditions.size(); i++) {
            if (conditions.get(i).type().equals("PodResizePending")) {
                return conditions.get(i).reason().equals(reason);
            }
        }
        return false;
    }

    /** Returns the claims that were created for the pod. */
    public List<ClaimStatus> resourceClaimStatuses() {
        return resourceClaimStatuses;
    }

    /**
     * Returns the node allocatable resources of the pod's claims. Always empty if {@link
     * org.moorage.api.feature.FeatureGates#DRA_NODE_ALLOCATABLE_RESOURCES} is off, even if the cluster reports some.
     */
    public List<NodeAllocatableResourceClaimStatus> nodeAllocatableResourceClaimStatuses() {
        return nodeAllocatableResourceClaimStatuses;
    }

    /** Returns when the kubelet acknowledged the pod. */
    public Optional<Instant> startTime() {
        return Optional.ofNullable(startTime);
    }

    /** Returns the reported quality of service class; {@link Pod#qosClass} is defined for all pods. */
    public Optional<QosClass> qosClass() {
        return Optional.ofNullable(qosClass);
    }

    /** Returns when the condition {@link PodCondition#POD_SCHEDULED} became true; empty if it is not, or unknown. */
    public Optional<Instant> scheduledAt() {
        return Optional.ofNullable(scheduledAt);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof PodStatus that
                && phase.equals(that.phase)
                && nominatedNodeName.equals(that.nominatedNodeName)
                && hostIp.equals(that.hostIp)
                && conditions.equals(that.conditions)
                && containerResources.equals(that.containerResources)
                && containerStates.equals(that.containerStates)
                && resourceClaimStatuses.equals(that.resourceClaimStatuses)
                && nodeAllocatableResourceClaimStatuses.equals(that.nodeAllocatableResourceClaimStatuses)
                && Objects.equals(podResources, that.podResources)
                && Objects.equals(startTime, that.startTime)
                && qosClass == that.qosClass
                && Objects.equals(scheduledAt, that.scheduledAt);
    }

    @Override
    public int hashCode() {
        return Objects.hash(phase, nominatedNodeName, conditions, startTime);
    }

    @Override
    public String toString() {
        return phase;
    }

    /** A builder of a {@link PodStatus}; unset values are empty. */
    public static final class Builder {
        private String phase = "";
        private String nominatedNodeName = "";
        private String hostIp = "";
        private List<PodCondition> conditions = List.of();
        private List<ContainerResources> containerResources = List.of();
        private List<ContainerState> containerStates = List.of();
        private List<ClaimStatus> resourceClaimStatuses = List.of();
        private List<NodeAllocatableResourceClaimStatus> nodeAllocatableResourceClaimStatuses = List.of();
        private @Nullable ContainerResources podResources;
        private @Nullable Instant startTime;
        private @Nullable QosClass qosClass;
        private @Nullable Instant scheduledAt;

        private Builder() {}

        /** Sets the phase. */
        public Builder phase(String value) {
            phase = Objects.requireNonNull(value, "phase");
            return this;
        }

        /** Sets the nominated node. */
        public Builder nominatedNodeName(String value) {
            nominatedNodeName = Objects.requireNonNull(value, "nominatedNodeName");
            return this;
        }

        /** Sets the address of the pod's node. */
        public Builder hostIp(String value) {
            hostIp = Objects.requireNonNull(value, "hostIp");
            return this;
        }

        /** Sets the conditions. */
        public Builder conditions(List<PodCondition> value) {
            conditions = Objects.requireNonNull(value, "conditions");
            return this;
        }

        /** Sets the containers' resources. */
        public Builder containerResources(List<ContainerResources> value) {
            containerResources = Objects.requireNonNull(value, "containerResources");
            return this;
        }

        /** Sets the states of the containers that are waiting, have terminated or were restarted. */
        public Builder containerStates(List<ContainerState> value) {
            containerStates = Objects.requireNonNull(value, "containerStates");
            return this;
        }

        /** Sets the reported pod-level resources. */
        public Builder podResources(ContainerResources value) {
            podResources = Objects.requireNonNull(value, "podResources");
            return this;
        }

        /** Sets the claims that were created for the pod. */
        public Builder resourceClaimStatuses(List<ClaimStatus> value) {
            resourceClaimStatuses = Objects.requireNonNull(value, "resourceClaimStatuses");
            return this;
        }

        /** Sets the node allocatable resources of its claims. */
        public Builder nodeAllocatableResourceClaimStatuses(List<NodeAllocatableResourceClaimStatus> value) {
            nodeAllocatableResourceClaimStatuses =
                    Objects.requireNonNull(value, "nodeAllocatableResourceClaimStatuses");
            return this;
        }

        /** Sets the start time. */
        public Builder startTime(Instant value) {
            startTime = Objects.requireNonNull(value, "startTime");
            return this;
        }

        /** Sets the quality of service class. */
        public Builder qosClass(QosClass value) {
            qosClass = Objects.requireNonNull(value, "qosClass");
            return this;
        }

        /** Sets when the pod was scheduled. */
        public Builder scheduledAt(Instant value) {
            scheduledAt = Objects.requireNonNull(value, "scheduledAt");
            return this;
        }

        /** Returns the status. */
        public PodStatus build() {
            return new PodStatus(this);
        }
    }
}
