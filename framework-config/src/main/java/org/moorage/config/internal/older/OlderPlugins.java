// SPDX-License-Identifier: Apache-2.0
package org.moorage.config.internal.older;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.moorage.config.internal.ConfigFormat;
import org.moorage.config.internal.SourceTree;
import org.moorage.config.internal.Suggestion;
import org.moorage.config.plugin.DefaultPlugins;
import org.moorage.config.plugin.PluginSet;

/**
 * Converts the plugins of one profile to {@code v1}: replaces removed plugins and their arguments by their successors,
 * and writes the default weights of the older version explicitly.
 */
final class OlderPlugins {
    static final String LEAST = "NodeResourcesLeastAllocated";
    static final String MOST = "NodeResourcesMostAllocated";

    private static final Map<String, String> STRATEGIES = Map.of(
            LEAST, "LeastAllocated", MOST, "MostAllocated", "RequestedToCapacityRatio", "RequestedToCapacityRatio");
    private static final Set<String> LIMITS = Set.of("AzureDiskLimits", "CinderLimits", "EBSLimits", "GCEPDLimits");
    private static final Set<String> SPREADS = Set.of("SelectorSpread", "DefaultPodTopologySpread");
    private static final String NODE_LABEL = "NodeLabel";
    private static final String SERVICE_AFFINITY = "ServiceAffinity";
    private static final String AVOID = "NodePreferAvoidPods";
    private static final Set<String> GONE = Set.of(AVOID, NODE_LABEL, SERVICE_AFFINITY, "NodeResourceLimits");
    // Plugins with a greater weight in v1.
    private static final List<String> COUNTED_ONCE = List.of("TaintToleration", "NodeAffinity", "InterPodAffinity");

    private final Conversion conversion;
    private final SourceTree tree;
    private final ConfigVersion version;
    private final ProfileEdit profile;
    private final String byDefault;
    private String strategy = "";
    private String strategyAt = "";
    private final Set<String> usedAtFilter = new HashSet<>();
    private final Set<String> usedAtScore = new HashSet<>();

    /**
     * Creates a conversion of the plugins of a profile.
     *
     * @param byDefault the plugin that scores by free resources, where the version has a separate plugin for each
     *     strategy
     */
    OlderPlugins(Conversion conversion, String profile, String byDefault) {
        this.byDefault = byDefault;
        this.conversion = conversion;
        this.tree = conversion.tree();
        this.version = conversion.version();
        this.profile = new ProfileEdit(tree, profile);
    }

    /**
     * Converts the plugins.
     *
     * @param withDefaults whether the plugins of the version's default set take part, which a Policy names itself
     */
    void convert(boolean withDefaults) {
        conversion.refuseLater(profile.path("percentageOfNodesToScore"));
        conversion.refuseLater(profile.path("plugins.placementGenerate"));
        conversion.refuseLater(profile.path("plugins.placementScore"));
        conversion.refuseLater(profile.path("plugins.podGroupPostFilter"));
        if (version.isBefore(ConfigVersion.V1BETA3)) {
            conversion.refuseLater(profile.path("plugins.multiPoint"));
        }
        if (version.isBefore(ConfigVersion.V1BETA2)) {
            conversion.refuseLater(profile.path("plugins.preEnqueue"));
            movePoints();
        }
        if (withDefaults && hasScoresApart() && !isDisabled("score", byDefault)) {
            strategy = STRATEGIES.getOrDefault(byDefault, "");
        }
        if (tree.at(profile.path("plugins")) instanceof ObjectNode points) {
            List<String> names = new ArrayList<>();
            points.fieldNames().forEachRemaining(names::add);
            for (String point : names) {
                convertList(point, "enabled");
                convertList(point, "disabled");
            }
        }
        dropDisabledThatIsEnabled();
        convertArguments();
        if (withDefaults && version.isBefore(ConfigVersion.V1BETA3)) {
            keepWeights();
        }
    }

    private boolean hasScoresApart() {
        return version.isBefore(ConfigVersion.V1BETA2);
    }

    // Reserve includes unreserve since Kubernetes 1.19, and the former postFilter is preScore since 1.18.
    private void movePoints() {
        String unreserve = profile.path("plugins.unreserve");
        if (tree.at(unreserve + ".enabled") instanceof ArrayNode undoing) {
            for (int i = 0; i < undoing.size(); i++) {
                String name = undoing.path(i).path("name").asText();
                if (!isEnabled("reserve", name) && !name.equals("VolumeBinding")) {
                    profile.add("reserve", "enabled", List.of(ProfileEdit.plugin(name)), unreserve);
                }
            }
        }
        if (!tree.at(unreserve).isMissingNode()) {
            conversion.warn(unreserve, "is part of reserve");
            tree.remove(unreserve);
        }
        String postFilter = profile.path("plugins.postFilter");
        if (version == ConfigVersion.V1ALPHA1 && !tree.at(postFilter).isMissingNode()) {
            conversion.warn(postFilter, "is preScore");
            tree.move(postFilter, profile.path("plugins.preScore"));
        }
    }

