// SPDX-License-Identifier: Apache-2.0
package org.moorage.safe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.StringJoiner;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.Node;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.Problems;
import org.moorage.api.plugin.point.ExtensionPoint;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.PluginContract;
import org.moorage.testkit.PluginTester;
import org.moorage.testkit.Pods;
import org.moorage.testkit.TestScheduler;

/**
 * The agent {@code pigeon-holing} of kube-safe-scheduler; values and scores up to 10 were recorded from the original.
 */
class PigeonHolingTest {
    private static final Environment NOTHING = new Environment(Map.of());
    // The original reckoned with numbers of 32 bits.
    private static final double RECORDED = 5e-6;

    private static final VectorTable TABLE = new VectorTable("pigeon");

    @AfterAll
    static void writeTable() {
        TABLE.write();
    }

    private static PigeonHoling.Args args(String objective, boolean originalBehavior, String... resources) {
        return new PigeonHoling.Args(
                Optional.of(objective),
                List.of(resources),
                Optional.empty(),
                0.01,
                Optional.empty(),
                "",
                originalBehavior);
    }

    private static Pod pod(String name, String cpu, String memory) {
        Pods pod = Pods.named(name).requests("cpu", cpu);
        return memory.isEmpty() ? pod.build() : pod.requests("memory", memory).build();
    }

    /** Two resources: capacity 4000m and 8192 MiB, use n1 (3000, 4096), n2 (1000, 2048), n3 (0, 0). */
    @Nested
    class TwoResources {
        private static final double[][] CAPACITY = {{4000, 8192}, {4000, 8192}, {4000, 8192}};
        private static final double[][] USAGE = {{3000, 4096}, {1000, 2048}, {0, 0}};
        private static final double[][] PODS = {{500, 1024}, {500, 1024}, {2000, 512}, {1500, 1024}};

        @ParameterizedTest
        @CsvSource({
            "LOAD_BALANCE, 1, .367990 .306186 .270031, 1 7 10",
            "LOAD_BALANCE, 2, .367990 .306186 .270031, 1 7 10",
            "LOAD_BALANCE, 3, NaN .353553 .204124, 0 1 10",
            "LOAD_BALANCE, 4, NaN .328084 .212459, 0 1 10",
            "CONSOLIDATE, 1, .235995 .326700 .447564, 10 6 1",
            "CONSOLIDATE, 2, .235995 .326700 .447564, 10 6 1",
            "CONSOLIDATE, 3, NaN .292893 .591752, 0 10 1",
            "CONSOLIDATE, 4, NaN .320634 .579837, 0 10 1",
            "A_BINPACK, 1, .941609 .776275 .648713, 1 6 10",
            "A_BINPACK, 2, .941609 .776275 .648713, 1 6 10",
            "A_BINPACK, 3, NaN .149343 .140992, 0 1 10",
            "A_BINPACK, 4, NaN .242238 .009913, 0 1 10",
        })
        void areAsTheOriginal(Objective objective, int pod, String values, String scores) {
            PluginTester tester = PluginTester.of(
                            new PigeonHoling.Factory(NOTHING), args(objective.name(), true, "cpu", "memory"))
                    .cluster(annotated("n1", "3000", 4096L << 20), annotated("n2", "1000", 2048L << 20), node("n3"));
            List<Pod> pods = List.of(
                    pod("p1", "500m", "1Gi"),
                    pod("p2", "500m", "1Gi"),
                    pod("p3", "2", "512Mi"),
                    pod("p4", "1500m", "1Gi"));
            assertVector(
                    "two resources, " + objective + ", P" + pod,
                    text(values(objective, CAPACITY, USAGE, PODS, pod - 1)),
                    values,
                    scores(tester, pods.subList(0, pod)),
                    scores);
            // A profile may have the plugin enabled at Score alone.
            assertThat(scores(tester.disabledAt(ExtensionPoint.PRE_SCORE), pods.subList(0, pod)))
                    .isEqualTo(scores);
        }

