// SPDX-License-Identifier: Apache-2.0
package org.moorage.conformance;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.moorage.builtin.dra.KubeSchedulerPlugins;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.conformance.CaseResult.Correctness;

final class ConformanceReadingTest {
    private static final String HEAD =
            "apiVersion: kubescheduler.config.k8s.io/v1\\nkind: KubeSchedulerConfiguration\\n";
    private static final String NODE =
            "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"n0\",\"uid\":\"1\"},"
                    + "\"status\":{\"allocatable\":{\"cpu\":\"2\",\"memory\":\"4Gi\",\"pods\":\"10\"}}}";
    private static final String POD =
            "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\",\"namespace\":\"default\",\"uid\":\"2\"},"
                    + "\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"i\","
                    + "\"resources\":{\"limits\":{\"cpu\":\"%s\"}}}]}}";
    private static final String PROFILE = "{\"apiVersion\":\"kubescheduler.config.k8s.io/v1\","
            + "\"kind\":\"KubeSchedulerConfiguration\",\"profiles\":[{\"plugins\":{\"multiPoint\":{\"disabled\":[{\"name\":\"*\"}],"
            + "\"enabled\":[{\"name\":\"PrioritySort\"},{\"name\":\"DefaultBinder\"},{\"name\":\"NodeResourcesFit\"}]}}}]}";

    private static final String DECISION = "{\"name\":\"fits\",\"config\":" + PROFILE + ",\"objects\":[" + NODE + ","
            + POD.formatted("1")
            + "],\"pod\":\"default/p\",\"expect\":{\"preFilter\":{\"code\":\"Success\"},\"preFilterNodes\":null,"
            + "\"feasible\":[\"n0\"],\"scores\":{\"n0\":{\"NodeResourcesFit\":%d}},\"totals\":{\"n0\":%d},"
            + "\"best\":[\"n0\"]}}";
    private static final String GROUP =
            "{\"name\":\"two pods at least\",\"featureGates\":{\"GenericWorkload\":true},\"config\":"
                    + PROFILE.replace(
                            "{\"name\":\"NodeResourcesFit\"}",
                            "{\"name\":\"NodeResourcesFit\"},{\"name\":\"GangScheduling\"}")
                    + ",\"objects\":[" + NODE
                    + ",{\"apiVersion\":\"scheduling.k8s.io/v1beta1\",\"kind\":\"PodGroup\",\"metadata\":{\"name\":\"g\",\"namespace\":\"default\"},"
                    + "\"spec\":{\"schedulingPolicy\":{\"gang\":{\"minCount\":%d}}}},"
                    + POD.formatted("1")
                            .replace("\"spec\":{", "\"spec\":{\"schedulingGroup\":{\"podGroupName\":\"g\"},")
                    + "],\"group\":\"default/g\",\"expect\":%s}";
    private static final String PLACED = "{\"queued\":true,\"outcomes\":[{\"pods\":{\"default/p\":{\"node\":\"%s\"}},"
            + "\"conditions\":{\"PodGroup/default/g/PodGroupInitiallyScheduled\":{\"status\":\"True\",\"reason\":\"Scheduled\"}}}]}";
    private static final String KEPT_OUT = "{\"queued\":false,\"preEnqueue\":{\"default/p\":[{\"code\":"
            + "\"UnschedulableAndUnresolvable\",\"plugin\":\"GangScheduling\",\"reasons\":[\"waiting for minCount pods from a"
            + " gang to appear in scheduling queue\"]}]}}";
    private static final String HINT =
            "{\"name\":\"node added\",\"objects\":[" + NODE + "],\"pod\":" + POD.formatted("1")
                    + ",\"new\":" + NODE + ",\"expect\":{\"events\":[\"%s\"],\"hints\":{\"NodeResourcesFit\":\"Queue\","
                    + "\"NodeName\":\"Queue\",\"NodeUnschedulable\":\"Queue\",\"TaintToleration\":\"Queue\","
                    + "\"NodeAffinity\":\"Queue\",\"NodePorts\":\"Queue\"}}}";
    private static final String CONFIGURATION = "{\"name\":\"no parallelism\",\"yaml\":\"" + HEAD
            + "parallelism: 0\",\"expect\":{\"error\":\"parallelism: Invalid value: %d: should be greater than zero\"}}";
    private static final String STORAGE_CLASS = "{\"apiVersion\":\"storage.k8s.io/v1\",\"kind\":\"StorageClass\","
            + "\"metadata\":{\"name\":\"a\"},\"provisioner\":\"p\"";
    private static final String DEFAULTS = "{\"in\":" + STORAGE_CLASS + "},\"out\":" + STORAGE_CLASS
            + ",\"reclaimPolicy\":\"%s\",\"volumeBindingMode\":\"Immediate\"}}";
    private static final String RIGHT_DEFAULTS = DEFAULTS.formatted("Delete");
    private static final String WRONG_DEFAULTS = DEFAULTS.formatted("Retain");

