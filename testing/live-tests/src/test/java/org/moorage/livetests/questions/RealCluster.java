// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests.questions;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import org.moorage.livetests.ControlPlane;
import org.moorage.livetests.faults.ApiAccess;
import org.moorage.livetests.faults.SchedulerProcess;
import org.moorage.livetests.faults.Waiting;

/** A control plane with the controllers and kube-scheduler, on which clusters are made and changed, one after the other. */
final class RealCluster implements AutoCloseable {
    private static final JsonMapper JSON = new JsonMapper();
    private static final Duration LIMIT = Duration.ofMinutes(2);
    // Of the controllers: if the scheduler has nothing to do then, nothing is under way any more.
    private static final Duration QUIET = Duration.ofMillis(600);
    // What a budget has refused for so long it refuses for ever.
    private static final Duration BLOCKED = Duration.ofMillis(2000);
    // A pod that waits is tried again a second after what may help it, not up to ten.
    private static final String CONFIG = """
            apiVersion: kubescheduler.config.k8s.io/v1
            kind: KubeSchedulerConfiguration
            leaderElection: {leaderElect: false}
            clientConnection: {kubeconfig: "%s", qps: 1000, burst: 1000}
            podMaxBackoffSeconds: 1
            """;
    private static final String NODES = "/api/v1/nodes";
    private static final String PODS = "/api/v1/namespaces/default/pods";
    private static final String APPS = "/apis/apps/v1/namespaces/default/";
    private static final String BUDGETS = "/apis/policy/v1/namespaces/default/poddisruptionbudgets";
    private static final String PRIORITIES = "/apis/scheduling.k8s.io/v1/priorityclasses";
    private static final String DUMPED =
            "nodes,namespaces,priorityclasses,pods,deployments,replicasets,statefulsets,poddisruptionbudgets";

    private final ControlPlane plane;
    private final ApiAccess api;
    private final SchedulerProcess scheduler;
    private final Kubelets kubelets;

    /** In which order a change comes about. */
    enum Order {
        /** As it comes: controllers and the scheduler work at the same time. */
        AS_IT_COMES,
        /**
         * That of the answer: the scheduler stands still until the controllers have created pods for all that are gone, in
         * the order in which these went.
         */
        OF_THE_ANSWER
    }

    RealCluster(ControlPlane plane) {
        this.plane = plane;
        api = new ApiAccess(plane.kubeconfig());
        Map.of("low", 10, "high", 1000).forEach((name, value) -> api.create(PRIORITIES, """
                {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "%s"}, "value": %d}""".formatted(name, value)));
        scheduler = new SchedulerProcess.Command(SchedulerProcess.Kind.KUBE_SCHEDULER, plane, "scheduler")
                .config(CONFIG)
                .start();
        kubelets = new Kubelets(api, Kubelets.Containers.ENDLESS);
    }

    /** Makes a drawn cluster, and has all its pods tried. */
    void make(DrawnCluster cluster) {
        cluster.manifests().forEach(this::create);
        settle(cluster.pods());
    }

    /**
     * Makes a drawn cluster once more, with its pods on given nodes.
     *
     * @param nodeByPod the nodes by the pods' names, which may be others now; empty for a pod that waits
     */
    void makeAgain(DrawnCluster cluster, Map<String, String> nodeByPod) {
        clear();
        Map<String, List<String>> nodesByWorkload = new HashMap<>();
        nodeByPod.forEach((pod, node) -> {
            if (!node.isEmpty()) {
                nodesByWorkload
                        .computeIfAbsent(Places.workload(pod), any -> new ArrayList<>())
                        .add(node);
            }
        });
        whileSchedulerStands(() -> {
            cluster.manifests().forEach(this::create);
            awaitPods(cluster.pods());
            for (JsonNode pod : pods()) {
                List<String> nodes = nodesByWorkload.getOrDefault(Places.workload(name(pod)), List.of());
                Optional<String> known = Optional.ofNullable(nodeByPod.get(name(pod)));
                if (known.isPresent() ? !known.get().isEmpty() : !nodes.isEmpty()) {
                    bind(name(pod), known.isPresent() ? known.get() : nodes.remove(nodes.size() - 1));
                }
            }
        });
        settle(cluster.pods());
    }

    private void bind(String pod, String node) {
        api.create(PODS + "/" + pod + "/binding", """
                {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": "%s"}, "target": {"kind": "Node", "name": "%s"}}""".formatted(pod, node));
    }

