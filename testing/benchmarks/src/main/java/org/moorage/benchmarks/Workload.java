// SPDX-License-Identifier: Apache-2.0
package org.moorage.benchmarks;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.Affinity;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.Container;
import org.moorage.api.model.Device;
import org.moorage.api.model.DeviceAttribute;
import org.moorage.api.model.DeviceCapacity;
import org.moorage.api.model.DeviceClass;
import org.moorage.api.model.DeviceRequest;
import org.moorage.api.model.LabelSelector;
import org.moorage.api.model.Node;
import org.moorage.api.model.NodeAffinity;
import org.moorage.api.model.NodeSelection;
import org.moorage.api.model.NodeSelector;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.OwnerReference;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodAffinity;
import org.moorage.api.model.PodAffinityTerm;
import org.moorage.api.model.PodGroup;
import org.moorage.api.model.PodSpec;
import org.moorage.api.model.Quantity;
import org.moorage.api.model.ReplicaSet;
import org.moorage.api.model.ResourceClaim;
import org.moorage.api.model.ResourceSlice;
import org.moorage.api.model.Taint;
import org.moorage.api.model.TopologySpreadConstraint;
import org.moorage.builtin.dra.KubeSchedulerPlugins;
import org.moorage.config.plugin.PluginRegistry;

/**
 * The nodes and pods of a kind of workload, identical to those of the oracle's {@code bench}, which does not have
 * {@code deployments}. Pods of one template share their specification, as they do when they are read from a cluster.
 */
final class Workload {
    private static final String ZONE = "topology.kubernetes.io/zone";
    private static final String HOST = "kubernetes.io/hostname";
    private static final List<String> ZONES = List.of("zone1", "zone2", "zone3");
    static final List<String> KINDS = List.of(
            "basic",
            "mixedrequests",
            "nodeaffinity",
            "taints",
            "podaffinity",
            "podantiaffinity",
            "preferredpodaffinity",
            "preferredpodantiaffinity",
            "spread",
            "preferredspread",
            "deployments",
            "devices",
            "gang",
            "gangtopology",
            "gangpreemption");
    private static final String DRIVER = "gpu.example.com";
    private static final int DEVICES_PER_NODE = 8;
    private static final int SELECTORS = 8;
    private static final int GANG_SIZE = 500;
    private static final int REPLICAS = 50;
    private static final int OWN_SPREAD = 3;
    private static final int OWN_ANTI_AFFINITY = 13;
    private static final int APPS_BY_SCHEDULING = 20;
    private static final int HIGH_PRIORITY = 10;

    private final String kind;
    private final Map<Template, PodSpec> specByTemplate = new HashMap<>();

    Workload(String kind) {
        if (!KINDS.contains(kind)) {
            throw new IllegalArgumentException("--kind: \"" + kind + "\" (expected: one of " + KINDS + ")");
        }
        this.kind = kind;
    }

    /** The common parts of pods with the same specification. */
    private record Template(Map<String, Quantity> requests, String podGroupName, String app) {}

    /**
     * A gang.
     *
     * @param group the group, which requires all of its pods
     * @param pods its pods
     */
    record Gang(PodGroup group, List<Pod> pods) {}

    /** Returns whether pods are scheduled in gangs. */
    boolean hasGangs() {
        return kind.startsWith("gang");
    }

    /** Returns whether each gang is unschedulable and needs preemption. */
    boolean preempts() {
        return kind.equals("gangpreemption");
    }

    /** Returns the feature gates of the workload. */
    FeatureGates features() {
        return FeatureGates.DEFAULTS
                .with(FeatureGates.GENERIC_WORKLOAD, hasGangs())
                .with(FeatureGates.TOPOLOGY_AWARE_WORKLOAD_SCHEDULING, kind.equals("gangtopology"));
    }

    /** Returns all default plugins of kube-scheduler. */
    static PluginRegistry plugins() {
        return PluginRegistry.of(KubeSchedulerPlugins.all());
    }

