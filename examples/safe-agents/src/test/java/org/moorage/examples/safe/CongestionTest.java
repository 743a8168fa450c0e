// SPDX-License-Identifier: Apache-2.0
package org.moorage.examples.safe;

import java.util.Map;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.moorage.api.model.Pod;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.PluginContract;
import org.moorage.testkit.PluginTester;
import org.moorage.testkit.Pods;

/** The agent {@code congestion} of kube-safe-scheduler; the scores up to 10 were recorded from the original. */
class CongestionTest {
    private static final Pod POD = Pods.named("p").build();

    private static PluginTester congestion(OptionalInt max, boolean originalBehavior, String variable) {
        Environment environment =
                new Environment(variable.isEmpty() ? Map.of() : Map.of("CONGESTION_FACTOR_MAX", variable));
        return PluginTester.of(new Congestion.Factory(environment), new Congestion.Args(max, originalBehavior));
    }

    @ParameterizedTest
    @CsvSource({
        "0, 10, 100",
        "-5, 10, 100",
        "12.5, 10, 100",
        "high, 10, 100",
        "'', 10, 100",
        "99999999999, 10, 100",
        "10, 9, 90",
        "25, 8, 75",
        "50, 5, 50",
        "95, 1, 5",
        "96, 0, 4",
        "100, 0, 0",
        "500, 0, 0",
    })
    void scoresByTheAnnotation(String factor, long original, long score) {
        var node = Nodes.named("n").annotation("congestion-factor", factor).build();
        congestion(OptionalInt.empty(), true, "").cluster(node).pod(POD).scores("n", original);
        congestion(OptionalInt.empty(), false, "").cluster(node).pod(POD).scores("n", score);
    }

    @Test
    void takesANodeWithoutTheAnnotationForUncongested() {
        congestion(OptionalInt.empty(), true, "")
                .cluster(Nodes.named("n").build())
                .pod(POD)
                .scores("n", 10);
    }

    @Test
    void countsUpToTheMaximumOfTheVariable() {
        for (int factor = 0; factor <= 11; factor++) {
            var node = Nodes.named("n")
                    .annotation("congestion-factor", factor + "")
                    .build();
            congestion(OptionalInt.empty(), true, "10").cluster(node).pod(POD).scores("n", Math.max(10 - factor, 0));
        }
    }

    @ParameterizedTest
    @CsvSource({"0, 5", "-1, 5", "x, 5", "100, 5", "200, 8"})
    void ignoresAVariableThatMakesNoSense(String variable, long score) {
        var node = Nodes.named("n").annotation("congestion-factor", "50").build();
        congestion(OptionalInt.empty(), true, variable).cluster(node).pod(POD).scores("n", score);
    }

    @Test
    void prefersTheArgumentToTheVariable() {
        var node = Nodes.named("n").annotation("congestion-factor", "10").build();
        congestion(OptionalInt.of(20), true, "10").cluster(node).pod(POD).scores("n", 5);
    }

    @Test
    void keepsTheContractOfAPlugin() {
        PluginContract.verify(new Congestion.Factory(new Environment(Map.of())));
    }
}
