// SPDX-License-Identifier: Apache-2.0
package org.moorage.benchmarks;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.StringJoiner;
import java.util.TreeMap;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.Container;
import org.moorage.api.model.Node;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.OtherObject;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodSpec;
import org.moorage.api.model.QosClass;
import org.moorage.api.model.Quantity;
import org.moorage.config.ConfigLoader;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.runtime.Scheduler;
import org.moorage.runtime.decision.Decision;
import org.moorage.simulation.cluster.InMemoryCluster;

/**
 * Measures the processor time of a pod with the default profile and one plugin of scheduler-plugins in addition. A
 * scheduler with the default profile alone takes turns with it, in the same process and in an equal cluster in memory.
 * Both do all their work on one thread. Prints a line for each plugin.
 */
public final class PluginCostBenchmark {
    private static final int PODS_ON_NODE = 6;
    private static final int BLOCK = 25;
    private static final int MICROS = 1000;
    private static final String DEFAULT = "default-scheduler";
    // Arguments by plugin; WATCHER is the address of the load watcher, and MODELS a power model for each node.
    private static final Map<String, String> ARGS = new TreeMap<>(Map.ofEntries(
            Map.entry("CapacityScheduling", ""),
            Map.entry("Coscheduling", ""),
            Map.entry("LoadVariationRiskBalancing", "watcherAddress: 'WATCHER'"),
            Map.entry("LowRiskOverCommitment", "watcherAddress: 'WATCHER'"),
            Map.entry("NetworkOverhead", ""),
            Map.entry("NodeResourceTopologyMatch", ""),
            Map.entry("NodeResourceTopologyMatch, cached", "cacheResyncPeriodSeconds: 5"),
            Map.entry("NodeResourceTopologyMatch, LeastNUMANodes", "scoringStrategy: {type: LeastNUMANodes}"),
            Map.entry("NodeResourcesAllocatable", ""),
            Map.entry("Peaks", "WatcherAddress: 'WATCHER', NodePowerModel: MODELS"),
            Map.entry("PodState", ""),
            Map.entry("PreemptionToleration", ""),
            Map.entry("QOSSort", ""),
            Map.entry("SySched", ""),
            Map.entry("TargetLoadPacking", "watcherAddress: 'WATCHER'"),
            Map.entry("TopologicalSort", "")));
    private static final List<String> QUEUE_SORTS = List.of("Coscheduling", "QOSSort", "TopologicalSort");

    private final int nodes;
    private final int pods;
    private final int warmUp;
    private final int percent;
    private final PodSpec spec;

    private PluginCostBenchmark(int nodes, int pods, int warmUp, int percent) {
        this.nodes = nodes;
        this.pods = pods;
        this.warmUp = warmUp;
        this.percent = percent;
        Map<String, Quantity> amounts = Map.of("cpu", Quantity.of(1), "memory", Quantity.of(1L << 30));
        spec = PodSpec.builder()
                .schedulerName(DEFAULT)
                .containers(List.of(new Container("pause", "pause:3.10", amounts, amounts, List.of(), "")))
                .build();
    }

    /** Runs the benchmark; for the arguments see {@code testing/benchmarks/run}. */
    public static void main(String[] args) throws IOException {
        run(args, System.out);
    }

    static void run(String[] args, PrintStream out) throws IOException {
        List<String> names = List.copyOf(ARGS.keySet());
        int nodes = 5_000;
        int pods = 1_000;
        int warmUp = 2_000;
        int percent = 100;
        for (int i = 0; i + 1 < args.length; i += 2) {
            String value = args[i + 1];
            switch (args[i]) {
                case "--plugin" ->
                    names = ARGS.keySet().stream()
                            .filter(name -> plugin(name).equals(value))
                            .toList();
                case "--nodes" -> nodes = Integer.parseInt(value);
                case "--pods" -> pods = Integer.parseInt(value);
                case "--warm-up" -> warmUp = Integer.parseInt(value);
                case "--percent" -> percent = Integer.parseInt(value);
                default ->
                    throw new IllegalArgumentException(
                            args[i] + " (expected: --plugin, --nodes, --pods, --warm-up or --percent)");
            }
        }
        PluginCostBenchmark benchmark = new PluginCostBenchmark(nodes, pods, warmUp, percent);
        HttpServer watcher = benchmark.loadWatcher();
        try {
            for (String name : names) {
                benchmark.measure(
                        name, "http://127.0.0.1:" + watcher.getAddress().getPort(), out);
            }
        } finally {
            watcher.stop(0);
        }
    }