        @ParameterizedTest
        @CsvSource({
            "LOAD_BALANCE, 1 63 100, 0 1 100",
            "CONSOLIDATE, 100 58 1, 0 100 1",
            "A_BINPACK, 1 57 100, 0 1 100",
        })
        void areScoredToAHundredByWhatPodsOnNodesRequest(String objective, String first, String third) {
            List<ClusterObject> cluster = new ArrayList<>(List.of(node("n1"), node("n2"), node("n3")));
            cluster.add(on("n1", "3", "4Gi"));
            cluster.add(on("n2", "1", "2Gi"));
            PluginTester tester = PluginTester.of(
                            new PigeonHoling.Factory(NOTHING), args(objective, false, "cpu", "memory"))
                    .cluster(cluster);
            try (TestScheduler scheduler = tester.start()) {
                assertScores(scheduler, pod("p1", "500m", "1Gi"), first);
                assertScores(scheduler, pod("p2", "500m", "1Gi"), first);
                assertScores(scheduler, pod("p3", "2", "512Mi"), third);
            }
        }

        // The original counted every attempt.
        @Test
        void countAPodOnce() {
            PluginTester tester = PluginTester.of(
                            new PigeonHoling.Factory(NOTHING), args("A_BINPACK", true, "cpu", "memory"))
                    .cluster(annotated("n1", "3000", 4096L << 20), annotated("n2", "1000", 2048L << 20), node("n3"));
            try (TestScheduler scheduler = tester.start()) {
                for (int i = 0; i < 20; i++) {
                    assertScores(scheduler, pod("p1", "500m", "1Gi"), "1 6 10");
                }
                assertScores(scheduler, pod("p2", "500m", "1Gi"), "1 6 10");
                assertScores(scheduler, pod("p3", "2", "512Mi"), "0 1 10");
            }
        }

        private static void assertScores(TestScheduler scheduler, Pod pod, String expected) {
            String[] scores = expected.split(" ");
            for (int i = 0; i < scores.length; i++) {
                scheduler.pod(pod).scores("n" + (i + 1), Long.parseLong(scores[i]));
            }
        }

        private static Node node(String name) {
            return Nodes.named(name)
                    .allocatable("cpu", "4")
                    .allocatable("memory", "8Gi")
                    .build();
        }

        private static Node annotated(String name, String cpu, long memory) {
            return Nodes.named(name)
                    .allocatable("cpu", "4")
                    .allocatable("memory", "8Gi")
                    .annotation("requested-cpu", cpu)
                    .annotation("requested-memory", memory + "")
                    .build();
        }

        private static Pod on(String node, String cpu, String memory) {
            return Pods.named("on-" + node)
                    .requests("cpu", cpu)
                    .requests("memory", memory)
                    .on(node)
                    .build();
        }
    }

    /** One resource: capacity 10, use a 8, b 4, c 0, d 10; pods of 2, 2 and 6. */
    @Nested
    class OneResource {
        private static final double[][] CAPACITY = {{10}, {10}, {10}, {10}};
        private static final double[][] USAGE = {{8}, {4}, {0}, {10}};
        private static final double[][] PODS = {{2}, {2}, {6}};

        // From spread to pack, once pods are known to vary.
        @ParameterizedTest
        @CsvSource({
            "LOAD_BALANCE, 1, .424264 .374166 .316228 NaN, 1 5 10 0",
            "CONSOLIDATE, 1, .118083 .250000 .328145 NaN, 10 4 1 0",
            "A_BINPACK, 1, .707107 .623610 .527046 NaN, 1 5 10 0",
            "A_BINPACK, 3, NaN .023330 .246247 NaN, 0 10 1 0",
        })
        void isAsTheOriginal(Objective objective, int pod, String values, String scores) {
            PluginTester tester = PluginTester.of(
                            new PigeonHoling.Factory(NOTHING), args(objective.name(), true, "cpu"))
                    .cluster(node("n1", "8"), node("n2", "4"), node("n3", "0"), node("n4", "10"));
            List<Pod> pods = List.of(pod("p1", "2m", ""), pod("p2", "2m", ""), pod("p3", "6m", ""));
            assertVector(
                    "one resource, " + objective + ", P" + pod,
                    text(values(objective, CAPACITY, USAGE, PODS, pod - 1)),
                    values,
                    scores(tester, pods.subList(0, pod)),
                    scores);
        }

