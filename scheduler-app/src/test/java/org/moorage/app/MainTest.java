// SPDX-License-Identifier: Apache-2.0
package org.moorage.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.moorage.app.internal.report.Terminal;
import picocli.CommandLine;

class MainTest {
    @Nested
    class Help {
        @Test
        void listsTheCommandsOnOneScreen() {
            CapturedRun run = CapturedRun.of("--help");

            assertThat(run.exitCode()).isZero();
            assertThat(run.err()).isEmpty();
            assertThat(run.out().lines())
                    .hasSizeLessThan(24)
                    .allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(80));
            CommandLine line = Main.commandLine(Terminal.plain(
                    InputStream.nullInputStream(),
                    new PrintWriter(Writer.nullWriter()),
                    new PrintWriter(Writer.nullWriter()),
                    InstantSource.system()));
            line.getSubcommands().forEach((name, command) -> {
                if (!command.getCommandSpec().usageMessage().hidden()) {
                    assertThat(run.out()).contains(name);
                }
            });
            assertThat(CapturedRun.of("help")).isEqualTo(run);
        }

        @Test
        void summariesAreSentencesOfAtMost80Characters() {
            Main.commandLine(Terminal.plain(
                            InputStream.nullInputStream(),
                            new PrintWriter(Writer.nullWriter()),
                            new PrintWriter(Writer.nullWriter()),
                            InstantSource.system()))
                    .getSubcommands()
                    .values()
                    .forEach(command -> assertThat(
                                    command.getCommandSpec().usageMessage().description()[0])
                            .matches("[A-Z].*\\.")
                            .hasSizeLessThanOrEqualTo(80));
        }

        @ParameterizedTest
        @MethodSource("org.moorage.app.MainTest#commands")
        void isThereForEachCommand(List<String> command) {
            CapturedRun run = CapturedRun.of(
                    Stream.concat(command.stream(), Stream.of("--help")).toArray(String[]::new));

            assertThat(run.exitCode()).isZero();
            assertThat(run.out()).contains("Usage:\n  moorage " + String.join(" ", command) + " ");
            List<String> help = new ArrayList<>(List.of("help"));
            help.addAll(command);
            assertThat(CapturedRun.of(help.toArray(String[]::new))).isEqualTo(run);
        }