    private static String plugin(String name) {
        int end = name.indexOf(',');
        return end < 0 ? name : name.substring(0, end);
    }

    private void measure(String name, String watcher, PrintStream out) {
        try (Run alone = new Run("");
                Run with = new Run(profile(plugin(name), ARGS.getOrDefault(name, ""), watcher))) {
            for (int i = 0; i < warmUp; i += BLOCK) {
                long ignored = alone.block() + with.block();
            }
            long[] timesAlone = new long[Math.max(1, pods / BLOCK)];
            long[] timesWith = new long[timesAlone.length];
            for (int i = 0; i < timesAlone.length; i++) {
                timesAlone[i] = alone.block();
                timesWith[i] = with.block();
            }
            double aloneMicros = median(timesAlone);
            double withMicros = median(timesWith);
            out.println(String.format(
                    Locale.ROOT,
                    "{\"plugin\":\"%s\",\"nodes\":%d,\"percent\":%d,\"defaultMicros\":%.0f,\"withPluginMicros\":%.0f,"
                            + "\"ratio\":%.2f}",
                    name,
                    nodes,
                    percent,
                    aloneMicros,
                    withMicros,
                    withMicros / aloneMicros));
        }
    }

    private static double median(long[] nanos) {
        Arrays.sort(nanos);
        return (double) nanos[nanos.length / 2] / BLOCK / MICROS;
    }

    private String profile(String plugin, String args, String watcher) {
        StringJoiner models = new StringJoiner(", ", "{", "}");
        for (int i = 0; i < nodes; i++) {
            models.add(node(i) + ": {k0: 1, k1: 1, k2: 0.01}");
        }
        String disabled = QUEUE_SORTS.contains(plugin) ? ", disabled: [{name: PrioritySort}]" : "";
        return "  plugins: {multiPoint: {enabled: [{name: " + plugin + "}]" + disabled + "}}\n"
                + (args.isEmpty()
                        ? ""
                        : "  pluginConfig: [{name: " + plugin + ", args: {"
                                + args.replace("WATCHER", watcher).replace("MODELS", models.toString()) + "}}]\n");
    }

    private static String node(int number) {
        return "node-" + number;
    }

    /** A scheduler and its cluster. */
    private final class Run implements AutoCloseable {
        private final InMemoryCluster cluster = InMemoryCluster.of(objects());
        private final Scheduler scheduler;
        private int scheduled;

        Run(String profile) {
            PluginRegistry registry = Workload.plugins().withServices(PluginCostBenchmark.class.getClassLoader());
            String config = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
                    + "parallelism: 1\npercentageOfNodesToScore: " + percent + "\nprofiles:\n- schedulerName: "
                    + DEFAULT + "\n"
                    + profile;
            scheduler = Scheduler.builder(ConfigLoader.load(config, "configuration", registry), registry, cluster)
                    .bindingExecutor(Runnable::run)
                    .build();
            scheduler.start();
        }

        /** Schedules some pods, and returns the processor time in nanoseconds. */
        long block() {
            List<Pod> waiting = new ArrayList<>();
            for (int i = 0; i < BLOCK; i++) {
                waiting.add(pod("pod-" + scheduled++, false));
            }
            waiting.forEach(cluster::apply);
            long start = processorTime();
            for (int i = 0; i < BLOCK; i++) {
                Decision decision = scheduler.scheduleNext().orElseThrow();
                if (decision.outcome() != Decision.Outcome.SCHEDULED) {
                    throw new IllegalStateException(decision.toString());
                }
            }
            return processorTime() - start;
        }

        @Override
        public void close() {
            scheduler.close();
        }
    }