        private static Node node(String name, String requested) {
            return Nodes.named(name)
                    .allocatable("cpu", "10m")
                    .annotation("requested-cpu", requested)
                    .build();
        }
    }

    private static double[] values(
            Objective objective, double[][] capacity, double[][] usage, double[][] pods, int pod) {
        DemandStatistics demand = new DemandStatistics(pods[0].length, 0.01);
        DemandStatistics.Moments moments = demand.saved().moments();
        for (int i = 0; i <= pod; i++) {
            moments = demand.add("p" + i, pods[i]);
        }
        return objective.values(new Candidates(capacity, usage, pods[pod], 0), moments);
    }

    private static String text(double[] values) {
        StringJoiner text = new StringJoiner(" ");
        for (double value : values) {
            text.add(
                    Double.isNaN(value)
                            ? "NaN"
                            : String.format(Locale.ROOT, "%.6f", value).substring(1));
        }
        return text.toString();
    }

    /** The scores of the nodes for the last of some pods, which come one after the other. */
    private static String scores(PluginTester tester, List<Pod> pods) {
        StringJoiner text = new StringJoiner(" ");
        try (TestScheduler scheduler = tester.start()) {
            Map<String, Long> last = Map.of();
            for (Pod pod : pods) {
                last = scheduler.scheduler().evaluate(pod).totals();
            }
            last.values().forEach(score -> text.add("" + score));
        }
        return text.toString();
    }

    private static void assertVector(
            String vector, String values, String expectedValues, String scores, String expectedScores) {
        String[] numbers = values.split(" ");
        String[] expected = expectedValues.split(" ");
        assertThat(numbers).hasSize(expected.length);
        for (int i = 0; i < expected.length; i++) {
            if (expected[i].equals("NaN")) {
                assertThat(numbers[i]).isEqualTo("NaN");
            } else {
                assertThat(Double.parseDouble(numbers[i])).isCloseTo(Double.parseDouble(expected[i]), within(RECORDED));
            }
        }
        assertThat(scores).isEqualTo(expectedScores);
        TABLE.add(vector, expectedValues, values, expectedScores, scores);
    }

