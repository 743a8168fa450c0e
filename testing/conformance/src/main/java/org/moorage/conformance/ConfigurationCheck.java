// SPDX-License-Identifier: Apache-2.0
package org.moorage.conformance;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.moorage.api.plugin.Problems.Problem;
import org.moorage.config.ConfigException;
import org.moorage.config.ConfigLoader;
import org.moorage.config.LoadedConfig;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.runtime.Scheduler;
import org.moorage.simulation.cluster.InMemoryCluster;

/** Checks the completed form of a configuration, or that it is rejected. */
final class ConfigurationCheck implements VectorCheck {
    private static final YAMLMapper YAML = new YAMLMapper();
    private static final int SHOWN = 100;
    private static final String ACCEPTED = "accepted";
    // kube-scheduler rejects its old formats; Moorage may accept them.
    private static final Pattern EARLIER_FORMAT = Pattern.compile("kubescheduler\\.config\\.k8s\\.io/v1beta[1-3]\\b");

    private final PluginRegistry registry;

    ConfigurationCheck(PluginRegistry registry) {
        this.registry = registry;
    }

    @Override
    public List<Comparison> check(ObjectNode vector) {
        String yaml = vector.path("yaml").asText();
        JsonNode expect = vector.path("expect");
        Comparisons comparisons = new Comparisons();
        LoadedConfig loaded;
        try {
            loaded = ConfigLoader.load(yaml, "configuration", registry, Conformance.features(vector));
            // Some errors are found only when the plugins are created.
            Scheduler.builder(loaded, registry, new InMemoryCluster())
                    .bindingExecutor(Runnable::run)
                    .build()
                    .close();
        } catch (ConfigException refused) {
            if (expect.has("config")) {
                comparisons.add("configuration", ACCEPTED, describe(refused.problems()), false);
            } else {
                compare(comparisons, expect.path("error").asText(), refused.problems(), yaml);
            }
            return comparisons.all();
        }
        Set<String> unread = unread(loaded, yaml);
        if (expect.has("config")) {
            compare(comparisons, expect.path("config"), loaded, unread);
        } else {
            compareAccepted(comparisons, expect.path("error").asText(), yaml, unread);
        }
        return comparisons.all();
    }

    // The arguments of a missing plugin are not read.
    private static Set<String> unread(LoadedConfig loaded, String yaml) {
        Set<String> unread = new TreeSet<>();
        for (String plugin : loaded.missingPlugins()) {
            if (yaml.contains("name: " + plugin)) {
                unread.add(plugin);
            }
        }
        return unread;
    }

    private static void compareAccepted(Comparisons comparisons, String error, String yaml, Set<String> unread) {
        String expected = "refused: " + error;
        if (unread.isEmpty()) {
            comparisons.add(
                    "configuration",
                    expected,
                    ACCEPTED,
                    EARLIER_FORMAT.matcher(yaml).find());
        }
        for (String plugin : unread) {
            comparisons.open("configuration", plugin, expected, ACCEPTED);
        }
    }

    /** Compares a refusal: Moorage's problems must name the fields and values that kube-scheduler's error names. */
    static void compare(Comparisons comparisons, String error, List<Problem> problems, String yaml) {
        RecordedError recordedError = RecordedError.of(error);
        String got = describe(problems);
        if (recordedError.fields().isEmpty()) {
            comparisons.add("refusal", error, got, true);
        }
        for (RecordedError.Field field : recordedError.fields()) {
            List<String> values = values(yaml, field);
            boolean isNamed = problems.stream().anyMatch(problem -> RecordedError.isAbout(problem, field, values));
            comparisons.add("refusal", field.toString(), got, isNamed);
        }
    }

    // kube-scheduler's error may have a sentence or another field's value in place of the value.
    private static List<String> values(String yaml, RecordedError.Field field) {
        List<String> values = new ArrayList<>();
        List<String> candidates =
                field.value().isEmpty() ? List.of() : List.of(field.value(), scalarAt(yaml, field.path()));
        for (String value : candidates) {
            if (!value.isEmpty() && yaml.contains(value)) {
                values.add(value);
            }
        }
        return values;
    }

    static String describe(List<Problem> problems) {
        List<String> texts = new ArrayList<>();
        for (Problem problem : problems) {
            texts.add(problem.toString());
        }
        return String.join("; ", texts);
    }

    private static String scalarAt(String yaml, String path) {
        JsonNode value;
        try {
            value = YAML.readTree(yaml);
        } catch (JsonProcessingException notYaml) {
            return "";
        }
        for (String step : path.replace("[", ".[").split("\\.")) {
            value = step.startsWith("[")
                    ? value.path(Integer.parseInt(step.substring(1, step.length() - 1)))
                    : value.path(step);
        }
        return value.isValueNode() ? value.asText() : "";
    }

    private static void compare(Comparisons comparisons, JsonNode expected, LoadedConfig loaded, Set<String> unread) {
        Set<String> missing = Set.copyOf(loaded.missingPlugins());
        List<Comparison> before = comparisons.all();
        compareAt(
                "",
                withoutArgsOf(missing, expected),
                withoutArgsOf(missing, YAML.valueToTree(loaded.effective())),
                comparisons);
        if (comparisons.all().size() == before.size()) {
            comparisons.add("configuration", "as kube-scheduler completes it", "the same", true);
        }
        for (String plugin : unread) {
            comparisons.open("arguments of " + plugin, plugin, "as kube-scheduler completes them", "not read");
        }
    }

    private static JsonNode withoutArgsOf(Set<String> plugins, JsonNode config) {
        JsonNode copy = config.deepCopy();
        for (JsonNode profile : copy.path("profiles")) {
            if (profile.path("pluginConfig") instanceof ArrayNode entries) {
                for (int i = entries.size() - 1; i >= 0; i--) {
                    if (plugins.contains(entries.path(i).path("name").asText())) {
                        entries.remove(i);
                    }
                }
            }
        }
        return copy;
    }

    private static void compareAt(String path, JsonNode expected, JsonNode got, Comparisons comparisons) {
        if (expected.isObject() && got.isObject()) {
            Set<String> fields = new TreeSet<>();
            expected.fieldNames().forEachRemaining(fields::add);
            got.fieldNames().forEachRemaining(fields::add);
            for (String field : fields) {
                compareAt(
                        path.isEmpty() ? field : path + "." + field,
                        expected.path(field),
                        got.path(field),
                        comparisons);
            }
        } else if (expected.isArray() && got.isArray() && expected.size() == got.size()) {
            for (int i = 0; i < expected.size(); i++) {
                compareAt(path + "[" + i + "]", expected.path(i), got.path(i), comparisons);
            }
        } else if (!meansTheSame(expected, got)) {
            comparisons.add(path, shown(expected), shown(got), false);
        }
    }

    private static boolean meansTheSame(JsonNode expected, JsonNode got) {
        if (expected.isNumber() && got.isNumber()) {
            return expected.decimalValue().compareTo(got.decimalValue()) == 0;
        }
        // kube-scheduler prints some unset fields as null and omits others.
        return expected.equals(got) || isAbsent(expected) && isAbsent(got);
    }

    private static boolean isAbsent(JsonNode value) {
        return value.isNull() || value.isMissingNode();
    }

    private static String shown(JsonNode value) {
        return value instanceof MissingNode ? "absent" : JsonText.cut(value.toString(), SHOWN);
    }
}