    // Of this thread, which does all the work: handing work over to others takes longer on a busy machine. That of the
    // process is counted in hundredths of a second only, and includes the compilers.
    private static long processorTime() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    private List<ClusterObject> objects() {
        List<ClusterObject> objects = new ArrayList<>();
        for (int i = 0; i < nodes; i++) {
            Map<String, Quantity> amounts =
                    Map.of("cpu", Quantity.of(32), "memory", Quantity.of(128L << 30), "pods", Quantity.of(110));
            objects.add(Node.of(ObjectMeta.named(node(i))
                            .labels(Map.of(
                                    "kubernetes.io/hostname",
                                    node(i),
                                    "topology.kubernetes.io/zone",
                                    "zone-" + i % 10,
                                    "topology.kubernetes.io/region",
                                    "region-" + i % 3))
                            .build())
                    .capacity(amounts)
                    .allocatable(amounts)
                    .build());
            objects.add(other(
                    "topology.node.k8s.io/v1alpha2",
                    "NodeResourceTopology",
                    "noderesourcetopologies",
                    false,
                    node(i),
                    "{\"attributes\": [{\"name\": \"topologyManagerPolicy\", \"value\": \"single-numa-node\"}],"
                            + " \"zones\": [" + cell(0) + ", " + cell(1) + "]}"));
            for (int j = 0; j < PODS_ON_NODE; j++) {
                Pod running = pod("running-" + i + "-" + j, i % 50 == 0).withNode(node(i));
                objects.add(running.withStatus(running.status().toBuilder()
                        .phase("Running")
                        .qosClass(QosClass.GUARANTEED)
                        .build()));
            }
        }
        objects.add(other(
                "scheduling.x-k8s.io/v1alpha1",
                "ElasticQuota",
                "elasticquotas",
                true,
                "quota",
                "{\"spec\": {\"min\": {\"cpu\": \"1000000\", \"memory\": \"1000Ti\"}}}"));
        objects.add(other(
                "scheduling.x-k8s.io/v1alpha1",
                "PodGroup",
                "podgroups",
                true,
                "shop",
                "{\"spec\": {\"minMember\": 1}}"));
        objects.add(other("appgroup.diktyo.x-k8s.io/v1alpha1", "AppGroup", "appgroups", true, "shop", """
            {"spec": {"workloads": [{"workload": {"selector": "web"}, "dependencies":
             [{"workload": {"selector": "db"}, "maxNetworkCost": 100}]}]}}\
            """));
        objects.add(other(
                "networktopology.diktyo.x-k8s.io/v1alpha1",
                "NetworkTopology",
                "networktopologies",
                true,
                "nt-default",
                "{\"spec\": {\"weights\": []}}"));
        StringJoiner calls = new StringJoiner("\", \"", "\"", "\"");
        for (int i = 0; i < 300; i++) {
            calls.add("call" + i);
        }
        objects.add(other(
                "security-profiles-operator.x-k8s.io/v1beta1",
                "SeccompProfile",
                "seccompprofiles",
                true,
                "all-syscalls",
                "{\"spec\": {\"syscalls\": [{\"action\": \"SCMP_ACT_ALLOW\", \"names\": [" + calls + "]}]}}"));
        return objects;
    }

    private static String cell(int number) {
        return "{\"name\": \"node-" + number + "\", \"type\": \"Node\", \"resources\": [{\"name\": \"cpu\","
                + " \"available\": \"16\"}, {\"name\": \"memory\", \"available\": \"64Gi\"}]}";
    }

    private static OtherObject other(
            String apiVersion, String kind, String plural, boolean namespaced, String name, String json) {
        ObjectMeta.Builder metadata = ObjectMeta.named(name).creationTimestamp(Instant.EPOCH);
        return new OtherObject(
                ObjectKind.other(apiVersion, kind, plural, namespaced),
                (namespaced ? metadata.namespace("default") : metadata).build(),
                json);
    }

    // Every pod is a member of a group of each kind, and depends on the databases.
    private Pod pod(String name, boolean isDatabase) {
        return Pod.of(
                ObjectMeta.named(name)
                        .namespace("default")
                        .uid(name)
                        .creationTimestamp(Instant.EPOCH)
                        .labels(Map.of(
                                "scheduling.x-k8s.io/pod-group",
                                "shop",
                                "appgroup.diktyo.x-k8s.io",
                                "shop",
                                "appgroup.diktyo.x-k8s.io.workload",
                                isDatabase ? "db" : "web"))
                        .build(),
                spec);
    }

    private HttpServer loadWatcher() throws IOException {
        StringJoiner metrics = new StringJoiner(",", "{\"window\":{\"end\":0},\"data\":{\"NodeMetricsMap\":{", "}}}");
        for (int i = 0; i < nodes; i++) {
            metrics.add(String.format(
                    Locale.ROOT,
                    "\"%s\":{\"metrics\":[{\"type\":\"CPU\",\"operator\":\"AVG\",\"value\":%d},"
                            + "{\"type\":\"CPU\",\"operator\":\"STD\",\"value\":%d},"
                            + "{\"type\":\"Memory\",\"operator\":\"AVG\",\"value\":%d}]}",
                    node(i),
                    20 + i % 37,
                    5 + i % 11,
                    30 + i % 29));
        }
        byte[] body = metrics.toString().getBytes(UTF_8);
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/watcher", exchange -> {
            try (exchange) {
                exchange.sendResponseHeaders(200, body.length);
                exchange.getResponseBody().write(body);
            }
        });
        server.start();
        return server;
    }
}
