// SPDX-License-Identifier: Apache-2.0
package org.moorage.config;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.plugin.Problems;
import org.moorage.config.cloud.ConfigShape;
import org.moorage.config.internal.ConfigFormat;
import org.moorage.config.internal.FieldNames;
import org.moorage.config.internal.PlainValues;
import org.moorage.config.internal.SourceTree;
import org.moorage.config.internal.cloud.CloudConfig;
import org.moorage.config.plugin.UnknownPlugins;

/** A configuration that was read, with the origins of its settings. Immutable. */
public final class LoadedConfig {
    // Each changes what kube-scheduler decides about some pods.
    private static final Pattern NAMED_ENTRY = Pattern.compile(
            "(?<list>profiles\\[(?<profile>[0-9]+)]\\.pluginConfig|extenders)\\[(?<key>.*)](?<field>(?:\\.[A-Za-z]+)*)");

    private final ReadContext context;
    private final ConfigShape shape;
    private final SchedulerConfig config;
    private final ObjectNode effective;

    /**
     * Creates a configuration that was read.
     *
     * @param context the input and everything that was recorded while reading; no longer modified
     */
    LoadedConfig(ReadContext context, ConfigShape shape, SchedulerConfig config, ObjectNode effective) {
        this.context = context;
        this.shape = shape;
        this.config = config;
        this.effective = effective;
    }

    /** Returns the name of its source. */
    public String sourceName() {
        return context.tree().sourceName();
    }

    /** Returns the shape of what it was read from. */
    public ConfigShape shape() {
        return shape;
    }

    /** Returns the configuration. */
    public SchedulerConfig config() {
        return config;
    }

    /** Returns how plugins that are not registered were treated. */
    public UnknownPlugins unknownPlugins() {
        return context.unknown();
    }

    /** Returns the features that it was read for. */
    public FeatureGates featureGates() {
        return context.features();
    }

    /**
     * Returns the settings as they were read, in version v1, without defaults: maps, lists, texts, numbers and
     * booleans.
     */
    public Map<String, Object> source() {
        return PlainValues.of(sourceTree());
    }

    /**
     * Returns the settings in a shape. For {@link ConfigShape#EKS} all that the shape has is written, defaults
     * included.
     *
     * @param other the shape
     * @param warnings receives the settings that the cloud may not accept, one line each
     * @throws ConfigException if the cloud has no setting for something that differs from the defaults, or refuses it
     */
    public Map<String, Object> source(ConfigShape other, Consumer<String> warnings) {
        return PlainValues.of(sourceTree(other, warnings));
    }

    /** Returns the settings with every default filled in: maps, lists, texts, numbers and booleans. */
    public Map<String, Object> effective() {
        return PlainValues.of(effective);
    }

    /** Returns the settings that differ from the defaults. Read again, they are the same configuration. */
    public Map<String, Object> changed() {
        return PlainValues.of(changes().tree());
    }

    /**
     * Returns the origin of each setting of the effective form, by its path: {@code default}, {@code scheduler.yaml:12}
     * or {@code --flag}.
     */
    public Map<String, String> originByPath() {
        return Collections.unmodifiableMap(context.originByPath());
    }

    /**
     * Returns kube-scheduler's plugins that are enabled by default or named in the configuration but not registered;
     * they take no part in decisions.
     */
    public List<String> missingPlugins() {
        return List.copyOf(context.missing());
    }

    /**
     * Returns the changes to settings of an older version of the format, settings without effect, those that a cloud
     * may not accept, and {@linkplain #missingPlugins missing plugins}; one line each, with its place.
     */
    public List<String> warnings() {
        return List.copyOf(context.warnings());
    }

    /**
     * Returns the same without extenders, for questions about a cluster from where extenders are out of reach.
     * NodeResourcesFit still ignores their resources, and the settings are those that were read.
     */
    public LoadedConfig withoutExtenders() {
        return withExtenders(List.of());
    }

    /** Returns the same with other extenders; the settings are those that were read. */
    public LoadedConfig withExtenders(List<ExtenderConfig> extenders) {
        return new LoadedConfig(context, shape, config.withExtenders(extenders), effective);
    }