    // The formulas as they are written, each candidate anew, against the one pass over sums.
    @ParameterizedTest
    @EnumSource(Objective.class)
    void reckonsAsTheFormulasSay(Objective objective) {
        long seed = 20261122;
        SplittableRandom random = new SplittableRandom(seed);
        for (int round = 0; round < 50; round++) {
            int n = 1 + random.nextInt(20);
            int m = 1 + random.nextInt(4);
            double[][] capacity = new double[n][m];
            double[][] usage = new double[n][m];
            for (int i = 0; i < n; i++) {
                for (int j = 0; j < m; j++) {
                    capacity[i][j] = random.nextInt(10) == 0 ? 0 : 1 + random.nextInt(1000);
                    usage[i][j] = random.nextInt(10) == 0 ? capacity[i][j] : random.nextDouble() * capacity[i][j];
                }
            }
            DemandStatistics statistics = new DemandStatistics(m, 0.01);
            double[] demand = new double[m];
            DemandStatistics.Moments moments = statistics.saved().moments();
            for (int k = 0; k < 5; k++) {
                for (int j = 0; j < m; j++) {
                    demand[j] = random.nextInt(200);
                }
                moments = statistics.add("p" + k, demand);
            }
            double[] values = objective.values(new Candidates(capacity, usage, demand, 0), moments);
            for (int i = 0; i < n; i++) {
                double expected = Formulas.value(objective, capacity, usage, demand, moments, i);
                if (Double.isNaN(expected)) {
                    assertThat(values[i])
                            .as("seed %s round %s node %s", seed, round, i)
                            .isNaN();
                } else {
                    assertThat(values[i])
                            .as("seed %s round %s node %s", seed, round, i)
                            .isCloseTo(expected, within(1e-6));
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Objective.class)
    void scoresEqualNodesAlike(Objective objective) {
        for (boolean originalBehavior : new boolean[] {true, false}) {
            PluginTester.of(new PigeonHoling.Factory(NOTHING), args(objective.name(), originalBehavior, "cpu"))
                    .cluster(
                            Nodes.named("n1").allocatable("cpu", "4").build(),
                            Nodes.named("n2").allocatable("cpu", "4").build())
                    .pod(pod("p", "1", ""))
                    .scores("n1", originalBehavior ? 10 : 100)
                    .scores("n2", originalBehavior ? 10 : 100);
        }
    }

    @ParameterizedTest
    @EnumSource(Objective.class)
    void toleratesNodesWithoutResources(Objective objective) {
        PluginTester.of(
                        new PigeonHoling.Factory(NOTHING),
                        args(objective.name(), false, "cpu", "memory", "pods", "nvidia.com/gpu", "ephemeral-storage"))
                .cluster(
                        Nodes.named("n1").allocatable("pods", "0").build(),
                        Nodes.named("n2")
                                .allocatable("cpu", "4")
                                .allocatable("memory", "8Gi")
                                .build())
                .pod(pod("p", "1", ""))
                .scores("n1", 0)
                .scores("n2", 100);
    }

    @ParameterizedTest
    @CsvSource({"1e99", "x", "''", "-5", "99999999999999999999"})
    void takesAnnotationsThatAreNoNumbersForNone(String requested) {
        PluginTester.of(new PigeonHoling.Factory(NOTHING), args("LOAD_BALANCE", true, "cpu"))
                .cluster(
                        Nodes.named("n1").allocatable("cpu", "4").build(),
                        Nodes.named("n2")
                                .allocatable("cpu", "4")
                                .annotation("requested-cpu", requested)
                                .build())
                .pod(pod("p", "1", ""))
                .scores("n1", 10)
                .scores("n2", 10);
    }

    @Nested
    class Configuration {
        @TempDir
        private Path folder;

        private static final ClusterObject[] CLUSTER = {
            Nodes.named("n1")
                    .allocatable("cpu", "4")
                    .allocatable("memory", "8Gi")
                    .annotation("requested-cpu", "2000")
                    .build(),
            Nodes.named("n2")
                    .allocatable("cpu", "4")
                    .allocatable("memory", "8Gi")
                    .annotation("requested-memory", "4294967296")
                    .build()
        };

        private static void packsCpu(PigeonHoling.Args args, Map<String, String> variables) {
            PluginTester.of(new PigeonHoling.Factory(new Environment(variables)), args)
                    .cluster(CLUSTER)
                    .pod(pod("p", "1", "1Gi"))
                    .scores("n1", 10)
                    .scores("n2", 1);
        }

        private static PigeonHoling.Args file(Path file) {
            return new PigeonHoling.Args(
                    Optional.empty(), List.of(), Optional.empty(), 0.01, Optional.of(file.toString()), "", true);
        }

        @Test
        void isReadFromTheFile() throws IOException {
            Path file = Files.writeString(
                    folder.resolve("pigeon.cfg"),
                    "# a comment\n\npolicyResourceIndex = 0\npolicyObjective = CONSOLIDATE # another\nother=1\n");
            packsCpu(file(file), Map.of());
            Files.writeString(file, "policyObjective=LOAD_BALANCE\npolicyResourceIndex = 1\n");
            packsCpu(file(file), Map.of());
        }

        @Test
        void isReadFromTheVariables() throws IOException {
            Path file = Files.writeString(folder.resolve("pigeon.cfg"), "policyObjective = LOAD_BALANCE\n");
            packsCpu(file(file), Map.of("POLICY_OBJECTIVE", "CONSOLIDATE"));
        }

        @Test
        void takesAnUnknownObjectiveForAdaptiveBinPacking() {
            assertThat(PigeonConfig.parse("policyObjective = NONE").objective()).isEqualTo("NONE");
            assertThat(Objective.named("NONE")).isEmpty();
            assertThat(PigeonConfig.parse("policyResourceIndex = x")).isEqualTo(new PigeonConfig(0, "A_BINPACK"));
        }

        @Test
        void hasAPrimeResource() {
            packsCpu(
                    new PigeonHoling.Args(
                            Optional.of("LOAD_BALANCE"),
                            List.of("cpu", "memory"),
                            Optional.of("memory"),
                            0.01,
                            Optional.empty(),
                            "",
                            true),
                    Map.of());
        }

        @Test
        void isRefusedWithAFileThatIsNotThere() {
            assertThatThrownBy(() -> PigeonConfig.read(folder.resolve("none.cfg")))
                    .hasMessageStartingWith("configFile: ")
                    .hasMessageContaining("none.cfg (expected: a file that can be read)");
        }

        @Test
        void saysWhatIsWrongWithIt() {
            Problems problems = Problems.collector();
            new PigeonHoling.Args(
                            Optional.of("PACK"),
                            List.of("cpu", "cpu"),
                            Optional.of("memory"),
                            0,
                            Optional.empty(),
                            "",
                            true)
                    .validate(problems);
            assertThat(problems.all().stream().map(Object::toString))
                    .containsExactly(
                            "objective: \"PACK\" (expected: LOAD_BALANCE, CONSOLIDATE or A_BINPACK)",
                            "resources[1]: \"cpu\" (expected: the name of a resource, once)",
                            "primeResource: \"memory\" (expected: one of cpu, cpu)",
                            "smoothing: 0.0 (expected: above 0 and up to 1)");
        }
    }

    @Nested
    class Demands {
        @Test
        void countEachPodTheSameOnceThereAreMany() {
            DemandStatistics demands = new DemandStatistics(1, 0.01);
            for (int i = 0; i < 100; i++) {
                demands.add("a" + i, new double[] {10});
            }
            assertThat(demands.add("b", new double[] {110}).mean(0)).isCloseTo(11, within(1e-12));
            assertThat(demands.add("c", new double[] {11}).mean(0)).isCloseTo(11, within(1e-12));
            assertThat(demands.saved().count()).isEqualTo(100);
        }

        @Test
        void outliveTheProcessInAFile(@TempDir Path folder) throws Exception {
            Path file = folder.resolve("demand");
            Files.writeString(file, "count=2\nresources=cpu\nmeans=2.0\nproducts=4.0\n");
            PigeonHoling.Args args = new PigeonHoling.Args(
                    Optional.of("A_BINPACK"),
                    List.of("cpu"),
                    Optional.empty(),
                    0.01,
                    Optional.empty(),
                    file.toString(),
                    true);
            try (TestScheduler scheduler = PluginTester.of(new PigeonHoling.Factory(NOTHING), args)
                    .cluster(
                            OneResource.node("n1", "8"),
                            OneResource.node("n2", "4"),
                            OneResource.node("n3", "0"),
                            OneResource.node("n4", "10"))
                    .start()) {
                TwoResources.assertScores(scheduler, pod("p3", "6m", ""), "0 10 1 0");
            }
        }

        @Test
        void areRefusedFromAnotherFile(@TempDir Path folder) throws Exception {
            Path file = Files.writeString(folder.resolve("demand"), "resources=cpu\nmeans=x\n");
            assertThatThrownBy(() -> DemandFile.read(file, "cpu", 1, 0.01))
                    .hasMessageContaining("demand (expected: a file that PigeonHoling has written, or none)");
            assertThat(DemandFile.read(file, "cpu,memory", 2, 0.01).saved().count())
                    .isZero();
        }

        @Test
        void areReadAsTheyAreWritten(@TempDir Path folder) {
            Path file = folder.resolve("demand");
            DemandStatistics demands = new DemandStatistics(2, 0.01);
            demands.add("a", new double[] {1, 1.0 / 3});
            demands.add("b", new double[] {2, 5});
            DemandFile.write(file, "cpu,memory", demands.saved());
            DemandStatistics.Saved read =
                    DemandFile.read(file, "cpu,memory", 2, 0.01).saved();
            assertThat(read.count()).isEqualTo(2);
            assertThat(read.moments().means())
                    .isEqualTo(demands.saved().moments().means());
            assertThat(read.moments().products())
                    .isEqualTo(demands.saved().moments().products());
        }
    }

    @Test
    void keepsTheContractOfAPlugin() {
        PluginContract.verify(new PigeonHoling.Factory(NOTHING));
    }

    /** The objectives as their formulas are written. */
    private static final class Formulas {
        static double value(
                Objective objective,
                double[][] capacity,
                double[][] usage,
                double[] demand,
                DemandStatistics.Moments moments,
                int candidate) {
            int n = capacity.length;
            int m = demand.length;
            double[][] used = new double[n][];
            for (int i = 0; i < n; i++) {
                used[i] = usage[i].clone();
                for (int j = 0; j < m && i == candidate; j++) {
                    if (demand[j] > capacity[i][j] - usage[i][j]) {
                        return Double.NaN;
                    }
                    used[i][j] += demand[j];
                }
            }
            double[] loads = new double[n];
            for (int i = 0; i < n; i++) {
                loads[i] = capacity[i][0] > 0 ? used[i][0] / capacity[i][0] : 1;
            }
            return switch (objective) {
                case LOAD_BALANCE -> Math.sqrt(covariance(loads, loads));
                case CONSOLIDATE -> consolidate(loads);
                case A_BINPACK -> adaptive(capacity, used, moments, m);
            };
        }

        private static double consolidate(double[] loads) {
            double mean = mean(loads);
            if (mean <= 0 || mean >= 1) {
                return 0;
            }
            double sum = 0;
            for (double load : loads) {
                sum += Math.pow(load < mean ? (mean - load) / mean : (load - mean) / (1 - mean), 2);
            }
            return 1 - Math.sqrt(sum / loads.length);
        }

        private static double adaptive(double[][] capacity, double[][] used, DemandStatistics.Moments moments, int m) {
            Map<Integer, double[]> utilization = new HashMap<>();
            Map<Integer, Double> average = new HashMap<>();
            for (int j = 0; j < m; j++) {
                double[] column = new double[used.length];
                double[] sizes = new double[used.length];
                for (int i = 0; i < used.length; i++) {
                    sizes[i] = capacity[i][j];
                    column[i] = capacity[i][j] > 0
                            ? Math.min(Math.max(used[i][j] / capacity[i][j], 0), 1)
                            : used[i][j] > 0 ? 1 : 0;
                }
                if (mean(sizes) > 0) {
                    utilization.put(j, column);
                    average.put(j, mean(sizes));
                }
            }
            double system = 0;
            double length = 0;
            double wanted = 0;
            double wantedLength = 0;
            for (int j : utilization.keySet()) {
                double mean = mean(utilization.get(j));
                length += mean * mean;
                double share = moments.mean(j) / average.get(j);
                wantedLength += share * share;
                for (int k : utilization.keySet()) {
                    system += mean * covariance(utilization.get(j), utilization.get(k)) * mean(utilization.get(k));
                    double other = moments.mean(k) / average.get(k);
                    wanted += share * (moments.product(j, k) / average.get(j) / average.get(k) - share * other) * other;
                }
            }
            double gammaOfSystem = length > 0 ? Math.sqrt(Math.max(system, 0)) / length : 0;
            double gammaOfDemand = wantedLength > 0 ? Math.sqrt(Math.max(wanted, 0)) / wantedLength : 0;
            return Math.abs(gammaOfSystem - gammaOfDemand);
        }

        private static double mean(double[] values) {
            double sum = 0;
            for (double value : values) {
                sum += value;
            }
            return sum / values.length;
        }

        private static double covariance(double[] first, double[] second) {
            double sum = 0;
            for (int i = 0; i < first.length; i++) {
                sum += (first[i] - mean(first)) * (second[i] - mean(second));
            }
            return sum / first.length;
        }
    }
}
