// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests.faults;

import static org.moorage.livetests.scene.SchedulerProcess.Kind.KUBE_SCHEDULER;
import static org.moorage.livetests.scene.SchedulerProcess.Kind.MOORAGE;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.moorage.livetests.scene.AnsweringProxy;
import org.moorage.livetests.scene.SchedulerProcess;
import org.moorage.livetests.scene.Waiting;

/**
 * Tests a leader that is killed, suspended or terminated, or cannot renew its lease, with the lease's default
 * durations.
 */
class LeaderFaultsTest {
    private static final int NODES = 300;
    private static final int PODS = 2000;
    private static final Duration AT_LAST = Duration.ofSeconds(120);
    private static final Duration LEASE = Duration.ofSeconds(15);

    /** Seven such pods fit on a node; all nodes together have room for a hundred more pods than exist. */
    private static final String SEVENTH = "140m";

    /** Requests that the API server answers without writing an object. */
    private static final Set<String> REVIEWS = Set.of("tokenreviews", "subjectaccessreviews");

    private static String config(int qps) {
        return """
                apiVersion: kubescheduler.config.k8s.io/v1
                kind: KubeSchedulerConfiguration
                clientConnection: {kubeconfig: "%%s", qps: %1$d, burst: %1$d}
                """.formatted(qps);
    }

    private static FaultScene withNodes(FaultReport report, String users) {
        FaultScene scene = FaultScene.open(report, "", users.isEmpty() ? Map.of() : Map.of("USERS", users));
        scene.nodes("n", NODES, "1", 110);
        return scene;
    }

    /** At a hundred requests a second, the leader has many decisions that are not written yet. */
    private static SchedulerProcess.Command command(FaultScene scene, SchedulerProcess.Kind kind, int qps) {
        return scene.command(kind).config(config(qps));
    }

    /** Starts a scheduler without competitors, and returns it when it leads. */
    private static SchedulerProcess leader(FaultScene scene, SchedulerProcess.Command command) {
        SchedulerProcess leader = scene.startOnly(command);
        scene.await("the first replica leads", () -> !holder(scene).isEmpty());
        scene.await("the first replica is ready", leader::isReady);
        return leader;
    }

    private static SchedulerProcess standby(FaultScene scene, SchedulerProcess.Command command) {
        return scene.start(command);
    }

    private static String holder(FaultScene scene) {
        for (JsonNode lease : scene.api().items("/apis/coordination.k8s.io/v1/namespaces/kube-system/leases")) {
            if (lease.at("/metadata/name").asText().equals("kube-scheduler")) {
                return lease.at("/spec/holderIdentity").asText();
            }
        }
        return "";
    }

    private static Duration awaitOther(FaultScene scene, String before) {
        return Waiting.until(() -> {
            String now = holder(scene);
            return !now.isEmpty() && !now.equals(before);
        });
    }

    /**
     * Starts to create pods, and returns when the leader has bound some of them; the others are created while the fault
     * is injected.
     */
    private static long bindSome(FaultScene scene, FaultReport report, SchedulerProcess leader) {
        int count = PODS / 10 + report.random().nextInt(PODS / 4);
        CompletableFuture<Void> made = CompletableFuture.runAsync(() -> scene.pods("p", PODS, SEVENTH));
        scene.await(count + " pods are bound", () -> made.isCompletedExceptionally() || bindings(leader) >= count);
        return bindings(leader);
    }

    private static long bindings(SchedulerProcess leader) {
        return (long) leader.metric("scheduler_schedule_attempts_total", "result=\"scheduled\"");
    }

    @Test
    @Tag("live")
    @Fault(value = 14, injected = "two replicas, 300 nodes, 2,000 pods, kill -9 the leader")
    void killedLeader(FaultReport report) {
        killed(MOORAGE, report);
    }

    @Test
    @Fault(value = 14, injected = "two replicas, 300 nodes, 2,000 pods, kill -9 the leader")
    void killedLeaderOfKubeScheduler(FaultReport report) {
        killed(KUBE_SCHEDULER, report);
    }

    private static void killed(SchedulerProcess.Kind kind, FaultReport report) {
        try (FaultScene scene = withNodes(report, "")) {
            SchedulerProcess leader = leader(scene, command(scene, kind, 100));
            SchedulerProcess standby = standby(scene, command(scene, kind, 100));
            String before = holder(scene);
            long bound = bindSome(scene, report, leader);
            leader.program().signal("KILL");
            report.saw("killed after " + bound + " bindings");
            Duration limit = Duration.ofSeconds(24);
            report.took("the standby leads", awaitOther(scene, before), limit);
            report.took("all bound", scene.awaitBound("p", PODS), AT_LAST);
            scene.checkInvariants(standby);
        }
    }

    @ParameterizedTest
    @EnumSource
    @Fault(value = 15, injected = "SIGSTOP the leader for 20 s, then SIGCONT")
    void stoppedLeader(SchedulerProcess.Kind kind, FaultReport report) {
        try (FaultScene scene = withNodes(report, "replica-a replica-b")) {
            SchedulerProcess leader =
                    leader(scene, command(scene, kind, 100).kubeconfig(scene.kubeconfigOf("replica-a")));
            SchedulerProcess standby =
                    standby(scene, command(scene, kind, 100).kubeconfig(scene.kubeconfigOf("replica-b")));
            long bound = bindSome(scene, report, leader);
            leader.program().signal("STOP");
            report.saw("stopped after " + bound + " bindings");
            Waiting.pause(Duration.ofSeconds(20));
            leader.program().signal("CONT");
            Duration limit = Duration.ofSeconds(2);
            Duration ended = Waiting.until(() -> !leader.program().isRunning());
            report.took("ended", ended, limit);
            report.holds(!leader.program().isRunning() && leader.program().await() == 1, "the exit code is not 1");
            report.took("all bound", scene.awaitBound("p", PODS), AT_LAST);
            long late = writesAfterLease(scene, "replica-a");
            report.saw(late + " writes after the lease");
            report.holds(late == 0, late + " writes of the old leader after its lease had run out");
            scene.checkInvariants(standby);
        }
    }

