// SPDX-License-Identifier: Apache-2.0
package org.moorage.schedulertests.whatif;

import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * Random clusters with volumes, devices, storage capacities and attach limits, each with a workload: a Deployment or a
 * StatefulSet whose pods share claims or have separate claims. Objects are JSON, one per line.
 *
 * @param nodes the number of nodes; their names start at n0
 * @param objects the cluster
 * @param workload the workload, with {@code %d} in place of the number of replicas
 * @param replicas the number of replicas
 * @param newNode a node like those of the cluster, with its CSINode and devices, which is not in the cluster
 */
record StorageClusters(int nodes, List<String> objects, String workload, int replicas, List<String> newNode) {
    private static final String DRIVER = "disk.example.com";
    private static final String LOCAL = "kubernetes.io/no-provisioner";
    private static final List<String> CLASSES = List.of("late", "now", "local", "local-now");

    static StorageClusters drawn(RandomGenerator random) {
        return new Drawing(random).drawn();
    }

    /** Returns the objects of the cluster, one per line. */
    String cluster() {
        return String.join("\n", objects);
    }

    /** Returns the workload with a number of replicas. */
    String workload(int wanted) {
        return workload.replace("%d", Integer.toString(wanted));
    }

    private static final class Drawing {
        private final RandomGenerator random;
        private final List<String> objects = new ArrayList<>();
        private final int nodes;
        private final int zones;
        private final boolean isByZone;
        private final boolean publishesCapacity;
        private final int attachLimit;
        private final int cpus;
        private final int mostDevices;

        Drawing(RandomGenerator random) {
            this.random = random;
            nodes = random.nextInt(2, 6);
            zones = random.nextInt(1, 3);
            isByZone = random.nextBoolean();
            publishesCapacity = random.nextBoolean();
            attachLimit = random.nextInt(3) == 0 ? random.nextInt(1, 4) : 0;
            cpus = random.nextInt(2, 7);
            mostDevices = random.nextInt(1, 4);
        }

        StorageClusters drawn() {
            for (int i = 0; i < nodes; i++) {
                addNode(objects, i);
            }
            storage();
            devices();
            for (int i = 0; i < nodes; i++) {
                for (int pods = random.nextInt(3); pods > 0; pods--) {
                    running("n" + i);
                }
            }
            List<String> newNode = new ArrayList<>();
            addNode(newNode, nodes);
            return new StorageClusters(nodes, objects, workload(), random.nextInt(1, 7), newNode);
        }

        private String zone(int node) {
            return "z" + node % zones;
        }

        private void addNode(List<String> added, int number) {
            String name = "n" + number;
            // The node comes last, after all objects that belong to it.
            String limit = attachLimit > 0 ? ",\"allocatable\":{\"count\":" + attachLimit + "}" : "";
            added.add("""
                    {"apiVersion":"storage.k8s.io/v1","kind":"CSINode","metadata":{"name":"%s"},"spec":{"drivers":[\
                    {"name":"%s","nodeID":"%s","topologyKeys":["%s"]%s}]}}""".formatted(
                    name, DRIVER, name, isByZone ? "topology.kubernetes.io/zone" : "kubernetes.io/hostname", limit));
            StringBuilder devices = new StringBuilder();
            for (int i = random.nextInt(mostDevices + 1); i > 0; i--) {
                devices.append(devices.isEmpty() ? "" : ",").append("{\"name\":\"gpu-" + i + "\"}");
            }
            if (!devices.isEmpty()) {
                added.add("""
                        {"apiVersion":"resource.k8s.io/v1","kind":"ResourceSlice","metadata":{"name":"%s"},"spec":{\
                        "driver":"gpu.example.com","nodeName":"%s","pool":{"name":"%s","generation":1,"resourceSliceCount":1},\
                        "devices":[%s]}}""".formatted(name, name, name, devices));
            }
            added.add("""
                    {"apiVersion":"v1","kind":"Node","metadata":{"name":"%s","labels":{"kubernetes.io/hostname":"%s",\
                    "topology.kubernetes.io/zone":"%s"}},"status":{"allocatable":{"cpu":"%d","memory":"8Gi","pods":"20"}}}""".formatted(name, name, zone(number), cpus));
        }

