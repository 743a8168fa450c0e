// SPDX-License-Identifier: Apache-2.0
package org.moorage.config;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.Problems;
import org.moorage.api.plugin.point.ExtensionPoint;
import org.moorage.config.internal.ConfigFormat;
import org.moorage.config.internal.RecordBinder;
import org.moorage.config.internal.Scalars;
import org.moorage.config.internal.Suggestion;
import org.moorage.config.plugin.DefaultPlugins;
import org.moorage.config.plugin.EnabledPlugin;
import org.moorage.config.plugin.PluginSet;
import org.moorage.config.plugin.Substitutes;
import org.moorage.config.plugin.UnknownPlugins;

/** Reads one profile: merges its plugins with the default ones, completes the arguments, and checks both. */
final class ProfileReader {
    private static final String FIT = "NodeResourcesFit";
    private static final String PLUGINS = "plugins";
    private static final String PLUGIN_CONFIG = "pluginConfig";
    private static final String MULTI_POINT = "multiPoint";
    private static final String REMOVED = "a plugin that kube-scheduler still has";
    private static final String REGISTERED = " (expected: a registered plugin; --plugin-dir adds those of jars)";

    private final String name;
    private final SchedulerSettings.Profile settings;
    private final Problems at;
    private final ReadContext context;
    private final ObjectNode effective;
    private final Map<String, List<String>> leftOut = new LinkedHashMap<>();
    private final Map<ExtensionPoint, PluginSet> plugins = new EnumMap<>(ExtensionPoint.class);
    private PluginSet multiPoint = PluginSet.EMPTY;
    private final Map<String, PluginArguments> argumentsByPlugin = new LinkedHashMap<>();

    /**
     * Creates a reader of a profile.
     *
     * @param at where the profile is
     */
    ProfileReader(String name, SchedulerSettings.Profile settings, Problems at, ReadContext context) {
        this.name = name;
        this.settings = settings;
        this.at = at;
        this.context = context;
        effective = RecordBinder.toTree(settings).put("schedulerName", name);
        effective.remove(List.of(PLUGINS, PLUGIN_CONFIG));
    }

    /** Returns the effective form of the profile: at first the settings other than plugins. */
    ObjectNode effective() {
        return effective;
    }

    /** Reads the plugins and their arguments. */
    void readPlugins() {
        JsonNode given = settings.plugins();
        if (!given.isMissingNode() && !given.isObject()) {
            Scalars.wrong(given, "an object", at.at(PLUGINS));
        }
        Set<String> fields = new LinkedHashSet<>();
        Map<ExtensionPoint, NamedPlugins> named = new EnumMap<>(ExtensionPoint.class);
        for (ExtensionPoint point : ExtensionPoint.configurable()) {
            fields.add(point.field());
            named.put(point, named(point.field()));
        }
        fields.add(MULTI_POINT);
        NamedPlugins everywhere = named(MULTI_POINT);
        context.binder().checkFields(given, fields, at.at(PLUGINS));
        warnOfLeftOut();
        ObjectNode sets = effective.putObject(PLUGINS);
        for (ExtensionPoint point : ExtensionPoint.configurable()) {
            NamedPlugins ofPoint = Objects.requireNonNull(named.get(point));
            DefaultPlugins.required(point).ifPresent(plugin -> require(plugin, point, ofPoint, everywhere));
            plugins.put(point, pluginSet(ofPoint, List.of(), sets.putObject(point.field())));
        }
        multiPoint = pluginSet(everywhere, DefaultPlugins.multiPoint(context.features()), sets.putObject(MULTI_POINT));
        if (queueSort().enabled().size() > 1) {
            queueSortAt().at("enabled").invalid(queueSort().enabled().size() + " plugins", "at most one");
        }
        readArguments();
        addDefaultArguments();
    }

    /** Reports a queue that is sorted in another way than in the first profile: there is one queue for all. */
    void checkQueueSort(ProfileReader first) {
        if (!queueSort().equals(first.queueSort())) {
            queueSortAt().invalid(shown(queueSort()), "the same for all profiles, that is " + shown(first.queueSort()));
        }
    }

