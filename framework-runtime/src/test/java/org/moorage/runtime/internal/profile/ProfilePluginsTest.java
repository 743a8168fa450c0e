// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.profile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;
import static org.mockito.Mockito.withSettings;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.moorage.api.plugin.Plugin;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.Problems;
import org.moorage.api.plugin.group.PlacementFeasiblePlugin;
import org.moorage.api.plugin.group.PlacementGeneratePlugin;
import org.moorage.api.plugin.point.BindPlugin;
import org.moorage.api.plugin.point.ExtensionPoint;
import org.moorage.api.plugin.point.FilterPlugin;
import org.moorage.api.plugin.point.PreFilterPlugin;
import org.moorage.api.plugin.point.QueueSortPlugin;
import org.moorage.api.plugin.point.ScorePlugin;
import org.moorage.config.ConfigLoader;
import org.moorage.config.ProfileConfig;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.runtime.internal.plugin.PluginCaller;

class ProfilePluginsTest {
    // The common part of these profiles: no defaults, except the plugins that every profile needs.
    private static final String BASE = """
            apiVersion: kubescheduler.config.k8s.io/v1
            kind: KubeSchedulerConfiguration
            profiles:
            - schedulerName: s
              plugins:
            """;

    private static final Pattern NAME = Pattern.compile("(?<=[\\[ ])([A-Z][A-Za-z]*|'\\*')(?:=(-?\\d+))?(?=[],])");

    private static final List<Plugin> PLUGINS = List.of(
            plugin("Sort", QueueSortPlugin.class),
            plugin("OtherSort", QueueSortPlugin.class),
            plugin("Bind", BindPlugin.class),
            plugin("F", FilterPlugin.class),
            plugin("S", ScorePlugin.class),
            plugin("A", PreFilterPlugin.class, FilterPlugin.class, ScorePlugin.class),
            plugin("B", PreFilterPlugin.class, FilterPlugin.class, ScorePlugin.class),
            plugin("C", PreFilterPlugin.class, FilterPlugin.class, ScorePlugin.class),
            plugin("Enough", PlacementFeasiblePlugin.class),
            plugin("Racks", PlacementGeneratePlugin.class),
            plugin("Zones", PlacementGeneratePlugin.class),
            () -> "Nothing");

    /** A plugin that extends these points and is never called. */
    private static Plugin plugin(String name, Class<?>... points) {
        Plugin plugin =
                mock(Plugin.class, withSettings().extraInterfaces(points).stubOnly());
        when(plugin.name()).thenReturn(name);
        return plugin;
    }

    private static Map<String, PluginCaller> callers(List<Plugin> plugins) {
        Map<String, PluginCaller> byName = new LinkedHashMap<>();
        plugins.forEach(plugin -> byName.put(plugin.name(), PluginCaller.of(plugin)));
        return byName;
    }

    @Nested
    class Order {
        record Case(String name, String plugins, List<String> filters, List<String> scores) {
            @Override
            public String toString() {
                return name;
            }
        }

        static Stream<Case> cases() {
            return Stream.of(
                    new Case(
                            "multiPoint alone: its order, and only where a plugin can",
                            "multiPoint: {enabled: [C, F, S, A]}",
                            List.of("C", "F", "A"),
                            List.of("C:1", "S:1", "A:1")),
                    new Case(
                            "weights of multiPoint",
                            "multiPoint: {enabled: [C=2, S=3]}",
                            List.of("C"),
                            List.of("C:2", "S:3")),
                    new Case(
                            "enabled in both ways: to the front, with the weight of the point",
                            "multiPoint: {enabled: [A=2, B=3, C=4]}, score: {enabled: [C=7]}",
                            List.of("A", "B", "C"),
                            List.of("C:7", "A:2", "B:3")),
                    new Case(
                            "enabled in both ways: in the order of the point",
                            "multiPoint: {enabled: [A, B, C]}, score: {enabled: [C, A]}",
                            List.of("A", "B", "C"),
                            List.of("C:1", "A:1", "B:1")),
                    new Case(
                            "enabled at the point alone: to the end",
                            "multiPoint: {enabled: [A, B]}, score: {enabled: [S=5, B=6]}",
                            List.of("A", "B"),
                            List.of("B:6", "A:1", "S:5")),
                    new Case(
                            "disabled at a point by name",
                            "multiPoint: {enabled: [A, B, C]}, filter: {disabled: [B]}",
                            List.of("A", "C"),
                            List.of("A:1", "B:1", "C:1")),
                    new Case(
                            "disabled and enabled at a point: last, since multiPoint does not count",
                            "multiPoint: {enabled: [A, B, C]}, score: {disabled: [B], enabled: [B=9]}",
                            List.of("A", "B", "C"),
                            List.of("A:1", "C:1", "B:9")),
                    new Case(
                            "all disabled at a point",
                            "multiPoint: {enabled: [A, B, C]}, score: {disabled: ['*']}",
                            List.of("A", "B", "C"),
                            List.of()),
                    new Case(
                            "all disabled at a point but what it enables",
                            "multiPoint: {enabled: [A, B, C]}, score: {disabled: ['*'], enabled: [S, A=4]}",
                            List.of("A", "B", "C"),
                            List.of("S:1", "A:4")),
                    new Case(
                            "a plugin that can do nothing",
                            "multiPoint: {enabled: [Nothing, A]}",
                            List.of("A"),
                            List.of("A:1")),
                    new Case(
                            "a total score below zero at the end",
                            "multiPoint: {enabled: [A, B=-3]}",
                            List.of("A", "B"),
                            List.of("A:1", "B:-3")),
                    new Case(
                            "twice in multiPoint, but overridden at every point",
                            "multiPoint: {enabled: [F, F]}, filter: {enabled: [F]}",
                            List.of("F"),
                            List.of()));
        }

