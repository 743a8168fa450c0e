// SPDX-License-Identifier: Apache-2.0
package org.moorage.examples.minimal;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.moorage.api.model.ClusterObject;
import org.moorage.builtin.dra.KubeSchedulerPlugins;
import org.moorage.config.ConfigLoader;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.runtime.Scheduler;
import org.moorage.runtime.decision.Decision;
import org.moorage.simulation.cluster.InMemoryCluster;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.Pods;

/** Prints how long a pod takes with the profile of {@code scheduler.yaml}, from the queue to its binding. */
final class DecisionTimes {
    private static final int WARM_UP = 2000;
    private static final int MEASURED = 2000;

    private DecisionTimes() {}

    public static void main(String[] args) throws IOException {
        PluginRegistry plugins =
                PluginRegistry.of(KubeSchedulerPlugins.all()).with(List.of(new RandomNodeSample.Factory()));
        String config = Files.readString(Path.of("examples/minimal-scheduler/scheduler.yaml"));
        for (int nodes : new int[] {1000, 5000}) {
            List<ClusterObject> cluster = new ArrayList<>();
            for (int i = 0; i < nodes; i++) {
                cluster.add(Nodes.named("n" + i)
                        .allocatable("cpu", "16")
                        .allocatable("memory", "64Gi")
                        .build());
            }
            InMemoryCluster memory = InMemoryCluster.of(cluster);
            long[] times = new long[MEASURED];
            try (Scheduler scheduler = Scheduler.builder(
                            ConfigLoader.load(config, "scheduler.yaml", plugins), plugins, memory)
                    .build()) {
                scheduler.start();
                for (int i = -WARM_UP; i < MEASURED; i++) {
                    memory.apply(Pods.named("p" + i)
                            .uid("p" + i)
                            .schedulerName("random-five")
                            .requests("cpu", "10m")
                            .build());
                    long start = System.nanoTime();
                    Decision decision = scheduler.scheduleNext().orElseThrow();
                    long time = System.nanoTime() - start;
                    if (decision.outcome() != Decision.Outcome.SCHEDULED) {
                        throw new IllegalStateException(decision.toString());
                    }
                    if (i >= 0) {
                        times[i] = time;
                    }
                }
            }
            Arrays.sort(times);
            System.out.printf(
                    "%d nodes: median %d us, 99th percentile %d us%n",
                    nodes, times[MEASURED / 2] / 1000, times[MEASURED * 99 / 100] / 1000);
        }
    }
}
