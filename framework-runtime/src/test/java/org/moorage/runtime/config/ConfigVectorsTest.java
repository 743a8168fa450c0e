// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.config;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.moorage.api.plugin.Plugin;
import org.moorage.api.plugin.Problems;
import org.moorage.runtime.internal.profile.ProfilePlugins;

/** What kube-scheduler said about configurations: {@code vectors.jsonl} is conformance's {@code config.jsonl}. */
class ConfigVectorsTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Map<String, Plugin> PLUGINS = SamplePlugins.byName(SamplePlugins.instances());

    // Refused by the plugins' own checks of their arguments, which these plugins do not have.
    private static final Set<String> FOR_THE_PLUGINS = Set.of(
            "preemption percent over 100",
            "preemption both zero",
            "bind timeout negative",
            "spread list with system",
            "spread skew zero",
            "spread no key",
            "spread bad action",
            "spread duplicate",
            "spread with selector",
            "fit weight over 100",
            "fit shape unsorted",
            "balanced weight not one",
            "added affinity bad operator");

    // "profiles[0].plugins.queueSort: Invalid value: ..."; several are in brackets, and an unknown field is quoted.
    private static final Pattern FIELD = Pattern.compile(
            "(?:^|\\[|, |\"NodeResourcesFit\": )([a-z][A-Za-z]*(?:\\[\\d+])?(?:\\.[A-Za-z]+(?:\\[\\d+])?)*):"
                    + " (?:Invalid|Unsupported|Duplicate|Required|Forbidden)|unknown field \"([^\"]+)\"");
    private static final Pattern VALUE = Pattern.compile("(?:Invalid|Unsupported|Duplicate) value: \"?([^\":{]+)\"?");

    record Vector(String name, String yaml, JsonNode expect) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Vector> accepted() {
        return vectors().filter(vector -> vector.expect.has("config"));
    }

    static Stream<Vector> refused() {
        return vectors().filter(vector -> vector.expect.has("error") && !FOR_THE_PLUGINS.contains(vector.name));
    }

    private static Stream<Vector> vectors() {
        try (InputStream in = ConfigVectorsTest.class.getResourceAsStream("vectors.jsonl")) {
            List<Vector> vectors = new ArrayList<>();
            for (String line : new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .toList()) {
                JsonNode vector = JSON.readTree(line);
                vectors.add(new Vector(
                        vector.path("name").asText(), vector.path("yaml").asText(), vector.path("expect")));
            }
            return vectors.stream();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    @ParameterizedTest
    @MethodSource("accepted")
    void isCompletedAsKubeSchedulerCompletesIt(Vector vector) {
        LoadedConfig loaded = ConfigLoader.load(vector.yaml, "scheduler.yaml", SamplePlugins.all());

        assertThat(loaded.effective()).isEqualTo(vector.expect.path("config"));
        assertThat(loaded.missingPlugins()).isEmpty();
        Problems problems = Problems.collector();
        for (int i = 0; i < loaded.config().profiles().size(); i++) {
            ProfilePlugins.expand(
                    loaded.config().profiles().get(i),
                    PLUGINS,
                    problems.at("profiles").at(i));
        }
        assertThat(problems.all()).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("accepted")
    void isReadAgainAsItIsPrinted(Vector vector) {
        LoadedConfig loaded = ConfigLoader.load(vector.yaml, "scheduler.yaml", SamplePlugins.all());

        String printed = ConfigPrinter.print(loaded);

        assertThat(ConfigLoader.load(printed, "printed", SamplePlugins.all()).effective())
                .as(printed)
                .isEqualTo(loaded.effective());
    }

    @ParameterizedTest
    @MethodSource("refused")
    void isRefusedForTheSameFieldAndValue(Vector vector) {
        List<Problems.Problem> problems = problems(vector.yaml);
        String error = vector.expect.path("error").asText();

        assertThat(problems).as(error).isNotEmpty();
        Matcher field = FIELD.matcher(error);
        while (field.find()) {
            String path = (field.group(1) == null ? field.group(2) : field.group(1));
            assertThat(problems)
                    .anySatisfy(problem -> assertThat(problem.path()).endsWith(path));
        }
        Matcher value = VALUE.matcher(error);
        while (value.find()) {
            assertThat(problems.toString()).contains(value.group(1).strip());
        }
    }

    // As a caller does: what the loader finds, and then what only shows when the plugins are there.
    private static List<Problems.Problem> problems(String yaml) {
        Problems problems = Problems.collector();
        SchedulerConfig config;
        try {
            config = ConfigLoader.load(yaml, "scheduler.yaml", SamplePlugins.all())
                    .config();
        } catch (ConfigException refused) {
            return refused.problems();
        }
        List<ProfilePlugins> profiles = new ArrayList<>();
        for (int i = 0; i < config.profiles().size(); i++) {
            profiles.add(ProfilePlugins.expand(
                    config.profiles().get(i), PLUGINS, problems.at("profiles").at(i)));
        }
        ProfilePlugins.checkSameQueueSort(config.profiles(), profiles, problems);
        return problems.all();
    }
}