    private void convertList(String point, String field) {
        String list = profile.path("plugins." + point + "." + field);
        if (!(tree.at(list) instanceof ArrayNode plugins)) {
            return;
        }
        List<SourceTree.Item> items = new ArrayList<>();
        Set<String> names = new HashSet<>();
        plugins.forEach(plugin -> names.add(plugin.path("name").asText()));
        for (int i = 0; i < plugins.size(); i++) {
            String path = list + "[" + i + "]";
            String name = plugins.path(i).path("name").asText();
            Optional<String> converted = isLeftAlone(name)
                    ? Optional.of(name)
                    : field.equals("enabled") ? enabled(name, point, path) : disabled(name, point);
            if (converted.isEmpty()) {
                continue;
            }
            if (converted.get().equals(name)) {
                items.add(new SourceTree.Item(plugins.path(i), path));
            } else if (names.add(converted.get())) {
                ObjectNode renamed = plugins.path(i).deepCopy();
                items.add(new SourceTree.Item(renamed.put("name", converted.get()), path));
            }
        }
        putUnlessEmpty(list, items);
    }

    private void putUnlessEmpty(String list, List<SourceTree.Item> items) {
        if (items.isEmpty()) {
            tree.remove(list);
        } else {
            tree.putList(list, items);
        }
    }

    // A custom plugin may have the name of a removed one.
    private boolean isLeftAlone(String name) {
        return name.isEmpty()
                || name.equals(PluginSet.ALL)
                || conversion.registry().find(name).isPresent() && !name.equals(ProfileEdit.FIT);
    }

    /** Returns the replacement of a plugin that is enabled at a point; empty if there is none. */
    private Optional<String> enabled(String name, String point, String path) {
        if (name.equals(ProfileEdit.FIT)) {
            return point.equals("score") && hasScoresApart()
                    ? strategy("LeastAllocated", name, path)
                    : Optional.of(name);
        }
        if (LIMITS.contains(name)) {
            conversion.warn(path, name + " is NodeVolumeLimits");
            return Optional.of("NodeVolumeLimits");
        }
        boolean isOfBeta1 = STRATEGIES.containsKey(name) || GONE.contains(name);
        boolean isOfBeta2 = SPREADS.contains(name);
        boolean wasRemovedBefore = isOfBeta1 && !hasScoresApart() || isOfBeta2 && version == ConfigVersion.V1BETA3;
        if (wasRemovedBefore && conversion.takesUnknownPlugins()) {
            return Optional.of(name);
        }
        if (wasRemovedBefore) {
            conversion
                    .at(path)
                    .at("name")
                    .invalid(
                            name,
                            "a plugin of " + version + "; " + (isOfBeta1 ? "v1beta1" : "v1beta2")
                                    + " was the last version with it");
            return Optional.empty();
        }
        if (STRATEGIES.containsKey(name)) {
            return strategy(STRATEGIES.get(name), name, path);
        }
        if (isOfBeta2) {
            boolean spreads = !isDisabled(point, ProfileEdit.SPREAD);
            conversion.warn(
                    path,
                    name + (spreads ? " is part of " : " is ") + ProfileEdit.SPREAD
                            + ", which spreads pods of a Service or controller by its defaults");
            return spreads ? Optional.empty() : Optional.of(ProfileEdit.SPREAD);
        }
        if (GONE.contains(name)) {
            (point.equals("score") ? usedAtScore : usedAtFilter).add(name);
            if (name.equals(AVOID) || name.equals("NodeResourceLimits")) {
                conversion.warn(path, name + " is skipped: this score no longer exists");
            }
            return Optional.empty();
        }
        return slip(name, path) ? Optional.empty() : Optional.of(name);
    }

    private Optional<String> strategy(String type, String name, String path) {
        if (!strategy.isEmpty() && !strategy.equals(type)) {
            conversion
                    .at(path)
                    .at("name")
                    .invalid(
                            name,
                            "one plugin that scores by room, since NodeResourcesFit has one"
                                    + " scoringStrategy"
                                    + (strategyAt.isEmpty()
                                            ? "; disable " + LEAST + ", which " + version + " enables"
                                            : ""));
            return Optional.empty();
        }
        strategy = type;
        strategyAt = path;
        if (!name.equals(ProfileEdit.FIT)) {
            conversion.warn(path, name + " is NodeResourcesFit with scoringStrategy " + type);
        }
        return Optional.of(ProfileEdit.FIT);
    }

