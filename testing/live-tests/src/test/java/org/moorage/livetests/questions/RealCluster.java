// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests.questions;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.moorage.livetests.scene.ApiAccess;
import org.moorage.livetests.scene.Kubelets;
import org.moorage.livetests.scene.PodVersions;
import org.moorage.livetests.scene.Scene;
import org.moorage.livetests.scene.SchedulerProcess;

/**
 * A control plane with the controllers and kube-scheduler, on which clusters are made and changed, one after the other.
 */
final class RealCluster implements AutoCloseable {
    private static final Pattern ATTEMPT = Pattern.compile("\"Attempting to schedule pod\" pod=\"default/([^\"]+)\"");
    private static final String NODES = "/api/v1/nodes";
    private static final String PODS = "/api/v1/namespaces/default/pods";
    private static final String APPS = "/apis/apps/v1/namespaces/default/";
    private static final String BUDGETS = "/apis/policy/v1/namespaces/default/poddisruptionbudgets";
    private static final String DUMPED =
            "nodes,namespaces,priorityclasses,pods,deployments,replicasets,statefulsets,poddisruptionbudgets";

    private final Scene scene;
    private final ApiAccess api;
    private final SchedulerGate gate;
    private final SchedulerProcess scheduler;
    private final Kubelets kubelets;

    RealCluster(Scene scene) {
        this.scene = scene;
        api = scene.api();
        Map.of("low", 10, "high", 1000).forEach((name, value) -> scene.create("""
                {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "%s"}, "value": %d}""".formatted(name, value)));
        gate = new SchedulerGate(scene);
        scheduler = scene.scheduler(SchedulerProcess.Kind.KUBE_SCHEDULER)
                .with("podMaxBackoffSeconds: 1\n" + gate.config())
                .flags("--v=3")
                .start();
        kubelets = new Kubelets(api, Kubelets.Containers.ENDLESS);
    }

    /** Makes a drawn cluster, and waits until all its pods were tried. */
    void make(DrawnCluster cluster) {
        cluster.manifests().forEach(this::create);
        settle();
    }

    /** The objects that Moorage gets, as JSON. */
    String dump() {
        return scene.plane().kubectl("get", DUMPED, "-A", "-o", "json");
    }

