// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests.sigs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.moorage.livetests.scene.SchedulerProcess.Kind.MOORAGE;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.moorage.livetests.scene.ApiAccess;
import org.moorage.livetests.scene.Kubelets;
import org.moorage.livetests.scene.PluginProject;
import org.moorage.livetests.scene.PodVersions;
import org.moorage.livetests.scene.Scene;
import org.moorage.livetests.scene.SchedulerProcess;
import org.moorage.livetests.scene.Waiting;

/**
 * A control plane with the custom resources of scheduler-plugins, kubelets that start the bound pods, and the scheduler
 * with the plugins' jar; and what must hold at the end of each test.
 */
final class PluginsScene implements AfterEachCallback, AfterAllCallback {
    static final String GROUPS = "/apis/scheduling.x-k8s.io/v1alpha1/namespaces/default/podgroups";
    static final String NAMESPACES = "/api/v1/namespaces";

    /** The namespaces with pods. */
    private static final List<String> TEAMS = List.of("default", "team-a", "team-b");

    // All profiles sort the queue with Coscheduling, as the plugin requires.
    private static final String CONFIG = """
            apiVersion: kubescheduler.config.k8s.io/v1
            kind: KubeSchedulerConfiguration
            leaderElection:
              {leaderElect: true, resourceName: scheduler-plugins, resourceNamespace: kube-system,
               leaseDuration: 60s, renewDeadline: 40s, retryPeriod: 1s}
            clientConnection: {kubeconfig: "%%s", qps: 1000, burst: 1000}
            podMaxBackoffSeconds: 1
            profiles:
            - schedulerName: gangs
              plugins:
                multiPoint: {enabled: [{name: Coscheduling}, {name: SchedulingController}]}
                queueSort: {enabled: [{name: Coscheduling}], disabled: [{name: PrioritySort}]}
              pluginConfig: [{name: Coscheduling, args: {permitWaitingTimeSeconds: 10}}]
            - schedulerName: quotas
              plugins:
                multiPoint: {enabled: [{name: CapacityScheduling}]}
                postFilter: {disabled: [{name: DefaultPreemption}]}
                queueSort: {enabled: [{name: Coscheduling}], disabled: [{name: PrioritySort}]}
              pluginConfig: [{name: Coscheduling, args: {permitWaitingTimeSeconds: 10}}]
            - schedulerName: numa
              plugins:
                multiPoint: {enabled: [{name: NodeResourceTopologyMatch}]}
                queueSort: {enabled: [{name: Coscheduling}], disabled: [{name: PrioritySort}]}
              pluginConfig: [{name: Coscheduling, args: {permitWaitingTimeSeconds: 10}}]
            - schedulerName: numa-reserving
              plugins:
                multiPoint: {enabled: [{name: NodeResourceTopologyMatch}]}
                queueSort: {enabled: [{name: Coscheduling}], disabled: [{name: PrioritySort}]}
              pluginConfig:
              - {name: Coscheduling, args: {permitWaitingTimeSeconds: 10}}
              - {name: NodeResourceTopologyMatch, args: {cacheResyncPeriodSeconds: 1}}
            - schedulerName: load
              plugins:
                score: {enabled: [{name: TargetLoadPacking}], disabled: [{name: '*'}]}
                queueSort: {enabled: [{name: Coscheduling}], disabled: [{name: PrioritySort}]}
              pluginConfig:
              - {name: Coscheduling, args: {permitWaitingTimeSeconds: 10}}
              - {name: TargetLoadPacking, args: {targetUtilization: 40, watcherAddress: "%s"}}
            """;

    private final Scene scene;
    private final ApiAccess api;
    private final PodVersions versions;
    private final LoadWatcher loads;
    private final Kubelets kubelets;
    private SchedulerProcess scheduler;
    private volatile Kubelets.Containers containers = Kubelets.Containers.ENDLESS;

    private PluginsScene(Scene scene, Map<String, Integer> cpuPercentByNode) {
        this.scene = scene;
        api = scene.api();
        versions = new PodVersions(api, scene.plane().etcd());
        loads = new LoadWatcher(cpuPercentByNode);
        kubelets = new Kubelets(api, pod -> containers.run(pod));
        scene.create(text("crds.yaml"));
        TEAMS.stream()
                .filter(team -> !team.equals("default"))
                .forEach(team -> api.create(NAMESPACES, """
                {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "%s"}}""".formatted(team)));
        scheduler = newScheduler();
        scene.await("the scheduler leads", () -> {
            assertThat(scheduler.program().isRunning())
                    .as(scheduler.program().log())
                    .isTrue();
            return leads(scheduler);
        });
    }

    /**
     * Opens a scene.
     *
     * @param cpuPercentByNode the load of nodes that the load watcher reports
     */
    static PluginsScene open(Map<String, Integer> cpuPercentByNode) {
        Scene scene = Scene.open(Map.of("APISERVER_ARGS", "--storage-media-type=application/json"));
        try {
            return new PluginsScene(scene, cpuPercentByNode);
        } catch (RuntimeException | AssertionError failed) {
            scene.close();
            throw failed;
        }
    }

