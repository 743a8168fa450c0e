// SPDX-License-Identifier: Apache-2.0
package org.moorage.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.testkit.apiserver.FakeApiServer;

/** The pages of a running scheduler with several flags. */
class ServedPagesTest {
    private record Case(String name, List<String> flags, String page, String line) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static final List<String> EMULATING = List.of("--emulated-version=1.36");

    static final List<Case> CASES = List.of(
            new Case("the version that is emulated by default", List.of(), "/statusz", "Emulation version: 1.37"),
            new Case("the version that is emulated", EMULATING, "/statusz", "Emulation version: 1.36"),
            new Case("the name of the component", List.of(), "/statusz", "kube-scheduler statusz"),
            new Case(
                    "the pages as kube-scheduler lists them",
                    List.of(),
                    "/statusz",
                    "Paths: /configz /flagz /healthz /livez /metrics /readyz"),
            new Case(
                    "no page without its feature gate",
                    List.of("--feature-gates=ComponentFlagz=false"),
                    "/statusz",
                    "Paths: /configz /healthz /livez /metrics /readyz"),
            new Case(
                    "the versions as a metric",
                    EMULATING,
                    "/metrics",
                    "version_info{binary=\"1.37\",component=\"kube\",emulation=\"1.36\",min_compat=\"1.35\"} 1.0"),
            new Case("the page of the cluster", List.of(), "/debug/page", "<title>Moorage</title>"),
            new Case(
                    "what a pod waits for, below that page",
                    List.of(),
                    "/debug/page/attempts?pod=default/nobody",
                    "pod default/nobody: the scheduler knows no such pod"));

    @ParameterizedTest
    @FieldSource("CASES")
    void showWhatHolds(Case c, @TempDir Path folder)
            throws IOException, GeneralSecurityException, InterruptedException, ExecutionException, TimeoutException {
        try (FakeApiServer server = FakeApiServer.start();
                RunningScheduler scheduler =
                        RunningScheduler.start(server, URI.create(c.page).getPath(), folder, c.flags)) {
            assertThat(TrustingClient.get(URI.create(scheduler.address() + c.page))
                            .text()
                            .split("\n"))
                    .contains(c.line);
        }
    }
}
