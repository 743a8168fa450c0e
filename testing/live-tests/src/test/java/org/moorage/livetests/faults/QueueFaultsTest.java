// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests.faults;

import static org.moorage.livetests.scene.SchedulerProcess.Kind.MOORAGE;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.moorage.livetests.scene.AnsweringProxy;
import org.moorage.livetests.scene.PodVersions;
import org.moorage.livetests.scene.SchedulerProcess;
import org.moorage.livetests.scene.Waiting;

/** Tests pods and nodes that are created, pending or deleted at the wrong moment. */
class QueueFaultsTest {
    private static final Duration AT_LAST = Duration.ofSeconds(90);
    private static final String TENTH = "100m";
    private static final String PODS = "/api/v1/namespaces/default/pods";

    private static String config(String more) {
        return """
                apiVersion: kubescheduler.config.k8s.io/v1
                kind: KubeSchedulerConfiguration
                leaderElection: {leaderElect: false}
                """ + more;
    }

    @Test
    @Fault(value = 19, injected = "500 pending pods, then 100 nodes at once, at 50 requests a second")
    @Tag("live")
    void manyPodsBeforeTheirNodes(FaultReport report) {
        try (FaultScene scene = FaultScene.open(report)) {
            scene.pods("p", 500, TENTH);
            SchedulerProcess scheduler = scene.start(scene.command(MOORAGE)
                    .config(config("clientConnection: {kubeconfig: \"%s\", qps: 50, burst: 50}\n")));
            // Without any node, no plugin rejects the pods: they are retried after each backoff and never enter the
            // unschedulable pool.
            Waiting.until(() -> scheduler.metric("scheduler_schedule_attempts_total", "unschedulable") >= 500);
            scene.nodes("n", 100, "1", 110);
            report.took("all bound", scene.awaitBound("p", 500), Duration.ofSeconds(40));
            scene.checkInvariants(scheduler);
        }
    }

