// SPDX-License-Identifier: Apache-2.0
package org.moorage.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.security.GeneralSecurityException;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.ValueSource;

class UiCommandTest {
    private record Case(String name, String path, int code, String text) {
        @Override
        public String toString() {
            return name;
        }
    }

    static final List<Case> CASES = List.of(
            new Case("the page", "/", 200, "<title>Moorage</title>"),
            new Case("its data", "/data", 200, "\"cluster\":{\"resources\":[\"cpu\",\"memory\""),
            new Case("what the plugins say", "/explain?pod=default/shop-1", 200, "{\"pod\":\"default/shop-1\""),
            new Case(
                    "a pod that is not there",
                    "/explain?pod=default/no",
                    404,
                    "pod: \"default/no\" (expected: one of the cluster)"),
            new Case("no pod", "/explain", 400, "pod: [] (expected: one, as NAMESPACE/NAME)"),
            new Case("another path", "/favicon.ico", 404, "404 page not found"));

    @ParameterizedTest
    @ValueSource(strings = {"--now", "--seed=1"})
    void answersUntilItIsStopped(String how)
            throws IOException, GeneralSecurityException, InterruptedException, ExecutionException, TimeoutException {
        RunningUi ui = RunningUi.of(how, CapturedRun.FIRST);
        try {
            for (Case c : CASES) {
                TrustingClient.Answer answer = TrustingClient.get(URI.create("https://" + ui.address() + c.path));
                assertThat(answer.code()).as(c.name).isEqualTo(c.code);
                assertThat(answer.text()).as(c.name).contains(c.text);
            }
        } finally {
            ui.stop();
        }
        assertThat(ui.printed()).isEqualTo("https://" + ui.address() + "/" + System.lineSeparator());
    }

    private record Refusal(String name, List<String> flags, String message) {
        @Override
        public String toString() {
            return name;
        }
    }

    static final List<Refusal> REFUSALS = List.of(
            new Refusal(
                    "an address that others reach",
                    List.of("--bind-address=0.0.0.0"),
                    "error: --bind-address: 0.0.0.0 (expected: an address of this machine alone such as 127.0.0.1, or"
                            + " --kubeconfig for the API server that says who may read)\n"),
            new Refusal("no port", List.of("--secure-port=0"), "error: --secure-port: 0 (expected: 1 to 65535)\n"));

    @ParameterizedTest
    @FieldSource("REFUSALS")
    void doesNotServe(Refusal refusal) {
        CapturedRun run = CapturedRun.of("ui", "--now", refusal.flags.get(0), CapturedRun.FIRST);

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).isEqualTo(refusal.message);
    }
}