        @Test
        void hasNoColoursWhereThereIsNoTerminal() {
            assertThat(CapturedRun.of("--help").out()).doesNotContain("\u001b");
            assertThat(CapturedRun.onTerminal(80, "--help").out()).contains("\u001b");
        }
    }

    static Stream<List<String>> commands() {
        return Stream.of(
                List.of("simulate"),
                List.of("explain"),
                List.of("conform"),
                List.of("config"),
                List.of("config", "show"),
                List.of("config", "validate"),
                List.of("config", "convert"),
                List.of("plugins"),
                List.of("extender"));
    }

    @Test
    void printsItsVersion() {
        CapturedRun run = CapturedRun.of("--version");

        assertThat(run.exitCode()).isZero();
        assertThat(run.out()).matches("Moorage \\S+ \\(decides as kube-scheduler v1\\.37\\.2\\)\n");
    }

    @Nested
    class Mistakes {
        record Case(String name, String error, int exitCode, String... args) {
            @Override
            public String toString() {
                return name;
            }
        }

        static Stream<Case> cases() {
            String first = CapturedRun.FIRST;
            return Stream.of(
                    new Case(
                            "an unknown flag",
                            "unknown flag --kubeconfg (see moorage run --help). Did you mean --kubeconfig?",
                            2,
                            "--kubeconfg=x"),
                    new Case(
                            "an unknown flag of a command",
                            "unknown flag --sed (see moorage simulate --help). Did you mean --seed?",
                            2,
                            "simulate",
                            "--sed",
                            "3",
                            first),
                    new Case(
                            "an unknown command",
                            "unknown command \"simlate\" (see moorage help). Did you mean simulate?",
                            2,
                            "simlate",
                            first),
                    new Case(
                            "an argument for the scheduler itself",
                            "unknown command \"cluster.yaml\" (see moorage help).",
                            2,
                            "--v=2",
                            "cluster.yaml"),
                    new Case("a missing argument", "missing CLUSTER (see moorage simulate --help)", 2, "simulate"),
                    new Case(
                            "a missing value",
                            "missing --config=FILE (see moorage simulate --help)",
                            2,
                            "simulate",
                            first,
                            "--config"),
                    new Case(
                            "a missing command of a command",
                            "missing required subcommand (see moorage config --help)",
                            2,
                            "config"),
                    new Case(
                            "an argument too many",
                            "unexpected argument \"b\" (see moorage config show --help)",
                            2,
                            "config",
                            "show",
                            "a",
                            "b"),
                    new Case(
                            "a value that is no number",
                            "invalid value for option '--v': 'x' is not an int (see moorage run --help)",
                            2,
                            "--v=x"),
                    new Case(
                            "a version that no hidden metric was shown in",
                            "--show-hidden-metrics-for-version: \"1.35\" (expected: 1.36, the previous minor version)",
                            1,
                            "--show-hidden-metrics-for-version=1.35"),
                    new Case(
                            "the version that hides metrics, in place of the one before",
                            "--show-hidden-metrics-for-version: \"1.37\" (expected: 1.36, the previous minor version)",
                            1,
                            "--show-hidden-metrics-for-version",
                            "1.37"),
                    new Case(
                            "an unknown format",
                            "invalid value for option '--output': \"xml\" (expected: one of table, wide, name, json, yaml)"
                                    + " (see moorage simulate --help)",
                            2,
                            "simulate",
                            "-o",
                            "xml",
                            first),
                    new Case(
                            "a file that is not there",
                            "nothing.yaml: no such file (expected: a YAML or JSON file, a folder of them, or - for"
                                    + " stdin)",
                            2,
                            "simulate",
                            "nothing.yaml"),
                    new Case(
                            "a configuration that is not there",
                            "nothing.yaml: no such file (expected: a KubeSchedulerConfiguration)",
                            2,
                            "simulate",
                            "--config=nothing.yaml",
                            first),
                    new Case(
                            "plugins that are not there",
                            "nothing: not there (expected: a jar, or a folder of jars)",
                            2,
                            "simulate",
                            "--plugin-dir=nothing",
                            first),
                    new Case(
                            "a pod that is not there",
                            "pod \"shop\" not found among the 14 pods of the cluster. Did you mean shop-1 or shop-2 or shop-3?",
                            2,
                            "explain",
                            "shop",
                            "--cluster",
                            first),
                    new Case(
                            "a pod that is not in that namespace",
                            "pod \"default/dns-1\" not found among the 14 pods of the cluster.",
                            2,
                            "explain",
                            "default/dns-1",
                            "--cluster",
                            first));
        }

        @ParameterizedTest
        @MethodSource("cases")
        void areReportedInOneLine(Case mistake) {
            CapturedRun run = CapturedRun.of(mistake.args());

            assertThat(run.err()).isEqualTo("error: " + mistake.error() + "\n");
            assertThat(run.out()).isEmpty();
            assertThat(run.exitCode()).isEqualTo(mistake.exitCode());
        }

        @Test
        void inAClusterFileAreReportedWithTheirPosition() {
            CapturedRun run = CapturedRun.withInput("kind: Pod\nmetadata: {name: x}\n", "simulate", "-");

            assertThat(run.exitCode()).isEqualTo(2);
            assertThat(run.err())
                    .startsWith("error: stdin:1:1: document 1 has no \"apiVersion\"")
                    .hasLineCount(1);
        }

        @Test
        void areReportedWithAStackTraceAtTheHighestVerbosity() {
            assertThat(CapturedRun.of("simulate", "nothing.yaml", "--v=4").err())
                    .contains("\tat org.moorage.");
            assertThat(CapturedRun.of("-v", "4", "simulate", "nothing.yaml").err())
                    .contains("\tat org.moorage.");
            assertThat(CapturedRun.of("simulate", "nothing.yaml", "--v=3").err())
                    .doesNotContain("\tat ");
        }
    }

    @Nested
    class Config {
        @TempDir
        Path folder;

        private String file(String... lines) throws IOException {
            return Files.write(
                            folder.resolve("scheduler.yaml"),
                            List.of(
                                    "apiVersion: kubescheduler.config.k8s.io/v1",
                                    "kind: KubeSchedulerConfiguration",
                                    String.join("\n", lines)))
                    .toString();
        }

        @Test
        void isValid() throws IOException {
            String file = file("parallelism: 4");

            CapturedRun run = CapturedRun.of("config", "validate", file);

            assertThat(run).isEqualTo(new CapturedRun(0, file + ": valid\n", ""));
        }

        @Test
        void isRefusedWithAllProblems() throws IOException {
            String file = file("parallelism: 0", "percentageOfNodesToScore: 101");

            CapturedRun run = CapturedRun.of("config", "validate", file);

            assertThat(run.exitCode()).isEqualTo(1);
            assertThat(run.out()).isEmpty();
            assertThat(run.err())
                    .startsWith("error: " + file + ": not a valid configuration, 2 problems\n")
                    .contains(file + ":3:1: parallelism: 0 (expected: ")
                    .contains(file + ":4:1: percentageOfNodesToScore: 101 (expected: ");
        }

        @Test
        void isRefusedForWhatOnlyThePluginsShow() throws IOException {
            String file = file("profiles: [{plugins: {filter: {enabled: [{name: ImageLocality}]}}}]");

            CapturedRun run = CapturedRun.of("config", "validate", file);

            assertThat(run.exitCode()).isEqualTo(1);
            assertThat(run.err()).startsWith("error: ").contains("ImageLocality");
        }

        @Test
        void isShownWithItsOrigins() throws IOException {
            String file = file("parallelism: 4");

            CapturedRun run = CapturedRun.of("config", "show", file);

            assertThat(run.exitCode()).isZero();
            assertThat(run.out()).containsPattern("parallelism: 4 +# .*scheduler.yaml:3\n");
            assertThat(run.out()).containsPattern("percentageOfNodesToScore: 0 +# default\n");
        }

        @Test
        void isShownWithoutAFileAsItIsByDefault() {
            assertThat(CapturedRun.of("config", "show").out()).containsPattern("parallelism: 16 +# default\n");
        }
    }

    @Nested
    class Plugins {
        @Test
        void areListedWithWhatTheyDo() {
            CapturedRun run = CapturedRun.of("plugins");

            assertThat(run.exitCode()).isZero();
            assertThat(run.out())
                    .containsPattern("NAME +FROM +EXTENSION POINTS +ARGUMENTS\n")
                    .containsPattern("TaintToleration +built-in +preFilter, filter, preScore, score\n")
                    .contains("resources=[{name: cpu, weight: 1}, {name: memory, weight: 1}]\n");
        }

        @Test
        void areListedForPrograms() {
            assertThat(CapturedRun.of("plugins", "-o", "json").out())
                    .startsWith("{\n  \"plugins\": [\n")
                    .contains("\"name\": \"SchedulingGates\",\n      \"from\": \"built-in\",\n");
        }
    }
}
