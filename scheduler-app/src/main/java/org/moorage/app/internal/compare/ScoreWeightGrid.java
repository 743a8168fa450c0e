// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.compare;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.app.internal.compare.WeightsAnswer.Combination;
import org.moorage.app.internal.options.ProfileOptions;
import org.moorage.app.internal.process.CommandException;
import org.moorage.config.LoadedConfig;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.objects.Suggestions;
import picocli.CommandLine.Option;

/** The options that give plugins other weights at Score: several for each, of which every combination counts. */
public final class ScoreWeightGrid {
    private static final String OPTION = "--weight: ";
    private static final int MOST_COMBINATIONS = 10_000;
    private static final Pattern WEIGHT = Pattern.compile("[0-9]{1,10}");

    @Option(
            names = "--weight",
            paramLabel = "PLUGIN=WEIGHT,...",
            description = "Score weights of a plugin to compare; 0 disables it. Several plugins are compared in every "
                    + "combination.")
    private List<String> options = new ArrayList<>();

    @Option(
            names = "--profile",
            paramLabel = "NAME",
            description = "With --weight: the profile that the weights apply to (default: all).")
    private Optional<String> profile = Optional.empty();

    /**
     * Whether there are any.
     *
     * @throws CommandException if there are none and a profile is to have them
     */
    public boolean areGiven() {
        if (options.isEmpty() && profile.isPresent()) {
            throw new CommandException("--profile: " + profile.get() + " (expected: with --weight)");
        }
        return !options.isEmpty();
    }

    /**
     * The combinations, the last plugin's weights changing fastest.
     *
     * @throws CommandException if there is no such plugin, a weight is none, or there are too many combinations
     */
    public List<Map<String, Integer>> combinations(PluginRegistry registry) {
        Map<String, Set<Integer>> weightsByPlugin = new LinkedHashMap<>();
        long count = 1;
        for (String option : options) {
            int equals = option.indexOf('=');
            if (equals < 1) {
                throw new CommandException(OPTION + "\"" + option
                        + "\" (expected: a plugin and its weights, such as NodeResourcesFit=1,2,5)");
            }
            String plugin = option.substring(0, equals);
            demandPlugin(plugin, registry);
            Set<Integer> weights = weights(option, option.substring(equals + 1));
            if (weightsByPlugin.put(plugin, weights) != null) {
                throw new CommandException(OPTION + plugin + " is given twice (expected: once, with all its weights)");
            }
            count = Math.min(Integer.MAX_VALUE, count * weights.size());
        }
        if (count > MOST_COMBINATIONS) {
            throw new CommandException(OPTION + (count == Integer.MAX_VALUE ? "more than " : "") + count
                    + " combinations (expected: " + MOST_COMBINATIONS + " at most)");
        }
        List<Map<String, Integer>> combinations = List.of(Map.of());
        for (Map.Entry<String, Set<Integer>> plugin : weightsByPlugin.entrySet()) {
            List<Map<String, Integer>> longer = new ArrayList<>();
            for (Map<String, Integer> combination : combinations) {
                for (int weight : plugin.getValue()) {
                    Map<String, Integer> with = new LinkedHashMap<>(combination);
                    with.put(plugin.getKey(), weight);
                    longer.add(with);
                }
            }
            combinations = longer;
        }
        return combinations;
    }

    private static void demandPlugin(String plugin, PluginRegistry registry) {
        List<String> names =
                registry.factories().stream().map(PluginFactory::name).toList();
        if (!names.contains(plugin)) {
            throw new CommandException(
                    OPTION + "\"" + plugin + "\" (expected: a registered plugin)." + Suggestions.hint(plugin, names));
        }
    }

    private static Set<Integer> weights(String option, String texts) {
        Set<Integer> weights = new LinkedHashSet<>();
        for (String text : texts.split(",", -1)) {
            boolean isWeight = WEIGHT.matcher(text).matches() && Long.parseLong(text) <= Integer.MAX_VALUE;
            if (!isWeight) {
                throw new CommandException(OPTION + "\"" + option + "\": \"" + text
                        + "\" (expected: a weight from 0, for not at all, to " + Integer.MAX_VALUE + ")");
            }
            weights.add(Integer.parseInt(text));
        }
        return weights;
    }

    /**
     * The configuration with a combination.
     *
     * @throws CommandException if there is no such profile
     * @throws org.moorage.config.ConfigException if it is refused
     */
    public LoadedConfig apply(Map<String, Integer> combination, LoadedConfig config) {
        List<String> names = ProfileOptions.names(config);
        if (profile.isPresent() && !names.contains(profile.get())) {
            throw new CommandException("--profile: \"" + profile.get() + "\" (expected: of " + String.join(", ", names)
                    + ")." + Suggestions.hint(profile.get(), names));
        }
        return config.withScoreWeights(
                combination, profile.map(List::of).orElse(names), "--weight " + Combination.text(combination));
    }
}
