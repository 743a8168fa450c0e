// SPDX-License-Identifier: Apache-2.0
package org.moorage.testkit;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.moorage.api.model.Affinity;
import org.moorage.api.model.Container;
import org.moorage.api.model.HostPort;
import org.moorage.api.model.NodeAffinity;
import org.moorage.api.model.NodeSelector;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.OwnerReference;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodAffinity;
import org.moorage.api.model.PodAffinityTerm;
import org.moorage.api.model.PodSpec;
import org.moorage.api.model.PodStatus;
import org.moorage.api.model.Quantity;
import org.moorage.api.model.Toleration;
import org.moorage.api.model.TopologySpreadConstraint;
import org.moorage.api.model.Volume;

/**
 * A builder of pods for tests. A pod is in the namespace {@code default}, its uid is {@code namespace/name}, and it has
 * one container until another one is added. Methods about containers apply to the last one added.
 *
 * <pre>{@code
 * Pod pod = Pods.named("p").requests("cpu", "500m").hostPort(8080).sidecar("proxy").requests("cpu", "100m").build();
 * }</pre>
 */
public final class Pods {
    private final String name;
    private String namespace = "default";
    private String uid = "";
    private long generation;
    private final Map<String, String> labels = new HashMap<>();
    private final Map<String, String> annotations = new HashMap<>();
    private final List<OwnerReference> owners = new ArrayList<>();
    private final PodSpec.Builder spec = PodSpec.builder();
    private final List<OpenContainer> containers = new ArrayList<>();
    private final List<OpenContainer> initContainers = new ArrayList<>();
    private OpenContainer current = new OpenContainer("main", "");
    private final Map<String, Quantity> overhead = new HashMap<>();
    private final Map<String, Quantity> podRequests = new HashMap<>();
    private final Map<String, Quantity> podLimits = new HashMap<>();
    private final Map<String, String> nodeSelector = new HashMap<>();
    private Optional<NodeSelector> requiredNodes = Optional.empty();
    private final List<NodeAffinity.Preferred> preferredNodes = new ArrayList<>();
    private Optional<PodAffinity> podAffinity = Optional.empty();
    private Optional<PodAffinity> podAntiAffinity = Optional.empty();
    private final List<Toleration> tolerations = new ArrayList<>();
    private final List<TopologySpreadConstraint> spread = new ArrayList<>();
    private final List<String> schedulingGates = new ArrayList<>();
    private final List<String> imageVolumes = new ArrayList<>();
    private final List<Volume> volumes = new ArrayList<>();
    private final List<PodSpec.ResourceClaim> resourceClaims = new ArrayList<>();
    private PodStatus status = PodStatus.NONE;
    private String nodeName = "";
    private Optional<Instant> created = Optional.empty();
    private Optional<Instant> deleting = Optional.empty();

    private static final class OpenContainer {
        private final String name;
        private final String restartPolicy;
        private String image = "";
        private final Map<String, Quantity> requests = new HashMap<>();
        private final Map<String, Quantity> limits = new HashMap<>();
        private final List<HostPort> hostPorts = new ArrayList<>();

        private OpenContainer(String name, String restartPolicy) {
            this.name = name;
            this.restartPolicy = restartPolicy;
        }

        private boolean isUntouched() {
            return image.isEmpty() && requests.isEmpty() && limits.isEmpty() && hostPorts.isEmpty();
        }

        private Container close() {
            return new Container(name, image, requests, limits, hostPorts, restartPolicy);
        }
    }

    private Pods(String name) {
        this.name = name;
        containers.add(current);
    }

    /** Returns a builder of a pod with that name. */
    public static Pods named(String name) {
        return new Pods(name);
    }

    /** Sets the namespace. */
    public Pods namespace(String value) {
        namespace = value;
        return this;
    }

    /** Sets the uid. */
    public Pods uid(String value) {
        uid = value;
        return this;
    }

    /** Sets the generation, which is the version of the specification. */
    public Pods generation(long value) {
        generation = value;
        return this;
    }

    /** Adds a label. */
    public Pods label(String key, String value) {
        labels.put(key, value);
        return this;
    }

    /** Adds an annotation. */
    public Pods annotation(String key, String value) {
        annotations.put(key, value);
        return this;
    }

