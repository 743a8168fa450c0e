// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulationtests;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import org.moorage.api.model.CsiNode;
import org.moorage.api.model.Device;
import org.moorage.api.model.DeviceClass;
import org.moorage.api.model.DeviceRequest;
import org.moorage.api.model.LabelSelector;
import org.moorage.api.model.Namespace;
import org.moorage.api.model.Node;
import org.moorage.api.model.NodeSelection;
import org.moorage.api.model.NodeSelector;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.PersistentVolume;
import org.moorage.api.model.PersistentVolumeClaim;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodDisruptionBudget;
import org.moorage.api.model.PodSpec;
import org.moorage.api.model.Quantity;
import org.moorage.api.model.ResourceClaim;
import org.moorage.api.model.ResourceSlice;
import org.moorage.api.model.StorageClass;
import org.moorage.api.model.Taint;
import org.moorage.api.model.TopologySpreadConstraint;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.Pods;
import org.moorage.testkit.Selectors;

/**
 * The users and administrators of a cluster: they create, change and delete nodes, pods, volumes and claims at random.
 */
final class World {
    static final String DRIVER = "devices.example.com";
    static final String PROVISIONER = "volumes.example.com";
    static final String READY = "ready";
    static final String BROKEN = "broken";
    static final String NAMESPACE = "default";
    private static final int MOST_PODS = 60;
    private static final String[] APPS = {"a", "b", "c"};
    private static final String[] ZONES = {"z1", "z2", "z3"};
    static final String HOSTNAME = "kubernetes.io/hostname";
    static final String ZONE = "topology.kubernetes.io/zone";

    private final ModelApiServer server;
    private final RandomGenerator random;
    private int names;

    World(ModelApiServer server, RandomGenerator random) {
        this.server = server;
        this.random = random;
    }

    private boolean chance(int percent) {
        return random.nextInt(100) < percent;
    }

    private <T> Optional<T> any(List<T> of) {
        return of.isEmpty() ? Optional.empty() : Optional.of(of.get(random.nextInt(of.size())));
    }

    private String any(String... of) {
        return of[random.nextInt(of.length)];
    }

    /** Creates the objects that are there before the scheduler starts. */
    void create() {
        server.create(new Namespace(ObjectMeta.named(NAMESPACE).build()));
        storageClass("provisioned", PROVISIONER, StorageClass.WAIT_FOR_FIRST_CONSUMER);
        storageClass("local", StorageClass.NO_PROVISIONER, StorageClass.WAIT_FOR_FIRST_CONSUMER);
        server.create(new DeviceClass(
                ObjectMeta.named("device").build(),
                List.of("device.driver == '" + DRIVER + "'"),
                List.of(),
                chance(50) ? "example.com/device" : ""));
        int nodes = random.nextInt(3, 13);
        for (int i = 0; i < nodes; i++) {
            createNode("n" + i);
        }
        for (int i = 0; i < 3; i++) {
            createSharedClaim("shared-" + i);
        }
        int pods = random.nextInt(20);
        for (int i = 0; i < pods; i++) {
            createPod("p" + names++);
        }
        if (chance(50)) {
            createBudget();
        }
    }

    private void storageClass(String name, String provisioner, String mode) {
        server.create(new StorageClass(ObjectMeta.named(name).build(), provisioner, mode, List.of()));
    }

    private void createNode(String name) {
        Nodes node = Nodes.named(name)
                .label(HOSTNAME, name)
                .label(ZONE, any(ZONES))
                .allocatable("cpu", Integer.toString(random.nextInt(1, 6)))
                .allocatable("memory", random.nextInt(2, 12) + "Gi")
                .allocatable("pods", Integer.toString(random.nextInt(2, 12)));
        if (chance(10)) {
            node.taint("dedicated", "x", Taint.NO_SCHEDULE);
        }
        server.create(node.build());
        server.create(new CsiNode(
                ObjectMeta.named(name).build(),
                List.of(new CsiNode.Driver(
                        PROVISIONER, List.of(HOSTNAME), chance(50) ? OptionalInt.of(2) : OptionalInt.empty()))));
        if (chance(60)) {
            createDevices(name);
        }
        if (chance(40)) {
            createLocalVolume(name);
        }
    }

    private void createDevices(String nodeName) {
        List<Device> devices = new ArrayList<>();
        int count = random.nextInt(1, 3);
        for (int i = 0; i < count; i++) {
            boolean isBoundLater = chance(30);
            devices.add(new Device(
                    "d" + i,
                    Map.of(),
                    Map.of(),
                    List.of(),
                    NodeSelection.NONE,
                    List.of(),
                    false,
                    isBoundLater ? List.of(READY) : List.of(),
                    isBoundLater ? List.of(BROKEN) : List.of(),
                    false,
                    Map.of()));
        }
        server.create(new ResourceSlice(
                ObjectMeta.named(nodeName + "-devices").build(),
                DRIVER,
                new ResourceSlice.Pool(nodeName, 1, 1),
                new NodeSelection(nodeName, false, Optional.empty()),
                false,
                devices,
                List.of(),
                List.of()));
    }