    Node node(int number) {
        String name = "node-" + number;
        Node.Builder node = Node.of(ObjectMeta.named(name)
                        .labels(Map.of(HOST, name, ZONE, ZONES.get(number % 3), "topology.kubernetes.io/region", "r1"))
                        .build())
                .allocatable(
                        Map.of("cpu", Quantity.of(32), "memory", Quantity.of(128L << 30), "pods", Quantity.of(110)));
        if (kind.equals("taints") && number % 4 == 0 || kind.equals("deployments") && number % 20 == 0) {
            node.taints(List.of(new Taint("dedicated", "x", Taint.NO_SCHEDULE)));
        }
        return node.build();
    }

    /** Returns the pod of a DaemonSet on a node, if the workload has one. */
    Optional<Pod> daemonPod(int number) {
        if (!kind.equals("deployments")) {
            return Optional.empty();
        }
        String name = "agent-" + number;
        ObjectMeta metadata = ObjectMeta.named(name)
                .namespace("kube-system")
                .uid(name)
                .labels(Map.of("app", "agent"))
                .ownerReferences(List.of(new OwnerReference("apps/v1", "DaemonSet", "agent", "agent", true)))
                .build();
        Map<String, Quantity> requests = Map.of("cpu", Quantity.ofMilli(100), "memory", Quantity.of(128L << 20));
        PodSpec spec = specByTemplate.computeIfAbsent(new Template(requests, "", "agent"), this::spec);
        return Optional.of(Pod.of(metadata, spec).withNode("node-" + number));
    }

