// SPDX-License-Identifier: Apache-2.0
package org.moorage.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.moorage.api.plugin.Problems.Problem;
import org.moorage.builtin.dra.KubeSchedulerPlugins;
import org.moorage.config.ConfigLoader;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.conformance.CaseResult.Correctness;
import org.moorage.conformance.RecordedError.Field;

final class ConfigurationCheckTest {
    private static final JsonMapper JSON = new JsonMapper();
    private static final PluginRegistry REGISTRY = PluginRegistry.of(KubeSchedulerPlugins.all());
    private static final String HEAD = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n";

    record Text(String error, List<Field> fields) {
        @Override
        public String toString() {
            return error;
        }
    }

    static Stream<Text> texts() {
        return Stream.of(
                new Text(
                        "parallelism: Invalid value: -1: should be an integer value greater than zero",
                        List.of(new Field("parallelism", "-1"))),
                new Text(
                        "profiles[0].plugins.filter.enabled[0]: Invalid value: \"EBSLimits\": was invalid",
                        List.of(new Field("profiles[0].plugins.filter.enabled[0]", "EBSLimits"))),
                new Text(
                        "[a.b: Invalid value: 0: too small, a.c: Required value]",
                        List.of(new Field("a.b", "0"), new Field("a.c", ""))),
                new Text(
                        "profiles[1].plugins.queueSort: Invalid value: {\"Enabled\":[]}: must be the same",
                        List.of(new Field("profiles[1].plugins.queueSort", ""))),
                new Text(
                        "strict decoding error: unknown field \"profiles[0].pluggins\"",
                        List.of(new Field("profiles[0].pluggins", ""))),
                new Text(
                        "yaml: unmarshal errors:\n  line 4: key \"parallelism\" already set in map",
                        List.of(new Field("parallelism", ""))),
                new Text("ScorePlugin \"NoSuch\" does not exist", List.of(new Field("", "NoSuch"))),
                new Text(
                        "no kind \"KubeSchedulerConfiguration\" is registered for version \"x/v9\" in scheme",
                        List.of(new Field("apiVersion", "x/v9"))),
                new Text(
                        "no kind \"Scheduler\" is registered for version \"x/v1\" in scheme",
                        List.of(new Field("kind", "Scheduler"))),
                new Text("Object 'Kind' is missing in 'a'", List.of(new Field("kind", ""))),
                new Text("time: invalid duration \"soon\"", List.of(new Field("", "soon"))),
                new Text(
                        "json: cannot unmarshal string into Go struct field X.parallelism of type int32",
                        List.of(new Field("parallelism", ""))),
                new Text("yaml: line 3: did not find expected node content", List.of()));
    }

    @ParameterizedTest
    @MethodSource("texts")
    void readsTheFieldsOfAnError(Text given) {
        assertThat(RecordedError.of(given.error()).fields()).containsExactlyInAnyOrderElementsOf(given.fields());
    }

    record Answer(String name, String path, String message, Field field, boolean isAbout) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Answer> answers() {
        Field weight = new Field("args.weight", "101");
        return Stream.of(
                new Answer("same path and value", "args.weight", "101 (expected: 0 to 100)", weight, true),
                new Answer(
                        "with the path around it", "profiles[0].args.weight", "101 (expected: 0 to 100)", weight, true),
                new Answer("more precise", "args.weight.value", "101 (expected: 0 to 100)", weight, true),
                new Answer("another path", "args.weights", "101 (expected: 0 to 100)", weight, false),
                new Answer("the end of another name", "xargs.weight", "101 (expected: 0 to 100)", weight, false),
                new Answer("without the value", "args.weight", "too large (expected: 0 to 100)", weight, false),
                new Answer("another value", "args.weight", "1010 (expected: 0 to 100)", weight, false),
                new Answer("a name anywhere", "a[0].name", "\"NoSuch\"", new Field("", "NoSuch"), true));
    }

    @ParameterizedTest
    @MethodSource("answers")
    void findsTheSameFieldInOurs(Answer given) {
        List<String> values = given.field().value().isEmpty()
                ? List.of()
                : List.of(given.field().value());

        assertThat(RecordedError.isAbout(new Problem(given.path(), given.message()), given.field(), values))
                .isEqualTo(given.isAbout());
    }

    private static ObjectNode defaults() {
        return new ObjectMapper().valueToTree(ConfigLoader.defaults(REGISTRY).effective());
    }

    @Test
    void ownCompletedFormIsRight() {
        ObjectNode vector = vector(HEAD);
        vector.withObject("/expect").set("config", defaults());

        assertThat(result(vector).correctness()).isEqualTo(Correctness.RIGHT);
    }

    @Test
    void anotherCompletedFormIsWrong() {
        ObjectNode vector = vector(HEAD);
        ObjectNode effective = defaults();
        effective.put("parallelism", 17);
        vector.withObject("/expect").set("config", effective);

        assertThat(result(vector).differences()).singleElement().hasToString("parallelism: 16 (expected: 17)");
    }

    @Test
    void acceptingWhatIsRefusedIsWrong() {
        ObjectNode vector = vector(HEAD);
        vector.withObject("/expect").put("error", "it is refused");

        assertThat(result(vector).differences())
                .singleElement()
                .hasToString("configuration: accepted (expected: refused: it is refused)");
    }

    @Test
    void refusingWhatIsAcceptedIsWrong() {
        ObjectNode vector = vector(HEAD + "parallelism: 0\n");
        vector.withObject("/expect").set("config", defaults());

        assertThat(result(vector).correctness()).isEqualTo(Correctness.WRONG);
    }

    @Test
    void refusingForTheSameReasonIsRight() {
        ObjectNode vector = vector(HEAD + "parallelism: -3\n");
        vector.withObject("/expect").put("error", "parallelism: Invalid value: -3: should be greater than zero");

        assertThat(result(vector).correctness()).isEqualTo(Correctness.RIGHT);
    }

    @Test
    void refusingForAnotherReasonIsWrong() {
        ObjectNode vector = vector(HEAD + "parallelism: -3\n");
        vector.withObject("/expect").put("error", "podMaxBackoffSeconds: Invalid value: -3: is too small");

        assertThat(result(vector).correctness()).isEqualTo(Correctness.WRONG);
    }

    private static ObjectNode vector(String yaml) {
        ObjectNode vector = JSON.createObjectNode().put("name", "a case").put("yaml", yaml);
        vector.putObject("expect");
        return vector;
    }

    private static CaseResult result(ObjectNode vector) {
        return new CaseResult(
                new Vector("a case", VectorKind.CONFIGURATION, vector), new ConfigurationCheck(REGISTRY).check(vector));
    }
}