    /** Makes NodeResourcesFit ignore these resources, and no others. */
    void ignoreResources(List<String> resources, String origin) {
        PluginArguments fit = argumentsByPlugin.get(FIT);
        if (fit == null) {
            at.at(PLUGIN_CONFIG)
                    .missing(
                            "arguments of " + FIT + ", for the resources that extenders have ignored by the scheduler");
            return;
        }
        fit.ignoreResources(resources, origin);
    }

    /** Validates all arguments, and returns the profile. */
    ProfileConfig finish() {
        Map<String, PluginArgs> args = new LinkedHashMap<>();
        ArrayNode list = effective.arrayNode();
        for (PluginArguments arguments : argumentsByPlugin.values()) {
            arguments.finish();
            list.add(arguments.entry());
            arguments.bound().ifPresent(bound -> args.put(arguments.plugin(), bound));
        }
        if (!list.isEmpty()) {
            effective.set(PLUGIN_CONFIG, list);
        }
        for (EnabledPlugin plugin : enabled()) {
            // All others have an entry.
            if (!argumentsByPlugin.containsKey(plugin.name()) && context.isRegistered(plugin.name())) {
                args.put(plugin.name(), PluginArgs.None.DEFAULTS);
            }
        }
        Map<ExtensionPoint, PluginSet> usable = new EnumMap<>(ExtensionPoint.class);
        plugins.forEach((point, set) -> usable.put(point, usable(set, args)));
        return new ProfileConfig(name, settings.percentageOfNodesToScore(), usable, usable(multiPoint, args), args);
    }

    // Without the plugins that a problem was reported about, so that no further problem of them is reported.
    private PluginSet usable(PluginSet set, Map<String, PluginArgs> args) {
        List<EnabledPlugin> usable = new ArrayList<>(set.enabled());
        usable.removeIf(plugin -> !args.containsKey(plugin.name())
                && (context.isRegistered(plugin.name()) || !DefaultPlugins.knows(plugin.name())));
        return usable.size() == set.enabled().size() ? set : new PluginSet(usable, set.disabled());
    }

    private PluginSet queueSort() {
        return plugins.getOrDefault(ExtensionPoint.QUEUE_SORT, PluginSet.EMPTY);
    }

    private Problems queueSortAt() {
        return at.at(PLUGINS).at(ExtensionPoint.QUEUE_SORT.field());
    }

    private static String shown(PluginSet set) {
        List<String> enabled = new ArrayList<>();
        for (EnabledPlugin plugin : set.enabled()) {
            enabled.add(plugin.name());
        }
        return "enabled " + enabled + ", disabled " + set.disabled();
    }

    /** Returns every plugin that is enabled anywhere in the profile. */
    private List<EnabledPlugin> enabled() {
        List<EnabledPlugin> enabled = new ArrayList<>(multiPoint.enabled());
        for (PluginSet set : plugins.values()) {
            enabled.addAll(set.enabled());
        }
        return enabled;
    }

    /** The plugins that the configuration names at an extension point, or at {@code multiPoint}. */
    private static final class NamedPlugins {
        private final Problems at;
        private final List<Entry> enabled = new ArrayList<>();
        private final List<Entry> disabled = new ArrayList<>();
        private boolean lacksSome;

        NamedPlugins(Problems at) {
            this.at = at;
        }

        boolean enables(String plugin) {
            return enabled.stream().anyMatch(entry -> entry.plugin.name().equals(plugin));
        }

        boolean disables(String plugin) {
            return new PluginSet(List.of(), names(disabled)).disables(plugin);
        }
    }