    private static String text(String name) {
        try {
            return Files.readString(new PluginProject("plugins-sigs").file(name));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Starts a scheduler, which schedules nothing while another one leads. */
    SchedulerProcess newScheduler() {
        return scene.scheduler(MOORAGE)
                .config(CONFIG.formatted(loads.address()))
                .flags("--plugin-dir=" + new PluginProject("plugins-sigs").pluginDirectory())
                .start();
    }

    static boolean leads(SchedulerProcess process) {
        return process.metric("leader_election_master_status") == 1;
    }

    /** The scheduler that leads. */
    SchedulerProcess scheduler() {
        return scheduler;
    }

    /** Replaces the scheduler that was stopped by the one that leads now. */
    void schedulerIs(SchedulerProcess next) {
        scheduler = next;
    }

    ApiAccess api() {
        return api;
    }

    /** Sets what the containers of pods do that start from now on. */
    void containersRun(Kubelets.Containers those) {
        containers = those;
    }

    /** Creates nodes {@code name-0} and so on, with so many cpus and as many Gi of memory. */
    void nodes(String name, int count, int cpus) {
        api.createAll(
                ApiAccess.NODES,
                IntStream.range(0, count)
                        .mapToObj(i -> """
                {"apiVersion": "v1", "kind": "Node",
                 "metadata": {"name": "%1$s-%2$d", "labels": {"kubernetes.io/hostname": "%1$s-%2$d"}},
                 "status": {"allocatable": {"cpu": "%3$d", "memory": "%3$dGi", "pods": "110"},
                            "capacity": {"cpu": "%3$d", "memory": "%3$dGi", "pods": "110"}}}""".formatted(name, i, cpus))
                        .toList());
    }

    static String pods(String namespace) {
        return NAMESPACES + "/" + namespace + "/pods";
    }

    /** Returns a pod that requests cpus and as many Gi of memory, with limits of the same amounts. */
    static String pod(String name, String scheduler, int cpus, String metadata) {
        String amounts = "{\"cpu\": \"%1$d\", \"memory\": \"%1$dGi\"}".formatted(cpus);
        return """
                {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "%1$s"%2$s},
                 "spec": {"schedulerName": "%3$s", "terminationGracePeriodSeconds": 0, "containers": [
                   {"name": "c", "image": "i", "resources": {"requests": %4$s, "limits": %4$s}}]}}""".formatted(name, metadata.isEmpty() ? "" : ", " + metadata, scheduler, amounts);
    }

    /** The present pods whose names begin so. */
    List<JsonNode> present(String prefix) {
        return versions.pods().stream()
                .filter(pod -> pod.at("/metadata/name").asText().startsWith(prefix))
                .toList();
    }

    /** How many of the present pods whose names begin so have a node. */
    int bound(String prefix) {
        return versions.bound(prefix);
    }

    /** Waits until something is so of the pods. */
    void await(String what, BooleanSupplier isSo) {
        if (!versions.await(Waiting.LIMIT, isSo)) {
            throw new AssertionError("not within " + Waiting.LIMIT + ": " + what + "; logs: "
                    + scene.plane().folder());
        }
    }

    /** Waits until an object that is not a pod is as awaited. */
    JsonNode await(String path, String what, Predicate<JsonNode> condition) {
        return scene.await(path + " " + what, () -> api.get(path), condition);
    }

    /** Waits until something is so of anything else. */
    void poll(String what, BooleanSupplier isSo) {
        scene.await(what, isSo);
    }

    /** The events of objects of a kind in a namespace: type, reason, object, note. */
    List<String> events(String namespace, String kind) {
        List<String> events = new ArrayList<>();
        for (JsonNode event : api.items("/apis/events.k8s.io/v1/namespaces/" + namespace + "/events")) {
            if (event.at("/regarding/kind").asText().equals(kind)) {
                events.add(
                        event.path("type").asText() + " " + event.path("reason").asText() + " "
                                + event.at("/regarding/name").asText() + ": "
                                + event.path("note").asText());
            }
        }
        return events;
    }

    @Override
    public void afterEach(ExtensionContext context) {
        String test = context.getDisplayName();
        try {
            assertThat(versions.violations()).as("%s: violations", test).isEmpty();
            assertThat(scheduler.program().isRunning())
                    .as("%s: the scheduler runs", test)
                    .isTrue();
            assertThat(scheduler.crashes()).as("%s: in the log", test).isEmpty();
            assertThat(scheduler.metric("moorage_thread_failures_total"))
                    .as("%s: threads that failed", test)
                    .isZero();
            assertThat(scheduler.metric("moorage_controller_reconciliations_total", "result=\"error\""))
                    .as("%s: failed reconciliations", test)
                    .isZero();
        } finally {
            clear();
        }
    }

    private void clear() {
        api.delete(GROUPS);
        for (String team : TEAMS) {
            api.delete(pods(team));
            api.delete(quotas(team));
        }
        api.delete(TopologyExporter.TOPOLOGIES);
        await("no pods are left", () -> versions.pods().isEmpty());
        api.delete(ApiAccess.NODES);
        // The next test may have nodes of the same names.
        poll("the scheduler knows no nodes", () -> scheduler.metric("scheduler_cache_size", "type=\"nodes\"") == 0);
        versions.forgetNodes();
        containers = Kubelets.Containers.ENDLESS;
    }

    static String quotas(String namespace) {
        return "/apis/scheduling.x-k8s.io/v1alpha1/namespaces/" + namespace + "/elasticquotas";
    }

    @Override
    public void afterAll(ExtensionContext context) {
        kubelets.close();
        versions.close();
        scene.close();
        loads.close();
    }
}