    void create(String manifest) {
        String kind = ApiAccess.parse(manifest).path("kind").asText();
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

    /** The nodes by the pods' names; empty for a pending pod. */
    Map<String, String> nodeByPod() {
        Map<String, String> nodes = new TreeMap<>();
        pods().forEach(pod -> nodes.put(name(pod), node(pod)));
        return nodes;
    }

    /** The names of the pods that the scheduler has attempted, in their order. */
    List<String> attempts() {
        return ATTEMPT.matcher(scheduler.program().log())
                .results()
                .map(attempt -> attempt.group(1))
                .toList();
    }

    /** Why the scheduler left a pod pending. */
    String message(String pod) {
        return PodVersions.podScheduled(scene.pod(pod)).path("message").asText();
    }

    /**
     * Makes a change, and waits for its consequences in the order of the answer: kube-scheduler does not decide until
     * the controllers have created pods for all that are gone, in the order in which these went.
     */
    void change(Runnable change) {
        gate.whileClosed(scheduler, () -> {
            change.run();
            awaitControllers();
        });
        settle();
    }

    /** Drains nodes as kubectl drain does, as far as budgets allow. */
    void drain(List<String> nodes) {
        cordon(nodes);
        int[] evicted = {0};
        do {
            evicted[0] = 0;
            change(() -> {
                for (JsonNode pod : podsOn(nodes)) {
                    // The budgets count the pods as they are, so that one that refuses an eviction refuses it for now.
                    awaitControllers();
                    evicted[0] += isEvicted(name(pod)) ? 1 : 0;
                }
            });
        } while (evicted[0] > 0);
    }

    private void cordon(List<String> nodes) {
        for (String node : nodes) {
            assertThat(api.tryPatch(NODES + "/" + node, "{\"spec\": {\"unschedulable\": true}}"))
                    .as(node)
                    .isTrue();
        }
    }

    // The most important first, as kube-scheduler decides about the pods in their place; then by node and by name.
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

    /** Why kubectl would not drain a node; empty if it would. */
    String drainRefusal(String node) {
        try {
            scene.plane().kubectl("drain", node, "--dry-run=client");
            return "";
        } catch (IllegalStateException refused) {
            return String.valueOf(refused.getMessage());
        }
    }

    /** Deletes nodes on which nothing is any more. */
    void delete(List<String> nodes) {
        nodes.forEach(node -> api.delete(NODES + "/" + node));
    }

    /** Removes nodes at once, with all pods on them. */
    void lose(List<String> nodes) {
        change(() -> {
            List<JsonNode> pods = podsOn(nodes);
            delete(nodes);
            for (JsonNode pod : pods) {
                api.delete(PODS + "/" + name(pod));
                awaitControllers();
            }
        });
    }

    /**
     * Waits until the scheduler has tried each pod and nothing changes any more: it has seen the cluster as it is, and
     * all pods without a node rest as unschedulable.
     */
    void settle() {
        while (true) {
            awaitControllers();
            scene.await("the scheduler has nothing to do", this::isSchedulerIdle);
            Map<String, String> before = nodeByPod();
            gate.awaitSeen(scheduler);
            if (isSchedulerIdle() && nodeByPod().equals(before) && unfinished().isEmpty()) {
                return;
            }
        }
    }

    private boolean isSchedulerIdle() {
        List<JsonNode> pending = new ArrayList<>(pods());
        pending.removeIf(pod -> !node(pod).isEmpty());
        return pending.stream()
                        .allMatch(pod -> PodVersions.podScheduled(pod).isObject()
                                && pod.at("/status/nominatedNodeName").asText().isEmpty())
                && scheduler.metric("scheduler_pending_pods", "queue=\"unschedulable\"") == pending.size()
                && scheduler.metric("scheduler_pending_pods", "queue=\"active\"") == 0
                && scheduler.metric("scheduler_pending_pods", "queue=\"backoff\"") == 0;
    }

    private void awaitControllers() {
        List<String> ignored = scene.await("controllers and kubelets are done", this::unfinished, List::isEmpty);
    }

    /**
     * The work that controllers and kubelets still have: the pods of each workload, their state, and the budgets that
     * count them.
     */
    private List<String> unfinished() {
        List<String> unfinished = new ArrayList<>();
        List<JsonNode> pods = pods();
        Map<String, Integer> replicas = new HashMap<>();
        for (String kind : List.of("deployments", "statefulsets")) {
            for (JsonNode workload : api.items(APPS + kind)) {
                replicas.put(name(workload), workload.at("/spec/replicas").asInt());
            }
        }
        replicas.forEach((name, count) -> {
            long present = count(pods, name, pod -> true);
            if (present != count) {
                unfinished.add(name + " has " + present + " of " + count + " pods");
            }
        });
        for (JsonNode pod : pods) {
            if (pod.at("/metadata").has("deletionTimestamp") || !node(pod).isEmpty() && !isReady(pod)) {
                unfinished.add(name(pod) + " is on its way");
            }
        }
        for (JsonNode budget : api.items(BUDGETS)) {
            JsonNode status = budget.path("status");
            String app = name(budget);
            if (status.path("observedGeneration").asInt()
                            != budget.at("/metadata/generation").asInt()
                    || status.path("expectedPods").asInt() != replicas.getOrDefault(app, 0)
                    || status.path("currentHealthy").asInt() != count(pods, app, RealCluster::isReady)
                    || !status.path("disruptedPods").isEmpty()) {
                unfinished.add("budget " + app + ": " + status);
            }
        }
        return unfinished;
    }

    private static long count(List<JsonNode> pods, String app, Predicate<JsonNode> condition) {
        return pods.stream()
                .filter(pod -> pod.at("/metadata/labels/app").asText().equals(app))
                .filter(condition)
                .count();
    }

    private static boolean isReady(JsonNode pod) {
        return ApiAccess.condition(pod, "Ready").path("status").asText().equals("True");
    }

    /** Removes all that was made. */
    void clear() {
        for (String kind : List.of("deployments", "statefulsets", "replicasets")) {
            api.delete(APPS + kind);
        }
        api.delete(BUDGETS);
        scene.await("all pods are gone", () -> {
            api.delete(PODS);
            return api.items(APPS + "replicasets").isEmpty() && pods().isEmpty();
        });
        api.delete(NODES);
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
        gate.close();
    }
}