    private static final String ADMISSION =
            "{\"objects\":[],\"create\":" + POD.formatted("1") + ",\"expect\":{\"refused\":\"%s\"}}";
    private static final String STORED_CLAIM = "{\"objects\":[],\"create\":{\"apiVersion\":\"v1\",\"kind\":"
            + "\"PersistentVolumeClaim\",\"metadata\":{\"name\":\"c\"}},\"expect\":{\"stored\":{\"apiVersion\":\"v1\","
            + "\"kind\":\"PersistentVolumeClaim\",\"metadata\":{\"name\":\"c\"},\"spec\":{\"volumeMode\":\"%s\"}}}}";

    private final List<CaseResult> results = new ArrayList<>();

    record Line(String name, VectorKind kind, String text, Correctness correctness) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Line> lines() {
        // 2 cores less 1 and 4 GiB less the 200 MiB that count for no request: (50 + 95) / 2
        return Stream.of(
                new Line("a decision", VectorKind.DECISION, DECISION.formatted(72, 72), Correctness.RIGHT),
                new Line("a wrong decision", VectorKind.DECISION, DECISION.formatted(73, 73), Correctness.WRONG),
                new Line("a group", VectorKind.GROUP, GROUP.formatted(1, PLACED.formatted("n0")), Correctness.RIGHT),
                new Line(
                        "a wrong group",
                        VectorKind.GROUP,
                        GROUP.formatted(1, PLACED.formatted("n1")),
                        Correctness.WRONG),
                new Line("a group that is kept out", VectorKind.GROUP, GROUP.formatted(2, KEPT_OUT), Correctness.RIGHT),
                new Line("a group that is not", VectorKind.GROUP, GROUP.formatted(1, KEPT_OUT), Correctness.WRONG),
                new Line("wrong events", VectorKind.HINT, HINT.formatted("NodeDelete"), Correctness.WRONG),
                new Line("a refusal", VectorKind.CONFIGURATION, CONFIGURATION.formatted(0), Correctness.RIGHT),
                new Line("defaults", VectorKind.DEFAULTS, RIGHT_DEFAULTS, Correctness.RIGHT),
                new Line("wrong defaults", VectorKind.DEFAULTS, WRONG_DEFAULTS, Correctness.WRONG),
                new Line("a new object", VectorKind.ADMISSION, STORED_CLAIM.formatted("Filesystem"), Correctness.RIGHT),
                new Line(
                        "a new object that is stored otherwise",
                        VectorKind.ADMISSION,
                        STORED_CLAIM.formatted("Block"),
                        Correctness.WRONG),
                new Line(
                        "a new object that is not refused",
                        VectorKind.ADMISSION,
                        ADMISSION.formatted("no"),
                        Correctness.WRONG),
                new Line(
                        "a case that cannot be read",
                        VectorKind.DECISION,
                        "{\"objects\":[],\"pod\":\"default/p\",\"expect\":{}}",
                        Correctness.WRONG));
    }

    @ParameterizedTest
    @MethodSource("lines")
    void recognizesKindsByTheirFieldsAndChecksThem(Line given) {
        ResultCounts counts = check(given.text());

        assertThat(counts.kinds()).containsExactly(given.kind());
        assertThat(results)
                .singleElement()
                .satisfies(result -> assertThat(result.correctness())
                        .as("%s", result.comparisons())
                        .isEqualTo(given.correctness()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"default-scheduler", "other"})
    void findsNothingWrongWithRightHints(String schedulerName) {
        check(HINT.formatted("NodeAdd")
                .replace("\"containers\"", "\"schedulerName\":\"" + schedulerName + "\",\"containers\""));

        assertThat(results)
                .singleElement()
                .satisfies(result -> assertThat(result.differences().stream().filter(found -> isRecorded(found)))
                        .isEmpty());
    }

    // The line above records some plugins only; which others answer depends on what is registered.
    private static boolean isRecorded(Comparison found) {
        return !found.expected().equals("not asked");
    }

    @Test
    void keepsTheOrderOfTheFile() {
        StringBuilder text = new StringBuilder();
        List<String> names = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            text.append("{\"name\":\"case ").append(i).append("\",").append(RIGHT_DEFAULTS.substring(1));
            text.append("\n");
            names.add("case " + i);
        }

        ResultCounts counts = check(text.toString());

        assertThat(counts.count(Correctness.RIGHT)).isEqualTo(200);
        assertThat(results).extracting(result -> result.vector().name()).isEqualTo(names);
    }

