// SPDX-License-Identifier: Apache-2.0
package org.moorage.safe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.StringJoiner;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.moorage.api.Status;
import org.moorage.api.event.Hint;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.model.Node;
import org.moorage.api.model.Pod;
import org.moorage.api.model.ResourceName;
import org.moorage.api.model.Resources;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.point.ExtensionPoint;
import org.moorage.safe.FreeResources.Free;
import org.moorage.safe.SafeArgs.MissingStats;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.PluginContract;
import org.moorage.testkit.PluginTester;
import org.moorage.testkit.Pods;
import org.moorage.testkit.TestScheduler;

/** The agent {@code safe} of kube-safe-scheduler; what is expected was recorded from the original. */
class SafeAgentTest {
    private static final Environment NOTHING = new Environment(Map.of());
    private static final SafeArgs ORIGINAL = args(MissingStats.ZERO, true);
    private static final SafeArgs NATIVE = args(MissingStats.ZERO, false);
    private static final Pod POD =
            Pods.named("p").requests("cpu", "1").requests("memory", "1Gi").build();
    private static final int CPU = 8000;
    private static final long MEMORY = 16L << 30;

    private static final VectorTable VECTORS = new VectorTable("safe");
    private static final VectorTable VARIABLES = new VectorTable("variables");

    @AfterAll
    static void writeTables() {
        VECTORS.write();
        VARIABLES.write();
    }

    private static SafeArgs args(MissingStats missing, boolean originalBehavior) {
        SafeArgs defaults = SafeArgs.DEFAULTS;
        return new SafeArgs(
                OptionalInt.empty(),
                OptionalInt.empty(),
                OptionalInt.empty(),
                Optional.empty(),
                missing,
                originalBehavior,
                defaults.source(),
                defaults.prometheus());
    }

    // Figures are what is free: thousandths of a CPU, and GiB.
    private static Node node(String cpu, String memory) {
        Nodes node = Nodes.named("n").allocatable("cpu", CPU + "m").allocatable("memory", MEMORY + "");
        return annotate(annotate(node, "cpu", cpu, 1), "memory", memory, 1L << 30)
                .build();
    }

    private static Nodes annotate(Nodes node, String resource, String figures, long unit) {
        if (figures.isEmpty()) {
            return node;
        }
        String[] parts = figures.split(" ");
        String[] names = {"mean-free-", "std-free-", "forcasted-free-"};
        for (int i = 0; i < parts.length; i++) {
            boolean number = parts[i].matches("[0-9.]+");
            node.annotation(names[i] + resource, number ? (long) (Double.parseDouble(parts[i]) * unit) + "" : parts[i]);
        }
        return node;
    }

    private static PluginTester overload(SafeArgs args, Environment environment) {
        return PluginTester.of(new SafeOverload.Factory(environment), args);
    }

    private static PluginTester balance(SafeArgs args) {
        return PluginTester.of(new SafeBalance.Factory(NOTHING), args);
    }

    /**
     * The original's result, and the result without originalBehavior.
     *
     * @param recorded risk of cpu, risk of memory, filter, overload, balance; {@code -} for none, {@code ?} if it was
     *     not recorded
     */
    private record Vector(String name, Node node, Pod pod, String recorded, long overload100, long balance100) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static Vector vector(
            String name, String cpu, String memory, String recorded, long overload100, long balance100) {
        return new Vector(name, node(cpu, memory), POD, recorded, overload100, balance100);
    }

