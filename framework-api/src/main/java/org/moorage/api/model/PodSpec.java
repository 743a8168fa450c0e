// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The specification of a pod. Pods of one template share one instance, so derived values are computed once for all of
 * them; the node name, which differs from pod to pod, is therefore a property of the {@link Pod}.
 */
public final class PodSpec {
    /** The scheduler name of pods that do not set one. */
    public static final String DEFAULT_SCHEDULER = "default-scheduler";

    private final List<Container> containers;
    private final List<Container> initContainers;
    private final Map<String, Quantity> overhead;
    private final Map<String, Quantity> podRequests;
    private final Map<String, Quantity> podLimits;
    private final PodLevelRequests podLevelRequests;
    private final Map<String, String> nodeSelector;
    // The node selector, with keys at even and values at odd indexes, to match each node quickly.
    private final String[] selectorLabels;
    private final Affinity affinity;
    private final List<Toleration> tolerations;
    private final List<TopologySpreadConstraint> topologySpreadConstraints;
    private final int priority;
    private final String priorityClassName;
    private final String preemptionPolicy;
    private final String schedulerName;
    private final List<String> schedulingGates;
    private final boolean hostNetwork;
    private final boolean hostUsers;
    private final boolean restartsAllContainers;
    private final boolean hasBindMountOptions;
    private final List<String> seccompProfiles;
    private final List<ResourceClaim> resourceClaims;
    private final List<String> imageVolumes;
    private final List<Volume> volumes;
    private final String podGroupName;
    private final List<String> claimNames;
    private final List<HostPort> hostPorts;
    private final int hash;
    // Computed on first use; two threads may both compute it, with the same result.
    private @Nullable PodRequests requests;
    private @Nullable QosClass qosClass;

    private PodSpec(Builder builder) {
        containers = List.copyOf(builder.containers);
        initContainers = List.copyOf(builder.initContainers);
        overhead = Map.copyOf(builder.overhead);
        podRequests = Map.copyOf(builder.podRequests);
        podLimits = Map.copyOf(builder.podLimits);
        podLevelRequests = builder.podLevelRequests;
        nodeSelector = Map.copyOf(builder.nodeSelector);
        selectorLabels = keysAndValues(nodeSelector);
        affinity = builder.affinity;
        tolerations = List.copyOf(builder.tolerations);
        topologySpreadConstraints = List.copyOf(builder.topologySpreadConstraints);
        priority = builder.priority;
        priorityClassName = builder.priorityClassName;
        preemptionPolicy = builder.preemptionPolicy;
        schedulerName = builder.schedulerName;
        schedulingGates = List.copyOf(builder.schedulingGates);
        hostNetwork = builder.hostNetwork;
        hostUsers = builder.hostUsers;
        restartsAllContainers = builder.restartsAllContainers;
        hasBindMountOptions = builder.hasBindMountOptions;
        seccompProfiles = List.copyOf(builder.seccompProfiles);
        resourceClaims = List.copyOf(builder.resourceClaims);
        imageVolumes = List.copyOf(builder.imageVolumes);
        volumes = List.copyOf(builder.volumes);
        podGroupName = builder.podGroupName;
        claimNames = claimNames(volumes);
        hostPorts = hostPorts(containers, initContainers);
        hash = Objects.hash(
                containers, initContainers, nodeSelector, affinity, tolerations, priority, schedulerName, volumes);
    }

    private static List<String> claimNames(List<Volume> volumes) {
        List<String> names = new ArrayList<>(0);
        for (Volume volume : volumes) {
            if (volume.source() instanceof Volume.Claim claim) {
                names.add(claim.claimName());
            }
        }
        return List.copyOf(names);
    }

    private static List<HostPort> hostPorts(List<Container> containers, List<Container> initContainers) {
        List<HostPort> ports = new ArrayList<>();
        for (Container container : containers) {
            ports.addAll(container.hostPorts());
        }
        for (Container container : initContainers) {
            if (container.isSidecar()) {
                ports.addAll(container.hostPorts());
            }
        }
        return List.copyOf(ports);
    }

    /** Returns an empty builder. */
    public static Builder builder() {
        return new Builder();
    }