    /** Adds an owner that manages the pod, for example {@code "apps/v1", "ReplicaSet", "web-1"}. */
    public Pods controlledBy(String apiVersion, String kind, String ownerName) {
        owners.add(new OwnerReference(apiVersion, kind, ownerName, kind + "/" + ownerName, true));
        return this;
    }

    /** Sets the creation time. */
    public Pods created(Instant when) {
        created = Optional.of(when);
        return this;
    }

    /** Marks the pod as being deleted. */
    public Pods deleting(Instant since) {
        deleting = Optional.of(since);
        return this;
    }

    /** Adds a container. It replaces the first one if no method was called for that. */
    public Pods container(String containerName) {
        if (containers.size() == 1 && containers.get(0).isUntouched()) {
            containers.clear();
        }
        return begin(containers, new OpenContainer(containerName, ""));
    }

    /** Adds an init container that runs to completion. */
    public Pods initContainer(String containerName) {
        return begin(initContainers, new OpenContainer(containerName, ""));
    }

    /** Adds an init container that keeps running. */
    public Pods sidecar(String containerName) {
        return begin(initContainers, new OpenContainer(containerName, "Always"));
    }

    private Pods begin(List<OpenContainer> among, OpenContainer container) {
        among.add(container);
        current = container;
        return this;
    }

    /** Sets the container's image. */
    public Pods image(String image) {
        current.image = image;
        return this;
    }

    /** Requests an amount of a resource for the container. */
    public Pods requests(String resource, String quantity) {
        current.requests.put(resource, Quantity.parse(quantity));
        return this;
    }

    /** Sets the container's limit of a resource. Unlike in the API server, the limit does not set a request. */
    public Pods limits(String resource, String quantity) {
        current.limits.put(resource, Quantity.parse(quantity));
        return this;
    }

    /** Adds a TCP host port on all addresses of the node to the container. */
    public Pods hostPort(int port) {
        return hostPort("", "", port);
    }

    /** Adds a host port to the container. */
    public Pods hostPort(String ip, String protocol, int port) {
        current.hostPorts.add(new HostPort(ip, protocol, port));
        return this;
    }

    /** Adds to the pod's overhead. */
    public Pods overhead(String resource, String quantity) {
        overhead.put(resource, Quantity.parse(quantity));
        return this;
    }

    /** Sets the pod-level request for a resource. */
    public Pods podRequests(String resource, String quantity) {
        podRequests.put(resource, Quantity.parse(quantity));
        return this;
    }

    /** Sets the pod-level limit of a resource. */
    public Pods podLimits(String resource, String quantity) {
        podLimits.put(resource, Quantity.parse(quantity));
        return this;
    }

    /** Requires a label of the node. */
    public Pods nodeSelector(String key, String value) {
        nodeSelector.put(key, value);
        return this;
    }

    /** Requires that one of these terms matches the node; with no terms, no node matches. */
    public Pods requiresNode(NodeSelector.Term... anyOf) {
        requiredNodes = Optional.of(new NodeSelector(List.of(anyOf)));
        return this;
    }

    /** Adds a preferred term of the node affinity. */
    public Pods prefersNode(int weight, NodeSelector.Term term) {
        preferredNodes.add(new NodeAffinity.Preferred(weight, term));
        return this;
    }

    /** Sets the pod affinity. */
    public Pods podAffinity(PodAffinity value) {
        podAffinity = Optional.of(value);
        return this;
    }

    /** Sets the pod anti-affinity. */
    public Pods podAntiAffinity(PodAffinity value) {
        podAntiAffinity = Optional.of(value);
        return this;
    }

    /**
     * Adds a required term of the pod affinity: pods of its namespace with these labels, given as key, value, key,
     * value.
     */
    public Pods requiresPodAffinity(String topologyKey, String... keysAndValues) {
        podAffinity = Optional.of(withTerm(podAffinity, topologyKey, keysAndValues));
        return this;
    }

    /**
     * Adds a required term of the pod anti-affinity: pods of its namespace with these labels, given as key, value, key,
     * value.
     */
    public Pods requiresPodAntiAffinity(String topologyKey, String... keysAndValues) {
        podAntiAffinity = Optional.of(withTerm(podAntiAffinity, topologyKey, keysAndValues));
        return this;
    }

    private static PodAffinity withTerm(Optional<PodAffinity> before, String topologyKey, String... keysAndValues) {
        PodAffinity affinity = before.orElse(PodAffinity.NONE);
        List<PodAffinityTerm> required = new ArrayList<>(affinity.required());
        required.add(new PodAffinityTerm(
                Optional.of(Selectors.labels(keysAndValues)), List.of(), Optional.empty(), topologyKey));
        return new PodAffinity(required, affinity.preferred());
    }

