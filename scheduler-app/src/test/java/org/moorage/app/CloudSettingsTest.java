// SPDX-License-Identifier: Apache-2.0
package org.moorage.app;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Commands that are given a setting of EKS or AKS answer as for the same KubeSchedulerConfiguration. */
@Tag("any-jvm")
class CloudSettingsTest {
    private static final String HEAD = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n";
    private static final Path EXAMPLES = Path.of("..", "examples", "what-if");
    private static final Path PAGE = Path.of("..", "docs", "operate", "cloud-settings.md");

    @TempDir
    private Path folder;

    // Answers name configurations by the file, so each has a folder.
    private String file(String name, String text) throws IOException {
        Path own = Files.createDirectories(folder.resolve(name));
        return Files.writeString(own.resolve("other.yaml"), text).toString();
    }

    private static String config(String strategy) {
        return HEAD
                + "profiles:\n- schedulerName: default-scheduler\n  pluginConfig:\n  - name: NodeResourcesFit\n    args:\n"
                + "      scoringStrategy: " + strategy + "\n";
    }

    private static String eks(String strategy) {
        return "kubeSchedulerConfig:\n  nodeResourcesFit:\n    scoringStrategy: " + strategy + "\n";
    }

    private static String aks(String strategy) {
        return "apiVersion: aks.azure.com/v1alpha1\nkind: SchedulerConfiguration\nmetadata: {name: upstream}\nspec:\n"
                + "  rawConfig: |\n" + config(strategy).indent(4);
    }

    /** A strategy, and whether EKS has it. */
    record Strategy(String text, boolean isOfEks) {
        @Override
        public String toString() {
            return text;
        }
    }

    static Stream<Strategy> strategies() {
        String shape = ", requestedToCapacityRatio: {shape: [{utilization: 0, score: 0}, {utilization: 40, score: 10},"
                + " {utilization: 100, score: 3}]}}";
        return Stream.of(
                new Strategy("{type: LeastAllocated}", true),
                new Strategy("{type: LeastAllocated, resources: [{name: memory, weight: 100}]}", true),
                new Strategy("{type: MostAllocated}", true),
                new Strategy(
                        "{type: MostAllocated, resources: [{name: cpu, weight: 7}, {name: memory, weight: 1}]}", true),
                new Strategy(
                        "{type: MostAllocated, resources: [{name: cpu}, {name: nvidia.com/gpu, weight: 3}]}", true),
                new Strategy("{type: RequestedToCapacityRatio" + shape, false),
                new Strategy("{type: RequestedToCapacityRatio, resources: [{name: memory, weight: 2}]" + shape, false));
    }

    @ParameterizedTest
    @MethodSource("strategies")
    void compareAnswersTheSameToTheByte(Strategy strategy) throws IOException {
        String cluster = Files.writeString(folder.resolve("cluster.jsonl"), GeneratedCluster.of(20))
                .toString();
        String spread = Files.writeString(folder.resolve("spread.yaml"), HEAD).toString();
        String plain = file("plain", config(strategy.text));
        List<String> clouds = new ArrayList<>(List.of(file("aks", aks(strategy.text))));
        if (strategy.isOfEks) {
            clouds.add(file("eks", eks(strategy.text)));
        }
        for (String format : List.of("table", "json")) {
            CapturedRun expected =
                    CapturedRun.of("compare", spread, plain, "--rebalance", "--cluster", cluster, "-o", format);
            assertThat(expected.exitCode()).as(expected.err()).isBetween(0, 1);
            for (String cloud : clouds) {
                assertThat(CapturedRun.of("compare", spread, cloud, "--rebalance", "--cluster", cluster, "-o", format))
                        .as(cloud)
                        .isEqualTo(expected);
            }
        }
    }

