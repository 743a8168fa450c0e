// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests.groups;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.moorage.api.model.Quantity;
import org.moorage.livetests.scene.AnsweringProxy;
import org.moorage.livetests.scene.ApiAccess;
import org.moorage.livetests.scene.PodVersions;
import org.moorage.livetests.scene.Scene;
import org.moorage.livetests.scene.SchedulerProcess;
import org.moorage.livetests.scene.Waiting;

/**
 * A control plane that serves groups of pods, the scheduler as a separate process, and what must hold at the end of
 * each test.
 */
final class GroupScene implements BeforeEachCallback, AfterEachCallback, AfterAllCallback {
    static final String PODS = "/api/v1/namespaces/default/pods";
    static final String GROUPS = "/apis/scheduling.k8s.io/v1beta1/namespaces/default/podgroups";
    static final String JOBS = "/apis/batch/v1/namespaces/default/jobs";
    static final String ZONE = "topology.kubernetes.io/zone";

    private static final String NODES = "/api/v1/nodes";
    private static final String PRIORITY_CLASSES = "/apis/scheduling.k8s.io/v1/priorityclasses";
    private static final String GATES =
            "GenericWorkload=true,TopologyAwareWorkloadScheduling=true,WorkloadWithJob=true";
    private final Scene scene;
    private final ApiAccess api;
    private final PodVersions versions;
    private SchedulerProcess scheduler;

    private GroupScene(Scene scene) {
        this.scene = scene;
        api = scene.api();
        versions = new PodVersions(api, scene.plane().etcd());
        for (Map.Entry<String, Integer> priority :
                Map.of("low", 10, "high", 1000).entrySet()) {
            api.create(PRIORITY_CLASSES, """
                    {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "%s"},
                     "value": %d}""".formatted(priority.getKey(), priority.getValue()));
        }
        startScheduler();
    }

    static GroupScene open() {
        return new GroupScene(Scene.open(Map.of(
                "CONTROLLERS", "1",
                "FEATURE_GATES", GATES,
                "RUNTIME_CONFIG", "scheduling.k8s.io/v1beta1=true",
                "APISERVER_ARGS", "--storage-media-type=application/json")));
    }

    ApiAccess api() {
        return api;
    }

    PodVersions versions() {
        return versions;
    }

    /** Starts the scheduler, after killing the one before, and waits until it serves. */
    void startScheduler() {
        startScheduler(scene.plane().kubeconfig());
    }

    private void startScheduler(Path kubeconfig) {
        killScheduler();
        scheduler = scene.scheduler(SchedulerProcess.Kind.valueOf(System.getProperty("groups.scheduler", "MOORAGE")))
                .kubeconfig(kubeconfig)
                .flags("--feature-gates=" + GATES)
                .start();
        poll("the scheduler is ready", scheduler::isReady);
    }

    /** Creates a gang, and kills its scheduler when it has bound a number of the pods and is binding another one. */
    void killSchedulerAfter(int bindings, Gang gang) {
        CountDownLatch killed = new CountDownLatch(1);
        AtomicInteger count = new AtomicInteger();
        try (AnsweringProxy proxy = scene.answeringProxy()) {
            proxy.behave(request -> {
                if (!request.isBinding() || count.getAndIncrement() < bindings) {
                    request.forward();
                    return;
                }
                try {
                    killed.await();
                } catch (InterruptedException closed) {
                    Thread.currentThread().interrupt();
                }
                request.drop();
            });
            startScheduler(scene.kubeconfigThrough(proxy.port()));
            create(gang);
            awaitBound(gang.prefix(), bindings);
            poll("another binding is held", () -> count.get() > bindings);
            killScheduler();
            killed.countDown();
        }
        assertThat(bound(gang)).as("bound when it was killed").isEqualTo(bindings);
    }

    void killScheduler() {
        if (scheduler != null) {
            scheduler.close();
        }
    }

