// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests.faults;

import static org.moorage.livetests.scene.SchedulerProcess.Kind.MOORAGE;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.moorage.livetests.scene.ControlPlane.Component;
import org.moorage.livetests.scene.FreezingProxy;
import org.moorage.livetests.scene.PodVersions;
import org.moorage.livetests.scene.SchedulerProcess;
import org.moorage.livetests.scene.Waiting;

/** Tests an API server, or its store, that fails while pods are being bound. */
class ApiServerFaultsTest {
    private static final int NODES = 200;
    private static final int PODS = 2000;
    private static final Duration AT_LAST = Duration.ofSeconds(90);

    /** Each node has room for exactly ten such pods, so a lost place is visible. */
    private static final String TENTH = "100m";

    private static FaultScene withNodes(FaultReport report) {
        FaultScene scene = FaultScene.open(report);
        scene.nodes("n", NODES, "1", 110);
        return scene;
    }

    private static int whenSomeAreBound(FaultScene scene, FaultReport report) {
        int count = PODS / 10 + report.random().nextInt(PODS / 2);
        scene.await(count + " pods are bound", () -> scene.versions().bound("p") >= count);
        return scene.versions().bound("p");
    }

    @ParameterizedTest
    @EnumSource
    @Fault(value = 1, injected = "API server killed during 2,000 bindings, back after 10 s")
    void killedApiServer(SchedulerProcess.Kind kind, FaultReport report) {
        try (FaultScene scene = withNodes(report)) {
            scene.pods("p", PODS, TENTH);
            SchedulerProcess scheduler = scene.startOnly(scene.command(kind));
            int bound = whenSomeAreBound(scene, report);
            List<String> command = scene.plane().killApiServer();
            report.saw("killed after " + bound + " bindings");
            Waiting.pause(Duration.ofSeconds(10));
            scene.plane().startApiServer(command);
            scene.awaitServer();
            report.took("a new pod bound", scene.probe(), Duration.ofSeconds(5));
            report.took("all bound", scene.awaitBound("p", PODS), AT_LAST);
            scene.checkInvariants(scheduler);
        }
    }

    /**
     * Deletes and creates pods while no watch is connected: with the names of the deleted pods, or with other names.
     */
    @ParameterizedTest
    @EnumSource
    @Fault(
            value = 2,
            injected =
                    "the same; 200 pods just bound are deleted, and pods of the same names made, before the watch is back")
    void deletionsAndNamesakesThatNoWatchTells(SchedulerProcess.Kind kind, FaultReport report) {
        replacedUnseen(kind, report, "p");
    }

    @ParameterizedTest
    @EnumSource
    @Fault(value = 2, injected = "the same with pods of other names")
    void deletionsThatNoWatchTells(SchedulerProcess.Kind kind, FaultReport report) {
        replacedUnseen(kind, report, "p-new-");
    }

    private static void replacedUnseen(SchedulerProcess.Kind kind, FaultReport report, String prefix) {
        try (FaultScene scene = withNodes(report);
                FreezingProxy proxy = new FreezingProxy(scene.api().server().getPort())) {
            scene.pods("p", PODS, TENTH);
            SchedulerProcess scheduler =
                    scene.startOnly(scene.command(kind).kubeconfig(scene.kubeconfigThrough(proxy.port())));
            whenSomeAreBound(scene, report);
            proxy.refuse(true);
            List<String> command = scene.plane().killApiServer();
            Waiting.pause(Duration.ofSeconds(3));
            scene.plane().startApiServer(command);
            scene.awaitServer();
            List<JsonNode> bound = new ArrayList<>(scene.api().items("/api/v1/pods"));
            bound.removeIf(pod -> PodVersions.nodeName(pod).isEmpty());
            bound.sort(java.util.Comparator.comparingLong(
                    pod -> -scene.versions().boundAt(pod.at("/metadata/uid").asText())));
            List<String> names = new ArrayList<>();
            for (JsonNode pod : bound.subList(0, 200)) {
                names.add(pod.at("/metadata/name").asText());
            }
            scene.api().deleteAll(names.stream().map(FaultScene::podPath).toList());
            List<String> pods = new ArrayList<>();
            Collections.shuffle(names, report.random());
            for (String name : names) {
                pods.add(FaultScene.pod(prefix.equals("p") ? name : prefix + name, TENTH, ""));
            }
            scene.api().createAll("/api/v1/namespaces/default/pods", pods);
            // The proxy blocks the scheduler until the watch cache no longer has its last version, so that it must list
            // again.
            List<String> again = scene.plane().killApiServer();
            scene.plane().startApiServer(again);
            scene.awaitServer();
            proxy.refuse(false);
            report.took("all 2,000 places taken", scene.awaitBound("p", PODS), Duration.ofSeconds(60));
            scene.checkInvariants(scheduler);
        }
    }