    /** Returns a builder that starts from this specification. */
    public Builder toBuilder() {
        return new Builder()
                .containers(containers)
                .initContainers(initContainers)
                .overhead(overhead)
                .podRequests(podRequests)
                .podLimits(podLimits)
                .podLevelRequests(podLevelRequests)
                .nodeSelector(nodeSelector)
                .affinity(affinity)
                .tolerations(tolerations)
                .topologySpreadConstraints(topologySpreadConstraints)
                .priority(priority)
                .priorityClassName(priorityClassName)
                .preemptionPolicy(preemptionPolicy)
                .schedulerName(schedulerName)
                .schedulingGates(schedulingGates)
                .hostNetwork(hostNetwork)
                .hostUsers(hostUsers)
                .restartsAllContainers(restartsAllContainers)
                .hasBindMountOptions(hasBindMountOptions)
                .seccompProfiles(seccompProfiles)
                .resourceClaims(resourceClaims)
                .imageVolumes(imageVolumes)
                .volumes(volumes)
                .podGroupName(podGroupName);
    }

    /**
     * An entry of the resource claims of a pod, or of a {@link PodGroup}.
     *
     * @param name its name within the pod or group
     * @param claimName the claim; empty if one is created from the template
     * @param templateName the template of the claim; empty if the claim is named
     */
    public record ResourceClaim(String name, String claimName, String templateName) {}

    /** Returns the containers. */
    public List<Container> containers() {
        return containers;
    }

    /** Returns the init containers, in order. */
    public List<Container> initContainers() {
        return initContainers;
    }

    /** Returns the overhead of running the pod, by resource. */
    public Map<String, Quantity> overhead() {
        return overhead;
    }

    /** Returns the pod-level requests, by resource; they replace the sum over the containers. */
    public Map<String, Quantity> podRequests() {
        return podRequests;
    }

    /** Returns how the {@link #podRequests} count; set by the scheduler. */
    public PodLevelRequests podLevelRequests() {
        return podLevelRequests;
    }

    /** Returns the pod-level limits, by resource. */
    public Map<String, Quantity> podLimits() {
        return podLimits;
    }

    /** Returns the labels that the node must have. */
    public Map<String, String> nodeSelector() {
        return nodeSelector;
    }

    /** Returns the node affinity, pod affinity and pod anti-affinity. */
    public Affinity affinity() {
        return affinity;
    }

    /** Returns the tolerations. */
    public List<Toleration> tolerations() {
        return tolerations;
    }

    /** Returns the topology spread constraints. */
    public List<TopologySpreadConstraint> topologySpreadConstraints() {
        return topologySpreadConstraints;
    }

    /** Returns the priority; pods with a higher one are scheduled first. */
    public int priority() {
        return priority;
    }

    /** Returns the name of the priority class; empty if there is none. */
    public String priorityClassName() {
        return priorityClassName;
    }

    /** Returns the preemption policy: {@code Never} if the pod does not preempt others. */
    public String preemptionPolicy() {
        return preemptionPolicy;
    }

    /** Returns the scheduler name: the profile that schedules the pod. */
    public String schedulerName() {
        return schedulerName;
    }

    /** Returns the names of the scheduling gates. */
    public List<String> schedulingGates() {
        return schedulingGates;
    }

    /** Returns whether it uses the network of the node. */
    public boolean hostNetwork() {
        return hostNetwork;
    }

    /** Returns whether it uses the user namespace of the node, which is the default. */
    public boolean hostUsers() {
        return hostUsers;
    }

    /** Returns whether a restart rule of one of its containers restarts all containers. */
    public boolean restartsAllContainers() {
        return restartsAllContainers;
    }

    /** Returns whether any container, of any type, mounts a volume with bind mount options. */
    public boolean hasBindMountOptions() {
        return hasBindMountOptions;
    }

    /**
     * Returns the seccomp profiles on the node that the pod and its containers use, those of type {@code Localhost}, as
     * paths below the kubelet's folder: first that of the pod, then those of the containers that set one. Init containers
     * are omitted.
     */
    public List<String> seccompProfiles() {
        return seccompProfiles;
    }

    /** Returns the resource claims that its containers refer to. */
    public List<ResourceClaim> resourceClaims() {
        return resourceClaims;
    }

    /** Returns the images that it mounts as volumes, as written in the manifest. */
    public List<String> imageVolumes() {
        return imageVolumes;
    }

    /**
     * Returns whether the node has the labels of the {@link #nodeSelector} and is selected by the required node
     * affinity.
     */
    public boolean selects(Node node) {
        for (int i = 0; i < selectorLabels.length; i += 2) {
            if (!selectorLabels[i + 1].equals(node.labels().get(selectorLabels[i]))) {
                return false;
            }
        }
        return affinity.nodeAffinity().required().isEmpty()
                || affinity.nodeAffinity().required().get().matches(node);
    }

    private static String[] keysAndValues(Map<String, String> labels) {
        String[] inTurn = new String[2 * labels.size()];
        int next = 0;
        for (Map.Entry<String, String> label : labels.entrySet()) {
            inTurn[next++] = label.getKey();
            inTurn[next++] = label.getValue();
        }
        return inTurn;
    }