    private static Stream<Vector> vectors() {
        return Stream.of(
                vector("SAFE-1 without annotations", "", "", "- - pass 0 0", 0, 0),
                vector("SAFE-2 idle", "7000 200", "14 0.5", "0 0 pass 10 8", 100, 80),
                vector("SAFE-3 busy", "1500 800", "4 2", ".791618 .284188 reject 0 4", 0, 37),
                vector("SAFE-4 hot", "500 400", "2 1", "1 .790047 reject 0 4", 0, 39),
                vector("SAFE-5 cpu only", "4000 1000", "", ".004074 - pass 8 5", 88, 51),
                vector("SAFE-6 memory only", "", "8 2", "- .000519 pass 9 5", 96, 54),
                vector("SAFE-7 no deviation", "4000", "8", "0 0 pass 10 7", 100, 69),
                vector("SAFE-8 no deviation, hot", "1500", "8", "1 0 reject 0 5", 0, 53),
                vector("SAFE-9 forecast", "4000 1000 1000", "8 1 2", ".033405 0 pass 6 5", 67, 47),
                vector("SAFE-10 forecast N/A", "4000 1000", "8 1 N/A", ".004074 0 pass 8 5", 88, 51),
                vector("SAFE-11 wide", "4000 5000", "8 1", "1 0 reject 0 3", 0, 29),
                new Vector(
                        "SAFE-12 init containers",
                        node("7000 200", "14 0.5"),
                        Pods.named("p")
                                .requests("cpu", "100m")
                                .requests("memory", "100Mi")
                                .initContainer("init")
                                .requests("cpu", "4")
                                .requests("memory", "1Gi")
                                .build(),
                        "? ? ? ? 6",
                        100,
                        61),
                new Vector(
                        "SAFE-13 the README's node",
                        Nodes.named("n")
                                .allocatable("cpu", "4")
                                .allocatable("memory", "500Mi")
                                .annotation("mean-free-memory", "155597063")
                                .annotation("std-free-memory", "30372823")
                                .annotation("mean-free-cpu", "2500")
                                .annotation("std-free-cpu", "400")
                                .annotation("forcasted-free-memory", "200000000")
                                .annotation("forcasted-free-cpu", "2000")
                                .build(),
                        Pods.named("test-pod")
                                .requests("cpu", "200m")
                                .requests("memory", "200Mi")
                                .build(),
                        "? ? reject 0 4",
                        0,
                        38));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("vectors")
    void isAsTheOriginal(Vector vector) {
        FreeResources free = new AnnotationStatistics().free(vector.node());
        Demand demand = Demand.of(vector.pod(), true);
        PluginTester overload = overload(ORIGINAL, NOTHING).cluster(vector.node());
        PluginTester balance = balance(ORIGINAL).cluster(vector.node());
        List<String> got = List.of(
                risk(vector.node(), ResourceName.CPU, free.cpu(), demand.milliCpu()),
                risk(vector.node(), ResourceName.MEMORY, free.memory(), demand.memory()),
                rejections(overload, vector.pod()).isEmpty() ? "pass" : "reject",
                score(overload.disabledAt(ExtensionPoint.FILTER), vector.pod()) + "",
                score(balance, vector.pod()) + "");
        PluginTester native100 =
                overload(NATIVE, NOTHING).cluster(vector.node()).disabledAt(ExtensionPoint.FILTER);
        long overload100 = score(native100, vector.pod());
        long balance100 = score(balance(NATIVE).cluster(vector.node()), vector.pod());
        List<Object> cells = new ArrayList<>();
        String[] recorded = vector.recorded().split(" ");
        for (int i = 0; i < recorded.length; i++) {
            cells.add((recorded[i].equals("?") ? "not recorded" : recorded[i]) + ", " + got.get(i));
            if (recorded[i].contains(".")) {
                assertThat(Double.parseDouble(got.get(i))).isCloseTo(Double.parseDouble(recorded[i]), within(1.5e-6));
            } else if (!recorded[i].equals("?")) {
                assertThat(got.get(i)).isEqualTo(recorded[i]);
            }
        }
        assertThat(overload100).isEqualTo(vector.overload100());
        assertThat(balance100).isEqualTo(vector.balance100());
        cells.add(overload100);
        cells.add(balance100);
        VECTORS.add(vector.name(), cells.toArray());
    }

    // To six digits, as they were recorded.
    private static String risk(Node node, ResourceName resource, @Nullable Free free, long demand) {
        if (free == null) {
            return "-";
        }
        Resources allocatable = node.allocatableResources();
        long capacity = resource.equals(ResourceName.CPU) ? allocatable.milliCpu() : allocatable.memory();
        double risk = Load.of(capacity, free, demand, 0.2).risk(0.9);
        return String.format(Locale.ROOT, "%.6f", risk)
                .replaceFirst("\\.?0*$", "")
                .replaceFirst("^0\\.", ".");
    }

    private static long score(PluginTester tester, Pod pod) {
        try (TestScheduler scheduler = tester.start()) {
            return scheduler.scheduler().evaluate(pod).totals().get("n");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "SAFE-3 cpu, 0.9375, 0.1, 0.791618",
        "SAFE-3 memory, 0.8125, 0.125, 0.284188",
        "SAFE-4 cpu, 1.0, 0.05, 1",
        "SAFE-4 memory, 0.9375, 0.0625, 0.790047",
        "SAFE-5, 0.625, 0.125, 0.004074",
        "SAFE-6, 0.5625, 0.125, 0.000519",
        "SAFE-9, 0.7, 0.125, 0.033405",
        "SAFE-11, 0.625, 0.625, 1",
        "no deviation, 0.625, 0, 0",
        "'no deviation, hot', 0.9375, 0, 1",
        "'b', 0.8125, 0.0875, 0.157695",
        "'c', 0.875, 0.075, 0.436124",
    })
    void reckonsTheRisk(String name, double mu, double sigma, double risk) {
        assertThat(new Load(mu, sigma).risk(0.9)).as(name).isCloseTo(risk, within(1e-6));
    }

    @ParameterizedTest
    @CsvSource({"0.9375, 0.1, 4.555664, 0.303711", "0.8125, 0.125, 7.109375, 1.640625", "0.625, 0.125, 8.75, 5.25"})
    void findsTheShapeOfTheDistribution(double mu, double sigma, double alpha, double beta) {
        assertThat(new Load(mu, sigma).shape()).containsExactly(new double[] {alpha, beta}, within(1e-6));
    }

    @Test
    void reckonsWithEveryWidth() {
        double[] values = {0, 1e-300, 1e-12, 1e-7, 1e-5, 1e-4, 1e-3, 0.1, 0.5, 0.9, 0.999, 1 - 1e-12, 1};
        for (double mu : values) {
            for (double sigma : values) {
                for (double limit : values) {
                    assertThat(new Load(mu, sigma).risk(limit))
                            .as("mu %s sigma %s limit %s", mu, sigma, limit)
                            .isBetween(0.0, 1.0);
                }
            }
        }
    }

    private static List<Object> rejections(PluginTester tester, Pod pod) {
        try (var scheduler = tester.start()) {
            scheduler.scheduler().evaluate(pod);
            return scheduler.answers("filter").stream()
                    .filter(answer -> answer instanceof Status status && status.isRejection())
                    .toList();
        }
    }

    @Nested
    class Variables {
        private static final Map<String, Node> NODES = Map.of(
                "a", node("4000 1000", "8 1"),
                "b", node("2500 700", "8 1"),
                "c", node("2000 600", "8 1"),
                "d", node("1800 0", "8 1"),
                "e", node("8000 0", "8 1"),
                "f", node("9000 100", "8 1"));

        @ParameterizedTest
        @CsvSource({
            "'', 'abdef', '8 2 0 9 9 9', ''",
            "SAFEUTILIZATION=80, 'aef', '4 0 0 0 9 9', ''",
            "SAFEPERCENTILE=10, 'adef', '7 0 0 9 9 9', ''",
            "SAFEPERCENTILE=100, 'abcdef', '9 6 3 9 9 9', ''",
            "SAFEUTILIZATION=100, 'abcdef', '10 10 10 10 10 10', ''",
            "SAFEUTILIZATION=0, '', '0 0 0 0 0 0', ''",
            "SAFEUTILIZATION=abc, 'abdef', '8 2 0 9 9 9', ''",
            "SAFEUTILIZATION=101, 'abdef', '8 2 0 9 9 9', ''",
            "SAFEPERCENTILE=101, 'abdef', '8 2 0 9 9 9', ''",
            // The original divided 0 by 0 for d, e and f.
            "SAFEPERCENTILE=0, '', '0 0 0 0 0 0', '0 0 0, d e f -9223372036854775808'",
        })
        void areDefaultsOfArguments(String variable, String accepted, String scores, String recordedScores) {
            String[] pair = variable.split("=");
            Environment environment = variable.isEmpty() ? NOTHING : new Environment(Map.of(pair[0], pair[1]));
            StringBuilder acceptedHere = new StringBuilder();
            StringJoiner scoresHere = new StringJoiner(" ");
            for (String name : "abcdef".split("")) {
                PluginTester tester = overload(ORIGINAL, environment).cluster(NODES.get(name));
                acceptedHere.append(rejections(tester, POD).isEmpty() ? name : "");
                scoresHere.add(score(tester.disabledAt(ExtensionPoint.FILTER), POD) + "");
            }
            assertThat(acceptedHere).hasToString(accepted);
            assertThat(scoresHere).hasToString(scores);
            VARIABLES.add(
                    variable.isEmpty() ? "defaults" : variable,
                    accepted.isEmpty() ? "none" : accepted,
                    acceptedHere.isEmpty() ? "none" : acceptedHere,
                    recordedScores.isEmpty() ? scores : recordedScores,
                    scoresHere);
        }

        @Test
        void giveWayToArguments() {
            SafeArgs args = new SafeArgs(
                    OptionalInt.of(80),
                    OptionalInt.empty(),
                    OptionalInt.empty(),
                    Optional.empty(),
                    MissingStats.ZERO,
                    true,
                    SafeArgs.Source.ANNOTATIONS,
                    PrometheusArgs.DEFAULTS);
            overload(args, new Environment(Map.of("SAFEUTILIZATION", "100")))
                    .cluster(NODES.get("a"))
                    .pod(POD)
                    .scores("n", 4);
        }

        @Test
        void scoreFromZeroToAHundredToo() {
            overload(NATIVE, NOTHING).cluster(NODES.get("b")).pod(POD).scores("n", 27);
        }
    }

    @Nested
    class Reasons {
        @Test
        void nameRiskAndLimit() {
            overload(NATIVE, NOTHING)
                    .cluster(node("1500 800", "4 2"))
                    .pod(POD)
                    .rejects("n", Status.unresolvable("risk cpu=0.79 > 0.30 (mu=0.9375 sigma=0.1000)"));
        }

        @Test
        void areGivenForBothResources() {
            overload(NATIVE, NOTHING)
                    .cluster(node("500 400", "2 1"))
                    .pod(POD)
                    .rejects(
                            "n",
                            Status.unresolvable(
                                    "risk cpu=1.00 > 0.30 (mu=1.0000 sigma=0.0500)",
                                    "risk memory=0.79 > 0.30 (mu=0.9375 sigma=0.0625)"));
        }
    }

    @Nested
    class MissingFigures {
        private static final Node NOT_MEASURED = node("", "");

        @Test
        void rankLast() {
            overload(NATIVE, NOTHING)
                    .cluster(NOT_MEASURED)
                    .pod(POD)
                    .accepts("n")
                    .scores("n", 0);
        }

        @Test
        void areNeutral() {
            SafeArgs args = args(MissingStats.NEUTRAL, false);
            overload(args, NOTHING).cluster(NOT_MEASURED).pod(POD).scores("n", 50);
            balance(args).cluster(NOT_MEASURED).pod(POD).scores("n", 50);
            balance(args(MissingStats.NEUTRAL, true))
                    .cluster(NOT_MEASURED)
                    .pod(POD)
                    .scores("n", 5);
        }

        @Test
        void reject() {
            overload(args(MissingStats.REJECT, false), NOTHING)
                    .cluster(NOT_MEASURED)
                    .pod(POD)
                    .rejects("n", Status.unresolvable("node(s) had no statistics of cpu and memory use"));
        }

        @ParameterizedTest
        @CsvSource({
            "2000m, 0",
            "4e3, 88",
            "NaN, 0",
            "Infinity, 0",
            "-Infinity, 0",
            "1e999, 0",
            "0x10, 0",
            "'', 0",
            "' 4000', 0",
            "4000d, 0",
            "+4000, 88",
            "-, 0",
            "1e-999, 0",
            "-4000, 0",
        })
        void areWhatIsNoNumber(String mean, long score) {
            Node node = Nodes.named("n")
                    .allocatable("cpu", "8")
                    .annotation("mean-free-cpu", mean)
                    .annotation("std-free-cpu", "1000")
                    .build();
            overload(NATIVE, NOTHING)
                    .disabledAt(ExtensionPoint.FILTER)
                    .cluster(node)
                    .pod(POD)
                    .scores("n", score);
        }

        @Test
        void takeBothSpellingsOfForecasts() {
            for (String spelling : List.of("forcasted-free-cpu", "forecasted-free-cpu")) {
                Node node = Nodes.named("n")
                        .allocatable("cpu", "8")
                        .annotation("mean-free-cpu", "4000")
                        .annotation("std-free-cpu", "1000")
                        .annotation(spelling, "1000")
                        .build();
                overload(NATIVE, NOTHING).cluster(node).pod(POD).scores("n", 67);
            }
        }
    }

    @Nested
    class NodesWithoutCapacity {
        private static final Node EMPTY = Nodes.named("n")
                .annotation("mean-free-cpu", "0")
                .annotation("std-free-cpu", "0")
                .build();

        @Test
        void areFull() {
            overload(ORIGINAL, NOTHING)
                    .cluster(EMPTY)
                    .pod(POD)
                    .rejects("n", Status.unschedulable("risk cpu=1.00 > 0.30 (mu=1.0000 sigma=1.0000)"));
        }

        // The original scored them with the least number there is.
        @Test
        void haveTheWorstScores() {
            balance(ORIGINAL).cluster(EMPTY).pod(POD).scores("n", 0);
            overload(ORIGINAL, NOTHING)
                    .disabledAt(ExtensionPoint.FILTER)
                    .cluster(EMPTY)
                    .pod(POD)
                    .scores("n", 0);
        }
    }

    @Test
    void reckonsWithOverheadUnlessAsTheOriginal() {
        Pod pod =
                Pods.named("p").requests("cpu", "500m").overhead("cpu", "500m").build();
        Node node = node("4000 1000", "");
        overload(NATIVE, NOTHING).cluster(node).pod(pod).scores("n", 88);
        overload(ORIGINAL, NOTHING).cluster(node).pod(pod).scores("n", 9);
    }

    @Test
    void printsTheDistributionIfAsked() {
        List<String> lines = new ArrayList<>();
        PluginTester.of(
                        new SafeOverload.Factory(new Environment(Map.of("SAFEPRINTTABLE", "true")), lines::add),
                        SafeArgs.DEFAULTS)
                .cluster(node("4000 1000", ""))
                .pod(POD)
                .accepts("n");
        assertThat(lines).hasSize(1);
        assertThat(lines.get(0).lines())
                .hasSize(23)
                .startsWith("pod default/p node n cpu: mu=0.6250 sigma=0.1250 alpha=8.7500 beta=5.2500")
                .contains("0.9000  0.185464  0.995926  0.017664");
    }

    @Test
    void retriesAPodWhenAnnotationsChange() {
        Node hot = node("500 400", "2 1");
        Node idle = node("7000 200", "14 0.5");
        Node labelled = Nodes.named("n").label("a", "b").build();
        overload(NATIVE, NOTHING)
                .cluster(hot)
                .pod(POD)
                .hint(ObjectChange.updated(hot, idle), Hint.QUEUE)
                .hint(ObjectChange.added(idle), Hint.QUEUE)
                .isNotAskedAbout(ObjectChange.updated(Nodes.named("n").build(), labelled));
    }

    @Test
    void keepsTheContractOfAPlugin() {
        PluginContract.verifyAll(
                List.<PluginFactory<?>>of(new SafeOverload.Factory(NOTHING), new SafeBalance.Factory(NOTHING)));
    }
}
