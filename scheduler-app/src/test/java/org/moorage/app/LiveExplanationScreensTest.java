// SPDX-License-Identifier: Apache-2.0
package org.moorage.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.moorage.app.internal.rehearsal.RehearsalCluster;
import org.moorage.testkit.apiserver.FakeApiServer;

/**
 * The screen in docs/debug/explain-live.md is what the command prints of a running scheduler, but for numbers: times, nodes with equal
 * scores, and where lines end. With the system property {@code screens.accept} the page is written again.
 */
@Timeout(120)
final class LiveExplanationScreensTest {
    private static final Path PAGE = Path.of("..", "docs", "debug", "explain-live.md");
    private static final int COLUMNS = 120;
    private static final List<String> PODS = List.of("large-0", "plain-0");
    private static final String BEGIN = "```\n$ moorage explain ";
    private static final String KUBECONFIG = """
            apiVersion: v1
            kind: Config
            current-context: none
            contexts: [{name: none, context: {cluster: none, user: none}}]
            clusters: [{name: none, cluster: {server: "https://127.0.0.1:1"}}]
            users: [{name: none, user: {}}]
            """;

    @TempDir
    private Path folder;

    @Test
    void isOnThePage() throws IOException, InterruptedException, ExecutionException, TimeoutException {
        String screens;
        Path kubeconfig = Files.writeString(folder.resolve("none"), KUBECONFIG);
        try (FakeApiServer server = FakeApiServer.start()) {
            // Before the scheduler starts, so that it knows all nodes when it tries the first pod.
            server.put(RehearsalCluster.manifests());
            screens = screens(server, kubeconfig);
        }

        String page = Files.readString(PAGE);
        int begin = page.indexOf(BEGIN) + "```\n".length();
        int end = page.indexOf("```\n", begin);
        if (Boolean.getBoolean("screens.accept")) {
            Files.writeString(PAGE, page.substring(0, begin) + screens + page.substring(end));
        } else {
            assertThat(withoutNumbers(page.substring(begin, end))).isEqualTo(withoutNumbers(screens));
        }
    }

    private String screens(FakeApiServer server, Path kubeconfig)
            throws IOException, InterruptedException, ExecutionException, TimeoutException {
        StringBuilder screens = new StringBuilder();
        try (RunningScheduler scheduler =
                RunningScheduler.start(server, "/debug/attempts", folder, List.of("--keep-attempts=3"))) {
            RehearsalCluster.awaitDecisions(server);
            for (String pod : PODS) {
                CapturedRun run = CapturedRun.onTerminal(
                        COLUMNS,
                        "explain",
                        pod,
                        "--live",
                        "--insecure-skip-tls-verify",
                        "--server=" + scheduler.address(),
                        "--kubeconfig=" + kubeconfig);
                screens.append("$ moorage explain ")
                        .append(pod)
                        .append(" --live --insecure-skip-tls-verify\n")
                        .append(run.out().replaceAll("\u001b\\[[0-9;]*m", ""));
            }
        }
        return screens.toString();
    }

    private static String withoutNumbers(String screen) {
        return screen.replaceAll("([0-9]+(\\.[0-9]+)?(ms|s|m|h)?)+", "0").replaceAll("\\s+", " ");
    }
}