    private void createLocalVolume(String nodeName) {
        NodeSelector onNode = Selectors.anyOf(Selectors.labelled(Selectors.in(HOSTNAME, nodeName)));
        server.create(PersistentVolume.of(ObjectMeta.named("local-" + names++).build())
                .capacity(Quantity.parse("10Gi"))
                .accessModes(List.of("ReadWriteOnce"))
                .storageClassName("local")
                .nodeAffinity(onNode)
                .phase(PersistentVolume.AVAILABLE)
                .build());
    }

    private void createSharedClaim(String name) {
        server.create(ResourceClaim.of(
                ObjectMeta.named(name).namespace(NAMESPACE).build(), List.of(DeviceRequest.of("r", "device", 1))));
    }

    private void createBudget() {
        server.create(new PodDisruptionBudget(
                ObjectMeta.named("budget-" + names++).namespace(NAMESPACE).build(),
                Optional.of(Selectors.labels("app", any(APPS))),
                random.nextInt(2),
                Set.of()));
    }

    /** Returns whether the cluster may have more pods. */
    boolean hasRoom() {
        return server.all(ObjectKind.POD).size() < MOST_PODS;
    }

    private void createPod(String name) {
        if (!hasRoom() || server.find(ObjectKind.POD, NAMESPACE + "/" + name).isPresent()) {
            return;
        }
        String app = any(APPS);
        Pods pod = Pods.named(name)
                .namespace(NAMESPACE)
                .label("app", app)
                .requests("cpu", random.nextInt(1, 25) * 100 + "m")
                .requests("memory", random.nextInt(1, 20) * 200 + "Mi")
                .generation(1);
        if (chance(25)) {
            pod.priority(chance(50) ? 100 : 10);
        }
        if (chance(10)) {
            pod.hostPort(8000 + random.nextInt(2));
        }
        if (chance(10)) {
            pod.requiresPodAntiAffinity(chance(50) ? HOSTNAME : ZONE, "app", app);
        } else if (chance(5)) {
            pod.requiresPodAffinity(ZONE, "app", any(APPS));
        }
        if (chance(15)) {
            pod.spread(new TopologySpreadConstraint(
                    1,
                    ZONE,
                    "DoNotSchedule",
                    Optional.of(new LabelSelector(Map.of("app", app), List.of())),
                    OptionalInt.empty(),
                    "",
                    "",
                    List.of()));
        }
        if (chance(10)) {
            pod.nodeSelector(ZONE, any(ZONES));
        }
        if (chance(10)) {
            pod.toleratesAll("dedicated");
        }
        if (chance(12)) {
            pod.label(UnreliablePlugin.WAITS, "");
        }
        if (chance(4)) {
            pod.schedulingGate("example.com/gate");
        }
        if (chance(25)) {
            pod.label(Controllers.ENDS, "");
        }
        addVolumes(pod, name);
        addDevices(pod);
        server.create(pod.build());
    }

    /** Adds volumes to a pod with that name, at random. */
    void addVolumes(Pods pod, String name) {
        if (!chance(20)) {
            return;
        }
        List<PersistentVolumeClaim> claims = server.all(ObjectKind.PERSISTENT_VOLUME_CLAIM);
        if (chance(30) && !claims.isEmpty()) {
            pod.claim(any(claims).orElseThrow().name());
            return;
        }
        String claim = "data-" + name + "-" + names++;
        createVolumeClaim(claim, chance(60) ? "provisioned" : "local");
        pod.claim(claim);
    }

    private void createVolumeClaim(String name, String storageClass) {
        server.create(PersistentVolumeClaim.of(
                        ObjectMeta.named(name).namespace(NAMESPACE).build())
                .request(Quantity.parse("1Gi"))
                .accessModes(List.of("ReadWriteOnce"))
                .storageClassName(storageClass)
                .phase("Pending")
                .build());
    }

    /** Adds device claims to a pod, at random. */
    void addDevices(Pods pod) {
        if (chance(20)) {
            pod.resourceClaim(new PodSpec.ResourceClaim("device", "", "template"));
        }
        if (chance(8)) {
            pod.resourceClaim(new PodSpec.ResourceClaim("shared", "shared-" + random.nextInt(3), ""));
        }
        if (chance(5)) {
            pod.requests("example.com/device", "1");
        }
    }

