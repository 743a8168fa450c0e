// SPDX-License-Identifier: Apache-2.0
package org.moorage.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class AlgorithmBenchmarkTest {
    static Stream<String> kinds() {
        return Workload.KINDS.stream();
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void schedulesAllPodsOfEveryKind(String kind) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        // A gang that preempts needs a full cluster.
        String existing = kind.equals("gangpreemption") ? "60" : "10";
        String[] args = {"--kind", kind, "--nodes", "30", "--pods", "10", "--existing", existing};
        AlgorithmBenchmark.run(args, new PrintStream(out, true, StandardCharsets.UTF_8));
        assertThat(out.toString(StandardCharsets.UTF_8))
                .startsWith("{\"scheduler\":\"moorage\",\"kind\":\"" + kind + "\",\"nodes\":30,\"pods\":10,")
                .endsWith("}" + System.lineSeparator());
    }
}
