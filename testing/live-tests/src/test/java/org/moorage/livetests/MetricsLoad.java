// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.moorage.livetests.metrics.MetricFamily;
import org.moorage.livetests.scene.ApiAccess;
import org.moorage.livetests.scene.Scene;
import org.moorage.livetests.scene.SchedulerProcess;

/**
 * A scheduler on a control plane, and some of everything that it counts: pods that are bound, that fit nowhere, that
 * are gated, that preempt, with volumes, with devices, and with an extender. Each step is awaited in the scheduler's
 * own metrics before the next one begins, so that most counts do not depend on time.
 */
final class MetricsLoad implements AutoCloseable {
    private static final int PLAIN_PODS = 300;
    private static final int PLAIN_NODES = 20;

    private static final String CONFIG = """
            apiVersion: kubescheduler.config.k8s.io/v1
            kind: KubeSchedulerConfiguration
            leaderElection: {leaderElect: true}
            clientConnection: {kubeconfig: "%%s", qps: 1000, burst: 1000}
            extenders:
            - urlPrefix: http://127.0.0.1:%d
              filterVerb: filter
              prioritizeVerb: prioritize
              weight: 1
              nodeCacheCapable: true
              managedResources: [{name: example.com/licence, ignoredByScheduler: true}]
            """;

    private static final String OBJECTS = """
            apiVersion: scheduling.k8s.io/v1
            kind: PriorityClass
            metadata: {name: urgent}
            value: 1000
            ---
            apiVersion: storage.k8s.io/v1
            kind: StorageClass
            metadata: {name: local}
            provisioner: kubernetes.io/no-provisioner
            volumeBindingMode: WaitForFirstConsumer
            ---
            apiVersion: resource.k8s.io/v1
            kind: DeviceClass
            metadata: {name: card}
            spec:
              extendedResourceName: example.com/card
              selectors:
              - cel: {expression: device.driver == "cards.example.com"}
            ---
            apiVersion: resource.k8s.io/v1
            kind: ResourceSlice
            metadata: {name: devices-cards}
            spec:
              driver: cards.example.com
              nodeName: devices
              pool: {name: devices, generation: 1, resourceSliceCount: 1}
              devices: [{name: card-0}, {name: card-1}, {name: card-2}]
            """;

    private static final String VOLUME = """
            ---
            apiVersion: v1
            kind: PersistentVolume
            metadata: {name: volume-%1$d}
            spec:
              capacity: {storage: 10Gi}
              accessModes: [ReadWriteOnce]
              storageClassName: local
              local: {path: /disks/%1$d}
              nodeAffinity:
                required: {nodeSelectorTerms: [{matchExpressions: [{key: pool, operator: In, values: [store]}]}]}
            ---
            apiVersion: v1
            kind: PersistentVolumeClaim
            metadata: {name: data-%1$d}
            spec: {storageClassName: local, accessModes: [ReadWriteOnce], resources: {requests: {storage: 5Gi}}}
            """;

    private static final String GROUP_GATES = "GenericWorkload=true,TopologyAwareWorkloadScheduling=true";

    /** No pod may be disrupted. */
    private static final String BUDGET = """
            apiVersion: policy/v1
            kind: PodDisruptionBudget
            metadata: {name: all}
            spec: {minAvailable: 1000, selector: {matchLabels: {app: load}}}
            """;

    private static final String GANG = """
            ---
            apiVersion: scheduling.k8s.io/v1beta1
            kind: PodGroup
            metadata: {name: %1$s}
            spec:
              schedulingPolicy: {gang: {minCount: 2}}
              %2$s
            """;

    private static final String CLAIM = """
            ---
            apiVersion: resource.k8s.io/v1
            kind: ResourceClaim
            metadata: {name: card-%d}
            spec: {devices: {requests: [{name: card, exactly: {deviceClassName: card}}]}}
            """;

    private final Scene scene;
    private final HttpServer extender;
    private final AtomicInteger extenderCalls = new AtomicInteger();
    private final SchedulerProcess scheduler;