        @ParameterizedTest
        @MethodSource("cases")
        void isThatOfKubeScheduler(Case c) {
            Problems problems = Problems.collector();
            ProfilePlugins profile = ProfilePlugins.expand(profile(c.plugins, true), instances(), Set.of(), problems);

            assertThat(problems.all()).isEmpty();
            assertThat(names(profile.at(ExtensionPoint.FILTER))).isEqualTo(c.filters);
            List<String> scores = new ArrayList<>();
            for (PluginCaller plugin : profile.at(ExtensionPoint.SCORE)) {
                scores.add(plugin.name() + ":" + weights(profile).get(plugin.name()));
            }
            assertThat(scores).isEqualTo(c.scores);
            assertThat(names(profile.at(ExtensionPoint.QUEUE_SORT))).containsExactly("Sort");
            assertThat(names(profile.at(ExtensionPoint.BIND))).containsExactly("Bind");
            assertThat(profile.byPoint()).containsOnlyKeys(ExtensionPoint.values());
        }

        @Test
        void hasNoWeightForWhatDoesNotScore() {
            ProfilePlugins profile = ProfilePlugins.expand(
                    profile("multiPoint: {enabled: [F, A]}", true), instances(), Set.of(), Problems.collector());

            assertThat(weights(profile)).containsOnlyKeys("A");
        }

        private static Map<String, Integer> weights(ProfilePlugins profile) {
            return profile.weights().getOrDefault(ExtensionPoint.SCORE, Map.of());
        }
    }

    @Nested
    class Refusals {
        record Case(String name, String plugins, List<String> problems) {
            @Override
            public String toString() {
                return name;
            }
        }

        static Stream<Case> cases() {
            return Stream.of(
                    new Case(
                            "a plugin where it cannot be called",
                            "multiPoint: {enabled: [Sort, Bind]}, score: {enabled: [F]}, filter: {enabled: [S]}",
                            List.of(
                                    "plugins.filter.enabled[0].name: plugin \"S\" does not extend FilterPlugin plugin"
                                            + " (it extends score)",
                                    "plugins.score.enabled[0].name: plugin \"F\" does not extend ScorePlugin plugin"
                                            + " (it extends filter)")),
                    new Case(
                            "a plugin that does not place groups",
                            "multiPoint: {enabled: [Sort, Bind]}, placementScore: {enabled: [S]}",
                            List.of("plugins.placementScore.enabled[0].name: plugin \"S\" does not extend"
                                    + " PlacementScorePlugin plugin (it extends score)")),
                    new Case(
                            "a plugin twice at a point",
                            "multiPoint: {enabled: [Sort, Bind]}, score: {enabled: [A, A=3]}",
                            List.of("plugins.score.enabled[1].name: plugin \"A\" already registered as"
                                    + " \"ScorePlugin\"")),
                    new Case(
                            "a plugin twice in multiPoint",
                            "multiPoint: {enabled: [Sort, Bind, A, A=3]}",
                            List.of("plugins.multiPoint.enabled[3].name: plugin \"A\" already registered as"
                                    + " \"PreFilterPlugin\"")),
                    new Case(
                            "two queue sorts, by adding one to that of multiPoint",
                            "multiPoint: {enabled: [Sort, Bind]}, queueSort: {enabled: [OtherSort]}",
                            List.of("plugins.queueSort: only one queue sort plugin required for profile with scheduler"
                                    + " name \"s\", but got 2")),
                    new Case(
                            "no queue sort and no bind",
                            "multiPoint: {enabled: [A]}",
                            List.of(
                                    "plugins.queueSort: only one queue sort plugin required for profile with scheduler"
                                            + " name \"s\", but got 0",
                                    "plugins.bind: at least one bind plugin is needed for profile with scheduler name"
                                            + " \"s\"")),
                    new Case(
                            "two plugins that generate placements, by adding one to that of multiPoint",
                            "multiPoint: {enabled: [Sort, Bind, Racks]}, placementGenerate: {enabled: [Zones]}",
                            List.of("plugins.placementGenerate: at most one placement generate plugin is allowed for"
                                    + " profile with scheduler name \"s\", but got Racks, Zones")),
                    new Case(
                            "a total score below zero before the last plugin",
                            "multiPoint: {enabled: [Sort, Bind, A, B=-3, C]}",
                            List.of("plugins.score: score plugins: total score of Score plugins could overflow")));
        }

