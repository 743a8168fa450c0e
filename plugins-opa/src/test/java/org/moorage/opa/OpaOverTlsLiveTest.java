// SPDX-License-Identifier: Apache-2.0
package org.moorage.opa;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.model.Pod;
import org.moorage.runtime.decision.Decision;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.PluginTester;
import org.moorage.testkit.Pods;
import org.moorage.testkit.TestScheduler;

/** A real OPA with a certificate, which answers those who have a token. */
@Tag("live")
class OpaOverTlsLiveTest {
    private static final Pod POD = Pods.named("p").build();

    @TempDir
    private static Path folder;

    private static RealOpa opa;

    record Case(String name, String authority, String token, String failure) {
        @Override
        public String toString() {
            return name;
        }
    }

    static final List<Case> CASES = List.of(
            new Case("its authority and another token", "own", "guess", "status 401: "),
            new Case("another authority and its token", "other", "secret", "unable to find valid certification path"),
            new Case("its authority and its token", "own", "secret", ""));

    @BeforeAll
    static void start() throws IOException {
        TestAuthority own = authority("own");
        authority("other");
        opa = RealOpa.secured(folder, own, "secret");
    }

    private static TestAuthority authority(String name) throws IOException {
        TestAuthority authority = new TestAuthority(Files.createDirectory(folder.resolve(name)), name);
        Files.copy(authority.certificate(), folder.resolve(name + ".crt"));
        return authority;
    }

    @AfterAll
    static void stop() {
        opa.close();
    }

    @ParameterizedTest
    @FieldSource("CASES")
    void isAskedByThoseWhoTrustItAndHaveItsToken(Case given) throws IOException {
        Path token = Files.writeString(folder.resolve("token"), given.token + "\n");
        String args = "mode: server, policies: [src/test/resources/weights.rego], url: \"" + opa.url()
                + "\", tokenFile: " + token + ", caFile: " + folder.resolve(given.authority + ".crt");
        try (TestScheduler scheduler = PluginTester.of(new OpaPolicy.Factory(), TestArgs.of(args))
                .cluster(Nodes.named("n1").annotation("weight", "1").build())
                .start()) {
            Decision decision = scheduler.schedule(POD);

            assertThat(decision.node().isPresent()).as(decision.message()).isEqualTo(given.failure.isEmpty());
            assertThat(decision.message()).contains(given.failure);
            assertThat(opa.ask("GET", "/v1/policies/weights.rego", "").statusCode())
                    .isEqualTo(given.failure.isEmpty() ? 200 : 404);
        }
    }
}