    /** Returns the volumes of the types that scheduling reads, in the order of the manifest. */
    public List<Volume> volumes() {
        return volumes;
    }

    /**
     * Returns the {@link PodGroup} that it is a member of, {@code spec.schedulingGroup.podGroupName}; empty if it is in
     * none.
     */
    public String podGroupName() {
        return podGroupName;
    }

    /**
     * Returns the names of the claims of its volumes, without ephemeral volumes; a claim of two volumes is listed
     * twice.
     */
    public List<String> claimNames() {
        return claimNames;
    }

    /** Returns the host ports of its containers and restartable init containers. */
    public List<HostPort> hostPorts() {
        return hostPorts;
    }

    /** Returns the requests in the specification, ignoring the status. */
    public Resources requests() {
        return derived().plain();
    }

    /** Returns the requests, with the node allocatable resources of these claims. */
    public Resources requestsWith(List<PodStatus.NodeAllocatableResourceClaimStatus> claims) {
        return PodRequests.of(this, PodStatus.NONE, podLevelRequests, claims).plain();
    }

    /**
     * Returns the first resource, by name, whose total request by containers and claims exceeds the pod-level request;
     * empty if there is none, or if pod-level requests are ignored.
     */
    public Optional<String> firstExceededBy(List<PodStatus.NodeAllocatableResourceClaimStatus> claims) {
        return PodRequests.firstExceeded(this, claims);
    }

    QosClass qosClass() {
        QosClass known = qosClass;
        if (known == null) {
            known = QosClass.of(this);
            qosClass = known;
        }
        return known;
    }

    PodRequests derived() {
        PodRequests known = requests;
        if (known == null) {
            known = PodRequests.of(this, PodStatus.NONE, podLevelRequests, List.of());
            requests = known;
        }
        return known;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof PodSpec that
                && hash == that.hash
                && containers.equals(that.containers)
                && initContainers.equals(that.initContainers)
                && overhead.equals(that.overhead)
                && podRequests.equals(that.podRequests)
                && podLimits.equals(that.podLimits)
                && podLevelRequests == that.podLevelRequests
                && nodeSelector.equals(that.nodeSelector)
                && affinity.equals(that.affinity)
                && tolerations.equals(that.tolerations)
                && topologySpreadConstraints.equals(that.topologySpreadConstraints)
                && priority == that.priority
                && priorityClassName.equals(that.priorityClassName)
                && preemptionPolicy.equals(that.preemptionPolicy)
                && schedulerName.equals(that.schedulerName)
                && schedulingGates.equals(that.schedulingGates)
                && hostNetwork == that.hostNetwork
                && hostUsers == that.hostUsers
                && restartsAllContainers == that.restartsAllContainers
                && hasBindMountOptions == that.hasBindMountOptions
                && seccompProfiles.equals(that.seccompProfiles)
                && resourceClaims.equals(that.resourceClaims)
                && imageVolumes.equals(that.imageVolumes)
                && volumes.equals(that.volumes)
                && podGroupName.equals(that.podGroupName);
    }

    @Override
    public int hashCode() {
        return hash;
    }

    /** A builder of a {@link PodSpec}; unset values are empty or Kubernetes' default. */
    public static final class Builder {
        private List<Container> containers = List.of();
        private List<Container> initContainers = List.of();
        private Map<String, Quantity> overhead = Map.of();
        private Map<String, Quantity> podRequests = Map.of();
        private Map<String, Quantity> podLimits = Map.of();
        private PodLevelRequests podLevelRequests = PodLevelRequests.AS_REPORTED;
        private Map<String, String> nodeSelector = Map.of();
        private Affinity affinity = Affinity.NONE;
        private List<Toleration> tolerations = List.of();
        private List<TopologySpreadConstraint> topologySpreadConstraints = List.of();
        private int priority;
        private String priorityClassName = "";
        private String preemptionPolicy = "";
        private String schedulerName = DEFAULT_SCHEDULER;
        private List<String> schedulingGates = List.of();
        private boolean hostNetwork;
        private boolean hostUsers = true;
        private boolean restartsAllContainers;
        private boolean hasBindMountOptions;
        private List<String> seccompProfiles = List.of();
        private List<ResourceClaim> resourceClaims = List.of();
        private List<String> imageVolumes = List.of();
        private List<Volume> volumes = List.of();
        private String podGroupName = "";

        private Builder() {}

        /** Sets {@link PodSpec#containers}. */
        public Builder containers(List<Container> value) {
            containers = Objects.requireNonNull(value, "containers");
            return this;
        }