    /** Tolerates a taint of that key and value; an empty effect stands for all effects. */
    public Pods tolerates(String key, String value, String effect) {
        return toleration(new Toleration(key, "Equal", value, effect));
    }

    /** Tolerates every taint of that key; an empty key stands for all keys. */
    public Pods toleratesAll(String key) {
        return toleration(new Toleration(key, "Exists", "", ""));
    }

    /** Adds a toleration. */
    public Pods toleration(Toleration toleration) {
        tolerations.add(toleration);
        return this;
    }

    /** Adds a topology spread constraint. */
    public Pods spread(TopologySpreadConstraint constraint) {
        spread.add(constraint);
        return this;
    }

    /** Makes the pod a member of a pod group, {@code spec.schedulingGroup.podGroupName}. */
    public Pods podGroup(String groupName) {
        spec.podGroupName(groupName);
        return this;
    }

    /** Sets the priority. */
    public Pods priority(int value) {
        spec.priority(value);
        return this;
    }

    /** Sets whether it preempts other pods; {@code Never} if not. */
    public Pods preemptionPolicy(String value) {
        spec.preemptionPolicy(value);
        return this;
    }

    /** Sets the scheduler name, which selects the profile. */
    public Pods schedulerName(String value) {
        spec.schedulerName(value);
        return this;
    }

    /** Adds a scheduling gate. */
    public Pods schedulingGate(String gate) {
        schedulingGates.add(gate);
        return this;
    }

    /** Makes it use the node's network. */
    public Pods hostNetwork() {
        spec.hostNetwork(true);
        return this;
    }

    /** Mounts an image as a volume. */
    public Pods imageVolume(String image) {
        imageVolumes.add(image);
        return this;
    }

    /** Adds a volume; its name is {@code v} and a number, from 0. */
    public Pods volume(Volume.Source source) {
        volumes.add(new Volume("v" + volumes.size(), source));
        return this;
    }

    /** Adds a volume that uses the claim with that name. */
    public Pods claim(String claimName) {
        return volume(new Volume.Claim(claimName));
    }

    /** Adds an entry to its resource claims. */
    public Pods resourceClaim(PodSpec.ResourceClaim claim) {
        resourceClaims.add(claim);
        return this;
    }

    /** Assigns it to a node. */
    public Pods on(String node) {
        nodeName = node;
        return this;
    }

    /** Changes its status. */
    public Pods status(Consumer<PodStatus.Builder> change) {
        PodStatus.Builder builder = status.toBuilder();
        change.accept(builder);
        status = builder.build();
        return this;
    }

    /** Sets its nominated node. */
    public Pods nominatedTo(String node) {
        return status(builder -> builder.nominatedNodeName(node));
    }

    /** Sets the time at which the kubelet started it. */
    public Pods started(Instant when) {
        return status(builder -> builder.startTime(when));
    }

    /** Returns the pod. */
    public Pod build() {
        ObjectMeta.Builder metadata = ObjectMeta.named(name)
                .namespace(namespace)
                .uid(uid.isEmpty() ? namespace + "/" + name : uid)
                .generation(generation)
                .labels(labels)
                .annotations(annotations)
                .ownerReferences(owners);
        created.ifPresent(metadata::creationTimestamp);
        deleting.ifPresent(metadata::deletionTimestamp);
        spec.containers(close(containers))
                .initContainers(close(initContainers))
                .overhead(overhead)
                .podRequests(podRequests)
                .podLimits(podLimits)
                .nodeSelector(nodeSelector)
                .affinity(new Affinity(new NodeAffinity(requiredNodes, preferredNodes), podAffinity, podAntiAffinity))
                .tolerations(tolerations)
                .topologySpreadConstraints(spread)
                .schedulingGates(schedulingGates)
                .resourceClaims(resourceClaims)
                .imageVolumes(imageVolumes)
                .volumes(volumes);
        return Pod.of(metadata.build(), spec.build()).withNode(nodeName).withStatus(status);
    }

    private static List<Container> close(List<OpenContainer> open) {
        List<Container> closed = new ArrayList<>(open.size());
        for (OpenContainer container : open) {
            closed.add(container.close());
        }
        return closed;
    }
}
