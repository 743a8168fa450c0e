// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests.agents;

import static org.assertj.core.api.Assertions.assertThat;
import static org.moorage.livetests.agents.AgentObjects.node;
import static org.moorage.livetests.agents.AgentObjects.pigeonNodes;
import static org.moorage.livetests.agents.AgentObjects.pod;
import static org.moorage.livetests.agents.AgentObjects.safeNodes;
import static org.moorage.livetests.agents.AgentProgram.left;
import static org.moorage.livetests.agents.AgentProgram.ranks;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.moorage.testkit.Ports;

/**
 * Tests the environment variables and the file that configured kube-safe-scheduler's agents, with the program as
 * deployed.
 */
class OriginalVariablesOverHttpTest {
    private static final String CONFIG = """
            apiVersion: moorage.org/v1
            kind: ExtenderConfiguration
            agents:
            - name: congestion
              plugins:
              - {name: Congestion, as: congestion, maxScore: 10, args: {originalBehavior: true}}
            - name: pigeon
              plugins:
              - {name: PigeonHoling, as: pigeon-holing, maxScore: 10, args: {originalBehavior: true}}
            - name: safe
              plugins:
              - {name: SafeOverload, as: safe-overload, maxScore: 10, args: {originalBehavior: true}}
            """;

    @TempDir
    private Path folder;

    // The score of congestion-factor 5, the scores of pigeon's nodes for P1, and the nodes that safe accepts with their
    // scores.
    @ParameterizedTest(name = "{0} {1}")
    @CsvSource({
        "'', '', 10, 1 6 10, a b d e f, 8 2 0 9 9 9",
        "'', policyObjective = LOAD_BALANCE, 10, 1 7 10, a b d e f, 8 2 0 9 9 9",
        "CONGESTION_FACTOR_MAX=10 POLICY_OBJECTIVE=CONSOLIDATE SAFEUTILIZATION=80, policyObjective = LOAD_BALANCE, 5,"
                + " 10 6 1, a e f, 4 0 0 0 9 9",
        "CONGESTION_FACTOR_MAX=x POLICY_OBJECTIVE=LOAD_BALANCE SAFEPERCENTILE=100, '', 10, 1 7 10, a b c d e f, 9 6 3 9 9 9",
    })
    void areTheDefaultsOfArguments(
            String variables, String file, int congestion, String pigeon, String accepted, String overload)
            throws IOException {
        try (Ports ports = new Ports()) {
            compare(ports.consecutive(3), variables, file, congestion, pigeon, accepted, overload);
        }
    }

    private void compare(
            int port, String variables, String file, int congestion, String pigeon, String accepted, String overload)
            throws IOException {
        Files.writeString(folder.resolve("pigeon.cfg"), file + "\n");
        Map<String, String> environment = new HashMap<>(Map.of("HTTP_PORT", "" + port, "LOG_LEVEL", "DEBUG"));
        for (String variable : variables.isEmpty() ? new String[0] : variables.split(" ")) {
            environment.put(variable.split("=")[0], variable.split("=")[1]);
        }
        try (AgentProgram program = AgentProgram.start(
                folder, CONFIG, environment, Map.of("congestion", port, "pigeon", port + 1, "safe", port + 2))) {
            ObjectNode pod = pod("p", "1", "1Gi");
            assertThat(ranks(program.post(
                            "congestion",
                            "priorities/congestion",
                            pod,
                            node("n", "1", "1Gi", "congestion-factor", "5"))))
                    .isEqualTo("" + congestion);
            assertThat(ranks(program.post(
                            "pigeon", "priorities/pigeon-holing", pod("p1", "500m", "1Gi"), pigeonNodes())))
                    .isEqualTo(pigeon);
            assertThat(left(program.post("safe", "predicates/safe-overload", pod, safeNodes())))
                    .isEqualTo(accepted);
            assertThat(ranks(program.post("safe", "priorities/safe-overload", pod, safeNodes())))
                    .isEqualTo(overload);

            // LOG_LEVEL=DEBUG logs each request and each response.
            assertThat(program.log())
                    .contains("\"Request\"", "congestion-factor", "\"Answer\"", "[{\\\"Host\\\":\\\"n\\\"");
        }
    }
}
