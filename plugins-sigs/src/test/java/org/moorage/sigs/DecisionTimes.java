// SPDX-License-Identifier: Apache-2.0
package org.moorage.sigs;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.OtherObject;
import org.moorage.api.model.QosClass;
import org.moorage.builtin.dra.KubeSchedulerPlugins;
import org.moorage.config.ConfigLoader;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.runtime.Scheduler;
import org.moorage.runtime.decision.Decision;
import org.moorage.simulation.cluster.InMemoryCluster;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.Pods;

/**
 * Prints the processor time that a pod takes with 5,000 nodes, all of which are scored: with the default profile, and
 * with one plugin more. Each line also has the median of the elapsed times.
 */
final class DecisionTimes {
    private static final int NODES = 5000;
    private static final int PODS_ON_NODE = 6;
    private static final int WARM_UP = 1500;
    private static final int MEASURED = 300;

    private DecisionTimes() {}

    public static void main(String[] args) {
        System.setProperty("sun.net.httpserver.nodelay", "true");
        Map<String, String> metricsByNode = new HashMap<>();
        StringBuilder models = new StringBuilder("{");
        for (int i = 0; i < NODES; i++) {
            metricsByNode.put(
                    "n" + i,
                    StubLoadWatcher.metric("CPU", "AVG", 20 + i % 37) + ","
                            + StubLoadWatcher.metric("CPU", "STD", 5 + i % 11) + ","
                            + StubLoadWatcher.metric("Memory", "AVG", 30 + i % 29));
            models.append(i == 0 ? "" : ",").append("n").append(i).append(": {k0: 1, k1: 1, k2: 0.01}");
        }
        try (StubLoadWatcher watcher = StubLoadWatcher.of(metricsByNode)) {
            String address = "watcherAddress: '" + watcher.address() + "'";
            Map<String, String> argsByPlugin = new LinkedHashMap<>();
            argsByPlugin.put("", "");
            argsByPlugin.put("NodeResourceTopologyMatch", "");
            argsByPlugin.put("NodeResourceTopologyMatch ", "scoringStrategy: {type: LeastNUMANodes}");
            argsByPlugin.put("NodeResourceTopologyMatch  ", "cacheResyncPeriodSeconds: 5");
            argsByPlugin.put("TargetLoadPacking", address);
            argsByPlugin.put("LoadVariationRiskBalancing", address);
            argsByPlugin.put("LowRiskOverCommitment", address);
            argsByPlugin.put("Peaks", "WatcherAddress: '" + watcher.address() + "', NodePowerModel: " + models + "}");
            argsByPlugin.put("NetworkOverhead", "");
            argsByPlugin.put("SySched", "");
            argsByPlugin.forEach(DecisionTimes::print);
        }
    }

    private static void print(String plugin, String args) {
        PluginRegistry plugins =
                PluginRegistry.of(KubeSchedulerPlugins.all()).withServices(DecisionTimes.class.getClassLoader());
        String name = plugin.strip();
        String config = """
                apiVersion: kubescheduler.config.k8s.io/v1
                kind: KubeSchedulerConfiguration
                percentageOfNodesToScore: 100
                profiles:
                - schedulerName: default-scheduler
                """
                + (name.isEmpty()
                        ? ""
                        : "  plugins: {multiPoint: {enabled: [{name: " + name + "}]}}\n" + "  pluginConfig: [{name: "
                                + name + ", args: {" + args + "}}]\n");
        InMemoryCluster memory = InMemoryCluster.of(cluster());
        long[] times = new long[MEASURED];
        long cpu = 0;
        try (Scheduler scheduler = Scheduler.builder(ConfigLoader.load(config, "config", plugins), plugins, memory)
                .build()) {
            scheduler.start();
            for (int i = -WARM_UP; i < MEASURED; i++) {
                cpu = i == 0 ? cpuTime() : cpu;
                memory.apply(member("p" + i).build());
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
        cpu = cpuTime() - cpu;
        Arrays.sort(times);
        System.out.printf(
                "%-32s %6d us of processor time, elapsed %d us%n",
                name.isEmpty() ? "default profile" : "with " + name, cpu / MEASURED / 1000, times[MEASURED / 2] / 1000);
    }

    // Of all threads, which does not depend on what else the machine does.
    private static long cpuTime() {
        return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
    }

    private static List<ClusterObject> cluster() {
        List<ClusterObject> cluster = new ArrayList<>();
        for (int i = 0; i < NODES; i++) {
            cluster.add(Nodes.named("n" + i)
                    .zone("z" + i % 10)
                    .label("topology.kubernetes.io/region", "r" + i % 3)
                    .label("kubernetes.io/hostname", "n" + i)
                    .capacity("cpu", "32")
                    .allocatable("cpu", "32")
                    .allocatable("memory", "128Gi")
                    .build());
            cluster.add(topology("n" + i));
            for (int j = 0; j < PODS_ON_NODE; j++) {
                cluster.add((i % 50 == 0 ? member("b" + i + "-" + j) : pod("b" + i + "-" + j))
                        .on("n" + i)
                        .status(status -> status.phase("Running").qosClass(QosClass.GUARANTEED))
                        .build());
            }
        }
        cluster.add(object(AppGroup.KIND, "shop", """
                {"spec": {"workloads": [{"workload": {"selector": "web"},
                 "dependencies": [{"workload": {"selector": "web"}, "maxNetworkCost": 100}]}]}}"""));
        cluster.add(object(NetworkTopology.KIND, "nt-default", "{\"spec\": {\"weights\": []}}"));
        cluster.add(object(
                ObjectKind.other(
                        "security-profiles-operator.x-k8s.io/v1beta1", "SeccompProfile", "seccompprofiles", true),
                "all-syscalls",
                "{\"spec\": {\"syscalls\": [{\"action\": \"SCMP_ACT_ALLOW\", \"names\": [\"read\", \"write\"]}]}}"));
        return cluster;
    }

    private static OtherObject topology(String node) {
        StringBuilder zones = new StringBuilder();
        for (int cell = 0; cell < 2; cell++) {
            zones.append(cell == 0 ? "" : ",")
                    .append("{\"name\": \"node-")
                    .append(cell)
                    .append("\", \"type\": \"Node\", \"resources\": [{\"name\": \"cpu\", \"available\": \"16\"},"
                            + " {\"name\": \"memory\", \"available\": \"64Gi\"}]}");
        }
        return new OtherObject(
                NodeTopology.KIND,
                ObjectMeta.named(node).build(),
                "{\"attributes\": [{\"name\": \"topologyManagerPolicy\", \"value\": \"single-numa-node\"}],"
                        + " \"zones\": [" + zones + "]}");
    }

    private static OtherObject object(ObjectKind<OtherObject> kind, String name, String json) {
        return new OtherObject(kind, ObjectMeta.named(name).namespace("default").build(), json);
    }

    private static Pods member(String name) {
        return pod(name).label("appgroup.diktyo.x-k8s.io", "shop").label("appgroup.diktyo.x-k8s.io.workload", "web");
    }

    private static Pods pod(String name) {
        return Pods.named(name)
                .uid(name)
                .container("c")
                .requests("cpu", "1")
                .limits("cpu", "1")
                .requests("memory", "1Gi")
                .limits("memory", "1Gi")
                .status(status -> status.qosClass(QosClass.GUARANTEED));
    }
}
