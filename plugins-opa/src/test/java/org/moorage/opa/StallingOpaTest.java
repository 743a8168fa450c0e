// SPDX-License-Identifier: Apache-2.0
package org.moorage.opa;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.moorage.runtime.decision.Decision;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.PluginTester;
import org.moorage.testkit.Pods;
import org.moorage.testkit.TestScheduler;

/**
 * An OPA that does not come to the end of its answers has failed when its time is over, and the failure policy decides.
 */
@Timeout(60)
class StallingOpaTest {
    private static final Duration LIMIT = Duration.ofMillis(500);

    private static TestScheduler scheduler(StallingServer server, String more) {
        String args = "mode: server, url: '" + server.url() + "', timeout: " + LIMIT.toMillis() + "ms, policies: []";
        return PluginTester.of(new OpaPolicy.Factory(), TestArgs.of(args + more))
                .cluster(Nodes.named("n1").build())
                .start();
    }

    @ParameterizedTest
    @EnumSource
    void failsTheAttempt(StallingServer.Answer answer) {
        try (StallingServer server = new StallingServer(answer);
                TestScheduler scheduler = scheduler(server, "")) {
            Decision decision = scheduler.schedule(Pods.named("p").build());
            assertThat(decision.node()).isEmpty();
            assertThat(decision.message()).contains("OPA at " + server.url()).containsPattern("within 500ms|more than");
        }
    }

    @ParameterizedTest
    @EnumSource
    void isIgnoredIfItIsToBe(StallingServer.Answer answer) {
        try (StallingServer server = new StallingServer(answer);
                TestScheduler scheduler = scheduler(server, ", failurePolicy: Ignore")) {
            for (String name : new String[] {"p", "q"}) {
                Decision decision = scheduler.schedule(Pods.named(name).build());
                assertThat(decision.node()).contains("n1");
            }
        }
    }

    @Test
    void anInvalidTokenIsNeitherSentNorLogged(@TempDir Path folder) throws Exception {
        Path token = Files.writeString(folder.resolve("token"), "secret\nof two lines");
        try (StallingServer server = new StallingServer(StallingServer.Answer.NONE);
                TestScheduler scheduler = scheduler(server, ", tokenFile: '" + token + "'")) {
            assertThat(scheduler.schedule(Pods.named("p").build()).message())
                    .contains("tokenFile: " + token + " (expected: a file with one line)")
                    .doesNotContain("secret");
        }
    }
}