    /** All that Moorage is told of it, as JSON. */
    String dump() {
        return plane.kubectl("get", DUMPED, "-A", "-o", "json");
    }

    void create(String manifest) {
        String kind = parse(manifest).path("kind").asText();
        api.create(
                switch (kind) {
                    case "Node" -> NODES;
                    case "Pod" -> PODS;
                    case "PodDisruptionBudget" -> BUDGETS;
                    default -> APPS + kind.toLowerCase(Locale.ROOT) + "s";
                },
                manifest);
    }

    private List<JsonNode> pods() {
        return api.items(PODS);
    }

    /** The nodes by the pods' names; empty for a pod that waits. */
    Map<String, String> nodeByPod() {
        Map<String, String> nodes = new TreeMap<>();
        pods().forEach(pod -> nodes.put(name(pod), node(pod)));
        return nodes;
    }

    /** What the scheduler says of a pod. */
    String message(String pod) {
        for (JsonNode condition : api.get(PODS + "/" + pod).at("/status/conditions")) {
            if (condition.path("type").asText().equals("PodScheduled")) {
                return condition.path("message").asText();
            }
        }
        return "";
    }

    /** What a change leads to in the end. */
    void change(Order order, Runnable change) {
        if (order == Order.OF_THE_ANSWER) {
            whileSchedulerStands(() -> {
                change.run();
                awaitQuiet(false, -1);
            });
        } else {
            change.run();
        }
        settle(-1);
    }

    private void whileSchedulerStands(Runnable work) {
        scheduler.program().signal("STOP");
        try {
            work.run();
        } finally {
            scheduler.program().signal("CONT");
        }
    }

    /** Drains nodes as kubectl drain does, as far as budgets allow. */
    void drain(List<String> nodes, Order order) {
        cordon(nodes);
        if (order == Order.AS_IT_COMES) {
            long[] since = {System.nanoTime()};
            Duration took = Waiting.until(LIMIT, () -> {
                List<JsonNode> left = podsOn(nodes);
                int evicted = 0;
                for (JsonNode pod : left) {
                    evicted += isEvicted(name(pod)) ? 1 : 0;
                }
                since[0] = evicted > 0 ? System.nanoTime() : since[0];
                return evicted == left.size() || System.nanoTime() - since[0] > BLOCKED.toNanos();
            });
            assertThat(took).as("drained").isLessThan(LIMIT);
            settle(-1);
            return;
        }
        int[] evicted = {0};
        do {
            evicted[0] = 0;
            whileSchedulerStands(() -> {
                for (JsonNode pod : podsOn(nodes)) {
                    evicted[0] += isGone(pod, () -> isEvicted(name(pod))) ? 1 : 0;
                }
            });
            settle(-1);
        } while (evicted[0] > 0);
    }

    private void cordon(List<String> nodes) {
        for (String node : nodes) {
            assertThat(api.tryPatch(NODES + "/" + node, "{\"spec\": {\"unschedulable\": true}}"))
                    .as(node)
                    .isTrue();
        }
    }

    // The most important first, as they are decided about: when the scheduler goes on, it may decide about the first
    // that
    // were created before it hears of the others. Else by node, in that order, and by name.
    private List<JsonNode> podsOn(List<String> nodes) {
        List<JsonNode> pods = new ArrayList<>(pods());
        pods.removeIf(pod -> !nodes.contains(node(pod)));
        pods.sort(Comparator.<JsonNode>comparingInt(
                        pod -> -pod.at("/spec/priority").asInt())
                .thenComparingInt(pod -> nodes.indexOf(node(pod)))
                .thenComparing(RealCluster::name));
        return pods;
    }

    /** How many pods are on nodes. */
    int countOn(List<String> nodes) {
        return podsOn(nodes).size();
    }

    // Has a pod removed, and waits for the one that its controller creates in its place.
    private boolean isGone(JsonNode pod, BooleanSupplier removal) {
        int before = pods().size();
        if (!removal.getAsBoolean()) {
            return false;
        }
        awaitPods(pod.at("/metadata/ownerReferences").isEmpty() ? before - 1 : before);
        return true;
    }

    private boolean isEvicted(String pod) {
        return evict(pod, "").filter(answer -> answer.statusCode() < 300).isPresent();
    }

