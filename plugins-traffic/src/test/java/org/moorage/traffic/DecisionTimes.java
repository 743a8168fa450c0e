// SPDX-License-Identifier: Apache-2.0
package org.moorage.traffic;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.moorage.api.model.ClusterObject;
import org.moorage.builtin.dra.KubeSchedulerPlugins;
import org.moorage.config.ConfigLoader;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.runtime.Scheduler;
import org.moorage.runtime.decision.Decision;
import org.moorage.simulation.cluster.InMemoryCluster;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.Pods;

/**
 * Prints how long a pod takes, from the queue to its binding, where all nodes are scored by their traffic and by
 * nothing else.
 */
final class DecisionTimes {
    private static final int WARM_UP = 1000;
    private static final int MEASURED = 1000;

    private DecisionTimes() {}

    public static void main(String[] args) {
        // Without it the stub server holds back the end of each answer for 40 ms.
        System.setProperty("sun.net.httpserver.nodelay", "true");
        for (int nodes : new int[] {1000, 5000}) {
            Map<String, String> bytes = new TreeMap<>();
            for (int i = 0; i < nodes; i++) {
                bytes.put("n" + i, String.valueOf((i * 7919L) % 1_000_003));
            }
            try (StubPrometheus prometheus = new StubPrometheus(StubPrometheus.vector(bytes))) {
                print(nodes, "answer kept", prometheus, "1h");
                print(nodes, "asked for each pod", prometheus, "0s");
            }
        }
    }

    private static void print(int nodes, String what, StubPrometheus prometheus, String cacheTtl) {
        PluginRegistry plugins =
                PluginRegistry.of(KubeSchedulerPlugins.all()).with(List.of(new NetworkTraffic.Factory()));
        String config = """
                apiVersion: kubescheduler.config.k8s.io/v1
                kind: KubeSchedulerConfiguration
                percentageOfNodesToScore: 100
                profiles:
                - schedulerName: default-scheduler
                  plugins:
                    multiPoint:
                      disabled: [{name: '*'}]
                      enabled: [{name: PrioritySort}, {name: NetworkTraffic}, {name: DefaultBinder}]
                  pluginConfig:
                  - name: NetworkTraffic
                    args: {ip: "%s", cacheTTL: %s, missingNode: Error}
                """.formatted(prometheus.address(), cacheTtl);
        List<ClusterObject> cluster = new ArrayList<>();
        for (int i = 0; i < nodes; i++) {
            cluster.add(Nodes.named("n" + i).build());
        }
        InMemoryCluster memory = InMemoryCluster.of(cluster);
        long[] times = new long[MEASURED];
        try (Scheduler scheduler = Scheduler.builder(ConfigLoader.load(config, "config", plugins), plugins, memory)
                .build()) {
            scheduler.start();
            for (int i = -WARM_UP; i < MEASURED; i++) {
                memory.apply(Pods.named("p" + i).uid("p" + i).build());
                long start = System.nanoTime();
                Decision decision = scheduler.scheduleNext().orElseThrow();
                long time = System.nanoTime() - start;
                if (decision.outcome() != Decision.Outcome.SCHEDULED || decision.feasibleNodes() != nodes) {
                    throw new IllegalStateException(decision.toString());
                }
                if (i >= 0) {
                    times[i] = time;
                }
            }
        }
        Arrays.sort(times);
        System.out.printf(
                "%d nodes, %s: median %d us, 99th percentile %d us%n",
                nodes, what, times[MEASURED / 2] / 1000, times[MEASURED * 99 / 100] / 1000);
    }
}
