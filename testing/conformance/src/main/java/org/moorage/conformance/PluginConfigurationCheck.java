// SPDX-License-Identifier: Apache-2.0
package org.moorage.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.moorage.api.event.ActionType;
import org.moorage.api.event.EventRegistration;
import org.moorage.api.plugin.Plugin;
import org.moorage.api.plugin.point.BindPlugin;
import org.moorage.api.plugin.point.EnqueueExtensions;
import org.moorage.api.plugin.point.FilterPlugin;
import org.moorage.api.plugin.point.PermitPlugin;
import org.moorage.api.plugin.point.PostBindPlugin;
import org.moorage.api.plugin.point.PostFilterPlugin;
import org.moorage.api.plugin.point.PreBindPlugin;
import org.moorage.api.plugin.point.PreEnqueuePlugin;
import org.moorage.api.plugin.point.PreFilterPlugin;
import org.moorage.api.plugin.point.PreScorePlugin;
import org.moorage.api.plugin.point.QueueSortPlugin;
import org.moorage.api.plugin.point.ReservePlugin;
import org.moorage.api.plugin.point.ScorePlugin;
import org.moorage.config.ConfigException;
import org.moorage.config.ConfigLoader;
import org.moorage.config.LoadedConfig;
import org.moorage.config.plugin.DefaultPlugins;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.runtime.Scheduler;
import org.moorage.simulation.cluster.InMemoryCluster;

/**
 * Checks a configuration of plugins that kube-scheduler does not have: the completed arguments, the events and the
 * extension points of the plugins, or that the configuration is rejected.
 */
final class PluginConfigurationCheck implements VectorCheck {
    private static final ObjectMapper JSON = new JsonMapper();
    private static final Map<String, Class<? extends Plugin>> POINTS = Map.ofEntries(
            Map.entry("PreEnqueue", PreEnqueuePlugin.class),
            Map.entry("QueueSort", QueueSortPlugin.class),
            Map.entry("PreFilter", PreFilterPlugin.class),
            Map.entry("Filter", FilterPlugin.class),
            Map.entry("PostFilter", PostFilterPlugin.class),
            Map.entry("PreScore", PreScorePlugin.class),
            Map.entry("Score", ScorePlugin.class),
            Map.entry("Reserve", ReservePlugin.class),
            Map.entry("Permit", PermitPlugin.class),
            Map.entry("PreBind", PreBindPlugin.class),
            Map.entry("Bind", BindPlugin.class),
            Map.entry("PostBind", PostBindPlugin.class));

    private static final Pattern OTHER_VERSION = Pattern.compile(
            "no kind \"[^\"]+\" is registered for version \"((?!kubescheduler\\.config\\.k8s\\.io/v1\")[^\"]+)\"");

    private final PluginRegistry registry;

    PluginConfigurationCheck(PluginRegistry registry) {
        this.registry = registry;
    }

    @Override
    public List<Comparison> check(ObjectNode vector) {
        String config = vector.path("config").toString();
        JsonNode expect = vector.path("expect");
        Comparisons comparisons = new Comparisons();
        CreatedPlugins created = new CreatedPlugins();
        PluginRegistry plugins = created.recordedFrom(registry);
        LoadedConfig loaded;
        try {
            loaded = ConfigLoader.load(config, "configuration", plugins, Conformance.features(vector));
            Scheduler.builder(loaded, plugins, new InMemoryCluster())
                    .bindingExecutor(task -> {})
                    .build()
                    .close();
        } catch (ConfigException refused) {
            if (expect.has("config")) {
                comparisons.add("configuration", "accepted", ConfigurationCheck.describe(refused.problems()), false);
            } else {
                ConfigurationCheck.compare(
                        comparisons, namingVersion(expect.path("refused").asText()), refused.problems(), config);
            }
            return comparisons.all();
        }
        if (expect.has("refused")) {
            comparisons.add(
                    "configuration", "refused: " + expect.path("refused").asText(), "accepted", false);
            return comparisons.all();
        }
        arguments(expect.path("config").path("args"), JSON.valueToTree(loaded.effective()), comparisons);
        for (CreatedPlugins.Created each : created.all()) {
            if (!DefaultPlugins.knows(each.plugin().name())) {
                extensionPoints(each.plugin(), expect.path("config").path("plugins"), comparisons);
                events(each.plugin(), expect.path("config").path("events"), comparisons);
            }
        }
        return comparisons.all();
    }

