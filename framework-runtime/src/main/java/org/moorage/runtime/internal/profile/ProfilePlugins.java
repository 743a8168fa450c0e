// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.profile;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.Problems;
import org.moorage.api.plugin.group.PlacementFeasiblePlugin;
import org.moorage.api.plugin.point.ExtensionPoint;
import org.moorage.config.ProfileConfig;
import org.moorage.config.plugin.DefaultPlugins;
import org.moorage.config.plugin.EnabledPlugin;
import org.moorage.config.plugin.PluginSet;
import org.moorage.runtime.internal.plugin.PluginCaller;

/**
 * The plugins of a profile at each extension point, in the order in which they are called. Immutable.
 *
 * @param profileName the name of the profile
 * @param byPoint the plugins at every point
 * @param weights the weights of the plugins that score nodes or placements, by point and name
 * @param missing the plugins of kube-scheduler that are enabled but not registered
 */
public record ProfilePlugins(
        String profileName,
        Map<ExtensionPoint, List<PluginCaller>> byPoint,
        Map<ExtensionPoint, Map<String, Integer>> weights,
        Set<String> missing) {
    private static final String MULTI_POINT = "multiPoint";
    private static final long MOST_SCORE = 100;

    public ProfilePlugins {
        byPoint = Collections.unmodifiableMap(byPoint);
        weights = Map.copyOf(weights);
        missing = Collections.unmodifiableSet(missing);
    }

    /**
     * Determines which plugins are called at each point. A plugin is called at a point that it implements if it is
     * enabled there, or in {@code multiPoint} and not disabled there. First come those that are enabled in both ways,
     * as they are listed at the point, then those of {@code multiPoint}, then those of the point alone.
     *
     * @param profile the profile
     * @param pluginByName the plugins that were created for it; one of kube-scheduler's that is not here is skipped,
     *     and is {@link #missing}
     * @param failed plugins that could not be created, for which nothing else is reported
     * @param problems receives problems, relative to the profile; if any is reported, the result must not be used
     */
    public static ProfilePlugins expand(
            ProfileConfig profile, Map<String, PluginCaller> pluginByName, Set<String> failed, Problems problems) {
        return new Expansion(profile, pluginByName, failed, problems.at("plugins")).expand();
    }

    /**
     * Reports profiles whose queue sort plugin differs from the first one's: all share one queue.
     *
     * @param configs the profiles
     * @param profiles their plugins, in the same order
     * @param problems receives problems, relative to the configuration
     */
    public static void checkSameQueueSort(
            List<ProfileConfig> configs, List<ProfilePlugins> profiles, Problems problems) {
        for (int i = 1; i < profiles.size(); i++) {
            List<PluginCaller> first = profiles.get(0).at(ExtensionPoint.QUEUE_SORT);
            List<PluginCaller> sort = profiles.get(i).at(ExtensionPoint.QUEUE_SORT);
            if (first.isEmpty() || sort.isEmpty()) {
                continue;
            }
            Problems at = problems.at("profiles").at(i);
            String profile = profiles.get(i).profileName;
            String expected = first.get(0).name();
            String actual = sort.get(0).name();
            if (!actual.equals(expected)) {
                at.at("plugins")
                        .at(ExtensionPoint.QUEUE_SORT.field())
                        .report("different queue sort plugins for profile \"" + profile + "\": \"" + actual
                                + "\", first: \"" + expected + "\"");
            } else if (!configs.get(0)
                    .args()
                    .getOrDefault(expected, PluginArgs.None.DEFAULTS)
                    .equals(configs.get(i).args().getOrDefault(expected, PluginArgs.None.DEFAULTS))) {
                at.at("pluginConfig").report("different queue sort plugin args for profile \"" + profile + "\"");
            }
        }
    }

    /** Returns the plugins at a point, in the order in which they are called. */
    public List<PluginCaller> at(ExtensionPoint point) {
        return byPoint.getOrDefault(point, List.of());
    }

    private static final class Expansion {
        private final ProfileConfig profile;
        private final Map<String, PluginCaller> pluginByName;
        private final Set<String> failed;
        private final Problems problems;
        private final Set<Integer> repeatedInMultiPoint = new HashSet<>();
        private final Set<String> missing = new LinkedHashSet<>();

        Expansion(
                ProfileConfig profile, Map<String, PluginCaller> pluginByName, Set<String> failed, Problems problems) {
            this.profile = profile;
            this.pluginByName = pluginByName;
            this.failed = failed;
            this.problems = problems;
        }

        ProfilePlugins expand() {
            checkMultiPointExists();
            Map<ExtensionPoint, List<PluginCaller>> pluginsByPoint = new EnumMap<>(ExtensionPoint.class);
            for (ExtensionPoint point : ExtensionPoint.configurable()) {
                pluginsByPoint.put(point, List.copyOf(expand(point)));
            }
            pluginsByPoint.put(
                    ExtensionPoint.PLACEMENT_FEASIBLE,
                    pluginByName.values().stream()
                            .filter(plugin -> plugin.plugin() instanceof PlacementFeasiblePlugin)
                            .toList());
            int sorts = pluginsByPoint
                    .getOrDefault(ExtensionPoint.QUEUE_SORT, List.of())
                    .size();
            if (sorts > 1 || sorts == 0 && failed.isEmpty()) {
                problems.at(ExtensionPoint.QUEUE_SORT.field())
                        .report("only one queue sort plugin required for profile with scheduler name \""
                                + profile.schedulerName() + "\", but got " + sorts);
            }
            if (pluginsByPoint.getOrDefault(ExtensionPoint.BIND, List.of()).isEmpty() && failed.isEmpty()) {
                problems.at(ExtensionPoint.BIND.field())
                        .report("at least one bind plugin is needed for profile with scheduler name \""
                                + profile.schedulerName() + "\"");
            }
            List<PluginCaller> generators = pluginsByPoint.getOrDefault(ExtensionPoint.PLACEMENT_GENERATE, List.of());
            if (generators.size() > 1) {
                List<String> names = generators.stream().map(PluginCaller::name).toList();
                problems.at(ExtensionPoint.PLACEMENT_GENERATE.field())
                        .report("at most one placement generate plugin is allowed for profile with scheduler name \""
                                + profile.schedulerName() + "\", but got " + String.join(", ", names));
            }
            return new ProfilePlugins(
                    profile.schedulerName(),
                    pluginsByPoint,
                    Map.of(
                            ExtensionPoint.SCORE,
                            weights(ExtensionPoint.SCORE, pluginsByPoint),
                            ExtensionPoint.PLACEMENT_SCORE,
                            weights(ExtensionPoint.PLACEMENT_SCORE, pluginsByPoint)),
                    missing);
        }

        private void checkMultiPointExists() {
            List<EnabledPlugin> enabled = profile.multiPoint().enabled();
            for (int i = 0; i < enabled.size(); i++) {
                checkExists(
                        enabled.get(i).name(),
                        "plugin",
                        problems.at(MULTI_POINT).at("enabled").at(i));
            }
        }

        private void checkExists(String name, String kind, Problems at) {
            if (pluginByName.containsKey(name) || failed.contains(name)) {
                return;
            }
            if (DefaultPlugins.knows(name)) {
                missing.add(name);
            } else {
                at.at("name").report(kind + " \"" + name + "\" does not exist");
            }
        }

        private List<PluginCaller> expand(ExtensionPoint point) {
            Map<String, PluginCaller> explicit = explicit(point);
            PluginSet set = profile.at(point);
            List<EnabledPlugin> multiPoint =
                    set.disablesAll() ? List.of() : profile.multiPoint().enabled();
            Set<String> both = new HashSet<>();
            Map<String, PluginCaller> inherited = new LinkedHashMap<>();
            for (int i = 0; i < multiPoint.size(); i++) {
                String name = multiPoint.get(i).name();
                PluginCaller plugin = pluginByName.get(name);
                if (plugin == null || !point.type().isInstance(plugin.plugin()) || set.disables(name)) {
                    continue;
                }
                if (explicit.containsKey(name)) {
                    both.add(name);
                } else if (inherited.putIfAbsent(name, plugin) != null && repeatedInMultiPoint.add(i)) {
                    repeated(name, point, problems.at(MULTI_POINT).at("enabled").at(i));
                }
            }
            List<PluginCaller> plugins = new ArrayList<>();
            explicit.forEach((name, plugin) -> {
                if (both.contains(name)) {
                    plugins.add(plugin);
                }
            });
            plugins.addAll(inherited.values());
            explicit.forEach((name, plugin) -> {
                if (!both.contains(name)) {
                    plugins.add(plugin);
                }
            });
            return plugins;
        }

        private Map<String, PluginCaller> explicit(ExtensionPoint point) {
            Map<String, PluginCaller> explicit = new LinkedHashMap<>();
            List<EnabledPlugin> enabled = profile.at(point).enabled();
            for (int i = 0; i < enabled.size(); i++) {
                String name = enabled.get(i).name();
                Problems at = problems.at(point.field()).at("enabled").at(i);
                PluginCaller plugin = pluginByName.get(name);
                if (plugin == null) {
                    checkExists(name, point.type().getSimpleName(), at);
                } else if (!point.type().isInstance(plugin.plugin())) {
                    at.at("name")
                            .report("plugin \"" + name + "\" does not extend "
                                    + point.type().getSimpleName() + " plugin (it extends " + points(plugin) + ")");
                } else if (explicit.putIfAbsent(name, plugin) != null) {
                    repeated(name, point, at);
                }
            }
            return explicit;
        }

        private static void repeated(String name, ExtensionPoint point, Problems at) {
            at.at("name")
                    .report("plugin \"" + name + "\" already registered as \""
                            + point.type().getSimpleName() + "\"");
        }

        private static String points(PluginCaller plugin) {
            Set<String> points = new LinkedHashSet<>();
            for (ExtensionPoint point : ExtensionPoint.configurable()) {
                if (point.type().isInstance(plugin.plugin())) {
                    points.add(point.field());
                }
            }
            return points.isEmpty() ? "nothing" : String.join(", ", points);
        }

        private Map<String, Integer> weights(
                ExtensionPoint point, Map<ExtensionPoint, List<PluginCaller>> pluginsByPoint) {
            Map<String, Integer> weightByName = new HashMap<>();
            for (EnabledPlugin plugin : profile.at(point).enabled()) {
                weightByName.putIfAbsent(plugin.name(), plugin.weight());
            }
            for (EnabledPlugin plugin : profile.multiPoint().enabled()) {
                weightByName.putIfAbsent(plugin.name(), plugin.weight());
            }
            Map<String, Integer> weights = new LinkedHashMap<>();
            long total = 0;
            for (PluginCaller scorer : pluginsByPoint.getOrDefault(point, List.of())) {
                int weight = weightByName.getOrDefault(scorer.name(), 0);
                weights.put(scorer.name(), weight == 0 ? 1 : weight);
                // kube-scheduler takes a total below 0 for an overflow when it comes to the next plugin.
                if (total < 0) {
                    problems.at(point.field()).report("score plugins: total score of Score plugins could overflow");
                    break;
                }
                total += MOST_SCORE * (weight == 0 ? 1 : weight);
            }
            return weights;
        }
    }
}
