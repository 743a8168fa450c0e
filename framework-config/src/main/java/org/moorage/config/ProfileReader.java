// SPDX-License-Identifier: Apache-2.0
package org.moorage.config;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import org.moorage.api.plugin.ExtensionPoint;
import org.moorage.api.plugin.FeatureGates;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.Problems;
import org.moorage.config.internal.ConfigFormat;
import org.moorage.config.internal.Section;
import org.moorage.config.internal.Suggestion;
import org.moorage.config.plugin.DefaultPlugins;
import org.moorage.config.plugin.EnabledPlugin;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.config.plugin.PluginSet;
import org.moorage.config.plugin.Substitutes;
import org.moorage.config.plugin.UnknownPlugins;

/** Reads one profile: merges its plugins with the default ones, completes the arguments, and checks both. */
final class ProfileReader {
    private static final String FIT = "NodeResourcesFit";
    private static final String MULTI_POINT = "multiPoint";
    private static final String REMOVED = "a plugin that kube-scheduler still has";
    private static final String REGISTERED = " (expected: a registered plugin; --plugin-dir adds those of jars)";

    private final String name;
    private final Section profile;
    private final PluginRegistry registry;
    private final FeatureGates features;
    private final UnknownPlugins unknown;
    private final Set<String> missing;
    private final List<String> warnings;
    private final Map<String, List<String>> leftOut = new LinkedHashMap<>();

    private final OptionalInt percentage;
    private final Map<ExtensionPoint, PluginSet> plugins = new EnumMap<>(ExtensionPoint.class);
    private final PluginSet multiPoint;
    private final Problems queueSortAt;
    private final Map<String, PluginArguments> argumentsByPlugin = new LinkedHashMap<>();

    /**
     * Reads the profile.
     *
     * @param unknown what happens to plugins that are not registered
     * @param missing where to add the plugins of kube-scheduler that are not registered
     * @param warnings where to add what has no effect
     */
    ProfileReader(
            String name,
            Section profile,
            PluginRegistry registry,
            FeatureGates features,
            UnknownPlugins unknown,
            Set<String> missing,
            List<String> warnings) {
        this.name = name;
        this.profile = profile;
        this.registry = registry;
        this.features = features;
        this.unknown = unknown;
        this.missing = missing;
        this.warnings = warnings;
        percentage = profile.optionalInteger("percentageOfNodesToScore");
        percentage.ifPresent(percent -> ConfigReader.checkPercentage(percent, profile.at("percentageOfNodesToScore")));
        Section sets = profile.child("plugins");
        Map<ExtensionPoint, NamedPlugins> named = new EnumMap<>(ExtensionPoint.class);
        for (ExtensionPoint point : ExtensionPoint.values()) {
            named.put(point, named(sets, point.field()));
        }
        NamedPlugins everywhere = named(sets, MULTI_POINT);
        sets.finish();
        warnOfLeftOut();
        for (ExtensionPoint point : ExtensionPoint.values()) {
            NamedPlugins ofPoint = Objects.requireNonNull(named.get(point));
            DefaultPlugins.required(point).ifPresent(plugin -> require(plugin, point, ofPoint, everywhere));
            plugins.put(point, pluginSet(ofPoint, List.of()));
        }
        multiPoint = pluginSet(everywhere, DefaultPlugins.multiPoint(features));
        queueSortAt = sets.at(ExtensionPoint.QUEUE_SORT.field());
        if (queueSort().enabled().size() > 1) {
            queueSortAt.at("enabled").invalid(queueSort().enabled().size() + " plugins", "at most one");
        }
        readArguments();
        addDefaultArguments();
        profile.finish();
    }

    /** Reports a queue that is sorted in another way than in the first profile: there is one queue for all. */
    void checkQueueSort(ProfileReader first) {
        if (!queueSort().equals(first.queueSort())) {
            queueSortAt.invalid(shown(queueSort()), "the same for all profiles, that is " + shown(first.queueSort()));
        }
    }

    /** Has NodeResourcesFit leave these resources alone, and no others. */
    void ignoreResources(List<String> resources, String origin) {
        PluginArguments fit = argumentsByPlugin.get(FIT);
        if (fit == null) {
            profile.at("pluginConfig")
                    .missing(
                            "arguments of " + FIT + ", for the resources that extenders have ignored by the scheduler");
            return;
        }
        fit.ignoreResources(resources, origin);
    }