    /** Whether a budget would refuse the eviction of a pod now. */
    boolean isProtected(String pod) {
        return evict(pod, ", \"deleteOptions\": {\"dryRun\": [\"All\"]}")
                .filter(answer -> answer.statusCode() == 429 || answer.statusCode() == 500)
                .isPresent();
    }

    private Optional<HttpResponse<String>> evict(String pod, String more) {
        return api.answer("POST", PODS + "/" + pod + "/eviction", "application/json", """
                {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "%s", "namespace": "default"}%s}""".formatted(pod, more));
    }

    /** What kubectl says that it would not drain a node for; empty if it would. */
    String drainRefusal(String node) {
        try {
            plane.kubectl("drain", node, "--dry-run=client");
            return "";
        } catch (IllegalStateException refused) {
            return String.valueOf(refused.getMessage());
        }
    }

    /** Deletes nodes on which nothing is any more. */
    void delete(List<String> nodes) {
        nodes.forEach(node -> api.delete(NODES + "/" + node));
    }

    /** Has nodes gone at once, with all that is on them. */
    void lose(List<String> nodes, Order order) {
        cordon(nodes);
        List<JsonNode> pods = podsOn(nodes);
        if (order == Order.AS_IT_COMES) {
            api.deleteAll(pods.stream().map(pod -> PODS + "/" + name(pod)).toList());
            delete(nodes);
            settle(-1);
            return;
        }
        // The scheduler hears of nodes and of pods in any order: it must know by then.
        change(Order.AS_IT_COMES, () -> delete(nodes));
        change(order, () -> {
            for (JsonNode pod : pods) {
                boolean ignored = isGone(pod, () -> {
                    api.delete(PODS + "/" + name(pod));
                    return true;
                });
            }
        });
    }

    private void awaitPods(int count) {
        Duration took = Waiting.until(LIMIT, () -> pods().size() == count);
        assertThat(took).as("%d pods, not %s", count, nodeByPod()).isLessThan(LIMIT);
    }

    /**
     * Waits until the scheduler has tried each pod, and nothing changes any more.
     *
     * @param pods how many pods there must be; negative for any number
     */
    void settle(int pods) {
        awaitQuiet(true, pods);
    }

    private void awaitQuiet(boolean isTried, int pods) {
        StringBuilder last = new StringBuilder();
        long[] since = {System.nanoTime()};
        Duration took = Waiting.until(LIMIT, () -> {
            StringBuilder now = new StringBuilder();
            boolean isDone = true;
            int count = 0;
            for (JsonNode pod : pods()) {
                count++;
                isDone &= !isTried || !pod.at("/status/conditions").isMissingNode();
                now.append(name(pod))
                        .append(node(pod))
                        .append(pod.at("/status/phase").asText());
            }
            for (JsonNode budget : api.items(BUDGETS)) {
                now.append(budget.path("status"));
            }
            if (!now.toString().contentEquals(last)) {
                last.setLength(0);
                last.append(now);
                since[0] = System.nanoTime();
            }
            return isDone
                    && (pods < 0 || count == pods)
                    && System.nanoTime() - since[0] > QUIET.toNanos()
                    && (!isTried || isSchedulerIdle());
        });
        assertThat(took).as("settled: %s", last).isLessThan(LIMIT);
    }

    private boolean isSchedulerIdle() {
        return scheduler.isReady()
                && scheduler.metric("scheduler_pending_pods", "queue=\"active\"") == 0
                && scheduler.metric("scheduler_pending_pods", "queue=\"backoff\"") == 0;
    }

    /** Removes all that was made. */
    void clear() {
        for (String kind : List.of("deployments", "statefulsets", "replicasets")) {
            api.delete(APPS + kind);
        }
        api.delete(BUDGETS);
        Duration took = Waiting.until(LIMIT, () -> {
            api.delete(PODS);
            return api.items(APPS + "replicasets").isEmpty() && pods().isEmpty();
        });
        assertThat(took).as("cleared").isLessThan(LIMIT);
        api.delete(NODES);
    }

    private static JsonNode parse(String json) {
        try {
            return JSON.readTree(json);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String name(JsonNode object) {
        return object.at("/metadata/name").asText();
    }

    private static String node(JsonNode pod) {
        return pod.at("/spec/nodeName").asText();
    }

    @Override
    public void close() {
        kubelets.close();
        scheduler.close();
    }
}