    // The server receives a renewal after the leader's clock starts to measure the lease.
    private static long writesAfterLease(FaultScene scene, String user) {
        Instant renewed = Instant.MIN;
        List<AuditLog.Request> writes = new ArrayList<>();
        for (AuditLog.Request request : scene.audit().requests()) {
            if (!request.user().equals(user) || !request.isWrite() || REVIEWS.contains(request.resource())) {
                continue;
            }
            writes.add(request);
            boolean isRenewal = request.resource().equals("leases") && request.code() / 100 == 2;
            if (isRenewal && request.at().isAfter(renewed)) {
                renewed = request.at();
            }
        }
        Instant end = renewed.plus(LEASE);
        return writes.stream().filter(write -> write.at().isAfter(end)).count();
    }

    @Test
    @Tag("nightly")
    @Fault(value = 16, injected = "SIGTERM the leader")
    void terminatedLeader(FaultReport report) {
        try (FaultScene scene = withNodes(report, "")) {
            SchedulerProcess leader = leader(scene, command(scene, MOORAGE, 100));
            SchedulerProcess standby = standby(scene, command(scene, MOORAGE, 100));
            String before = holder(scene);
            long bound = bindSome(scene, report, leader);
            leader.program().signal("TERM");
            report.saw("stopped after " + bound + " bindings");
            Duration limit = Duration.ofSeconds(10);
            Duration ended = Waiting.until(() -> !leader.program().isRunning());
            report.took("ended", ended, limit);
            report.holds(leader.program().await() == 0, "the exit code is not 0");
            String after = holder(scene);
            report.holds(!after.equals(before), "the lease is not released");
            limit = Duration.ofSeconds(3);
            report.took("the other leads", awaitOther(scene, before), limit);
            report.took("all bound", scene.awaitBound("p", PODS), AT_LAST);
            scene.checkInvariants(standby);
        }
    }

    @Test
    @Fault(value = 17, injected = "lease requests answered 500 for 11 s")
    void leaseThatCannotBeRenewed(FaultReport report) {
        try (FaultScene scene = withNodes(report, "");
                AnsweringProxy proxy = scene.answeringProxy()) {
            SchedulerProcess leader =
                    leader(scene, command(scene, MOORAGE, 100).kubeconfig(scene.kubeconfigThrough(proxy.port())));
            long bound = bindSome(scene, report, leader);
            proxy.behave(exchange -> {
                if (exchange.path().contains("/leases")) {
                    exchange.refuse(500, "InternalError");
                } else {
                    exchange.forward();
                }
            });
            report.saw("from " + bound + " bindings on");
            Duration limit = Duration.ofSeconds(11);
            Duration ended = Waiting.until(() -> !leader.program().isRunning());
            report.took("ended", ended, limit);
            proxy.behave(AnsweringProxy.Exchange::forward);
            report.holds(!leader.program().isRunning() && leader.program().await() == 1, "the exit code is not 1");
            report.holds(leader.inLog("Leaderelection lost") == 1, "the log does not say that the lease is lost");
            // A supervisor would restart the process.
            SchedulerProcess next = standby(scene, command(scene, MOORAGE, 1000));
            report.took("all bound by the next", scene.awaitBound("p", PODS), AT_LAST);
            scene.checkInvariants(next);
        }
    }

    @Test
    @Fault(value = 18, injected = "qps 5 and 2,000 status patches waiting")
    void patchesThatWait(FaultReport report) {
        try (FaultScene scene = withNodes(report, "replica-a")) {
            SchedulerProcess leader =
                    leader(scene, command(scene, MOORAGE, 5).kubeconfig(scene.kubeconfigOf("replica-a")));
            String before = holder(scene);
            Instant start = Instant.now();
            scene.pods("p", PODS, "2");
            scene.await(
                    "all pods were tried",
                    () -> leader.metric("scheduler_pending_pods", "queue=\"unschedulable\"") >= PODS);
            Waiting.pause(Duration.ofSeconds(60));
            long written = scene.audit().count("replica-a", "patch", "pods/status", 2);
            report.saw("after a minute " + written + " patches were sent");
            report.holds(written < PODS, "no patch had to wait");
            Duration longest = longestRenewal(scene, "replica-a", start);
            report.saw("the longest time between renewals was " + FaultReport.seconds(longest));
            report.holds(longest.compareTo(Duration.ofSeconds(10)) < 0, longest + " between two renewals");
            report.holds(leader.program().isRunning(), "the leader has ended");
            report.holds(holder(scene).equals(before), "the lease was lost");
            List<String> most = new ArrayList<>();
            for (int i = 50; i < PODS; i++) {
                most.add(FaultScene.podPath("p" + i));
            }
            scene.api().deleteAll(most);
            scene.checkInvariants(leader);
        }
    }

    private static Duration longestRenewal(FaultScene scene, String user, Instant since) {
        Instant last = since;
        Duration longest = Duration.ZERO;
        for (AuditLog.Request request : scene.audit().requests()) {
            if (request.user().equals(user)
                    && request.resource().equals("leases")
                    && request.verb().equals("update")
                    && request.code() / 100 == 2
                    && request.at().isAfter(last)) {
                Duration time = Duration.between(last, request.at());
                longest = time.compareTo(longest) > 0 ? time : longest;
                last = request.at();
            }
        }
        return longest;
    }
}
