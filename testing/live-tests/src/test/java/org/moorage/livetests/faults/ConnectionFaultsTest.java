// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests.faults;

import static org.moorage.livetests.scene.SchedulerProcess.Kind.MOORAGE;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.moorage.livetests.scene.AnsweringProxy;
import org.moorage.livetests.scene.FreezingProxy;
import org.moorage.livetests.scene.SchedulerProcess;
import org.moorage.livetests.scene.Waiting;

/** Connections that swallow what is sent, without a reset. */
class ConnectionFaultsTest {
    private static final Duration NOTICED = Duration.ofSeconds(45);

    @ParameterizedTest
    @ValueSource(strings = {"HTTP/2", "HTTP/1.1"})
    @Fault(value = 7, injected = "packets swallowed without a reset, over HTTP/2 and HTTP/1.1")
    void swallowedPackets(String protocol, FaultReport report) {
        try (FaultScene scene = FaultScene.open(report);
                AnsweringProxy olderProtocol = scene.answeringProxy();
                FreezingProxy proxy = new FreezingProxy(
                        protocol.equals("HTTP/2") ? scene.api().server().getPort() : olderProtocol.port())) {
            scene.nodes("n", 20, "1", 110);
            SchedulerProcess scheduler =
                    scene.start(scene.command(MOORAGE).kubeconfig(scene.kubeconfigThrough(proxy.port())));
            scene.pods("p", 100, "10m");
            scene.awaitBound("p", 100);

            // The lines that are open die; new ones work.
            proxy.freeze();
            scene.pods("q", 100, "10m");
            report.took(protocol + ": pods made after it bound", scene.awaitBound("q", 100), NOTICED);

            // No line works.
            proxy.freezeAll(true);
            Duration unready = Waiting.until(() -> !scheduler.isReady());
            report.took("not ready", unready, NOTICED);
            Waiting.until(() -> namesKinds(scheduler));
            report.holds(namesKinds(scheduler), "readiness does not name the kinds");
            proxy.freezeAll(false);
            scene.pods("r", 100, "10m");
            report.took("bound once lines work", scene.awaitBound("r", 100), NOTICED);
            Waiting.until(scheduler::isReady);
            report.holds(scheduler.isReady(), "not ready although lines work");
            scene.checkInvariants(scheduler);
        }
    }

    private static boolean namesKinds(SchedulerProcess scheduler) {
        return scheduler
                .answer("/readyz?verbose")
                .filter(answer ->
                        answer.body().contains("pods") && answer.body().contains("nodes"))
                .isPresent();
    }
}