        @ParameterizedTest
        @MethodSource("cases")
        void sayWhatKubeSchedulerSays(Case c) {
            Problems problems = Problems.collector();
            ProfilePlugins.expand(profile(c.plugins, false), instances(), Set.of(), problems);

            assertThat(problems.all()).extracting(Problems.Problem::toString).containsExactlyElementsOf(c.problems);
        }

        @Test
        void namePluginsThatWereNotMade() {
            Problems problems = Problems.collector();
            ProfileConfig profile = profile("multiPoint: {enabled: [A, F]}, score: {enabled: [S]}", true);
            ProfilePlugins.expand(
                    profile,
                    callers(List.of(PLUGINS.get(0), PLUGINS.get(2), PLUGINS.get(3))),
                    Set.of("B"),
                    problems.at("profiles").at(0));

            assertThat(problems.all())
                    .extracting(Problems.Problem::toString)
                    .containsExactly(
                            "profiles[0].plugins.multiPoint.enabled[2].name: plugin \"A\" does not exist",
                            "profiles[0].plugins.score.enabled[0].name: ScorePlugin \"S\" does not exist");
        }
    }

    @Test
    void skipsMissingPluginsOfKubeScheduler() {
        Problems problems = Problems.collector();
        ProfilePlugins profile = ProfilePlugins.expand(
                profile("multiPoint: {enabled: [VolumeZone, A]}, score: {enabled: [InterPodAffinity]}", true),
                instances(),
                Set.of(),
                problems);

        assertThat(problems.all()).isEmpty();
        assertThat(names(profile.at(ExtensionPoint.SCORE))).containsExactly("A");
        assertThat(profile.missing()).containsExactly("VolumeZone", "InterPodAffinity");
    }

    @Test
    void callsPlacementFeasibleRegardlessOfTheEnabledPoints() {
        ProfilePlugins profile = ProfilePlugins.expand(
                profile("multiPoint: {enabled: [Enough, A]}", true), instances(), Set.of(), Problems.collector());

        assertThat(names(profile.at(ExtensionPoint.PLACEMENT_FEASIBLE))).containsExactly("Enough");
    }

    @Test
    void refusesProfilesThatSortTheQueueOtherwise() {
        ProfileConfig first = profile("multiPoint: {enabled: [Sort, Bind]}", false);
        ProfileConfig second = profile("multiPoint: {enabled: [OtherSort, Bind]}", false);
        Problems problems = Problems.collector();
        List<ProfilePlugins> profiles = List.of(
                ProfilePlugins.expand(first, instances(), Set.of(), problems),
                ProfilePlugins.expand(second, instances(), Set.of(), problems));

        ProfilePlugins.checkSameQueueSort(List.of(first, second), profiles, problems);

        assertThat(problems.all())
                .extracting(Problems.Problem::toString)
                .containsExactly("profiles[1].plugins.queueSort: different queue sort plugins for profile \"s\":"
                        + " \"OtherSort\", first: \"Sort\"");
    }

    private static Map<String, PluginCaller> instances() {
        return callers(PLUGINS);
    }

    private static List<String> names(List<PluginCaller> plugins) {
        return plugins.stream().map(PluginCaller::name).toList();
    }

    // [A, B=3] stands for [{name: A}, {name: B, weight: 3}].
    private static ProfileConfig profile(String plugins, boolean withSortAndBind) {
        String written = NAME.matcher(plugins)
                .replaceAll(name ->
                        "{name: " + name.group(1) + ", weight: " + (name.group(2) == null ? "0" : name.group(2)) + "}");
        written = written.contains("multiPoint: {")
                ? written.replace("multiPoint: {", "multiPoint: {disabled: [{name: '*'}], ")
                : written;
        if (withSortAndBind) {
            written = written.replace("'*'}], enabled: [", "'*'}], enabled: [{name: Sort}, {name: Bind}, ");
        }
        List<PluginFactory<?>> factories = new ArrayList<>();
        PLUGINS.forEach(plugin -> factories.add(
                PluginFactory.of(plugin.name(), Plugin.class, PluginArgs.None.class, (args, handle) -> plugin)));
        return ConfigLoader.load(BASE + "    {" + written + "}", "test.yaml", PluginRegistry.of(factories))
                .config()
                .profiles()
                .get(0);
    }
}
