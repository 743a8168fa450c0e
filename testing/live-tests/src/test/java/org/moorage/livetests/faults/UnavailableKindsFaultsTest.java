// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests.faults;

import static org.moorage.livetests.scene.SchedulerProcess.Kind.MOORAGE;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.moorage.livetests.scene.Moorage;
import org.moorage.livetests.scene.SchedulerProcess;
import org.moorage.livetests.scene.Waiting;

/** Tests kinds that the server does not have, or that the scheduler is not allowed to list. */
class UnavailableKindsFaultsTest {
    private static final Duration AT_LAST = Duration.ofSeconds(90);
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final String TENTH = "100m";

    private static FaultScene withNodes(FaultReport report, String serverArguments) {
        FaultScene scene = FaultScene.open(report, serverArguments, Map.of());
        scene.nodes("n", 20, "1", 110);
        return scene;
    }

    private static String readiness(SchedulerProcess scheduler) {
        return scheduler.answer("/readyz?verbose").map(HttpResponse::body).orElse("");
    }

    private static String condition(FaultScene scene, String pod) {
        StringBuilder messages = new StringBuilder();
        for (JsonNode condition : scene.api().get(FaultScene.podPath(pod)).at("/status/conditions")) {
            messages.append(condition.path("message").asText());
        }
        return messages.toString();
    }

    @Test
    @Tag("live")
    @Fault(value = 11, injected = "resource.k8s.io switched off, later on")
    void groupThatIsNotServed(FaultReport report) {
        String off = "--runtime-config=resource.k8s.io/v1=false";
        try (FaultScene scene = withNodes(report, off)) {
            scene.pods("plain", 10, TENTH);
            scene.pods(
                    "claiming", 2, TENTH, ", \"resourceClaims\": [{\"name\": \"r\", \"resourceClaimName\": \"gpu\"}]");
            SchedulerProcess scheduler = scene.startOnly(scene.command(MOORAGE));
            // How long a Java process takes to serve depends on the machine.
            scene.await("it serves", () -> scheduler.answer("/livez").isPresent());
            Duration limit = Duration.ofSeconds(10);
            report.took("ready", Waiting.until(scheduler::isReady), limit);
            report.holds(
                    readiness(scheduler).contains("resource.k8s.io"), "the note is missing: " + readiness(scheduler));
            report.took("10 plain pods bound", scene.awaitBound("plain", 10), limit);
            String told = ".resource.k8s.io is not served by the API server";
            Duration telling = Waiting.until(() -> condition(scene, "claiming0").contains(told)
                    && condition(scene, "claiming1").contains(told));
            report.took("pods with claims pending with the reason", telling, limit.multipliedBy(2));
            report.saw("\"" + condition(scene, "claiming0") + "\"");

            scene.plane()
                    .restartApiServer(arguments -> arguments.stream()
                            .filter(argument -> !argument.equals(off))
                            .toList());
            scene.awaitServer();
            scene.api().create("/apis/resource.k8s.io/v1/namespaces/default/resourceclaims", """
                    {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim",
                     "metadata": {"name": "gpu"}, "spec": {"devices": {}}}""");
            report.took("switched on, bound", scene.awaitBound("claiming", 2), SOON);
            report.took(
                    "without a note", Waiting.until(() -> !readiness(scheduler).contains("resource.k8s.io")), SOON);
            scene.checkInvariants(scheduler);
        }
    }

    /** Uses the deployment's own account, with all of its rights but one. */
    @Test
    @Fault(value = 12, injected = "no right to list PodDisruptionBudgets at start, granted later")
    void rightThatIsMissing(FaultReport report) throws IOException {
        Path deployment = Moorage.root().resolve("deploy").resolve("second-scheduler");
        String rights = Files.readString(deployment.resolve("rbac.yaml"));
        String rule = """
                  - apiGroups: [policy]
                    resources: [poddisruptionbudgets]
                    verbs: [get, list, watch]
                """;
        report.holds(rights.contains(rule), "rbac.yaml has no rule for PodDisruptionBudgets");
        try (FaultScene scene = withNodes(report, "")) {
            scene.create(Files.readString(deployment.resolve("namespace.yaml")));
            scene.create(rights.replace(rule, ""));
            String token = scene.plane()
                    .kubectl("create", "token", "moorage", "--namespace=moorage-system")
                    .strip();
            Path kubeconfig = Files.writeString(
                    scene.plane().folder().resolve("kubeconfig-moorage"),
                    Files.readString(scene.plane().kubeconfig())
                            .replace(scene.api().token(), token));
            SchedulerProcess scheduler = scene.startOnly(
                    scene.command(MOORAGE).kubeconfig(kubeconfig).config("""
                            apiVersion: kubescheduler.config.k8s.io/v1
                            kind: KubeSchedulerConfiguration
                            leaderElection: {resourceName: moorage, resourceNamespace: moorage-system}
                            clientConnection: {kubeconfig: "%s", qps: 1000, burst: 1000}
                            """));
            scene.pods("p", 50, TENTH);
            report.took("50 pods bound", scene.awaitBound("p", 50), AT_LAST);
            Duration limit = Duration.ofSeconds(30);
            Duration named = Waiting.until(() -> readiness(scheduler).contains("poddisruptionbudgets"));
            report.took("not ready, and named,", named, limit);
            report.holds(!scheduler.isReady(), "ready without the right");
            report.saw(readiness(scheduler)
                    .lines()
                    .filter(line -> line.contains("poddisruptionbudgets"))
                    .findFirst()
                    .orElse(""));
            Waiting.pause(Duration.ofSeconds(30));
            report.holds(scheduler.program().isRunning(), "the process has ended");
            report.holds(!scheduler.isReady(), "ready without the right after a while");

            String role = "/apis/rbac.authorization.k8s.io/v1/clusterroles/moorage-scheduler";
            scene.api()
                    .patch(role, "{\"rules\": " + withRule(scene.api().get(role).path("rules")) + "}");
            report.took("granted, ready", Waiting.until(scheduler::isReady), SOON);
            scene.pods("q", 50, TENTH);
            report.took("50 more bound", scene.awaitBound("q", 50), AT_LAST);
            List<AuditLog.Request> refused = scene.audit().requests().stream()
                    .filter(request ->
                            request.code() == 403 && !request.resource().equals("poddisruptionbudgets"))
                    .toList();
            report.holds(refused.isEmpty(), "other requests refused: " + refused);
            scene.checkInvariants(scheduler);
        }
    }

    private static String withRule(JsonNode rules) {
        String text = rules.toString();
        return text.substring(0, text.length() - 1)
                + ", {\"apiGroups\": [\"policy\"], \"resources\": [\"poddisruptionbudgets\"],"
                + " \"verbs\": [\"get\", \"list\", \"watch\"]}]";
    }
}