    // kube-scheduler's error names the kind even where only its version is wrong.
    private static String namingVersion(String error) {
        return OTHER_VERSION.matcher(error).replaceAll("apiVersion: Invalid value: \"$1\"");
    }

    private static void arguments(JsonNode expect, JsonNode effective, Comparisons comparisons) {
        Map<String, JsonNode> got = new TreeMap<>();
        for (JsonNode entry : effective.path("profiles").path(0).path("pluginConfig")) {
            got.put(entry.path("name").asText(), entry.path("args"));
        }
        for (Map.Entry<String, JsonNode> plugin : expect.properties()) {
            compare(
                    plugin.getKey(),
                    plugin.getValue(),
                    got.getOrDefault(plugin.getKey(), MissingNode.getInstance()),
                    comparisons);
        }
    }

    private static void compare(String path, JsonNode expected, JsonNode got, Comparisons comparisons) {
        if (expected.isObject() && !expected.isEmpty()) {
            Set<String> fields = new TreeSet<>();
            expected.fieldNames().forEachRemaining(fields::add);
            got.fieldNames().forEachRemaining(fields::add);
            for (String field : fields) {
                compare(path + "." + field, expected.path(field), got.path(field), comparisons);
            }
        } else if (expected.isArray() && got.isArray() && expected.size() == got.size()) {
            for (int i = 0; i < expected.size(); i++) {
                compare(path + "[" + i + "]", expected.path(i), got.path(i), comparisons);
            }
        } else {
            boolean same = expected.isNumber() && got.isNumber()
                    ? expected.decimalValue().compareTo(got.decimalValue()) == 0
                    : expected.equals(got) || isEmpty(expected) && isEmpty(got);
            comparisons.add(path, expected.toString(), got.toString(), same);
        }
    }

    // kube-scheduler prints some empty values and omits others.
    private static boolean isEmpty(JsonNode value) {
        return value.isMissingNode()
                || value.isNull()
                || value.isContainerNode() && value.isEmpty()
                || value.isTextual() && value.textValue().isEmpty()
                || value.isBoolean() && !value.booleanValue();
    }

    private static void extensionPoints(Plugin plugin, JsonNode expect, Comparisons comparisons) {
        Set<String> expected = new TreeSet<>();
        Set<String> got = new TreeSet<>();
        POINTS.forEach((point, type) -> {
            for (JsonNode enabled : expect.path(point).path("Enabled")) {
                if (enabled.path("Name").asText().equals(plugin.name())) {
                    expected.add(point);
                }
            }
            if (type.isInstance(plugin)) {
                got.add(point);
            }
        });
        comparisons.compare("extension points of " + plugin.name(), JsonText.names(expected), JsonText.names(got));
    }

    private static void events(Plugin plugin, JsonNode expect, Comparisons comparisons) {
        Set<String> expected = new TreeSet<>();
        for (JsonNode event : expect.path(plugin.name())) {
            expected.add(event.path("resource").asText() + "/"
                    + String.join("|", new TreeSet<>(JsonText.texts(event.path("actions")))));
        }
        if (!(plugin instanceof EnqueueExtensions extensions)) {
            // Any event retries a pod that it rejected; kube-scheduler records that as all actions of all resources.
            comparisons.compare(
                    "whether any event concerns " + plugin.name(),
                    "true",
                    String.valueOf(expected.stream().allMatch(event -> event.endsWith("/All"))));
            return;
        }
        Set<String> got = new TreeSet<>();
        for (EventRegistration registration : extensions.eventsToRegister()) {
            got.add(registration.event().resource().name() + "/" + String.join("|", actions(registration)));
        }
        comparisons.compare("events of " + plugin.name(), JsonText.names(expected), JsonText.names(got));
    }

    private static Set<String> actions(EventRegistration registration) {
        Set<ActionType> actions = registration.event().actions();
        if (actions.equals(ActionType.ALL)) {
            return Set.of("All");
        }
        Set<String> names = new TreeSet<>();
        for (ActionType action : actions) {
            names.add(
                    actions.containsAll(ActionType.UPDATE) && ActionType.UPDATE.contains(action)
                            ? "Update"
                            : action.toString());
        }
        return names;
    }
}
