// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests.questions;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * A small random cluster: nodes of different sizes in three zones, and workloads of all kinds with priorities,
 * constraints and budgets.
 */
final class DrawnCluster {
    static final List<String> ZONES = List.of("a", "b", "c");

    private final Random random;
    private final List<String> nodes = new ArrayList<>();
    private final List<String> manifests = new ArrayList<>();
    private int pods;

    /** The requests of pods; sizes larger than ANY have no priority. */
    private enum Size {
        ANY(300),
        LARGE(1200),
        TOO_LARGE(11_000);

        private final int leastMilliCpu;

        Size(int leastMilliCpu) {
            this.leastMilliCpu = leastMilliCpu;
        }
    }

    private DrawnCluster(Random random) {
        this.random = random;
    }

    static DrawnCluster of(Random random) {
        DrawnCluster cluster = new DrawnCluster(random);
        int nodes = 6 + random.nextInt(6);
        for (int i = 0; i < nodes; i++) {
            cluster.nodes.add("n" + i);
            cluster.manifests.add(cluster.node("n" + i, ZONES.get(i % 3)));
        }
        // Some clusters are so full that pods are pending or preempt others.
        int mostReplicas = cluster.chance(60) ? 12 : 6;
        int deployments = 3 + random.nextInt(4);
        for (int i = 0; i < deployments; i++) {
            cluster.add("Deployment", "d" + i, 1 + random.nextInt(mostReplicas));
            cluster.budget("d" + i);
        }
        if (cluster.chance(50)) {
            cluster.add("StatefulSet", "s", 1 + random.nextInt(3));
            cluster.budget("s");
        }
        if (cluster.chance(30)) {
            cluster.pods++;
            cluster.manifests.add(pod("bare", cluster.spec("bare", Size.ANY)));
        }
        return cluster;
    }

    private void add(String kind, String name, int replicas) {
        pods += replicas;
        manifests.add(workload(kind, name, replicas, Size.ANY));
    }

    private static String pod(String name, String spec) {
        return """
                {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "%1$s", "namespace": "default", "labels": {"app": "%1$s"}}, "spec": %2$s}""".formatted(name, spec);
    }

    /** Returns the names of the nodes. */
    List<String> nodes() {
        return nodes;
    }

    /** Returns the objects, one JSON text for each. */
    List<String> manifests() {
        return manifests;
    }

    /** Returns the number of pods after the controllers have created all of them. */
    int pods() {
        return pods;
    }

    /** Adds a workload of {@linkplain #large large} pods. */
    void addLarge(String name, int replicas) {
        pods += replicas;
        manifests.add(large(name, replicas));
    }

    /** Returns another node like those of the cluster. */
    String node(String name, String zone) {
        // Odd sizes, so that few nodes have equal scores.
        String amounts = "\"cpu\": \"%dm\", \"memory\": \"%dMi\", \"pods\": \"30\""
                .formatted(3000 + 10 * random.nextInt(700), 6000 + 10 * random.nextInt(2000));
        return """
                {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "%1$s", "labels": {"kubernetes.io/hostname": "%1$s",
                  "topology.kubernetes.io/zone": "%2$s"}}, "status": {"allocatable": {%3$s}, "capacity": {%3$s}}}""".formatted(name, zone, amounts);
    }

    /** Returns a workload of large pods, which preempt no pods; it is not part of the cluster. */
    String large(String name, int replicas) {
        return workload("Deployment", name, replicas, Size.LARGE);
    }

    /** Returns a pod that no node has room for; it is not part of the cluster. */
    String tooLarge(String name) {
        return pod(name, spec(name, Size.TOO_LARGE));
    }

    /** Returns a workload like those of the cluster; it is not part of the cluster. */
    String workload(String name, int replicas) {
        return workload("Deployment", name, replicas, Size.ANY);
    }

    private String workload(String kind, String name, int replicas, Size size) {
        return """
                {"apiVersion": "apps/v1", "kind": "%1$s", "metadata": {"name": "%2$s", "namespace": "default"}, "spec": {"replicas": %3$d,
                  "selector": {"matchLabels": {"app": "%2$s"}}, %4$s
                  "template": {"metadata": {"labels": {"app": "%2$s"}}, "spec": %5$s}}}""".formatted(
                        kind,
                        name,
                        replicas,
                        kind.equals("StatefulSet") ? "\"podManagementPolicy\": \"Parallel\"," : "",
                        spec(name, size));
    }

    private String spec(String app, Size size) {
        List<String> fields = new ArrayList<>();
        fields.add("\"terminationGracePeriodSeconds\": 0");
        fields.add(
                "\"containers\": [{\"name\": \"c\", \"image\": \"i\", \"resources\": {\"requests\": {\"cpu\": \"%dm\", \"memory\": \"%dMi\"}}}]"
                        .formatted(size.leastMilliCpu + random.nextInt(1800), 200 + random.nextInt(3000)));
        if (size == Size.ANY && chance(40)) {
            fields.add("\"priorityClassName\": \"%s\"".formatted(chance(50) ? "low" : "high"));
        }
        String selector = "\"labelSelector\": {\"matchLabels\": {\"app\": \"%s\"}}".formatted(app);
        if (chance(20)) {
            fields.add("\"nodeSelector\": {\"topology.kubernetes.io/zone\": \"%s\"}"
                    .formatted(ZONES.get(random.nextInt(3))));
        }
        if (chance(25)) {
            fields.add(
                    "\"affinity\": {\"podAntiAffinity\": {\"requiredDuringSchedulingIgnoredDuringExecution\": [{%s, \"topologyKey\": \"kubernetes.io/hostname\"}]}}"
                            .formatted(selector));
        }
        if (chance(25)) {
            fields.add(
                    "\"topologySpreadConstraints\": [{\"maxSkew\": %d, \"topologyKey\": \"topology.kubernetes.io/zone\", \"whenUnsatisfiable\": \"%s\", %s}]"
                            .formatted(
                                    1 + random.nextInt(2), chance(50) ? "DoNotSchedule" : "ScheduleAnyway", selector));
        }
        return "{" + String.join(", ", fields) + "}";
    }

    private void budget(String app) {
        if (chance(40)) {
            manifests.add(
                    """
                    {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "%1$s", "namespace": "default"},
                     "spec": {"selector": {"matchLabels": {"app": "%1$s"}}, "%2$s": %3$s}}""".formatted(app, chance(50) ? "maxUnavailable" : "minAvailable", chance(70) ? "1" : "\"50%\""));
        }
    }

    private boolean chance(int percent) {
        return random.nextInt(100) < percent;
    }
}