        /** Sets {@link PodSpec#initContainers}. */
        public Builder initContainers(List<Container> value) {
            initContainers = Objects.requireNonNull(value, "initContainers");
            return this;
        }

        /** Sets {@link PodSpec#overhead}. */
        public Builder overhead(Map<String, Quantity> value) {
            overhead = Objects.requireNonNull(value, "overhead");
            return this;
        }

        /** Sets {@link PodSpec#podRequests}. */
        public Builder podRequests(Map<String, Quantity> value) {
            podRequests = Objects.requireNonNull(value, "podRequests");
            return this;
        }

        /** Sets {@link PodSpec#podLevelRequests}; by default they count as the node reports them. */
        public Builder podLevelRequests(PodLevelRequests value) {
            podLevelRequests = Objects.requireNonNull(value, "podLevelRequests");
            return this;
        }

        /** Sets {@link PodSpec#podLimits}. */
        public Builder podLimits(Map<String, Quantity> value) {
            podLimits = Objects.requireNonNull(value, "podLimits");
            return this;
        }

        /** Sets {@link PodSpec#nodeSelector}. */
        public Builder nodeSelector(Map<String, String> value) {
            nodeSelector = Objects.requireNonNull(value, "nodeSelector");
            return this;
        }

        /** Sets {@link PodSpec#affinity}. */
        public Builder affinity(Affinity value) {
            affinity = Objects.requireNonNull(value, "affinity");
            return this;
        }

        /** Sets {@link PodSpec#tolerations}. */
        public Builder tolerations(List<Toleration> value) {
            tolerations = Objects.requireNonNull(value, "tolerations");
            return this;
        }

        /** Sets {@link PodSpec#topologySpreadConstraints}. */
        public Builder topologySpreadConstraints(List<TopologySpreadConstraint> value) {
            topologySpreadConstraints = Objects.requireNonNull(value, "topologySpreadConstraints");
            return this;
        }

        /** Sets {@link PodSpec#priority}. */
        public Builder priority(int value) {
            priority = value;
            return this;
        }

        /** Sets {@link PodSpec#priorityClassName}. */
        public Builder priorityClassName(String value) {
            priorityClassName = Objects.requireNonNull(value, "priorityClassName");
            return this;
        }

        /** Sets {@link PodSpec#preemptionPolicy}. */
        public Builder preemptionPolicy(String value) {
            preemptionPolicy = Objects.requireNonNull(value, "preemptionPolicy");
            return this;
        }

        /** Sets {@link PodSpec#schedulerName}. */
        public Builder schedulerName(String value) {
            schedulerName = Objects.requireNonNull(value, "schedulerName");
            return this;
        }

        /** Sets {@link PodSpec#schedulingGates}. */
        public Builder schedulingGates(List<String> value) {
            schedulingGates = Objects.requireNonNull(value, "schedulingGates");
            return this;
        }

        /** Sets {@link PodSpec#hostNetwork}. */
        public Builder hostNetwork(boolean value) {
            hostNetwork = value;
            return this;
        }

        /** Sets {@link PodSpec#hostUsers}. */
        public Builder hostUsers(boolean value) {
            hostUsers = value;
            return this;
        }

        /** Sets {@link PodSpec#restartsAllContainers}. */
        public Builder restartsAllContainers(boolean value) {
            restartsAllContainers = value;
            return this;
        }

        /** Sets {@link PodSpec#hasBindMountOptions}. */
        public Builder hasBindMountOptions(boolean value) {
            hasBindMountOptions = value;
            return this;
        }

        /** Sets {@link PodSpec#seccompProfiles}. */
        public Builder seccompProfiles(List<String> value) {
            seccompProfiles = Objects.requireNonNull(value, "seccompProfiles");
            return this;
        }

        /** Sets {@link PodSpec#resourceClaims}. */
        public Builder resourceClaims(List<ResourceClaim> value) {
            resourceClaims = Objects.requireNonNull(value, "resourceClaims");
            return this;
        }

        /** Sets {@link PodSpec#imageVolumes}. */
        public Builder imageVolumes(List<String> value) {
            imageVolumes = Objects.requireNonNull(value, "imageVolumes");
            return this;
        }

        /** Sets {@link PodSpec#volumes}. */
        public Builder volumes(List<Volume> value) {
            volumes = Objects.requireNonNull(value, "volumes");
            return this;
        }

        /** Sets {@link PodSpec#podGroupName}. */
        public Builder podGroupName(String value) {
            podGroupName = Objects.requireNonNull(value, "podGroupName");
            return this;
        }

        /** Returns the specification. */
        public PodSpec build() {
            return new PodSpec(this);
        }
    }
}