    @Test
    void readsCompressedFiles(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("some.jsonl.gz");
        Files.write(file, zipped(RIGHT_DEFAULTS + "\n\n" + WRONG_DEFAULTS + "\n"));

        ResultCounts counts =
                conformance().check(file.toString(), InputStream.nullInputStream(), name -> true, results::add);

        assertThat(counts.total()).isEqualTo(2);
        assertThat(results).extracting(result -> result.vector().name()).containsExactly("line 1", "line 3");
    }

    @Test
    void checksOnlyWhatIsWanted() {
        ResultCounts counts =
                conformance().check("-", stdin(RIGHT_DEFAULTS + "\n" + WRONG_DEFAULTS), "line 2"::equals, found -> {});

        assertThat(counts.total()).isEqualTo(1);
        assertThat(counts.count(Correctness.WRONG)).isEqualTo(1);
    }

    @Test
    void refusesWhatIsNoRecordedAnswer() {
        assertThatThrownBy(() -> check("{\"name\": \"x\"}"))
                .isInstanceOf(VectorException.class)
                .hasMessage(
                        "stdin:1: {\"name\": \"x\"} (expected: a decision, group, sequence, hint, configuration, defaults or admission vector)");
        assertThatThrownBy(() -> check("\n[1"))
                .isInstanceOf(VectorException.class)
                .hasMessageStartingWith("stdin:2: not JSON: ");
        assertThatThrownBy(() -> conformance().check("no/such/file", stdin(""), name -> true, results::add))
                .isInstanceOf(VectorException.class)
                .hasMessageStartingWith("no/such/file: no such file (expected: ");
    }

    @Test
    void reportsDifferencesAndSums() {
        StringWriter text = new StringWriter();
        ConformReport report = new ConformReport(new PrintWriter(text), 1);
        ResultCounts counts = conformance()
                .check(
                        "-",
                        stdin(String.join("\n", DECISION.formatted(73, 73), RIGHT_DEFAULTS, WRONG_DEFAULTS)),
                        name -> true,
                        report::result);
        report.file("some.jsonl", counts);
        report.summary();

        assertThat(text.toString().lines().map(String::stripTrailing))
                .containsExactly(
                        "fits: score n0 NodeResourcesFit: 72 (expected: 73) (and 1 more in this case)",
                        "and 1 more wrong (a larger --diffs shows them)",
                        "file                                     kind              right   wrong    open",
                        "some.jsonl                               decisions,defaults       1       2       0",
                        "1 right, 2 wrong");
    }

    @Test
    void showsACaseInFull() {
        StringWriter text = new StringWriter();
        ConformReport report = new ConformReport(new PrintWriter(text), 1);
        conformance().check("-", stdin(DECISION.formatted(73, 73)), name -> true, report::show);
        report.summary();

        assertThat(text.toString())
                .startsWith("fits (decisions)\n  config: {")
                .contains("\n  Node n0 {\"allocatable\":{\"cpu\":\"2\",")
                .contains("\n  pod: default/p\n")
                .containsPattern("DIFFERENT score n0 NodeResourcesFit +73 +72")
                .containsPattern("\n +feasible +n0 +n0\n");
    }

    private ResultCounts check(String text) {
        return conformance().check("-", stdin(text), name -> true, results::add);
    }

    private static Conformance conformance() {
        return new Conformance(PluginRegistry.of(KubeSchedulerPlugins.all()));
    }

    private static InputStream stdin(String text) {
        return new ByteArrayInputStream(text.getBytes(UTF_8));
    }

    private static byte[] zipped(String text) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(bytes)) {
            out.write(text.getBytes(UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }
}
