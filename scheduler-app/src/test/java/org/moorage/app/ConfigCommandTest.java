// SPDX-License-Identifier: Apache-2.0
package org.moorage.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What {@code moorage config} and {@code moorage plugins} say of what they are given. */
@Tag("any-jvm")
class ConfigCommandTest {
    private static final String HEAD = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n";

    @TempDir
    private Path folder;

    private String file(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text).toString();
    }

    /**
     * Something that is no configuration.
     *
     * @param bytes the contents of the file; none for a missing file
     * @param error the message after the file's name
     */
    record Wrong(String name, byte[] bytes, String error) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Wrong> wrongs() {
        String expected = " (expected: a KubeSchedulerConfiguration)\n";
        return Stream.of(
                new Wrong("a file that is not there", new byte[0], ": no such file" + expected),
                new Wrong(
                        "bytes",
                        new byte[] {'a', (byte) 0x8f, 0},
                        ": not a text in UTF-8: byte 0x8F in line 1" + expected),
                new Wrong(
                        "another encoding",
                        (HEAD + "# é\n").getBytes(StandardCharsets.ISO_8859_1),
                        ": not a text in UTF-8: byte 0xE9 in line 3" + expected),
                new Wrong(
                        "another encoding of Windows",
                        ("\uFEFF" + HEAD).getBytes(StandardCharsets.UTF_16LE),
                        ": a text in UTF-16, not in UTF-8" + expected),
                new Wrong("a comment", text("# later\n"), ": empty (expected: an object with apiVersion and kind)\n"),
                new Wrong(
                        "a tab",
                        text(HEAD + "profiles:\n\t- schedulerName: a\n"),
                        ":4:1: not YAML: a tab (expected: spaces, which alone can indent)\n"),
                new Wrong(
                        "two documents",
                        text(HEAD + "---\n" + HEAD),
                        ":4:1: document 2: it is not read, as by kube-scheduler (expected: one configuration in a file)\n"));
    }

    private static byte[] text(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @MethodSource("wrongs")
    void validateReportsAnErrorInOneLine(Wrong wrong) throws IOException {
        Path file = folder.resolve("scheduler.yaml");
        if (wrong.bytes.length > 0) {
            Files.write(file, wrong.bytes);
        }

        assertThat(CapturedRun.of("config", "validate", file.toString()))
                .isEqualTo(new CapturedRun(
                        wrong.error.endsWith("a KubeSchedulerConfiguration)\n") ? 2 : 1,
                        "",
                        "error: " + file + wrong.error));
    }

    static Stream<String> commands() {
        return Stream.of("validate", "show", "convert");
    }

    @ParameterizedTest
    @MethodSource("commands")
    void theKubeconfigOfAnotherMachineIsAWarning(String command) throws IOException {
        String file = file("scheduler.yaml", HEAD + "clientConnection:\n  kubeconfig: /nowhere/scheduler.conf\n");

        CapturedRun run = CapturedRun.of("config", command, file);

        assertThat(run.exitCode()).isZero();
        assertThat(run.out()).contains(command.equals("validate") ? file + ": valid" : "/nowhere/scheduler.conf");
        assertThat(run.err())
                .isEqualTo("warning: " + file
                        + ":4:3: clientConnection.kubeconfig: kubeconfig /nowhere/scheduler.conf: no such file, so it is"
                        + " not checked (expected: where the scheduler runs)\n");
    }

    @ParameterizedTest
    @MethodSource("commands")
    void aKubeconfigThatCannotBeUsedIsRefused(String command) throws IOException {
        String kubeconfig = file("scheduler.conf", "kind: Config\n");
        String file = file("scheduler.yaml", HEAD + "clientConnection:\n  kubeconfig: " + kubeconfig + "\n");

        assertThat(CapturedRun.of("config", command, file).err())
                .startsWith("error: " + file + ":4:3: clientConnection.kubeconfig: kubeconfig " + kubeconfig + ": ");
    }

    @Test
    void aPluginWithRejectedArgumentsIsNotReportedTwice() throws IOException {
        String file = file(
                "scheduler.yaml",
                HEAD
                        + "profiles:\n- pluginConfig:\n  - name: NodeResourcesFit\n    args: {scoringStrategy: {type: Most}}\n");

        assertThat(CapturedRun.of("config", "validate", file).err().lines())
                .singleElement()
                .asString()
                .contains(":6:", "profiles[0].pluginConfig[0].args.scoringStrategy.type: \"Most\"");
    }

    @Test
    void validateReportsAFolder() {
        assertThat(CapturedRun.of("config", "validate", folder.toString()))
                .isEqualTo(new CapturedRun(
                        2, "", "error: " + folder + ": a folder (expected: a KubeSchedulerConfiguration)\n"));
    }

    @Test
    void validateTakesSeveralFilesAndStdin() throws IOException {
        String good = file("good.yaml", HEAD);
        String bad = file("bad.yaml", HEAD + "parallelism: 0\n");

        assertThat(CapturedRun.withInput(HEAD + "parallelism: 4\n", "config", "validate", bad, "-", good))
                .isEqualTo(new CapturedRun(
                        1,
                        "stdin: valid\n" + good + ": valid\n",
                        "error: " + bad + ":3:1: parallelism: 0 (expected: more than 0)\n"));
    }

    @Test
    void validateShowsAConfigurationInEachVersion() throws IOException {
        String file = file(
                "scheduler.yaml",
                HEAD
                        + "profiles:\n- pluginConfig:\n  - name: VolumeBinding\n    args: {shape: [{utilization: 0, score: 5}]}\n");

        CapturedRun run = CapturedRun.of("config", "validate", "--for-version", "1.36,1.37", file);
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.out()).isEqualTo("not valid in 1.36:\n" + file + ": valid in 1.37\n");
        assertThat(run.err()).contains("profiles[0].pluginConfig[0].args.shape");
    }

    @Test
    void validateShowsDifferencesBetweenVersions() throws IOException {
        String file = file("scheduler.yaml", HEAD);

        CapturedRun run = CapturedRun.of("config", "validate", "--for-version", "1.36,1.37", file);
        assertThat(run.exitCode()).isZero();
        assertThat(run.out())
                .startsWith(file + ": valid in 1.36\n" + file + ": valid in 1.37\nfrom 1.36 to 1.37:\n")
                .contains(
                        "  feature gate StorageCapacityScoring: off -> on\n",
                        "  feature gate VolumeLimitScaling: off -> on\n",
                        "  profiles[default-scheduler].pluginConfig[VolumeBinding].args.shape: unset -> [{utilization=0,"
                                + " score=10}, {utilization=100, score=0}]\n");
    }

    @Test
    void validateRefusesAVersionThatCannotBeEmulated() throws IOException {
        String file = file("scheduler.yaml", HEAD);

        assertThat(CapturedRun.of("config", "validate", "--for-version", "1.12", file)
                        .err())
                .contains("emulation version 1.12 is not between [1.34, 1.37]");
        assertThat(CapturedRun.of("config", "validate", "--for-version", "new", file)
                        .err())
                .contains("--for-version: \"new\" (expected: a version such as 1.37)");
    }

    @Test
    void validateWarnsOfWhatDisablesNothing() throws IOException {
        String file = file("a.yaml", HEAD + "profiles:\n- plugins: {score: {disabled: [{name: Elsewhere}]}}\n");

        assertThat(CapturedRun.of("config", "validate", file))
                .isEqualTo(new CapturedRun(
                        0,
                        file + ": valid\n",
                        "warning: " + file + ":4: profiles[0].plugins.score.disabled[0].name: \"Elsewhere\" disables"
                                + " nothing (expected: a registered plugin; --plugin-dir adds those of jars)\n"));
    }

    @Test
    void showTakesStdinAndPrintsJson() {
        String input = HEAD + "parallelism: 4\n";

        assertThat(CapturedRun.withInput(input, "config", "show", "-").out())
                .containsPattern("parallelism: 4 +# stdin:3\n");
        assertThat(CapturedRun.withInput(input, "config", "show", "-o", "json", "-")
                        .out())
                .contains("  \"parallelism\": 4,\n", "  \"podMaxBackoffSeconds\": 10,\n");
        assertThat(CapturedRun.withInput(input, "config", "show", "--changed", "-")
                        .out())
                .isEqualTo("""
                        apiVersion: kubescheduler.config.k8s.io/v1  # stdin:1
                        kind: KubeSchedulerConfiguration            # stdin:2
                        parallelism: 4                              # stdin:3
                        """);
        assertThat(CapturedRun.withInput(input, "config", "show", "--changed", "-o", "json", "-")
                        .out())
                .isEqualTo("""
                        {
                          "apiVersion": "kubescheduler.config.k8s.io/v1",
                          "kind": "KubeSchedulerConfiguration",
                          "parallelism": 4
                        }
                        """);
    }

    record Gate(String setting, String error) {}

    static Stream<Gate> gates() {
        return Stream.of(
                new Gate(
                        "GenericWorkloa=true",
                        "unrecognized feature gate: GenericWorkloa. Did you mean GenericWorkload?"),
                new Gate("AlAlpha=true", "unrecognized feature gate: AlAlpha. Did you mean AllAlpha?"),
                new Gate("Somewhere=true", "unrecognized feature gate: Somewhere"));
    }

    @ParameterizedTest
    @MethodSource("gates")
    void nearMatchesOfFeatureGatesAreNamed(Gate gate) {
        assertThat(CapturedRun.of("config", "show", "--feature-gates", gate.setting))
                .isEqualTo(new CapturedRun(2, "", "error: --feature-gates: " + gate.error + "\n"));
    }

    record Accepted(String plugin, String line) {}

    static Stream<Accepted> accepted() {
        return Stream.of(
                new Accepted("VolumeBinding", "VolumeBinding +bindTimeoutSeconds +600 +a whole number\n"),
                new Accepted(
                        "NodeResourcesFit",
                        "NodeResourcesFit +scoringStrategy +an object\nNodeResourcesFit +scoringStrategy.type +LeastAllocated"
                                + " +a text\n"),
                new Accepted(
                        "NodeResourcesFit",
                        "NodeResourcesFit +scoringStrategy.resources\\[\\].weight +a whole number\n"),
                new Accepted(
                        "DynamicResources",
                        "DynamicResources +bindingTimeout +10m0s +a duration such as 15s, 1m30s or 100ms\n"),
                new Accepted("NodeName", "NodeName +- +- +no arguments\n"));
    }

    @ParameterizedTest
    @MethodSource("accepted")
    void pluginsShowsAcceptedArguments(Accepted argument) {
        assertThat(CapturedRun.of("plugins", argument.plugin).out())
                .containsPattern("PLUGIN +ARGUMENT +DEFAULT +ACCEPTS\n")
                .containsPattern(argument.line);
        assertThat(CapturedRun.of("plugins", "-o", "json", argument.plugin).out())
                .contains("\"accepts\": {");
    }

    @Test
    void pluginsReportsUnknownNames() {
        assertThat(CapturedRun.of("plugins", "NodeNames"))
                .isEqualTo(new CapturedRun(
                        2,
                        "",
                        "error: \"NodeNames\" (expected: a registered plugin; --plugin-dir adds those of jars). Did you mean"
                                + " NodeName?\n"));
    }

    /**
     * Plugins of examples have a dozen arguments; here InterPodAffinity has the most, and NodeResourcesFit the longest.
     */
    @Test
    void pluginsHasALineForEachArgument() {
        CapturedRun run = CapturedRun.of("plugins");

        assertThat(run.out()).containsPattern("\n +ignorePreferredTermsOfExistingPods=false\n");
        assertThat(run.out().lines()).allMatch(line -> line.length() <= 200);
    }

    @Test
    void filesThatCannotBeWrittenAreReported() {
        assertThat(List.of(CapturedRun.of("--write-config-to=/nowhere/scheduler.yaml")
                        .err()))
                .containsExactly(
                        "error: --write-config-to /nowhere/scheduler.yaml: cannot be written: no such folder\n");
    }
}