    /** Returns the replacement of a plugin that is disabled at a point; empty if it does not run. */
    private Optional<String> disabled(String name, String point) {
        boolean scores = point.equals("score") && hasScoresApart();
        if (name.equals(byDefault) && scores) {
            return Optional.of(ProfileEdit.FIT);
        }
        if (name.equals(ProfileEdit.FIT)) {
            // It did not score.
            return scores ? Optional.empty() : Optional.of(name);
        }
        boolean isGone =
                LIMITS.contains(name) || SPREADS.contains(name) || GONE.contains(name) || STRATEGIES.containsKey(name);
        return isGone ? Optional.empty() : Optional.of(name);
    }

    // The reader suggests plugins of today.
    private boolean slip(String name, String path) {
        if (DefaultPlugins.knows(name) || conversion.takesUnknownPlugins()) {
            return false;
        }
        List<String> older = new ArrayList<>(LIMITS);
        if (hasScoresApart()) {
            older.addAll(STRATEGIES.keySet());
            older.addAll(GONE);
        }
        if (version.isBefore(ConfigVersion.V1BETA3)) {
            older.addAll(SPREADS);
        }
        Optional<String> meant = Suggestion.closest(name, older);
        meant.ifPresent(close -> conversion
                .at(path)
                .at("name")
                .report("\"" + name + "\" (expected: a registered plugin; --plugin-dir adds those of jars). "
                        + Suggestion.question(close)));
        return meant.isPresent();
    }

    private boolean isEnabled(String point, String name) {
        return names(point, "enabled").contains(name);
    }

    private boolean isDisabled(String point, String name) {
        Set<String> disabled = names(point, "disabled");
        return disabled.contains(name) || disabled.contains(PluginSet.ALL);
    }

    private Set<String> names(String point, String field) {
        Set<String> names = new HashSet<>();
        for (JsonNode plugin : tree.at(profile.path("plugins." + point + "." + field))) {
            names.add(plugin.path("name").asText());
        }
        return names;
    }

    // Disabling one plugin that scores by free resources and enabling another means enabling NodeResourcesFit.
    private void dropDisabledThatIsEnabled() {
        String list = profile.path("plugins.score.disabled");
        if (!hasScoresApart()
                || !isEnabled("score", ProfileEdit.FIT)
                || !(tree.at(list) instanceof ArrayNode plugins)) {
            return;
        }
        List<SourceTree.Item> kept = new ArrayList<>();
        for (int i = 0; i < plugins.size(); i++) {
            if (!plugins.path(i).path("name").asText().equals(ProfileEdit.FIT)) {
                kept.add(new SourceTree.Item(plugins.path(i), list + "[" + i + "]"));
            }
        }
        putUnlessEmpty(list, kept);
    }

    private void convertArguments() {
        Set<Integer> dropped = new HashSet<>();
        JsonNode entries = tree.at(profile.path("pluginConfig"));
        int count = entries.size();
        boolean scores = false;
        for (int i = 0; i < count; i++) {
            String path = profile.path("pluginConfig[" + i + "]");
            String name = tree.at(path).path("name").asText();
            convertKind(path);
            if (conversion.registry().find(name).isEmpty() && convertGone(name, path)) {
                scores |= STRATEGIES.containsKey(name);
                dropped.add(i);
            }
        }
        if (!scores && !strategy.isEmpty() && !strategy.equals("LeastAllocated")) {
            profile.score(strategy, tree.root().objectNode(), strategyAt.isEmpty() ? "apiVersion" : strategyAt);
        }
        if (version.isBefore(ConfigVersion.V1BETA2)) {
            convertSpread();
        }
        if (!dropped.isEmpty()) {
            List<SourceTree.Item> kept = new ArrayList<>();
            JsonNode all = tree.at(profile.path("pluginConfig"));
            for (int i = 0; i < all.size(); i++) {
                if (!dropped.contains(i)) {
                    kept.add(new SourceTree.Item(all.path(i), profile.path("pluginConfig[" + i + "]")));
                }
            }
            putUnlessEmpty(profile.path("pluginConfig"), kept);
        }
    }

    private void convertKind(String entry) {
        String apiVersion = entry + ".args.apiVersion";
        if (tree.at(apiVersion).asText().equals(version.apiVersion())) {
            tree.put(apiVersion, TextNode.valueOf(ConfigFormat.API_VERSION), apiVersion);
        }
    }