    /** Checks all arguments, and gives the profile. */
    ProfileConfig finish(Map<String, String> originByPath) {
        Map<String, PluginArgs> args = new LinkedHashMap<>();
        ArrayNode list = profile.effective().arrayNode();
        for (PluginArguments arguments : argumentsByPlugin.values()) {
            arguments.finish(originByPath);
            list.add(arguments.entry());
            arguments.bound().ifPresent(bound -> args.put(arguments.plugin(), bound));
        }
        if (!list.isEmpty()) {
            profile.effective().set("pluginConfig", list);
        }
        for (EnabledPlugin plugin : enabled()) {
            // All others have an entry.
            if (!argumentsByPlugin.containsKey(plugin.name())
                    && registry.find(plugin.name()).isPresent()) {
                args.put(plugin.name(), PluginArgs.None.DEFAULTS);
            }
        }
        Map<ExtensionPoint, PluginSet> usable = new EnumMap<>(ExtensionPoint.class);
        plugins.forEach((point, set) -> usable.put(point, usable(set, args)));
        return new ProfileConfig(name, percentage, usable, usable(multiPoint, args), args);
    }

    // Without the plugins that a problem was reported about, so that nothing else is said of them.
    private PluginSet usable(PluginSet set, Map<String, PluginArgs> args) {
        List<EnabledPlugin> usable = new ArrayList<>(set.enabled());
        usable.removeIf(plugin -> !args.containsKey(plugin.name())
                && (registry.find(plugin.name()).isPresent() || !DefaultPlugins.knows(plugin.name())));
        return usable.size() == set.enabled().size() ? set : new PluginSet(usable, set.disabled());
    }

    private PluginSet queueSort() {
        return plugins.getOrDefault(ExtensionPoint.QUEUE_SORT, PluginSet.EMPTY);
    }

    private static String shown(PluginSet set) {
        List<String> enabled = new ArrayList<>();
        for (EnabledPlugin plugin : set.enabled()) {
            enabled.add(plugin.name());
        }
        return "enabled " + enabled + ", disabled " + set.disabled();
    }

    /** Every plugin that is enabled anywhere in the profile. */
    private List<EnabledPlugin> enabled() {
        List<EnabledPlugin> enabled = new ArrayList<>(multiPoint.enabled());
        for (PluginSet set : plugins.values()) {
            enabled.addAll(set.enabled());
        }
        return enabled;
    }

    /** The plugins that the configuration names at an extension point, or at {@code multiPoint}. */
    private static final class NamedPlugins {
        private final Section set;
        private final List<Entry> enabled = new ArrayList<>();
        private final List<Entry> disabled = new ArrayList<>();
        private boolean lacksSome;

        NamedPlugins(Section set) {
            this.set = set;
        }

        boolean enables(String plugin) {
            return enabled.stream().anyMatch(entry -> entry.plugin.name().equals(plugin));
        }

        boolean disables(String plugin) {
            return new PluginSet(List.of(), names(disabled)).disables(plugin);
        }
    }

    private NamedPlugins named(Section sets, String field) {
        NamedPlugins named = new NamedPlugins(sets.child(field));
        for (Section item : named.set.items("enabled")) {
            EnabledPlugin plugin = new EnabledPlugin(item.textUnlessBlank("name", ""), item.integer("weight", 0));
            item.finish();
            if (isTaken(plugin.name(), item, field)) {
                named.enabled.add(new Entry(plugin, item.origin()));
            } else {
                named.lacksSome = true;
            }
        }
        for (Section item : named.set.items("disabled")) {
            // A weight has no meaning here; kube-scheduler takes it and drops it.
            item.integer("weight", 0);
            EnabledPlugin plugin = new EnabledPlugin(item.textUnlessBlank("name", ""), 0);
            item.finish();
            checkMentioned(plugin.name(), item, "disables nothing");
            named.disabled.add(new Entry(plugin, item.origin()));
        }
        named.set.finish();
        return named;
    }