    @Test
    void othersTakeTheSettingAsTheirConfiguration() throws IOException {
        String strategy = "{type: MostAllocated, resources: [{name: cpu, weight: 1}]}";
        for (List<String> command : List.of(
                List.of("simulate", CapturedRun.FIRST),
                List.of("explain", "train", "--cluster", CapturedRun.FIRST),
                List.of("drain", "web-1", "--cluster", CapturedRun.FIRST))) {
            CapturedRun expected = withConfig(command, file("plain", config(strategy)));
            assertThat(expected.exitCode()).as(expected.err()).isBetween(0, 1);
            assertThat(withConfig(command, file("eks", eks(strategy)))).isEqualTo(expected);
            assertThat(withConfig(command, file("aks", aks(strategy)))).isEqualTo(expected);
        }
    }

    private static CapturedRun withConfig(List<String> command, String config) {
        List<String> args = new ArrayList<>(command);
        args.addAll(List.of("--config", config));
        return CapturedRun.of(args.toArray(String[]::new));
    }

    @Test
    void validateNamesTheShape() {
        String eks = EXAMPLES.resolve("eks.json").toString();
        String aks = EXAMPLES.resolve("aks.yaml").toString();
        String plain = EXAMPLES.resolve("packed.yaml").toString();

        assertThat(CapturedRun.of("config", "validate", eks, aks, plain))
                .isEqualTo(new CapturedRun(
                        0,
                        eks + ": valid (EKS kubeSchedulerConfig)\n" + aks + ": valid (AKS SchedulerConfiguration)\n"
                                + plain + ": valid\n",
                        ""));
        assertThat(CapturedRun.of("config", "validate", "--for-version", "1.37", eks)
                        .out())
                .isEqualTo(eks + ": valid in 1.37 (EKS kubeSchedulerConfig)\n");
    }

    @Test
    void whatPluginsRefuseIsNamedAsOnThePage() throws IOException {
        String text = Files.readString(EXAMPLES.resolve("aks.yaml")).replace("MostAllocated", "MostAlocated");
        Path aks = Files.writeString(folder.resolve("aks.yaml"), text);

        CapturedRun run = CapturedRun.of("config", "validate", aks.toString());

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(Files.readString(PAGE)).contains("```\n" + run.err().replace(folder + "/", "") + "```\n");
    }

    @Test
    void convertWritesEachShape() throws IOException {
        String eks = EXAMPLES.resolve("eks.json").toString();
        String written = Files.readString(EXAMPLES.resolve("eks.json"));

        CapturedRun json = CapturedRun.of("config", "convert", "--to", "eks", "-o", "json", eks);
        CapturedRun aks = CapturedRun.of("config", "convert", "--to", "aks", "-o", "json", eks);

        assertThat(json.out().replaceAll("\\s", "")).isEqualTo(written.replaceAll("\\s", ""));
        assertThat(CapturedRun.withInput(json.out(), "config", "convert", "-").out())
                .isEqualTo(CapturedRun.of("config", "convert", eks).out());
        assertThat(CapturedRun.withInput(aks.out(), "config", "convert", "-").out())
                .isEqualTo(CapturedRun.of("config", "convert", eks).out());
        assertThat(CapturedRun.of("config", "convert", "--to", "gke", eks))
                .satisfies(run -> assertThat(run.exitCode()).isEqualTo(2))
                .extracting(CapturedRun::err)
                .asString()
                .contains("\"gke\" (expected: kube-scheduler, eks or aks)");
        assertThat(CapturedRun.of(
                        "config",
                        "convert",
                        "--to",
                        "eks",
                        EXAMPLES.resolve("aks.yaml").toString()))
                .satisfies(run -> assertThat(run.exitCode()).isEqualTo(2))
                .extracting(CapturedRun::err)
                .asString()
                .contains(": profiles: 2 profiles (expected: one, since EKS configures default-scheduler alone)");
    }

    @Test
    void aTraceHasTheSettingAsAConfigurationOfKubeScheduler() throws IOException {
        String eks = EXAMPLES.resolve("eks.json").toString();
        Path trace = folder.resolve("trace.json");
        JsonMapper json = new JsonMapper();

        CapturedRun run = CapturedRun.of("simulate", CapturedRun.FIRST, "--config", eks, "--trace", trace.toString());

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(json.readTree(trace.toFile()).path("config"))
                .isEqualTo(json.readTree(
                        CapturedRun.of("config", "convert", "-o", "json", eks).out()));
    }
}