    private NamedPlugins named(String field) {
        NamedPlugins named = new NamedPlugins(at.at(PLUGINS).at(field));
        SchedulerSettings.Plugins given =
                context.binder().read(settings.plugins().path(field), SchedulerSettings.Plugins.class, named.at);
        for (int i = 0; i < given.enabled().size(); i++) {
            SchedulerSettings.NamedPlugin plugin = given.enabled().get(i);
            Problems item = named.at.at("enabled").at(i);
            if (isTaken(plugin.name(), item, field)) {
                named.enabled.add(entry(plugin.name(), plugin.weight(), item));
            } else {
                named.lacksSome = true;
            }
        }
        for (int i = 0; i < given.disabled().size(); i++) {
            String plugin = given.disabled().get(i).name();
            Problems item = named.at.at("disabled").at(i);
            checkMentioned(plugin, item, "disables nothing");
            named.disabled.add(entry(plugin, 0, item));
        }
        return named;
    }

    private Entry entry(String plugin, int weight, Problems item) {
        return new Entry(new EnabledPlugin(plugin, weight), origin(item));
    }

    private String origin(Problems item) {
        return context.tree().originOrDefault(item.path());
    }

    private void warn(Problems item, Problems field, String message) {
        context.warnings().add(origin(item) + ": " + context.tree().names().of(field.path()) + ": " + message);
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
        if (context.unknown() != UnknownPlugins.KEPT) {
            warnOfPlugins(
                    plugin + " is enabled at " + point.field() + ", where profile \"" + name + "\" needs a plugin");
        }
    }

    private void warnOfLeftOut() {
        if (leftOut.isEmpty()) {
            return;
        }
        List<String> plugins = new ArrayList<>();
        leftOut.forEach((plugin, points) -> plugins.add(plugin + " (" + String.join(", ", points) + ")"));
        warnOfPlugins("profile \"" + name + "\" "
                + (context.unknown() == UnknownPlugins.KEPT
                        ? "names plugins that are not registered: "
                        : "is taken without plugins that are not registered: ")
                + String.join(", ", plugins));
        Map<String, List<String>> pluginsByHint = new LinkedHashMap<>();
        for (String plugin : leftOut.keySet()) {
            Substitutes.of(plugin)
                    .ifPresent(hint -> pluginsByHint
                            .computeIfAbsent(hint, any -> new ArrayList<>())
                            .add(plugin));
        }
        pluginsByHint.forEach(
                (hint, named) -> warnOfPlugins(String.join(", ", named) + ": " + hint + " (" + Substitutes.PAGE + ")"));
    }

    private void warnOfPlugins(String message) {
        warn(at, at.at(PLUGINS), message);
    }

    private PluginSet pluginSet(NamedPlugins named, List<EnabledPlugin> defaults, ObjectNode set) {
        List<String> disabled = names(named.disabled);
        List<Entry> merged = merged(defaults, named.enabled, new PluginSet(List.of(), disabled));
        write(merged, set, "enabled", named.at);
        write(named.disabled, set, "disabled", named.at);
        List<EnabledPlugin> enabled = new ArrayList<>();
        for (Entry entry : merged) {
            enabled.add(entry.plugin);
            noteMissing(entry.plugin.name());
        }
        return new PluginSet(enabled, disabled);
    }

    private void noteMissing(String plugin) {
        if (!context.isRegistered(plugin) && DefaultPlugins.knows(plugin)) {
            context.missing().add(plugin);
        }
    }

