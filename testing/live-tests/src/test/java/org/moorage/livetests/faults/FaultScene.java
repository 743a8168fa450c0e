// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests.faults;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.moorage.livetests.scene.AnsweringProxy;
import org.moorage.livetests.scene.ApiAccess;
import org.moorage.livetests.scene.ControlPlane;
import org.moorage.livetests.scene.PodVersions;
import org.moorage.livetests.scene.RunningProgram;
import org.moorage.livetests.scene.Scene;
import org.moorage.livetests.scene.SchedulerProcess;
import org.moorage.livetests.scene.Waiting;

/** A control plane with audit logs, methods that create its objects, and the checks at the end of a test. */
final class FaultScene implements AutoCloseable {
    private static final Pattern DUMPED_NODE = Pattern.compile("^Node name: (.*)$");
    private static final Pattern DUMPED_POD = Pattern.compile("^name: .*?, uid: ([^,]*), nominated node: ([^,]*)(.*)$");

    private final FaultReport report;
    private final Scene scene;
    private final PodVersions versions;
    private final AuditLog audit;
    private final List<SchedulerProcess> schedulers = new ArrayList<>();

    private FaultScene(FaultReport report, Scene scene) {
        this.report = report;
        this.scene = scene;
        versions = new PodVersions(scene.api(), scene.plane().etcd());
        audit = new AuditLog(scene.plane().folder());
    }

    static FaultScene open(FaultReport report) {
        return open(report, "", Map.of());
    }

    /**
     * @param serverArguments further flags of the API server
     * @param environment of {@code up.sh}
     */
    static FaultScene open(FaultReport report, String serverArguments, Map<String, String> environment) {
        Map<String, String> all = new HashMap<>(environment);
        all.put(
                "APISERVER_ARGS",
                (AuditLog.ARGUMENTS + " --storage-media-type=application/json " + serverArguments).strip());
        return new FaultScene(report, Scene.open(all, Map.of(AuditLog.POLICY_FILE, AuditLog.POLICY)));
    }

    ControlPlane plane() {
        return scene.plane();
    }

    ApiAccess api() {
        return scene.api();
    }

    PodVersions versions() {
        return versions;
    }

    AuditLog audit() {
        return audit;
    }

    void create(String manifests) {
        scene.create(manifests);
    }

    int port() {
        return scene.port();
    }

    RunningProgram start(String name, List<String> command) {
        return scene.start(name, command);
    }

    /** Returns the administrator's kubeconfig with another port. */
    Path kubeconfigThrough(int port) {
        return scene.kubeconfigThrough(port);
    }

    /** Returns the kubeconfig of one of the control plane's other administrators. */
    Path kubeconfigOf(String user) {
        String token = scene.api().token();
        return scene.kubeconfig(user, text -> text.replace(token, token + "-" + user));
    }

    AnsweringProxy answeringProxy() {
        return scene.answeringProxy();
    }

    SchedulerProcess.Command command(SchedulerProcess.Kind kind) {
        if (kind == SchedulerProcess.Kind.KUBE_SCHEDULER) {
            report.compare();
        }
        return commandBeside(kind);
    }

    /** Like {@link #command}, for tests that run both schedulers. */
    SchedulerProcess.Command commandBeside(SchedulerProcess.Kind kind) {
        return scene.scheduler(kind);
    }

    /** Starts a scheduler, waits until it serves, and then leaves it alone for a second. */
    SchedulerProcess start(SchedulerProcess.Command command) {
        SchedulerProcess scheduler = startOnly(command);
        await("the scheduler is ready", scheduler::isReady);
        return scheduler;
    }

    SchedulerProcess startOnly(SchedulerProcess.Command command) {
        SchedulerProcess scheduler = command.start();
        schedulers.add(scheduler);
        return scheduler;
    }

    SchedulerProcess start(SchedulerProcess.Kind kind) {
        return start(command(kind));
    }

    void await(String what, BooleanSupplier condition) {
        scene.await(what, condition);
    }

    /** Waits until the API server responds. */
    void awaitServer() {
        scene.plane().awaitReady();
    }