        private void storage() {
            objects.add("""
                    {"apiVersion":"storage.k8s.io/v1","kind":"CSIDriver","metadata":{"name":"%s"},"spec":{"storageCapacity":%b}}""".formatted(DRIVER, publishesCapacity));
            for (String name : CLASSES) {
                objects.add("""
                        {"apiVersion":"storage.k8s.io/v1","kind":"StorageClass","metadata":{"name":"%s"},"provisioner":"%s",\
                        "volumeBindingMode":"%s"}""".formatted(
                                name,
                                name.startsWith("local") ? LOCAL : DRIVER,
                                name.endsWith("now") ? "Immediate" : "WaitForFirstConsumer"));
            }
            if (publishesCapacity) {
                for (String name : List.of("late", "now")) {
                    for (int segment = 0; segment < (isByZone ? zones : nodes); segment++) {
                        int size = random.nextInt(8);
                        String largest = random.nextInt(3) == 0
                                ? ",\"maximumVolumeSize\":\"" + random.nextInt(1, 4) + "Gi\""
                                : "";
                        objects.add("""
                                {"apiVersion":"storage.k8s.io/v1","kind":"CSIStorageCapacity","metadata":{"name":"%s-%d",\
                                "namespace":"kube-system"},"storageClassName":"%s","capacity":"%dGi"%s,\
                                "nodeTopology":{"matchLabels":{"%s":"%s"}}}""".formatted(
                                        name,
                                        segment,
                                        name,
                                        size,
                                        largest,
                                        isByZone ? "topology.kubernetes.io/zone" : "kubernetes.io/hostname",
                                        isByZone ? "z" + segment : "n" + segment));
                    }
                }
            }
            for (int i = random.nextInt(5); i > 0; i--) {
                int node = random.nextInt(nodes);
                objects.add(volume(
                        "pv-" + i,
                        random.nextBoolean() ? "local" : "local-now",
                        node,
                        random.nextInt(1, 5),
                        "Available",
                        ""));
            }
        }

        private static String volume(String name, String storageClass, int node, int size, String phase, String claim) {
            return """
                    {"apiVersion":"v1","kind":"PersistentVolume","metadata":{"name":"%s"},"spec":{"capacity":{"storage":"%dGi"},\
                    "accessModes":["ReadWriteOnce"],"storageClassName":"%s","local":{"path":"/d"}%s,"nodeAffinity":{"required":\
                    {"nodeSelectorTerms":[{"matchExpressions":[{"key":"kubernetes.io/hostname","operator":"In","values":["n%d"]}]}]}}},\
                    "status":{"phase":"%s"}}""".formatted(name, size, storageClass, claim, node, phase);
        }

        private String accessMode() {
            return switch (random.nextInt(4)) {
                case 0 -> "ReadWriteOncePod";
                case 1 -> "ReadWriteMany";
                default -> "ReadWriteOnce";
            };
        }

        private String claimSpec() {
            String storageClass = CLASSES.get(random.nextInt(CLASSES.size()));
            String mode = storageClass.startsWith("local") ? "ReadWriteOnce" : accessMode();
            return """
                    {"accessModes":["%s"],"storageClassName":"%s","resources":{"requests":{"storage":"%dGi"}}}""".formatted(mode, storageClass, random.nextInt(1, 4));
        }

        private void devices() {
            objects.add("""
                    {"apiVersion":"resource.k8s.io/v1","kind":"DeviceClass","metadata":{"name":"gpu"},"spec":{"selectors":[\
                    {"cel":{"expression":"device.driver == 'gpu.example.com'"}}]}}""");
            String requests =
                    "{\"devices\":{\"requests\":[{\"name\":\"r\",\"exactly\":{\"deviceClassName\":\"gpu\",\"count\":"
                            + random.nextInt(1, 3) + "}}]}}";
            objects.add("""
                    {"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaimTemplate","metadata":{"name":"own","namespace":"default"},\
                    "spec":{"spec":%s}}""".formatted(requests));
            objects.add("""
                    {"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":{"name":"shared","namespace":"default","uid":"shared"},\
                    "spec":%s}""".formatted(requests));
        }