    /**
     * Returns the defaults that are not disabled, then the other wanted ones. A default that is also wanted stays where
     * it is and takes the wanted weight; if it is wanted several times, the last one counts and the others are added.
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

    private void write(List<Entry> entries, ObjectNode set, String field, Problems setAt) {
        ArrayNode list = effective.arrayNode();
        for (Entry entry : entries) {
            context.originByPath().put(setAt.at(field).at(list.size()).path(), entry.origin);
            list.addObject().put("name", entry.plugin.name()).put("weight", entry.plugin.weight());
        }
        if (!list.isEmpty()) {
            set.set(field, list);
        }
    }

    private static List<String> names(List<Entry> entries) {
        return entries.stream().map(entry -> entry.plugin.name()).toList();
    }

    // Whether an enabled plugin stays in its list. A refused one does: that is one problem, not two.
    private boolean isTaken(String plugin, Problems item, String field) {
        boolean isRemoved = DefaultPlugins.isRemoved(plugin) && !field.equals(MULTI_POINT);
        if (plugin.isEmpty()) {
            checkNamed(item);
            return true;
        }
        if (!isRemoved && (context.isRegistered(plugin) || DefaultPlugins.knows(plugin))) {
            return true;
        }
        if (context.unknown() != UnknownPlugins.REFUSED) {
            leftOut.computeIfAbsent(plugin, any -> new ArrayList<>()).add(field);
            return false;
        }
        if (isRemoved) {
            item.report("\"" + plugin + "\" (expected: " + REMOVED + ")" + hint(plugin));
        } else {
            item.at("name").report(unregistered(plugin));
        }
        return true;
    }

    // As in kube-scheduler, an unregistered name is harmless here. A misspelt plugin name is not: the plugin then runs,
    // or runs without these arguments.
    private void checkMentioned(String plugin, Problems item, String effect) {
        if (plugin.isEmpty()) {
            checkNamed(item);
        } else if (!plugin.equals(PluginSet.ALL) && !context.isRegistered(plugin) && !DefaultPlugins.knows(plugin)) {
            Optional<String> meant = suggestion(plugin);
            String message = "\"" + plugin + "\" " + effect + REGISTERED
                    + meant.map(close -> ". " + Suggestion.question(close)).orElse("");
            if (meant.isPresent() && context.unknown() == UnknownPlugins.REFUSED) {
                item.at("name").report(message);
            } else {
                warn(item, item.at("name"), message);
            }
        }
    }

    private void checkNamed(Problems item) {
        if (context.tree().isBlank(item.at("name").path())) {
            item.at("name").missing("the name of a plugin");
        }
    }

    private String unregistered(String plugin) {
        return unregistered(plugin, suggestion(plugin));
    }

    /** Returns the message about a plugin that is not registered. */
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
        context.registry().factories().forEach(factory -> names.add(factory.name()));
        DefaultPlugins.multiPoint(context.features()).forEach(known -> names.add(known.name()));
        return Suggestion.closest(plugin, names);
    }

    private void readArguments() {
        for (int i = 0; i < settings.pluginConfig().size(); i++) {
            Problems item = at.at(PLUGIN_CONFIG).at(i);
            String plugin = settings.pluginConfig().get(i).name();
            if (DefaultPlugins.isRemoved(plugin) && context.unknown() == UnknownPlugins.REFUSED) {
                item.report("\"" + plugin + "\" (expected: " + REMOVED + ")" + hint(plugin));
                continue;
            }
            if (!leftOut.containsKey(plugin)) {
                checkMentioned(plugin, item, "has no effect");
            }
            noteMissing(plugin);
            PluginArguments arguments = new PluginArguments(plugin, item.at("args"), context);
            if (argumentsByPlugin.putIfAbsent(plugin, arguments) != null) {
                item.invalid(plugin, "each plugin once");
                continue;
            }
            arguments.read(settings.pluginConfig().get(i).args());
        }
    }

    private void addDefaultArguments() {
        Set<String> sorted = new TreeSet<>();
        for (EnabledPlugin plugin : enabled()) {
            boolean takesArguments = context.registry()
                    .find(plugin.name())
                    .filter(factory -> factory.argsType() != PluginArgs.None.class)
                    .isPresent();
            if (takesArguments && !argumentsByPlugin.containsKey(plugin.name())) {
                sorted.add(plugin.name());
            }
        }
        for (String plugin : sorted) {
            Problems args = at.at(PLUGIN_CONFIG).at(argumentsByPlugin.size()).at("args");
            PluginArguments arguments = new PluginArguments(plugin, args, context);
            argumentsByPlugin.put(plugin, arguments);
            arguments.read(MissingNode.getInstance());
        }
    }

    private record Entry(EnabledPlugin plugin, String origin) {}
}