    /** Returns the time until a new pod, which is ahead of all others in the queue, is bound. */
    Duration probe() {
        long start = System.nanoTime();
        String name = "probe-" + start;
        scene.api().create(ApiAccess.PODS, pod(name, "0", ", \"priorityClassName\": \"system-cluster-critical\""));
        await("the probe is bound", () -> versions.bound(name) == 1);
        return Duration.ofNanos(System.nanoTime() - start);
    }

    /**
     * Removes all versions but the current ones from the store, so that watches from earlier versions get a 410
     * response.
     */
    void compact() {
        scene.plane()
                .compact(Long.parseLong(scene.api()
                        .get("/api/v1/pods")
                        .at("/metadata/resourceVersion")
                        .asText()));
    }

    /** Creates equal nodes, with names from {@code prefix0} on. */
    void nodes(String prefix, int count, String cpu, int pods) {
        List<String> nodes = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            nodes.add(node(prefix + i, cpu, pods));
        }
        scene.api().createAll("/api/v1/nodes", nodes);
    }

    static String node(String name, String cpu, int pods) {
        return """
                {"apiVersion": "v1", "kind": "Node",
                 "metadata": {"name": "%1$s", "labels": {"kubernetes.io/hostname": "%1$s"}},
                 "status": {"allocatable": {"cpu": "%2$s", "memory": "64Gi", "pods": "%3$d"},
                            "capacity": {"cpu": "%2$s", "memory": "64Gi", "pods": "%3$d"}}}""".formatted(name, cpu, pods);
    }

    /** Creates pods with the given CPU request, with names from {@code prefix0} on. */
    void pods(String prefix, int count, String cpu) {
        pods(prefix, count, cpu, "");
    }

    /**
     * @param more of the spec, beginning with a comma
     */
    void pods(String prefix, int count, String cpu, String more) {
        List<String> pods = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            pods.add(pod(prefix + i, cpu, more));
        }
        scene.api().createAll("/api/v1/namespaces/default/pods", pods);
    }

    static String pod(String name, String cpu, String more) {
        return """
                {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "%s"},
                 "spec": {"terminationGracePeriodSeconds": 0,
                  "containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": "%s"}}}]%s}}""".formatted(name, cpu, more);
    }

    static String podPath(String name) {
        return "/api/v1/namespaces/default/pods/" + name;
    }

    /** Waits until a number of pods with a name prefix are bound; reports a violation if they are not in time. */
    Duration awaitBound(String prefix, int count) {
        Duration took = Waiting.until(() -> versions.bound(prefix) >= count);
        int bound = versions.bound(prefix);
        report.holds(bound >= count, bound + " of " + count + " bound");
        return took;
    }

    /**
     * Checks the invariants at the end of each case, after the cluster has become idle.
     *
     * @param scheduler the leader, or the only scheduler
     */
    void checkInvariants(SchedulerProcess scheduler) {
        // Writes of the last seconds and pending watch events may be in flight.
        Waiting.until(() -> unrest(scheduler).isEmpty());
        unrest(scheduler).forEach(report::broken);
        audit.boundTwice().stream().limit(3).forEach(report::broken);
        List<String> over = versions.violations();
        if (!over.isEmpty()) {
            report.broken(over.size() + " bindings over a node's room or twice, such as " + over.get(0));
        }
        if (!scheduler.program().isRunning()) {
            report.broken("the scheduler has ended");
        }
        List<String> crashes = scheduler.crashes();
        if (!crashes.isEmpty()) {
            report.broken("in the log: " + crashes.get(0));
        }
        double failures = scheduler.metric("moorage_thread_failures_total");
        report.holds(failures == 0, (int) failures + " threads have failed");
        checkPendingAreRefused();
    }

    private List<String> unrest(SchedulerProcess scheduler) {
        List<String> found = new ArrayList<>();
        List<JsonNode> pods = scene.api().items("/api/v1/pods?resourceVersion=0");
        count(found, "bound pods without PodScheduled=True", pods, pod -> isBound(pod) && !isScheduled(pod));
        count(
                found,
                "bound pods with a nomination",
                pods,
                pod -> isBound(pod)
                        && !pod.at("/status/nominatedNodeName").asText().isEmpty());
        scheduler.page("/debug/dump").ifPresent(dump -> compareCache(found, dump, pods));
        scheduler
                .page("/debug/compare")
                .filter(text ->
                        text.contains(": [") && !text.replace("[]", "").equals(text.replaceAll("\\[[^]]*]", "")))
                .ifPresent(text -> found.add("compared: " + text.replace('\n', ' ')));
        return found;
    }

    private static void count(
            List<String> found, String what, List<JsonNode> pods, java.util.function.Predicate<JsonNode> isSo) {
        List<JsonNode> those = pods.stream().filter(isSo).toList();
        if (!those.isEmpty()) {
            found.add(those.size() + " " + what + ", such as " + PodVersions.name(those.get(0)));
        }
    }

    private static boolean isBound(JsonNode pod) {
        return !PodVersions.nodeName(pod).isEmpty();
    }

    private static boolean isScheduled(JsonNode pod) {
        return PodVersions.podScheduled(pod).path("status").asText().equals("True");
    }

    private static void compareCache(List<String> found, String dump, List<JsonNode> pods) {
        Map<String, String> cached = new HashMap<>();
        Map<String, String> queued = new HashMap<>();
        String node = "";
        boolean isQueue = false;
        for (String line : dump.split("\n")) {
            Matcher ofNode = DUMPED_NODE.matcher(line);
            Matcher ofPod = DUMPED_POD.matcher(line);
            if (ofNode.matches()) {
                node = ofNode.group(1);
            } else if (line.startsWith("Dump of scheduling queue")) {
                isQueue = true;
            } else if (ofPod.matches()) {
                (isQueue ? queued : cached).put(ofPod.group(1), isQueue ? ofPod.group(2) : node);
                if (ofPod.group(3).contains("assumed")) {
                    found.add("assumed without a reason: " + line);
                }
            }
        }
        Map<String, String> bound = new HashMap<>();
        Map<String, String> pending = new HashMap<>();
        for (JsonNode pod : pods) {
            if (!PodVersions.isTerminal(pod)) {
                String uid = pod.at("/metadata/uid").asText();
                if (isBound(pod)) {
                    bound.put(uid, PodVersions.nodeName(pod));
                } else {
                    pending.put(uid, pod.at("/status/nominatedNodeName").asText());
                }
            }
        }
        difference(found, "cache", cached, bound);
        difference(found, "queue", queued, pending);
    }

    private static void difference(
            List<String> found, String what, Map<String, String> ours, Map<String, String> real) {
        TreeSet<String> uids = new TreeSet<>(ours.keySet());
        uids.addAll(real.keySet());
        long different = uids.stream()
                .filter(uid -> !String.valueOf(ours.get(uid)).equals(String.valueOf(real.get(uid))))
                .count();
        if (different > 0) {
            found.add(different + " pods differ between " + what + " and API server");
        }
    }

    /** Starts the real kube-scheduler on the same cluster, which must reject the remaining pending pods, too. */
    private void checkPendingAreRefused() {
        List<String> pending = pending();
        if (pending.isEmpty()) {
            return;
        }
        schedulers.forEach(SchedulerProcess::close);
        try (SchedulerProcess kubeScheduler = scene.scheduler(SchedulerProcess.Kind.KUBE_SCHEDULER)
                .flags("--v=3")
                .start()) {
            RunningProgram judge = kubeScheduler.program();
            Waiting.until(() -> pending.stream()
                    .allMatch(pod -> judge.log().contains("Unable to schedule pod; no fit; waiting\" pod=\"" + pod)
                            || !pending().contains(pod)));
            List<String> bound = new ArrayList<>(pending);
            bound.removeAll(pending());
            if (!bound.isEmpty()) {
                report.broken(
                        bound.size() + " pods were left that kube-scheduler has places for, such as " + bound.get(0));
            }
            report.saw(pending.size() - bound.size() + " pending pods are refused by kube-scheduler, too");
        }
    }

    private List<String> pending() {
        return scene.api().items("/api/v1/pods").stream()
                .filter(pod -> !isBound(pod) && !PodVersions.isTerminal(pod))
                .filter(pod -> pod.at("/spec/schedulingGates").isEmpty())
                .map(PodVersions::name)
                .toList();
    }

    @Override
    public void close() {
        versions.close();
        scene.close();
    }
}
