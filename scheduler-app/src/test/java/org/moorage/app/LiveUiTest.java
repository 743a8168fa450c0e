// SPDX-License-Identifier: Apache-2.0
package org.moorage.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.HttpsURLConnection;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.app.internal.rehearsal.RehearsalCluster;
import org.moorage.testkit.Ports;
import org.moorage.testkit.apiserver.FakeApiServer;

/** The page of a running scheduler through {@code ui --live}. */
@Timeout(120)
class LiveUiTest {
    private static final String NOBODY = """
            apiVersion: v1
            kind: Config
            current-context: nobody
            contexts: [{name: nobody, context: {cluster: none, user: nobody}}]
            clusters: [{name: none, cluster: {server: "https://127.0.0.1:1"}}]
            users: [{name: nobody, user: {}}]
            """;

    private record Case(String path, int code, String text) {
        @Override
        public String toString() {
            return path;
        }
    }

    private static final List<Case> CASES = List.of(
            new Case("/debug/page", 200, "<title>Moorage</title>"),
            new Case("/debug/page/data", 200, "\"title\":\"running scheduler\""),
            new Case("/debug/page/explain?pod=default/large-0", 200, "{\"pod\":\"default/large-0\""),
            new Case("/debug/page/attempts?pod=default/large-0&other=x", 200, "\"state\":\"queued\""),
            new Case(
                    "/debug/page/explain?pod=default/none",
                    404,
                    "pod: \"default/none\" (expected: one of the cluster)"),
            new Case("/debug/page/explain", 400, "pod: [] (expected: one, as NAMESPACE/NAME)"),
            // The scheduler has them.
            new Case("/debug/page/data/more", 404, "404 page not found"),
            new Case("/metrics", 404, "404 page not found"),
            new Case("/", 404, "404 page not found"));

    @TempDir
    private Path folder;

    @AutoClose
    private final Ports ports = new Ports();

    private List<String> line(String scheduler, String... more) throws IOException {
        Path nobody = Files.writeString(folder.resolve("nobody"), NOBODY);
        List<String> all = new ArrayList<>(List.of("ui", "--live", "--server=" + scheduler, "--kubeconfig=" + nobody));
        all.addAll(List.of(more));
        return all;
    }

    @Test
    void forwardsTheRequestsOfThePageAndNoOthers()
            throws IOException, GeneralSecurityException, InterruptedException, ExecutionException, TimeoutException {
        try (FakeApiServer server = FakeApiServer.start();
                RunningScheduler scheduler =
                        RunningScheduler.start(server, "/debug/page*", folder, List.of("--keep-attempts=3"))) {
            server.put(RehearsalCluster.manifests());
            RehearsalCluster.awaitDecisions(server);
            List<String> line = line(scheduler.address(), "--insecure-skip-tls-verify");
            RunningUi ui = RunningUi.of(line.subList(1, line.size()).toArray(String[]::new));
            try {
                for (Case c : CASES) {
                    TrustingClient.Answer answer = TrustingClient.get(URI.create("https://" + ui.address() + c.path));
                    assertThat(answer.code()).as(c.path).isEqualTo(c.code);
                    assertThat(answer.text()).as(c.path).contains(c.text);
                }
                HttpsURLConnection post = TrustingClient.open(URI.create("https://" + ui.address() + "/debug/page"));
                post.setRequestMethod("POST");
                assertThat(post.getResponseCode()).isEqualTo(405);
                assertThat(ui.printed()).isEqualTo("https://" + ui.address() + "/debug/page" + System.lineSeparator());
            } finally {
                ui.stop();
            }
        }
    }

    private record Refusal(String name, List<String> flags, String message) {
        @Override
        public String toString() {
            return name;
        }
    }

    static final List<Refusal> REFUSALS = List.of(
            new Refusal(
                    "no scheduler answers",
                    List.of(),
                    "error: no scheduler answers at https://127.0.0.1:1. Is it running? To reach one in the cluster:"),
            new Refusal(
                    "files",
                    List.of(CapturedRun.FIRST),
                    "error: --live: with " + CapturedRun.FIRST
                            + " (expected: no files, since the scheduler knows its cluster)\n"),
            new Refusal(
                    "half of a client certificate",
                    List.of("--client-key=none"),
                    "error: --client-certificate and --client-key: one of them (expected: both or none)\n"),
            new Refusal(
                    "an address that others reach",
                    List.of("--bind-address=0.0.0.0"),
                    "error: --bind-address: 0.0.0.0 (expected: an address of this machine alone such as 127.0.0.1"));

    @ParameterizedTest
    @FieldSource("REFUSALS")
    void doesNotServe(Refusal refusal) throws IOException {
        List<String> flags = new ArrayList<>(refusal.flags);
        if (!refusal.name.startsWith("an address")) {
            flags.add("--secure-port=" + ports.next());
        }
        CapturedRun run = CapturedRun.of(
                line("https://127.0.0.1:1", flags.toArray(String[]::new)).toArray(String[]::new));

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).startsWith(refusal.message);
    }

    @Test
    void needsFilesWithoutIt() {
        CapturedRun run = CapturedRun.of("ui");

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err())
                .isEqualTo("error: no cluster (expected: files or folders with its objects, - for stdin, or --live)\n");
    }
}
