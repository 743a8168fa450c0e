// SPDX-License-Identifier: Apache-2.0
package org.moorage.app;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.moorage.app.internal.rehearsal.RehearsalCluster;
import org.moorage.testkit.apiserver.FakeApiServer;

@Timeout(120)
final class LiveExplanationTest {
    private static final String NOBODY = """
            apiVersion: v1
            kind: Config
            current-context: nobody
            contexts: [{name: nobody, context: {cluster: none, user: nobody}}]
            clusters: [{name: none, cluster: {server: "https://127.0.0.1:1"}}]
            users: [{name: nobody, user: {}}]
            """;

    @TempDir
    private Path folder;

    private CapturedRun ask(String server, String... arguments) throws IOException {
        Path nobody = Files.writeString(folder.resolve("nobody"), NOBODY);
        List<String> all = new ArrayList<>(List.of(
                "explain", "--live", "--server=" + server, "--kubeconfig=" + nobody, "--insecure-skip-tls-verify"));
        all.addAll(List.of(arguments));
        return CapturedRun.of(all.toArray(String[]::new));
    }

    @Test
    void explainsAPendingPodAndItsAttempts()
            throws IOException, InterruptedException, ExecutionException, TimeoutException {
        try (FakeApiServer server = FakeApiServer.start();
                RunningScheduler scheduler =
                        RunningScheduler.start(server, "/debug/attempts", folder, List.of("--keep-attempts=3"))) {
            server.put(RehearsalCluster.manifests());
            RehearsalCluster.awaitDecisions(server);

            CapturedRun waiting = ask(scheduler.address(), "large-0");
            assertThat(waiting.out())
                    .contains("default/large-0 is pending: ")
                    .contains("NodeResourcesFit rejects it; it is tried again on ")
                    .contains("An attempt now would find it unschedulable: 0/")
                    .contains("Any of these would make it fit:", "  lower its request by cpu ")
                    .contains("NodeResourcesFit: Insufficient cpu (node-");
            assertThat(waiting.exitCode()).isEqualTo(1);

            CapturedRun bound = ask(scheduler.address(), "default/plain-0", "-o", "json");
            assertThat(bound.out()).contains("\"state\": \"bound\"").contains("\"score\": ");
            assertThat(bound.exitCode()).isZero();
            for (String pod : List.of("plain-0", "large-0", "gang-0")) {
                String json = ask(scheduler.address(), pod, "-o", "json").out();
                assertThat(JsonSchema.problems("explain-live", new JsonMapper().readTree(json)))
                        .as(pod)
                        .isEmpty();
            }

            CapturedRun unknown = ask(scheduler.address(), "default/nobody");
            assertThat(unknown.err())
                    .isEqualTo(
                            "error: explain default/nobody: 404 Not Found: pod default/nobody: the scheduler knows no"
                                    + " such pod\n");
            assertThat(unknown.exitCode()).isEqualTo(2);
        }
    }

    @Test
    void reportsThatTheServerDoesNotRespond() throws IOException {
        CapturedRun run = ask("https://127.0.0.1:1", "default/web", "--timeout=2s");

        assertThat(run.err()).startsWith("error: no scheduler answers at https://127.0.0.1:1. Is it running?");
        assertThat(run.err().lines()).hasSize(1);
        assertThat(run.exitCode()).isEqualTo(2);
    }

    @Test
    void refusesADurationThatIsNone() throws IOException {
        assertThat(ask("https://127.0.0.1:1", "web", "--timeout=soon").err())
                .isEqualTo("error: --timeout: \"soon\" (expected: a duration such as 10s)\n");
    }
}
