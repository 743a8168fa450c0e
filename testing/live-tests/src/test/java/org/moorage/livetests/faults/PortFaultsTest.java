// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests.faults;

import static org.moorage.livetests.scene.SchedulerProcess.Kind.MOORAGE;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.moorage.livetests.scene.PluginProject;
import org.moorage.livetests.scene.RunningProgram;
import org.moorage.livetests.scene.SchedulerProcess;
import org.moorage.livetests.scene.Waiting;

/** Tests attacks of untrusted clients on the ports of a scheduler, of its plugins, and of extender agents. */
class PortFaultsTest {
    private static final int CONNECTIONS = 1000;
    private static final int PODS = 500;
    private static final Duration PROBED = Duration.ofSeconds(20);

    @Test
    @Fault(
            value = 41,
            injected = "1,000 connections to each port, of the scheduler, its policies, an extender agent, that send"
                    + " nothing or a byte a second, before and after the TLS handshake, renewed as they are closed")
    void slowConnections(FaultReport report) {
        try (FaultScene scene = FaultScene.open(report)) {
            int policyPort = scene.port();
            int agentPort = scene.port();
            scene.nodes("n", 20, "32", 110);
            String tls = certificate(scene.plane().folder());
            Duration attacked;
            SchedulerProcess scheduler = scene.startOnly(scene.command(MOORAGE)
                    .config(config(policyPort, tls))
                    .flags("--plugin-dir=" + new PluginProject("plugins-opa").pluginDirectory()));
            try (SlowConnections slow = SlowConnections.to(scheduler.port(), CONNECTIONS, report.random())) {
                scene.await("the scheduler is ready", scheduler::isReady);
                probe(scene, report, slow, HealthProbes.of("the scheduler", scheduler.port(), true, "/livez"));
                // The first run includes the JIT compilation.
                bind(scene, "first");
                attacked = bind(scene, "attacked");
            }
            Duration alone = bind(scene, "alone");
            report.took(PODS + " pods alone", alone, Duration.ofSeconds(60));
            report.took(
                    PODS + " pods meanwhile", attacked, alone.multipliedBy(3).plusSeconds(2));
            try (SlowConnections slow = SlowConnections.to(policyPort, CONNECTIONS, report.random())) {
                probe(scene, report, slow, HealthProbes.of("the policies", policyPort, true, "/metrics"));
            }
            try (SlowConnections slow = SlowConnections.to(agentPort, CONNECTIONS, report.random());
                    ExtenderProcess agent = ExtenderProcess.start(scene.plane().folder(), agentPort, tls)) {
                agent.awaitHealthy();
                probe(scene, report, slow, agent.probes());
                report.holds(agent.program().isRunning(), "the extender has ended");
            }
            scene.checkInvariants(scheduler);
        }
    }

    private static void probe(FaultScene scene, FaultReport report, SlowConnections slow, HealthProbes health) {
        try (health) {
            scene.await("the connections are open", () -> slow.open() > CONNECTIONS / 10 * 8);
            Waiting.pause(PROBED);
            health.end(report);
            report.saw(slow.opened() + " connections opened");
        }
    }

    private static Duration bind(FaultScene scene, String prefix) {
        long start = System.nanoTime();
        scene.pods(prefix, PODS, "10m");
        scene.awaitBound(prefix, PODS);
        return Duration.ofNanos(System.nanoTime() - start);
    }

    private static String config(int policyPort, String tls) {
        return """
                apiVersion: kubescheduler.config.k8s.io/v1
                kind: KubeSchedulerConfiguration
                leaderElection: {leaderElect: false}
                clientConnection: {kubeconfig: "%%s", qps: 1000, burst: 1000}
                profiles:
                - schedulerName: default-scheduler
                - schedulerName: policies
                  plugins: {multiPoint: {enabled: [{name: OpaPolicy}]}}
                  pluginConfig:
                  - name: OpaPolicy
                    args: {policies: [], policyServer: {address: "127.0.0.1:%d", %s
                """.formatted(policyPort, tls.substring(1) + "}");
    }

    // The API server's certificate, with the key in a format that Java reads.
    private static String certificate(Path folder) {
        Path certificates = folder.resolve("certs");
        Path key = folder.resolve("key.pem");
        try (RunningProgram convert = RunningProgram.start(
                folder.resolve("log").resolve("openssl.log"),
                List.of(
                        "openssl",
                        "pkcs8",
                        "-topk8",
                        "-nocrypt",
                        "-in",
                        certificates + "/apiserver.key",
                        "-out",
                        key + ""))) {
            if (convert.await() != 0) {
                throw new IllegalStateException(convert.log());
            }
        }
        return "{certFile: %s, keyFile: %s}".formatted(certificates.resolve("apiserver.crt"), key);
    }
}