    /** Nodes of a pool with names from {@code name-0} on, each with so many cpus, and as many Gi of memory. */
    void nodes(String name, int count, int cpus, String pool, String zone) {
        List<String> nodes = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            nodes.add("""
                    {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "%1$s-%2$d", "labels":
                      {"kubernetes.io/hostname": "%1$s-%2$d", "pool": "%4$s", "%6$s": "%5$s"}},
                     "status": {"allocatable": {"cpu": "%3$d", "memory": "%3$dGi", "pods": "110"},
                                "capacity": {"cpu": "%3$d", "memory": "%3$dGi", "pods": "110"}}}""".formatted(name, i, cpus, pool, zone, ZONE));
        }
        api.createAll(NODES, nodes);
    }

    void nodes(String name, int count, int cpus) {
        nodes(name, count, cpus, "main", "z");
    }

    void create(Gang gang) {
        api.create(GROUPS, gang.group());
        api.createAll(PODS, gang.pods());
    }

    /** Deletes gangs with their pods, and waits until these are gone. */
    void remove(Gang... gangs) {
        List<String> paths = new ArrayList<>();
        for (JsonNode pod : versions.pods()) {
            String name = pod.at("/metadata/name").asText();
            for (Gang gang : gangs) {
                if (name.startsWith(gang.prefix())) {
                    paths.add(PODS + "/" + name);
                }
            }
        }
        for (Gang gang : gangs) {
            paths.add(GROUPS + "/" + gang.name());
        }
        api.deleteAll(paths);
        for (Gang gang : gangs) {
            await("no pods of " + gang.name(), () -> pods(gang.prefix()).isEmpty());
        }
    }

    /** The present pods whose names begin so. */
    List<JsonNode> pods(String prefix) {
        return versions.pods().stream()
                .filter(pod -> pod.at("/metadata/name").asText().startsWith(prefix))
                .toList();
    }

    int bound(Gang gang) {
        return versions.bound(gang.prefix());
    }

    /** Waits until all pods of a gang have a node. */
    void awaitBound(Gang gang) {
        awaitBound(gang.prefix(), gang.size());
    }

    /** Waits until so many pods whose names begin so have a node. */
    void awaitBound(String prefix, int count) {
        await(count + " pods " + prefix + " are bound", () -> versions.bound(prefix) >= count);
    }

    /** Waits until something is so of the pods. */
    void await(String what, BooleanSupplier isSo) {
        if (!versions.await(Waiting.LIMIT, isSo)) {
            throw new AssertionError("not within " + Waiting.LIMIT + ": " + what + "; groups: " + groups() + "; logs: "
                    + scene.plane().folder());
        }
    }

    /** Waits until something is so of anything else. */
    void poll(String what, BooleanSupplier isSo) {
        scene.await(what, isSo);
    }

    private List<String> groups() {
        List<String> groups = new ArrayList<>();
        for (JsonNode group : api.items(GROUPS)) {
            groups.add(group.at("/metadata/name").asText() + " " + text(initiallyScheduled(group)));
        }
        return groups;
    }

    /** Waits until a group's condition that it was scheduled is true. */
    void awaitScheduled(String group) {
        awaitCondition(group, "True Scheduled");
    }

    /** Waits until a group's condition begins so: its status, its reason, and its message behind a colon. */
    void awaitCondition(String group, String wanted) {
        String ignored = scene.await(
                "the condition of " + group + " is " + wanted,
                () -> text(initiallyScheduled(api.get(GROUPS + "/" + group))),
                condition -> condition.startsWith(wanted));
    }

    /** A condition's status, its reason, and its message behind a colon. */
    static String text(JsonNode condition) {
        String message = condition.path("message").asText();
        return condition.path("status").asText() + " "
                + condition.path("reason").asText() + (message.isEmpty() ? "" : ": " + message);
    }

    private static JsonNode initiallyScheduled(JsonNode group) {
        return ApiAccess.condition(group, "PodGroupInitiallyScheduled");
    }

    /** Starts a scheduler again if the test before has failed after it killed its own. */
    @Override
    public void beforeEach(ExtensionContext context) {
        if (!scheduler.program().isRunning()) {
            startScheduler();
        }
    }

    /**
     * No room was given out twice, and none is lost: no binding was over its node's room, and on each node a pod is
     * bound that asks for all that the others leave. Then everything is deleted.
     */
    @Override
    public void afterEach(ExtensionContext context) {
        String test = context.getDisplayName();
        try {
            fillNodes();
            assertThat(versions.violations()).as("%s: violations", test).isEmpty();
            assertThat(scheduler.program().isRunning())
                    .as("%s: the scheduler runs", test)
                    .isTrue();
            assertThat(scheduler.crashes()).as("%s: in the log", test).isEmpty();
            assertThat(scheduler.metric("moorage_thread_failures_total"))
                    .as("%s: threads that failed", test)
                    .isZero();
        } finally {
            clear();
        }
    }

    private void fillNodes() {
        Map<String, Long> cpus = new HashMap<>();
        Map<String, Long> memory = new HashMap<>();
        for (JsonNode node : api.items(NODES)) {
            String name = node.at("/metadata/name").asText();
            cpus.put(name, quantity(node.at("/status/allocatable/cpu")));
            memory.put(name, quantity(node.at("/status/allocatable/memory")));
        }
        for (JsonNode pod : api.items(PODS)) {
            String node = PodVersions.nodeName(pod);
            for (JsonNode container : pod.at("/spec/containers")) {
                JsonNode requests = container.at("/resources/requests");
                cpus.computeIfPresent(node, (name, left) -> left - quantity(requests.path("cpu")));
                memory.computeIfPresent(node, (name, left) -> left - quantity(requests.path("memory")));
            }
        }
        List<String> fillers = new ArrayList<>();
        cpus.forEach((node, left) -> {
            if (left > 0) {
                fillers.add("""
                        {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "filler-%1$s"},
                         "spec": {"nodeSelector": {"kubernetes.io/hostname": "%1$s"}, "terminationGracePeriodSeconds": 0,
                          "containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": "%2$d", "memory": "%3$d"}}}]}}""".formatted(node, left, memory.get(node)));
            }
        });
        api.createAll(PODS, fillers);
        awaitBound("filler-", fillers.size());
    }

    private static long quantity(JsonNode text) {
        return text.isMissingNode() ? 0 : Quantity.parse(text.asText()).value();
    }

    private void clear() {
        for (String all : List.of(JOBS, PODS, GROUPS)) {
            api.delete(all);
        }
        await("no pods are left", () -> versions.pods().isEmpty());
        poll("no groups are left", () -> api.items(GROUPS).isEmpty());
        api.delete(NODES);
        // The next test has nodes of the same names.
        poll("the scheduler knows no nodes", () -> scheduler.metric("scheduler_cache_size", "type=\"nodes\"") == 0);
        versions.forgetNodes();
    }

    @Override
    public void afterAll(ExtensionContext context) {
        versions.close();
        scene.close();
    }
}
