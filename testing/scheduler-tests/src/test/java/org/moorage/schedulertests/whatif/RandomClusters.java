// SPDX-License-Identifier: Apache-2.0
package org.moorage.schedulertests.whatif;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.LabelSelector;
import org.moorage.api.model.Node;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.PodDisruptionBudget;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.Pods;

/** Generates clusters of some nearly full nodes, with disruption budgets, priorities, and pending pods. */
final class RandomClusters {
    private static final int APPS = 5;

    private RandomClusters() {}

    static List<ClusterObject> cluster(RandomGenerator random) {
        List<ClusterObject> objects = new ArrayList<>();
        int nodes = random.nextInt(4, 12);
        for (int i = 0; i < nodes; i++) {
            objects.add(Nodes.named("n" + i)
                    .zone("z" + i % 3)
                    .allocatable("cpu", "8")
                    .allocatable("memory", "16Gi")
                    .build());
        }
        for (int i = 0; i < nodes; i++) {
            for (int cpu = 8; cpu > 0; ) {
                int wanted = random.nextInt(1, 4);
                cpu -= wanted;
                if (cpu >= 0 && random.nextInt(4) > 0) {
                    objects.add(pod("p" + objects.size(), wanted, random)
                            .on("n" + i)
                            .build());
                }
            }
        }
        for (int i = random.nextInt(4); i > 0; i--) {
            // A pod that preempts no other, so that all pods of a node are still there when the node fails.
            objects.add(pod("w" + objects.size(), random.nextInt(1, 6), random)
                    .priority(0)
                    .build());
        }
        for (int app = 0; app < APPS; app++) {
            objects.add(new PodDisruptionBudget(
                    ObjectMeta.named("app-" + app).namespace("default").build(),
                    Optional.of(new LabelSelector(Map.of("app", "app-" + app), List.of())),
                    random.nextInt(3),
                    Set.of()));
        }
        return objects;
    }

    private static Pods pod(String name, int cpu, RandomGenerator random) {
        String app = "app-" + random.nextInt(APPS + 1);
        Pods pod = Pods.named(name)
                .label("app", app)
                .requests("cpu", Integer.toString(cpu))
                .priority(random.nextInt(3));
        if (random.nextInt(4) == 0) {
            pod = pod.requiresPodAntiAffinity("kubernetes.io/hostname", "app", app);
        }
        return switch (random.nextInt(12)) {
            case 0 -> pod;
            case 1 -> pod.controlledBy("apps/v1", "DaemonSet", "agent");
            case 2, 3 -> pod.controlledBy("apps/v1", "StatefulSet", app);
            default -> pod.controlledBy("apps/v1", "ReplicaSet", app);
        };
    }

    static List<String> someNodes(List<ClusterObject> objects, RandomGenerator random) {
        List<String> names = new ArrayList<>();
        for (ClusterObject object : objects) {
            if (object instanceof Node node && (names.isEmpty() || random.nextInt(4) == 0)) {
                names.add(node.name());
            }
        }
        return names;
    }
}
