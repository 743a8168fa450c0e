// SPDX-License-Identifier: Apache-2.0
package org.moorage.safe;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.OptionalInt;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.moorage.api.model.Pod;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.PluginContract;
import org.moorage.testkit.PluginTester;
import org.moorage.testkit.Pods;
import org.moorage.testkit.TestScheduler;

/** The agent {@code congestion} of kube-safe-scheduler; the scores up to 10 were recorded from the original. */
class CongestionTest {
    private static final Pod POD = Pods.named("p").build();

    private static final VectorTable TABLE = new VectorTable("congestion");

    @AfterAll
    static void writeTable() {
        TABLE.write();
    }

    private static PluginTester congestion(OptionalInt max, boolean originalBehavior, String variable) {
        Environment environment =
                new Environment(variable.isEmpty() ? Map.of() : Map.of("CONGESTION_FACTOR_MAX", variable));
        return PluginTester.of(new Congestion.Factory(environment), new Congestion.Args(max, originalBehavior));
    }

    @ParameterizedTest
    @CsvSource({
        "missing, 10, 100",
        "0, 10, 100",
        "-5, 10, 100",
        "12.5, 10, 100",
        "high, 10, 100",
        "10, 9, 90",
        "25, 8, 75",
        "50, 5, 50",
        "95, 1, 5",
        "96, 0, 4",
        "100, 0, 0",
        "500, 0, 0",
    })
    void scoresByTheAnnotation(String factor, long original, long score) {
        var node = factor.equals("missing")
                ? Nodes.named("n").build()
                : Nodes.named("n").annotation("congestion-factor", factor).build();
        long got = score(congestion(OptionalInt.empty(), true, "").cluster(node));
        assertThat(got).isEqualTo(original);
        congestion(OptionalInt.empty(), false, "").cluster(node).pod(POD).scores("n", score);
        TABLE.add("congestion-factor " + factor, original, got, score);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "99999999999"})
    void takesWhatIsNoFactorForNone(String factor) {
        var node = Nodes.named("n").annotation("congestion-factor", factor).build();
        congestion(OptionalInt.empty(), true, "").cluster(node).pod(POD).scores("n", 10);
    }

    @ParameterizedTest
    @CsvSource({"0, 10", "1, 9", "2, 8", "3, 7", "4, 6", "5, 5", "6, 4", "7, 3", "8, 2", "9, 1", "10, 0", "11, 0"})
    void countsUpToTheMaximumOfTheVariable(String factor, long original) {
        var node = Nodes.named("n").annotation("congestion-factor", factor).build();
        long got = score(congestion(OptionalInt.empty(), true, "10").cluster(node));
        assertThat(got).isEqualTo(original);
        TABLE.add("of at most 10: congestion-factor " + factor, original, got, original * 10);
        congestion(OptionalInt.empty(), false, "10").cluster(node).pod(POD).scores("n", original * 10);
    }

    private static long score(PluginTester tester) {
        try (TestScheduler scheduler = tester.start()) {
            return scheduler.scheduler().evaluate(POD).totals().get("n");
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