        // Adds a pod with a bound claim, an ephemeral volume or neither; its ReplicaSet recreates it after a deletion.
        private void running(String node) {
            int number = objects.size();
            String name = "old-" + number;
            String volumes = "";
            int kind = random.nextInt(4);
            if (kind == 0) {
                String claim =
                        "{\"name\":\"%s\",\"namespace\":\"default\",\"uid\":\"c-%s\",\"annotations\":{\"pv.kubernetes.io/bind-completed\":\"yes\"}}"
                                .formatted(name, name);
                objects.add("""
                        {"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":%s,"spec":{"accessModes":["ReadWriteOnce"],\
                        "storageClassName":"local","volumeName":"v-%s","resources":{"requests":{"storage":"1Gi"}}},\
                        "status":{"phase":"Bound"}}""".formatted(claim, name));
                objects.add(volume(
                        "v-" + name,
                        "local",
                        Integer.parseInt(node.substring(1)),
                        1,
                        "Bound",
                        ",\"claimRef\":{\"kind\":\"PersistentVolumeClaim\",\"namespace\":\"default\",\"name\":\"%s\",\"uid\":\"c-%s\"}"
                                .formatted(name, name)));
                volumes = ",\"volumes\":[{\"name\":\"v\",\"persistentVolumeClaim\":{\"claimName\":\"" + name + "\"}}]";
            } else if (kind == 1) {
                // Its claim is created and provisioned when the cluster is read.
                volumes =
                        ",\"volumes\":[{\"name\":\"v\",\"ephemeral\":{\"volumeClaimTemplate\":{\"spec\":{\"accessModes\":[\"ReadWriteOnce\"],"
                                + "\"storageClassName\":\"late\",\"resources\":{\"requests\":{\"storage\":\"1Gi\"}}}}}}]";
                String volume = "pvc-e-" + name;
                objects.add("""
                        {"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"%s-v","namespace":"default","uid":"e-%s",\
                        "annotations":{"pv.kubernetes.io/bind-completed":"yes"},"ownerReferences":[{"apiVersion":"v1","kind":"Pod",\
                        "name":"%s","uid":"%s","controller":true}]},"spec":{"accessModes":["ReadWriteOnce"],"storageClassName":"late",\
                        "volumeName":"%s","resources":{"requests":{"storage":"1Gi"}}},"status":{"phase":"Bound"}}""".formatted(name, name, name, name, volume));
                objects.add("""
                        {"apiVersion":"v1","kind":"PersistentVolume","metadata":{"name":"%s"},"spec":{"capacity":{"storage":"1Gi"},\
                        "accessModes":["ReadWriteOnce"],"storageClassName":"late","csi":{"driver":"%s","volumeHandle":"%s"},\
                        "claimRef":{"kind":"PersistentVolumeClaim","namespace":"default","name":"%s-v","uid":"e-%s"},\
                        "nodeAffinity":{"required":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"%s","operator":"In",\
                        "values":["%s"]}]}]}}},"status":{"phase":"Bound"}}""".formatted(
                                volume,
                                DRIVER,
                                volume,
                                name,
                                name,
                                isByZone ? "topology.kubernetes.io/zone" : "kubernetes.io/hostname",
                                isByZone ? zone(Integer.parseInt(node.substring(1))) : node));
            }
            objects.add("""
                    {"apiVersion":"v1","kind":"Pod","metadata":{"name":"%s","namespace":"default","uid":"%s","ownerReferences":[\
                    {"apiVersion":"apps/v1","kind":"ReplicaSet","name":"old","uid":"old","controller":true}]},"spec":{"nodeName":"%s",\
                    "containers":[{"name":"c","image":"i","resources":{"requests":{"cpu":"%dm"}}}]%s},"status":{"phase":"Running"}}""".formatted(name, name, node, 250 * random.nextInt(1, 5), volumes));
        }

        private String workload() {
            List<String> volumes = new ArrayList<>();
            List<String> claims = new ArrayList<>();
            String templates = "";
            boolean isSet = random.nextInt(3) == 0;
            if (isSet && random.nextInt(4) > 0) {
                templates =
                        ",\"volumeClaimTemplates\":[{\"metadata\":{\"name\":\"data\"},\"spec\":" + claimSpec() + "}]";
            }
            switch (random.nextInt(4)) {
                case 0 -> {
                    objects.add("""
                            {"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"all","namespace":"default","uid":"all"},\
                            "spec":%s}""".formatted(claimSpec()));
                    volumes.add("{\"name\":\"all\",\"persistentVolumeClaim\":{\"claimName\":\"all\"}}");
                }
                case 1 ->
                    volumes.add(
                            "{\"name\":\"e\",\"ephemeral\":{\"volumeClaimTemplate\":{\"spec\":" + claimSpec() + "}}}");
                default -> {}
            }
            switch (random.nextInt(4)) {
                case 0 -> claims.add("{\"name\":\"gpu\",\"resourceClaimName\":\"shared\"}");
                case 1 -> claims.add("{\"name\":\"gpu\",\"resourceClaimTemplateName\":\"own\"}");
                default -> {}
            }
            String affinity = random.nextInt(4) == 0
                    ? ",\"affinity\":{\"podAntiAffinity\":{\"requiredDuringSchedulingIgnoredDuringExecution\":[{\"labelSelector\":"
                            + "{\"matchLabels\":{\"app\":\"new\"}},\"topologyKey\":\"kubernetes.io/hostname\"}]}}"
                    : "";
            return """
                    {"apiVersion":"apps/v1","kind":"%s","metadata":{"name":"new","namespace":"default","uid":"new"},"spec":{"replicas":%%d,\
                    "serviceName":"s","selector":{"matchLabels":{"app":"new"}}%s,"template":{"metadata":{"labels":{"app":"new"}},"spec":{\
                    "containers":[{"name":"c","image":"i","resources":{"requests":{"cpu":"%dm"}}}],"volumes":[%s],\
                    "resourceClaims":[%s]%s}}}}""".formatted(
                            isSet ? "StatefulSet" : "Deployment",
                            templates,
                            250 * random.nextInt(1, 5),
                            String.join(",", volumes),
                            String.join(",", claims),
                            affinity);
        }
    }
}