    List<Pod> pods(String prefix, int count) {
        List<Pod> pods = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            pods.add(pod(prefix, i, ""));
        }
        return pods;
    }

    /** Returns the given number of pods in gangs; the last gang may be smaller than the others. */
    List<Gang> gangs(String prefix, int count) {
        List<Gang> gangs = new ArrayList<>();
        for (int first = 0; first < count; first += GANG_SIZE) {
            String name = prefix + "-" + first / GANG_SIZE;
            List<Pod> pods = new ArrayList<>();
            for (int i = first; i < Math.min(count, first + GANG_SIZE); i++) {
                pods.add(pod(prefix, i, name));
            }
            ObjectMeta metadata = ObjectMeta.named(name)
                    .namespace("default")
                    .uid("group-" + name)
                    .build();
            gangs.add(new Gang(
                    PodGroup.of(metadata)
                            .gang(pods.size())
                            .topologyKeys(kind.equals("gangtopology") ? List.of(ZONE) : List.of())
                            .priority(preempts() ? HIGH_PRIORITY : 0)
                            .build(),
                    pods));
        }
        return gangs;
    }

    private Pod pod(String prefix, int number, String podGroupName) {
        String name = prefix + "-" + number;
        String color = kind.equals("podantiaffinity") ? "green" : "blue";
        Map<String, Quantity> requests = Map.of("cpu", Quantity.ofMilli(100), "memory", Quantity.of(500L << 20));
        if (kind.equals("mixedrequests")) {
            requests = Map.of(
                    "cpu", Quantity.ofMilli(50 + (number * 37) % 400),
                    "memory", Quantity.of((64L + (number * 53) % 900) << 20));
        }
        String app = kind.equals("deployments") ? prefix + "-app-" + number / REPLICAS : "";
        if (!app.isEmpty()) {
            int size = number / REPLICAS;
            requests = Map.of(
                    "cpu",
                    Quantity.ofMilli(50 + (size * 37) % 400),
                    "memory",
                    Quantity.of((64L + (size * 53) % 900) << 20));
        }
        if (preempts()) {
            // Two such pods fill a node.
            requests = Map.of("cpu", Quantity.of(16), "memory", Quantity.of(500L << 20));
        }
        ObjectMeta.Builder metadata =
                ObjectMeta.named(name).namespace("default").uid(name);
        if (app.isEmpty()) {
            metadata.labels(Map.of("color", color, "run", prefix));
        } else {
            metadata.labels(Map.of("app", app))
                    .ownerReferences(List.of(new OwnerReference("apps/v1", "ReplicaSet", app, app, true)));
        }
        PodSpec spec = specByTemplate.computeIfAbsent(new Template(requests, podGroupName, app), this::spec);
        if (kind.equals("devices")) {
            spec = spec.toBuilder()
                    .resourceClaims(List.of(new PodSpec.ResourceClaim("gpu", name, "")))
                    .build();
        }
        return Pod.of(metadata.build(), spec);
    }

    /** Returns the devices of the first nodes and their class, or nothing if the workload has no devices. */
    List<ClusterObject> devices(int nodes) {
        if (!kind.equals("devices")) {
            return List.of();
        }
        List<ClusterObject> objects = new ArrayList<>();
        objects.add(new DeviceClass(
                ObjectMeta.named("gpu").build(), List.of("device.driver == \"" + DRIVER + "\""), List.of(), ""));
        for (int node = 0; node < nodes; node++) {
            String name = "node-" + node;
            List<Device> devices = new ArrayList<>();
            for (int i = 0; i < DEVICES_PER_NODE; i++) {
                devices.add(device(i));
            }
            objects.add(new ResourceSlice(
                    ObjectMeta.named(name).build(),
                    DRIVER,
                    new ResourceSlice.Pool(name, 1, 1),
                    new NodeSelection(name, false, Optional.empty()),
                    false,
                    devices,
                    List.of(),
                    List.of()));
        }
        return objects;
    }

    private static Device device(int number) {
        return new Device(
                "gpu-" + number,
                Map.of(
                        "model", new DeviceAttribute.Text("model-" + number % 4),
                        "index", new DeviceAttribute.Number(number),
                        "ecc", new DeviceAttribute.Flag(true),
                        "firmware", new DeviceAttribute.Version("1." + number + ".0")),
                Map.of("memory", new DeviceCapacity(Quantity.of((16L + 8L * number) << 30), Optional.empty())),
                List.of(),
                NodeSelection.NONE,
                List.of(),
                false,
                List.of(),
                List.of(),
                false,
                Map.of());
    }

    /** Returns the ReplicaSets of the pods that {@link #pods} returns, if these are of Deployments. */
    List<ClusterObject> replicaSets(String prefix, int count) {
        List<ClusterObject> objects = new ArrayList<>();
        for (int first = 0; first < count && kind.equals("deployments"); first += REPLICAS) {
            String app = prefix + "-app-" + first / REPLICAS;
            ObjectMeta metadata =
                    ObjectMeta.named(app).namespace("default").uid(app).build();
            objects.add(new ReplicaSet(metadata, Optional.of(selector("app", app))));
        }
        return objects;
    }

    /** Returns the claims of the pods that {@link #pods} returns. */
    List<ClusterObject> claims(String prefix, int count) {
        List<ClusterObject> objects = new ArrayList<>();
        if (!kind.equals("devices")) {
            return objects;
        }
        for (int i = 0; i < count; i++) {
            String name = prefix + "-" + i;
            String attributes = "device.attributes[\"" + DRIVER + "\"]";
            String selector = attributes + ".ecc && " + attributes + ".index >= " + i % SELECTORS + " && " + attributes
                    + ".firmware.isGreaterThan(semver(\"1.0.0-rc.1\")) && device.capacity[\"" + DRIVER
                    + "\"].memory.compareTo(quantity(\"16Gi\")) >= 0";
            ObjectMeta metadata = ObjectMeta.named(name)
                    .namespace("default")
                    .uid("claim-" + name)
                    .build();
            objects.add(ResourceClaim.of(
                    metadata,
                    List.of(new DeviceRequest(
                            "gpu",
                            "gpu",
                            List.of(selector),
                            DeviceRequest.EXACT_COUNT,
                            1,
                            false,
                            List.of(),
                            Map.of(),
                            Map.of(),
                            List.of()))));
        }
        return objects;
    }

    private PodSpec spec(Template template) {
        PodSpec.Builder spec = PodSpec.builder()
                .containers(List.of(new Container("pause", "pause:3.10", template.requests, Map.of(), List.of(), "")))
                .podGroupName(template.podGroupName)
                .priority(preempts() && !template.podGroupName.isEmpty() ? HIGH_PRIORITY : 0);
        switch (kind) {
            case "nodeaffinity" ->
                spec.affinity(new Affinity(
                        new NodeAffinity(
                                Optional.of(new NodeSelector(List.of(new NodeSelector.Term(
                                        List.of(new NodeSelector.Requirement(ZONE, "In", List.of("zone1", "zone2"))),
                                        List.of())))),
                                List.of()),
                        Optional.empty(),
                        Optional.empty()));
            case "podaffinity" -> spec.affinity(podAffinity(new PodAffinity(List.of(term("blue", ZONE)), List.of())));
            case "podantiaffinity" ->
                spec.affinity(podAntiAffinity(new PodAffinity(List.of(term("green", HOST)), List.of())));
            case "preferredpodaffinity" ->
                spec.affinity(podAffinity(
                        new PodAffinity(List.of(), List.of(new PodAffinityTerm.Weighted(1, term("blue", HOST))))));
            case "preferredpodantiaffinity" ->
                spec.affinity(podAntiAffinity(
                        new PodAffinity(List.of(), List.of(new PodAffinityTerm.Weighted(1, term("blue", HOST))))));
            case "spread" -> spec.topologySpreadConstraints(List.of(spread("DoNotSchedule")));
            case "preferredspread" -> spec.topologySpreadConstraints(List.of(spread("ScheduleAnyway")));
            case "deployments" -> addSchedulingOfApp(spec, template.app);
            default -> {}
        }
        return spec.build();
    }

    // Most Deployments have default spreading; a tenth spread by themselves or have pod anti-affinity.
    private static void addSchedulingOfApp(PodSpec.Builder spec, String app) {
        int number = Math.floorMod(app.hashCode(), APPS_BY_SCHEDULING);
        LabelSelector own = selector("app", app);
        if (number == OWN_SPREAD) {
            spec.topologySpreadConstraints(List.of(new TopologySpreadConstraint(
                    1, ZONE, "DoNotSchedule", Optional.of(own), OptionalInt.empty(), "", "", List.of())));
        } else if (number == OWN_ANTI_AFFINITY) {
            PodAffinityTerm term = new PodAffinityTerm(Optional.of(own), List.of(), Optional.empty(), HOST);
            spec.affinity(
                    podAntiAffinity(new PodAffinity(List.of(), List.of(new PodAffinityTerm.Weighted(100, term)))));
        }
    }

    private static Affinity podAffinity(PodAffinity affinity) {
        return new Affinity(NodeAffinity.NONE, Optional.of(affinity), Optional.empty());
    }

    private static Affinity podAntiAffinity(PodAffinity affinity) {
        return new Affinity(NodeAffinity.NONE, Optional.empty(), Optional.of(affinity));
    }

    private static PodAffinityTerm term(String color, String topologyKey) {
        return new PodAffinityTerm(Optional.of(selector(color)), List.of(), Optional.empty(), topologyKey);
    }

    private static LabelSelector selector(String color) {
        return selector("color", color);
    }

    private static LabelSelector selector(String label, String value) {
        return new LabelSelector(Map.of(label, value), List.of());
    }

    private static TopologySpreadConstraint spread(String whenUnsatisfiable) {
        return new TopologySpreadConstraint(
                5, ZONE, whenUnsatisfiable, Optional.of(selector("blue")), OptionalInt.empty(), "", "", List.of());
    }
}