    /**
     * Starts control plane and scheduler.
     *
     * @param gates the scheduler's feature gates
     * @param settings of the control plane
     */
    private MetricsLoad(SchedulerProcess.Kind kind, String gates, Map<String, String> settings) {
        scene = Scene.open(settings);
        try {
            extender = extender();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        scene.create(cluster());
        Path certificate = scene.plane().folder().resolve("certs").resolve("apiserver.crt");
        scheduler = scene.scheduler(kind)
                .config(CONFIG.formatted(extender.getAddress().getPort()))
                .flags(
                        "--feature-gates=" + gates,
                        "--show-hidden-metrics-for-version=1.36",
                        "--tls-cert-file=" + certificate,
                        "--tls-private-key-file=" + certificate.resolveSibling("apiserver.key"))
                .start();
    }

    /** For pods on their own. */
    static MetricsLoad ofPods(SchedulerProcess.Kind kind) {
        return new MetricsLoad(kind, "SchedulerAsyncAPICalls=true", Map.of("CONTROLLERS", "1"));
    }

    /** For groups of pods. */
    static MetricsLoad ofGroups(SchedulerProcess.Kind kind) {
        return new MetricsLoad(
                kind,
                GROUP_GATES,
                Map.of(
                        "CONTROLLERS", "1",
                        "FEATURE_GATES", GROUP_GATES,
                        "RUNTIME_CONFIG", "scheduling.k8s.io/v1beta1=true"));
    }

    // Takes all nodes, but fails at its first call.
    private HttpServer extender() throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/filter", exchange -> {
            String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            Matcher names = Pattern.compile("\"nodenames\":(\\[[^]]*])", Pattern.CASE_INSENSITIVE)
                    .matcher(body);
            String answer = extenderCalls.getAndIncrement() == 0
                    ? "{\"error\": \"not ready yet\"}"
                    : "{\"nodenames\": " + (names.find() ? names.group(1) : "[]") + "}";
            answer(exchange, answer);
        });
        server.createContext("/prioritize", exchange -> {
            exchange.getRequestBody().readAllBytes();
            answer(exchange, "[]");
        });
        server.start();
        return server;
    }

    private static void answer(HttpExchange exchange, String json) throws IOException {
        byte[] body = json.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(200, body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    private static String cluster() {
        StringBuilder objects = new StringBuilder(OBJECTS);
        for (int i = 0; i < PLAIN_NODES; i++) {
            objects.append(node("plain-" + i, "plain"));
        }
        objects.append(node("store", "store"))
                .append(node("devices", "devices"))
                .append(node("full", "full"));
        IntStream.range(0, 3).forEach(i -> objects.append(VOLUME.formatted(i)));
        IntStream.range(0, 2).forEach(i -> objects.append(CLAIM.formatted(i)));
        return objects.toString();
    }

    private static String node(String name, String pool) {
        return ("---\napiVersion: v1\nkind: Node\nmetadata: {name: %1$s, labels: {kubernetes.io/hostname: %1$s, pool: %2$s}}\n"
                        + "status: {allocatable: {cpu: \"4\", memory: 16Gi, pods: \"110\"},"
                        + " capacity: {cpu: \"4\", memory: 16Gi, pods: \"110\"}}\n")
                .formatted(name, pool);
    }

    private static String pod(String name, String pool, String requests, String more) {
        return String.format(
                Locale.ROOT,
                "---\napiVersion: v1\nkind: Pod\nmetadata: {name: %s, labels: {app: load}}\nspec:\n  terminationGracePeriodSeconds: 0\n"
                        + "  nodeSelector: {pool: %s}\n%s"
                        + "  containers: [{name: main, image: app, resources: {requests: {%s}, limits: {%s}}}]\n",
                name,
                pool,
                more.isEmpty() ? "" : "  " + more + "\n",
                requests,
                requests.contains("example.com") ? requests : "");
    }

    private static String pods(String name, int count, String pool, String requests, String more) {
        StringBuilder pods = new StringBuilder();
        for (int i = 0; i < count; i++) {
            pods.append(pod(name + "-" + i, pool, requests, more.replace("NUMBER", String.valueOf(i))));
        }
        return pods.toString();
    }

    private static String gang(String name, String pool, String cpu, String ofGroup, String ofPods) {
        return GANG.formatted(name, ofGroup)
                + pods(name, 2, pool, "cpu: " + cpu, "schedulingGroup: {podGroupName: " + name + "}" + ofPods);
    }

    /** Makes a pod and a group preempt others against a budget; returns the metrics at the end. */
    SortedMap<String, MetricFamily> runGroups() {
        scene.create(BUDGET + node("gang-0", "gang") + node("gang-1", "gang"));
        await("scheduler_cache_size", "type=nodes", PLAIN_NODES + 5);

        scene.create(pods("victim", 2, "full", "cpu: 1900m", ""));
        int scheduled = awaitScheduled(2);
        scene.create(pod("urgent", "full", "cpu: \"3\"", "priorityClassName: urgent"));
        scheduled = awaitScheduled(scheduled + 1);

        scene.create(gang("whole", "gang", "\"3\"", "disruptionMode: {all: {}}", ""));
        scheduled = awaitScheduled(scheduled + 2);
        scene.create(gang("urgent", "gang", "\"3\"", "priorityClassName: urgent", "\n  priorityClassName: urgent"));
        scheduled = awaitScheduled(scheduled + 2);
        await("scheduler_preemption_execution_duration_seconds", "preemptor=podgroup,result=success", 1);

        scene.create(gang("near", "plain", "100m", "schedulingConstraints: {topology: [{key: pool}]}", ""));
        int ignored = awaitScheduled(scheduled + 2);
        return scrape();
    }

    /** Puts the load on the scheduler; returns what it counted at the end. */
    SortedMap<String, MetricFamily> runPods() {
        await("scheduler_cache_size", "type=nodes", PLAIN_NODES + 3);
        await("leader_election_master_status", "name=kube-scheduler", 1);

        scene.create(pods("plain", PLAIN_PODS, "plain", "cpu: 10m, memory: 16Mi", ""));
        int scheduled = awaitScheduled(PLAIN_PODS);

        scene.create(pods("nowhere", 6, "blue", "cpu: 10m", ""));
        int unschedulable = awaitUnschedulable(6);

        scene.create(pods("gated", 5, "plain", "cpu: 10m", "schedulingGates: [{name: example.com/gate}]"));
        await("scheduler_pending_pods", "queue=gated", 5);
        for (int i = 0; i < 3; i++) {
            scene.api().patch(ApiAccess.PODS + "/gated-" + i, "{\"spec\": {\"schedulingGates\": null}}");
        }
        scheduled = awaitScheduled(scheduled + 3);

        scene.create(pods("victim", 2, "full", "cpu: 1900m", ""));
        scheduled = awaitScheduled(scheduled + 2);
        scene.create(pod("urgent", "full", "cpu: \"3\"", "priorityClassName: urgent"));
        scheduled = awaitScheduled(scheduled + 1);
        awaitUnschedulable(unschedulable + 1);

        scene.create(pods(
                "store",
                3,
                "store",
                "cpu: 10m",
                "volumes: [{name: data, persistentVolumeClaim: {claimName: data-NUMBER}}]"));
        scheduled = awaitScheduled(scheduled + 3);

        scene.create(pods(
                "devices", 2, "devices", "cpu: 10m", "resourceClaims: [{name: card, resourceClaimName: card-NUMBER}]"));
        scheduled = awaitScheduled(scheduled + 2);
        scene.create(pod("extended", "devices", "example.com/card: 1", ""));
        scheduled = awaitScheduled(scheduled + 1);

        scene.create(pods("licensed", 1, "plain", "example.com/licence: 1", ""));
        scheduled = awaitScheduled(scheduled + 1);

        // This frees nothing that a pending pod could use.
        scene.api()
                .deleteAll(Stream.of("plain-0", "plain-1", "plain-2")
                        .map(name -> ApiAccess.PODS + "/" + name)
                        .toList());
        await("scheduler_cache_size", "type=pods", scheduled - 3 - 2);
        label("store", "colour");
        label("devices", "pool");
        scheduled = awaitScheduled(scheduled + 6);
        // kube-scheduler shows these some time later.
        await("scheduler_cache_size", "type=pods", scheduled - 3 - 2);
        await("scheduler_pending_pods", "queue=gated", 2);
        await(
                "scheduler_queueing_hint_execution_duration_seconds",
                "event=NodeUpdateNodeLabel,hint=Queue,plugin=NodeAffinity",
                6);
        SortedMap<String, MetricFamily> families = scrape();
        for (String path : List.of("/healthz", "/livez", "/readyz")) {
            assertThat(get(path)).isEqualTo("ok");
        }
        MetricFamily.parse(get("/metrics/slis")).forEach(families::putIfAbsent);
        return families;
    }

    private int awaitScheduled(int count) {
        await("scheduler_schedule_attempts_total", "profile=default-scheduler,result=scheduled", count);
        return count;
    }

    private int awaitUnschedulable(int count) {
        await("scheduler_schedule_attempts_total", "profile=default-scheduler,result=unschedulable", count);
        return count;
    }

    private void label(String node, String label) {
        JsonNode ignored = scene.api()
                .patch(ApiAccess.NODES + "/" + node, "{\"metadata\": {\"labels\": {\"" + label + "\": \"blue\"}}}");
    }

    private void await(String name, String series, double value) {
        double ignored = scene.await(
                name + "{" + series + "} is " + value,
                () -> {
                    MetricFamily family = scrape().get(name);
                    return family == null ? 0 : family.series().getOrDefault(series, 0.0);
                },
                seen -> seen == value);
    }

    /** The present metrics of the scheduler; empty while it does not serve them. */
    private SortedMap<String, MetricFamily> scrape() {
        return scheduler.page("/metrics").map(MetricFamily::parse).orElseGet(TreeMap::new);
    }

    private String get(String path) {
        return scheduler.page(path).orElse("");
    }

    @Override
    public void close() {
        extender.stop(0);
        scene.close();
    }
}