    /**
     * Returns the same with other weights of plugins at Score, read again as if its source had said so. The extenders
     * stay as they are.
     *
     * @param weights the weights by plugin: 0 disables it at Score, any other one enables it there
     * @param profiles the names of the profiles that have them
     * @param name the name of the result in messages
     * @throws ConfigException if it is refused, as for an unknown plugin. Whether a plugin scores shows when it is made
     */
    public LoadedConfig withScoreWeights(Map<String, Integer> weights, Collection<String> profiles, String name) {
        SourceTree tree = SourceTree.empty(name);
        tree.root().setAll(sourceTree().deepCopy());
        for (int i = 0; i < config.profiles().size(); i++) {
            if (profiles.contains(config.profiles().get(i).schedulerName())) {
                ScoreWeights.write(tree, "profiles[" + i + "].plugins.score", weights);
            }
        }
        return ConfigLoader.read(tree, context.registry(), context.features(), context.unknown())
                .sound()
                .withExtenders(config.extenders());
    }

    ObjectNode sourceTree() {
        return context.tree().root();
    }

    ObjectNode sourceTree(ConfigShape other, Consumer<String> warnings) {
        Problems problems = Problems.collector();
        List<String> found = new ArrayList<>();
        ObjectNode written = switch (other) {
            case KUBE_SCHEDULER -> sourceTree();
            case EKS -> CloudConfig.eks(changes().tree(), effective, problems);
            case AKS -> CloudConfig.aks(sourceTree(), ConfigPrinter.printSource(this), sourceName(), found, problems);
        };
        if (!problems.isEmpty()) {
            throw refusal(problems.all());
        }
        if (other != shape) {
            // Reading it gave those of the shape that it has.
            found.forEach(warnings);
        }
        return written;
    }

    FieldNames names() {
        return context.tree().names();
    }

    ObjectNode effectiveTree() {
        return effective;
    }

    ChangedSettings changes() {
        return new ChangedSettings(this, context.registry());
    }

    /** Returns the origin of a setting, or of the closest enclosing setting that has one. */
    String originOf(String path) {
        return closest(path, context.originByPath());
    }

    static String closest(String path, Map<String, String> originByPath) {
        String at = path;
        while (!at.isEmpty()) {
            String origin = originByPath.get(at);
            if (origin != null) {
                return origin;
            }
            at = at.substring(0, Math.max(0, Math.max(at.lastIndexOf('.'), at.lastIndexOf('['))));
        }
        return ConfigFormat.DEFAULT_ORIGIN;
    }

    /**
     * Returns the refusal of this configuration for what was only found when its plugins and the clients of its
     * extenders were made. Paths may name an entry of {@code pluginConfig} by its plugin, and one of {@code extenders}
     * by its {@code urlPrefix}: {@code profiles[0].pluginConfig[NodeAffinity].args}.
     */
    public ConfigException refusal(List<Problems.Problem> named) {
        List<Problems.Problem> problems = new ArrayList<>();
        for (Problems.Problem problem : named) {
            problems.add(new Problems.Problem(numbered(problem.path()), problem.message()));
        }
        Map<String, String> locations = new LinkedHashMap<>(context.originByPath());
        locations.values().removeIf(origin -> origin.equals(ConfigFormat.DEFAULT_ORIGIN));
        return new ConfigException(sourceName(), problems, locations, names());
    }

    private String numbered(String path) {
        Matcher entry = NAMED_ENTRY.matcher(path);
        if (!entry.matches()) {
            return path;
        }
        JsonNode list = entry.group("profile") == null
                ? effective.path("extenders")
                : effective
                        .path("profiles")
                        .path(Integer.parseInt(entry.group("profile")))
                        .path("pluginConfig");
        String key = entry.group("profile") == null ? "urlPrefix" : "name";
        for (int i = 0; i < list.size(); i++) {
            String numbered = entry.group("list") + "[" + i + "]";
            boolean isGiven = !originOf(numbered).equals(ConfigFormat.DEFAULT_ORIGIN);
            if (isGiven && list.path(i).path(key).asText().equals(entry.group("key"))) {
                return numbered + entry.group("field");
            }
        }
        return path;
    }
}