    @Test
    @Fault(value = 20, injected = "200 pods whose volumes are never provisioned, and 100 plain pods")
    void volumesThatAreNeverProvisioned(FaultReport report) {
        int wait = 20;
        try (FaultScene scene = FaultScene.open(report)) {
            scene.nodes("n", 30, "1", 110);
            scene.api().create("/apis/storage.k8s.io/v1/storageclasses", """
                    {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": "slow"},
                     "provisioner": "example.com/nobody", "volumeBindingMode": "WaitForFirstConsumer"}""");
            List<String> claims = new ArrayList<>();
            List<String> pods = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                claims.add("""
                        {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "claim-%d"},
                         "spec": {"accessModes": ["ReadWriteOnce"], "storageClassName": "slow",
                          "resources": {"requests": {"storage": "1Gi"}}}}""".formatted(i));
                pods.add(FaultScene.pod(
                        "waits" + i,
                        TENTH,
                        ", \"volumes\": [{\"name\": \"v\", \"persistentVolumeClaim\": {\"claimName\": \"claim-%d\"}}]"
                                .formatted(i)));
            }
            scene.api().createAll("/api/v1/namespaces/default/persistentvolumeclaims", claims);
            SchedulerProcess scheduler = scene.start(scene.command(MOORAGE).config(config("""
                    clientConnection: {kubeconfig: "%s", qps: 1000, burst: 1000}
                    profiles:
                    - schedulerName: default-scheduler
                      pluginConfig:
                      - {name: VolumeBinding, args: {bindTimeoutSeconds: 20}}
                    """)));
            scene.api().createAll(PODS, pods);
            long start = System.nanoTime();
            Waiting.until(() -> scheduler.assumedPods() == 200);
            scene.pods("plain", 100, TENTH);
            report.took("plain pods bound", scene.awaitBound("plain", 100), Duration.ofSeconds(5));
            Duration failed = Waiting.until(() -> scene.versions().pods().stream()
                            .filter(pod -> PodVersions.podScheduled(pod)
                                    .path("message")
                                    .asText()
                                    .contains("context deadline exceeded"))
                            .count()
                    == 200);
            Duration since = Duration.ofNanos(System.nanoTime() - start);
            report.took("200 have failed", since, Duration.ofSeconds(wait + 10));
            report.holds(failed.compareTo(AT_LAST) < 0, "not all of the 200 say that the wait has timed out");
            scene.api()
                    .deleteAll(java.util.stream.IntStream.range(0, 200)
                            .mapToObj(i -> FaultScene.podPath("waits" + i))
                            .toList());
            scene.pods("fill", 200, TENTH);
            report.took("their places taken", scene.awaitBound("fill", 200), Duration.ofSeconds(20));
            scene.checkInvariants(scheduler);
        }
    }

    /** The stage of a pod's scheduling at which it is deleted. */
    enum Stage {
        /** Between assume and Permit. */
        RESERVE("Reserve", FailingPlugin.Way.SLOW),
        PERMIT("Permit", FailingPlugin.Way.WAIT),
        PRE_BIND("PreBind", FailingPlugin.Way.SLOW);

        private final String point;
        private final FailingPlugin.Way way;

        Stage(String point, FailingPlugin.Way way) {
            this.point = point;
            this.way = way;
        }
    }

    @Test
    @Fault(value = 24, injected = "pods deleted in Permit, in PreBind, between assume and Permit")
    void podsDeletedOnTheirWay(FaultReport report) {
        try (FaultScene scene = FaultScene.open(report)) {
            scene.nodes("n", 1, "1", 110);
            SchedulerProcess scheduler = scene.start(PluginJar.command(scene));
            scene.pods("warm", 5, "1m");
            scene.awaitBound("warm", 5);
            for (Stage stage : Stage.values()) {
                Duration longest = Duration.ZERO;
                for (int round = 0; round < 5; round++) {
                    Duration took = placeOfADeletedPod(scene, scheduler, stage, "-" + stage.ordinal() + round);
                    longest = took.compareTo(longest) > 0 ? took : longest;
                }
                // In Reserve, the scheduling thread itself is blocked until the plugin returns.
                Duration held = stage == Stage.RESERVE ? FailingPlugin.SLOW_CALL : Duration.ZERO;
                report.took(stage + ": the room taken by another pod", longest, held.plusSeconds(1));
            }
            scene.checkInvariants(scheduler);
        }
    }

    private static Duration placeOfADeletedPod(
            FaultScene scene, SchedulerProcess scheduler, Stage stage, String suffix) {
        scene.api().create(PODS, PluginJar.pod("going" + suffix, stage.point, stage.way, "900m", ""));
        scene.await("assumed", () -> scheduler.assumedPods() == 1);
        scene.api().delete(FaultScene.podPath("going" + suffix));
        long deleted = System.nanoTime();
        scene.api().create(PODS, FaultScene.pod("next" + suffix, "900m", ""));
        scene.awaitBound("next" + suffix, 1);
        Duration took = Duration.ofNanos(System.nanoTime() - deleted);
        scene.api().delete(FaultScene.podPath("next" + suffix));
        return took;
    }

    @Test
    @Fault(value = 25, injected = "a node deleted while pods are bound to it, and made again half as large")
    void nodeReplacedByASmallerOne(FaultReport report) {
        try (FaultScene scene = FaultScene.open(report);
                AnsweringProxy proxy = scene.answeringProxy()) {
            scene.nodes("n", 20, "1", 110);
            proxy.behave(request -> {
                if (request.isBinding()) {
                    Waiting.pause(Duration.ofMillis(300));
                }
                request.forward();
            });
            SchedulerProcess scheduler =
                    scene.start(scene.command(MOORAGE).kubeconfig(scene.kubeconfigThrough(proxy.port())));
            scene.pods("p", 100, TENTH);
            scene.await(
                    "some are bound, to the node too",
                    () -> scene.versions().bound("p") > 10
                            && scene.versions().pods().stream()
                                    .anyMatch(pod -> PodVersions.nodeName(pod).equals("n0")));
            scene.api().delete("/api/v1/nodes/n0");
            // By then, all operations that were in flight at the deletion are complete.
            long settled = System.nanoTime() + Duration.ofSeconds(1).toNanos();
            scene.awaitBound("p", 100);
            Waiting.until(() -> System.nanoTime() > settled);
            scene.pods("r", 40, TENTH);
            scene.awaitBound("r", 40);
            List<JsonNode> lost = scene.versions().pods().stream()
                    .filter(pod -> PodVersions.nodeName(pod).equals("n0"))
                    .toList();
            long late = lost.stream()
                    .filter(pod ->
                            scene.versions().boundAt(pod.at("/metadata/uid").asText()) > settled)
                    .count();
            report.holds(late == 0, late + " pods bound to the node more than a second after its deletion");
            // Like the garbage collector of pods.
            lost.forEach(pod -> scene.api()
                    .delete(FaultScene.podPath(pod.at("/metadata/name").asText())));
            scene.versions().forgetNodes();
            scene.api().create("/api/v1/nodes", FaultScene.node("n0", "500m", 110));
            int free = 195 - (140 - lost.size());
            scene.pods("q", free, TENTH);
            report.took("all other places taken", scene.awaitBound("q", free), Duration.ofSeconds(40));
            scene.checkInvariants(scheduler);
        }
    }

    /** The fault of the victim. */
    enum Victim {
        DELETION_FAILS,
        IS_GONE,
        WAITS_FOR_PERMIT,
        IN_PRE_BIND
    }

    @ParameterizedTest
    @EnumSource
    @Fault(
            value = 37,
            injected = "a victim is gone, waits for a permit, is in PreBind; its deletion answers 500 for 15 s")
    void victims(Victim victim, FaultReport report) {
        try (FaultScene scene = FaultScene.open(report);
                AnsweringProxy proxy = scene.answeringProxy()) {
            scene.nodes("n", 1, "1", 110);
            scene.api().create("/apis/scheduling.k8s.io/v1/priorityclasses", """
                    {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "high"}, "value": 1000}""");
            AtomicInteger deletions = new AtomicInteger();
            AtomicBoolean isHealed = new AtomicBoolean();
            proxy.behave(request -> {
                boolean isDeletion =
                        request.method().equals("DELETE") && request.path().startsWith(PODS);
                if (isDeletion) {
                    deletions.incrementAndGet();
                }
                if (isDeletion && victim == Victim.DELETION_FAILS && !isHealed.get()) {
                    request.refuse(500, "InternalError");
                } else if (isDeletion && victim == Victim.IS_GONE) {
                    scene.api().delete(request.path());
                    request.forward();
                } else {
                    request.forward();
                }
            });
            SchedulerProcess scheduler =
                    scene.start(PluginJar.command(scene).kubeconfig(scene.kubeconfigThrough(proxy.port())));
            switch (victim) {
                case WAITS_FOR_PERMIT ->
                    scene.api().create(PODS, PluginJar.pod("victim", "Permit", FailingPlugin.Way.WAIT, "900m", ""));
                case IN_PRE_BIND ->
                    scene.api().create(PODS, PluginJar.pod("victim", "PreBind", FailingPlugin.Way.SLOW, "900m", ""));
                default -> {
                    scene.api().create(PODS, FaultScene.pod("victim", "900m", ""));
                    scene.awaitBound("victim", 1);
                }
            }
            if (victim == Victim.WAITS_FOR_PERMIT || victim == Victim.IN_PRE_BIND) {
                scene.await("assumed", () -> scheduler.assumedPods() == 1);
            }
            scene.api().create(PODS, FaultScene.pod("preemptor", "900m", ", \"priorityClassName\": \"high\""));
            long start = System.nanoTime();
            if (victim == Victim.DELETION_FAILS) {
                Waiting.pause(Duration.ofSeconds(15));
                report.saw(deletions + " deletions in 15 s");
                report.holds(deletions.get() < 30, deletions + " deletions in 15 s");
                isHealed.set(true);
                start = System.nanoTime();
            }
            scene.awaitBound("preemptor", 1);
            report.took(
                    victim + ": preemptor bound", Duration.ofNanos(System.nanoTime() - start), Duration.ofSeconds(10));
            scene.checkInvariants(scheduler);
        }
    }
}