    /** Performs one random action. */
    void step() {
        int choice = random.nextInt(100);
        if (choice < 40) {
            createPod("p" + names++);
        } else if (choice < 55) {
            anyPod().ifPresent(server::deletePod);
        } else if (choice < 65) {
            replacePod();
        } else if (choice < 70) {
            anyNode().filter(node -> server.all(ObjectKind.NODE).size() > 2).ifPresent(this::deleteNode);
        } else if (choice < 76) {
            anyNode().ifPresent(node -> {
                deleteNode(node);
                createNode(node.name());
            });
        } else if (choice < 80) {
            createNode("n" + (100 + names++));
        } else if (choice < 90) {
            anyNode().ifPresent(this::changeNode);
        } else if (choice < 93) {
            removeGates();
        } else if (choice < 95) {
            anyNode().ifPresent(node -> createLocalVolume(node.name()));
        } else if (choice < 98) {
            replaceSharedClaim();
        } else {
            relabelPod();
        }
    }

    private Optional<Pod> anyPod() {
        return any(server.all(ObjectKind.POD));
    }

    private Optional<Node> anyNode() {
        return any(server.all(ObjectKind.NODE));
    }

    // A pod without a node is deleted immediately, so that its name is available.
    private void replacePod() {
        anyPod().ifPresent(pod -> {
            server.deletePod(pod);
            server.delete(ObjectKind.POD, pod.key());
            createPod(pod.name());
        });
    }

    private void deleteNode(Node node) {
        server.delete(ObjectKind.NODE, node.key());
        server.delete(ObjectKind.CSI_NODE, node.key());
        server.delete(ObjectKind.RESOURCE_SLICE, node.name() + "-devices");
    }

    private void changeNode(Node node) {
        switch (random.nextInt(4)) {
            case 0 ->
                update(
                        node,
                        node.toBuilder().unschedulable(!node.unschedulable()).build());
            case 1 ->
                update(
                        node,
                        node.toBuilder()
                                .taints(
                                        node.taints().isEmpty()
                                                ? List.of(new Taint("dedicated", "x", Taint.NO_SCHEDULE))
                                                : List.of())
                                .build());
            case 2 -> {
                Map<String, Quantity> more = new TreeMap<>(node.allocatable());
                more.put("cpu", Quantity.of(random.nextInt(1, 8)));
                update(node, node.toBuilder().allocatable(more).build());
            }
            default ->
                update(
                        node,
                        node.toBuilder()
                                .metadata(node.metadata().toBuilder()
                                        .labels(Map.of(HOSTNAME, node.name(), ZONE, any(ZONES)))
                                        .build())
                                .build());
        }
    }

    private void update(Node before, Node after) {
        server.update(ObjectKind.NODE, before.key(), same -> after);
    }

    /**
     * Creates unused claims of devices and of a volume.
     *
     * @return a pod for each, and for each other claim of a volume; none of them is created
     */
    List<Pod> createUnused() {
        List<Pod> pods = new ArrayList<>();
        for (int devices = 1; devices <= 2; devices++) {
            String claim = "unused-" + devices;
            server.create(ResourceClaim.of(
                    ObjectMeta.named(claim).namespace(NAMESPACE).build(),
                    List.of(DeviceRequest.of("r", "device", devices))));
            pods.add(pod(claim)
                    .resourceClaim(new PodSpec.ResourceClaim("devices", claim, ""))
                    .build());
        }
        createVolumeClaim("unused", "local");
        for (PersistentVolumeClaim claim : server.all(ObjectKind.PERSISTENT_VOLUME_CLAIM)) {
            pods.add(pod(claim.name()).claim(claim.name()).build());
        }
        return pods;
    }

    private static Pods pod(String ofClaim) {
        return Pods.named("pod-of-" + ofClaim).namespace(NAMESPACE);
    }

    /** Removes the gates of all pods. */
    void removeGates() {
        for (Pod pod : server.all(ObjectKind.POD)) {
            if (!pod.spec().schedulingGates().isEmpty()) {
                server.patchPod(
                        pod,
                        same -> same.withSpec(same.spec().toBuilder()
                                        .schedulingGates(List.of())
                                        .build())
                                .withMetadata(same.metadata().toBuilder()
                                        .generation(same.metadata().generation() + 1)
                                        .build()));
            }
        }
    }

    private void relabelPod() {
        anyPod().ifPresent(pod -> {
            Map<String, String> labels = new TreeMap<>(pod.labels());
            labels.put("app", any(APPS));
            server.patchPod(
                    pod,
                    same -> same.withMetadata(
                            same.metadata().toBuilder().labels(labels).build()));
        });
    }

    private void replaceSharedClaim() {
        String name = "shared-" + random.nextInt(3);
        if (server.find(ObjectKind.RESOURCE_CLAIM, NAMESPACE + "/" + name).isPresent()) {
            server.delete(ObjectKind.RESOURCE_CLAIM, NAMESPACE + "/" + name);
        } else {
            createSharedClaim(name);
        }
    }
}