    /** Converts the arguments of a removed plugin; returns false if it was not removed. */
    private boolean convertGone(String name, String entry) {
        if (LIMITS.contains(name) || SPREADS.contains(name)) {
            return true;
        }
        if (!hasScoresApart() || !(STRATEGIES.containsKey(name) || GONE.contains(name))) {
            return false;
        }
        String path = entry + ".args";
        if (STRATEGIES.containsKey(name)) {
            Class<? extends Record> type =
                    name.equals("RequestedToCapacityRatio") ? RatioArgs.class : ResourcesArgs.class;
            conversion.read(path, type);
            if (!strategy.equals(STRATEGIES.get(name))) {
                conversion.warn(entry, "the arguments of " + name + " are ignored, since it does not score");
            } else if (tree.at(path) instanceof ObjectNode given) {
                profile.score(STRATEGIES.get(name), given, path);
            }
        } else if (name.equals(NODE_LABEL)) {
            nodeLabel(conversion.read(path, NodeLabelArgs.class), path);
        } else if (name.equals(SERVICE_AFFINITY)) {
            serviceAffinity(conversion.read(path, ServiceAffinityArgs.class), path);
        }
        return true;
    }

    private record ResourcesArgs(JsonNode apiVersion, JsonNode kind, JsonNode resources) {}

    private record RatioArgs(JsonNode apiVersion, JsonNode kind, JsonNode resources, JsonNode shape) {}

    private record NodeLabelArgs(
            JsonNode apiVersion,
            JsonNode kind,
            List<String> presentLabels,
            List<String> absentLabels,
            List<String> presentLabelsPreference,
            List<String> absentLabelsPreference) {}

    private record ServiceAffinityArgs(
            JsonNode apiVersion,
            JsonNode kind,
            List<String> affinityLabels,
            List<String> antiAffinityLabelsPreference) {}

    private void nodeLabel(NodeLabelArgs args, String path) {
        List<String> preferred = new ArrayList<>(args.presentLabelsPreference);
        preferred.addAll(args.absentLabelsPreference);
        if (usedAtFilter.contains(NODE_LABEL) && !(args.presentLabels.isEmpty() && args.absentLabels.isEmpty())) {
            conversion.warn(path, "NodeLabel is the argument addedAffinity of NodeAffinity");
            profile.requireLabels(args.presentLabels, args.absentLabels, path);
            if (isDisabled("filter", "NodeAffinity") && !isEnabled("filter", "NodeAffinity")) {
                profile.add("filter", "enabled", List.of(ProfileEdit.plugin("NodeAffinity")), path);
            }
        }
        if (usedAtScore.contains(NODE_LABEL) && !preferred.isEmpty()) {
            conversion.warn(path, "NodeLabel is skipped as a score: nodes are not preferred by " + preferred);
        }
    }

    private void serviceAffinity(ServiceAffinityArgs args, String path) {
        if (usedAtFilter.contains(SERVICE_AFFINITY) && !args.affinityLabels.isEmpty()) {
            conversion
                    .at(path)
                    .at("affinityLabels")
                    .report(args.affinityLabels
                            + " (expected: none; no plugin keeps the pods of a Service on nodes with the same labels any"
                            + " more, pods say so by podAffinity)");
        }
        if (usedAtScore.contains(SERVICE_AFFINITY) && !args.antiAffinityLabelsPreference.isEmpty()) {
            conversion.warn(
                    path + ".antiAffinityLabelsPreference",
                    "skipped: pods of a Service are not spread by " + args.antiAffinityLabelsPreference);
        }
    }

    // v1 accepts a list of constraints only with defaultingType List.
    private void convertSpread() {
        JsonNode entries = tree.at(profile.path("pluginConfig"));
        for (int i = 0; i < entries.size(); i++) {
            JsonNode args = entries.path(i).path("args");
            boolean isSpread = entries.path(i).path("name").asText().equals(ProfileEdit.SPREAD);
            if (isSpread
                    && !args.path("defaultConstraints").isEmpty()
                    && args.path("defaultingType").asText().isEmpty()) {
                String path = profile.path("pluginConfig[" + i + "].args.");
                tree.put(path + "defaultingType", TextNode.valueOf("List"), path + "defaultConstraints");
            }
        }
    }

    private void keepWeights() {
        List<ObjectNode> kept = new ArrayList<>();
        List<String> names = new ArrayList<>();
        for (String name : COUNTED_ONCE) {
            if (!isDisabled("score", name) && !isEnabled("score", name)) {
                kept.add(ProfileEdit.plugin(name, 1));
                names.add(name);
            }
        }
        if (!kept.isEmpty()) {
            profile.add("multiPoint", "enabled", kept, "apiVersion");
            conversion.warn(
                    profile.path("plugins"),
                    "the weights of " + version + " are kept: 1 for " + String.join(", ", names));
        }
    }
}