    // Each profile needs a plugin that sorts the queue and one that binds pods; the configured one may be unknown.
    private void require(String plugin, ExtensionPoint point, NamedPlugins ofPoint, NamedPlugins everywhere) {
        boolean isByDefault = (everywhere.enables(plugin) || !everywhere.disables(plugin)) && !ofPoint.disables(plugin);
        boolean mayHaveOther = !ofPoint.enabled.isEmpty()
                || everywhere.enabled.stream().anyMatch(entry -> !DefaultPlugins.knows(entry.plugin.name()));
        if (isByDefault || mayHaveOther || !(ofPoint.lacksSome || everywhere.lacksSome)) {
            return;
        }
        ofPoint.disabled.clear();
        everywhere.disabled.removeIf(entry -> entry.plugin.name().equals(plugin));
        if (!everywhere.enables(plugin) && everywhere.disables(plugin)) {
            everywhere.enabled.add(0, new Entry(new EnabledPlugin(plugin, 0), ConfigFormat.DEFAULT_ORIGIN));
        }
        if (unknown == UnknownPlugins.KEPT) {
            return;
        }
        warnings.add(profile.origin() + ": " + profile.name("plugins") + ": " + plugin + " is enabled at "
                + point.field() + ", where profile \"" + name + "\" needs a plugin");
    }

    private void warnOfLeftOut() {
        if (leftOut.isEmpty()) {
            return;
        }
        List<String> plugins = new ArrayList<>();
        leftOut.forEach((plugin, points) -> plugins.add(plugin + " (" + String.join(", ", points) + ")"));
        warnings.add(profile.origin() + ": " + profile.name("plugins") + ": profile \"" + name + "\" "
                + (unknown == UnknownPlugins.KEPT
                        ? "names plugins that are not registered: "
                        : "is taken without plugins that" + " are not registered: ")
                + String.join(", ", plugins));
        Map<String, List<String>> pluginsByHint = new LinkedHashMap<>();
        for (String plugin : leftOut.keySet()) {
            Substitutes.of(plugin)
                    .ifPresent(hint -> pluginsByHint
                            .computeIfAbsent(hint, any -> new ArrayList<>())
                            .add(plugin));
        }
        pluginsByHint.forEach((hint, named) -> warnings.add(profile.origin() + ": " + profile.name("plugins") + ": "
                + String.join(", ", named) + ": " + hint + " (" + Substitutes.PAGE + ")"));
    }

    private PluginSet pluginSet(NamedPlugins named, List<EnabledPlugin> defaults) {
        List<String> disabled = names(named.disabled);
        List<Entry> merged = merged(defaults, named.enabled, new PluginSet(List.of(), disabled));
        write(named.set, "enabled", merged);
        write(named.set, "disabled", named.disabled);
        List<EnabledPlugin> enabled = new ArrayList<>();
        for (Entry entry : merged) {
            enabled.add(entry.plugin);
            if (registry.find(entry.plugin.name()).isEmpty() && DefaultPlugins.knows(entry.plugin.name())) {
                missing.add(entry.plugin.name());
            }
        }
        return new PluginSet(enabled, disabled);
    }

    /**
     * The defaults that are not disabled, then the other wanted ones. A default that is also wanted stays where it is
     * and takes the wanted weight; if it is wanted several times, the last one counts and the others are added.
     */
    private static List<Entry> merged(List<EnabledPlugin> defaults, List<Entry> wanted, PluginSet disabling) {
        List<Entry> merged = new ArrayList<>();
        List<Entry> others = new ArrayList<>(wanted);
        for (EnabledPlugin plugin : defaults) {
            if (disabling.disables(plugin.name())) {
                continue;
            }
            Entry entry = new Entry(plugin, ConfigFormat.DEFAULT_ORIGIN);
            for (int i = others.size() - 1; i >= 0; i--) {
                if (others.get(i).plugin.name().equals(plugin.name())) {
                    entry = others.remove(i);
                    break;
                }
            }
            merged.add(entry);
        }
        merged.addAll(others);
        return merged;
    }

    private static void write(Section set, String field, List<Entry> entries) {
        ArrayNode list = set.effective().arrayNode();
        List<String> origins = new ArrayList<>();
        for (Entry entry : entries) {
            list.addObject().put("name", entry.plugin.name()).put("weight", entry.plugin.weight());
            origins.add(entry.origin);
        }
        set.write(field, list, origins);
    }

    private static List<String> names(List<Entry> entries) {
        return entries.stream().map(entry -> entry.plugin.name()).toList();
    }