    @Test
    @Fault(value = 3, injected = "watches frozen, churn, API server restarted")
    void frozenWatchesAndAnOldVersion(FaultReport report) {
        try (FaultScene scene = withNodes(report);
                FreezingProxy proxy = new FreezingProxy(scene.api().server().getPort())) {
            SchedulerProcess scheduler =
                    scene.start(scene.command(MOORAGE).kubeconfig(scene.kubeconfigThrough(proxy.port())));
            scene.pods("p", PODS / 2, TENTH);
            scene.awaitBound("p", PODS / 2);
            double lists = scheduler.metric("moorage_watch_lists_total", "pods");
            proxy.freeze();
            proxy.refuse(true);
            for (int round = 0; round < 3; round++) {
                List<String> gone = new ArrayList<>();
                for (int i = 0; i < 100; i++) {
                    gone.add(FaultScene.podPath("p" + (round * 100 + i)));
                }
                scene.api().deleteAll(gone);
                scene.pods("q" + round + "-", 100, TENTH);
            }
            scene.compact();
            scene.plane().restartApiServer();
            proxy.refuse(false);
            scene.pods("r", PODS / 2, TENTH);
            report.took("all bound", scene.awaitBound("q", 300), Duration.ofSeconds(60));
            report.took("all places taken", scene.awaitBound("r", PODS / 2), Duration.ofSeconds(60));
            double more = scheduler.metric("moorage_watch_lists_total", "pods") - lists;
            report.saw((int) more + " list of pods");
            report.holds(more <= 1, (int) more + " lists of pods instead of one");
            scene.checkInvariants(scheduler);
        }
    }

    @Test
    @Fault(value = 4, injected = "etcd stopped for 40 s during bindings")
    void stoppedStore(FaultReport report) {
        try (FaultScene scene = withNodes(report)) {
            scene.pods("p", PODS, TENTH);
            SchedulerProcess scheduler = scene.startOnly(scene.command(MOORAGE));
            int bound = whenSomeAreBound(scene, report);
            scene.plane().signal(Component.ETCD, "STOP");
            report.saw("stopped after " + bound + " bindings");
            Waiting.pause(Duration.ofSeconds(40));
            scene.plane().signal(Component.ETCD, "CONT");
            report.took("all bound", scene.awaitBound("p", PODS), AT_LAST);
            scene.checkInvariants(scheduler);
        }
    }

    @Test
    @Fault(value = 13, injected = "no API server for five minutes at start")
    void noServerAtStart(FaultReport report) throws IOException {
        try (FaultScene scene = withNodes(report)) {
            int port = scene.port();
            scene.pods("p", 10, TENTH);
            SchedulerProcess scheduler =
                    scene.startOnly(scene.command(MOORAGE).kubeconfig(scene.kubeconfigThrough(port)));
            Waiting.pause(Duration.ofMinutes(5));
            report.holds(scheduler.program().isRunning(), "ended without a server");
            try (FreezingProxy proxy =
                    new FreezingProxy(port, scene.api().server().getPort())) {
                report.holds(proxy.port() == port, "not at its address");
                report.took("10 pods bound", scene.awaitBound("p", 10), Duration.ofSeconds(5));
                scene.checkInvariants(scheduler);
            }
        }
    }

    @Test
    @Fault(value = 33, injected = "GOAWAY to one request in fifty, 1,000 pods")
    void goAway(FaultReport report) {
        try (FaultScene scene = FaultScene.open(report, "--goaway-chance=0.02", Map.of())) {
            scene.nodes("n", NODES, "1", 110);
            SchedulerProcess scheduler = scene.start(MOORAGE);
            scene.pods("p", PODS / 2, TENTH);
            report.took("all bound", scene.awaitBound("p", PODS / 2), AT_LAST);
            long failed = scheduler.inLog("Error scheduling pod|Failed to bind");
            report.saw(failed + " failed bindings");
            report.holds(failed == 0, failed + " failed bindings");
            report.holds(
                    scheduler.metric("scheduler_schedule_attempts_total", "result=\"error\"") == 0,
                    "attempts that ended in an error");
            scene.checkInvariants(scheduler);
        }
    }
}