    // Whether an enabled plugin stays in its list. A refused one does: that is one problem, not two.
    private boolean isTaken(String plugin, Section item, String field) {
        boolean isRemoved = DefaultPlugins.isRemoved(plugin) && !field.equals(MULTI_POINT);
        if (plugin.isEmpty()) {
            checkNamed(item);
            return true;
        }
        if (!isRemoved && (registry.find(plugin).isPresent() || DefaultPlugins.knows(plugin))) {
            return true;
        }
        if (unknown != UnknownPlugins.REFUSED) {
            leftOut.computeIfAbsent(plugin, any -> new ArrayList<>()).add(field);
            return false;
        }
        if (isRemoved) {
            item.problems().report("\"" + plugin + "\" (expected: " + REMOVED + ")" + hint(plugin));
        } else {
            item.at("name").report(unregistered(plugin));
        }
        return true;
    }

    // As for kube-scheduler, a name that is not registered does no harm here. One that is almost the name of a plugin
    // does:
    // the plugin then runs, or runs without these arguments.
    private void checkMentioned(String plugin, Section item, String effect) {
        if (plugin.isEmpty()) {
            checkNamed(item);
        } else if (!plugin.equals(PluginSet.ALL) && registry.find(plugin).isEmpty() && !DefaultPlugins.knows(plugin)) {
            String message = "\"" + plugin + "\" " + effect + REGISTERED
                    + suggestion(plugin)
                            .map(close -> ". " + Suggestion.question(close))
                            .orElse("");
            if (suggestion(plugin).isPresent() && unknown == UnknownPlugins.REFUSED) {
                item.at("name").report(message);
            } else {
                warnings.add(item.origin() + ": " + item.name("name") + ": " + message);
            }
        }
    }

    private static void checkNamed(Section item) {
        if (item.isBlank("name")) {
            item.at("name").missing("the name of a plugin");
        }
    }

    private String unregistered(String plugin) {
        return unregistered(plugin, suggestion(plugin));
    }

    /** The message about a plugin that is not registered. */
    static String unregistered(String plugin, Optional<String> suggestion) {
        return "\"" + plugin + "\"" + REGISTERED
                + suggestion.map(close -> ". " + Suggestion.question(close)).orElseGet(() -> hint(plugin));
    }

    private static String hint(String plugin) {
        return Substitutes.of(plugin)
                .map(hint -> ". Substitute: " + hint + " (" + Substitutes.PAGE + ").")
                .orElse("");
    }

    private Optional<String> suggestion(String plugin) {
        List<String> names = new ArrayList<>();
        registry.factories().forEach(factory -> names.add(factory.name()));
        DefaultPlugins.multiPoint(features).forEach(known -> names.add(known.name()));
        return Suggestion.closest(plugin, names);
    }

    private void readArguments() {
        for (Section item : profile.items("pluginConfig")) {
            String plugin = item.textUnlessBlank("name", "");
            JsonNode args = item.given("args");
            item.finish();
            if (DefaultPlugins.isRemoved(plugin) && unknown == UnknownPlugins.REFUSED) {
                item.problems().report("\"" + plugin + "\" (expected: " + REMOVED + ")" + hint(plugin));
                continue;
            }
            if (!leftOut.containsKey(plugin)) {
                checkMentioned(plugin, item, "has no effect");
            }
            if (registry.find(plugin).isEmpty() && DefaultPlugins.knows(plugin)) {
                missing.add(plugin);
            }
            PluginArguments arguments = new PluginArguments(
                    plugin, registry.find(plugin).orElse(null), item, item.effective(), item.at("args"), features);
            if (argumentsByPlugin.putIfAbsent(plugin, arguments) != null) {
                item.problems().invalid(plugin, "each plugin once");
                continue;
            }
            arguments.read(args);
        }
    }

    private void addDefaultArguments() {
        Map<String, PluginFactory<?>> sorted = new TreeMap<>();
        for (EnabledPlugin plugin : enabled()) {
            if (!argumentsByPlugin.containsKey(plugin.name())) {
                registry.find(plugin.name())
                        .filter(factory -> factory.argsType() != PluginArgs.None.class)
                        .ifPresent(factory -> sorted.put(factory.name(), factory));
            }
        }
        sorted.forEach((plugin, factory) -> {
            Problems at =
                    profile.at("pluginConfig").at(argumentsByPlugin.size()).at("args");
            ObjectNode entry = profile.effective().objectNode().put("name", plugin);
            PluginArguments arguments = new PluginArguments(plugin, factory, profile, entry, at, features);
            argumentsByPlugin.put(plugin, arguments);
            arguments.read(profile.effective().missingNode());
        });
    }

    private record Entry(EnabledPlugin plugin, String origin) {}
}
