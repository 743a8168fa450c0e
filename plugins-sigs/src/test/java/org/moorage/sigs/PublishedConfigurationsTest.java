// SPDX-License-Identifier: Apache-2.0
package org.moorage.sigs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.plugin.point.ExtensionPoint;
import org.moorage.builtin.dra.KubeSchedulerPlugins;
import org.moorage.config.ConfigLoader;
import org.moorage.config.LoadedConfig;
import org.moorage.config.ProfileConfig;
import org.moorage.config.SchedulerConfig;
import org.moorage.config.plugin.EnabledPlugin;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.runtime.Scheduler;
import org.moorage.simulation.cluster.InMemoryCluster;

/** Configurations like those that charts and guides of scheduler-plugins publish; they load unchanged. */
class PublishedConfigurationsTest {
    private static final Path FOLDER =
            Path.of(System.getProperty("basedir", "."), "src", "test", "resources", "configurations");
    private static final PluginRegistry PLUGINS = PluginRegistry.of(KubeSchedulerPlugins.all())
            .withServices(PublishedConfigurationsTest.class.getClassLoader());

    /**
     * The plugins of a profile.
     *
     * @param without the plugins of the default profile that it does not have
     * @param with the plugins that it has in addition, in their order
     * @param enabledAt the plugins that it enables at single extension points, with their weights
     * @param disabledAt the plugins that it disables at single extension points
     */
    record Case(
            String file,
            String profile,
            List<String> without,
            List<String> with,
            Map<ExtensionPoint, String> enabledAt,
            Map<ExtensionPoint, List<String>> disabledAt) {
        @Override
        public String toString() {
            return profile + " of " + file;
        }
    }

    static final List<Case> CASES = List.of(
            new Case(
                    "chart",
                    "scheduler-plugins-scheduler",
                    List.of("PrioritySort"),
                    List.of(
                            "Coscheduling",
                            "CapacityScheduling",
                            "NodeResourceTopologyMatch",
                            "NodeResourcesAllocatable"),
                    Map.of(),
                    Map.of()),
            new Case(
                    "coscheduling",
                    "gang-scheduler",
                    List.of(),
                    List.of("Coscheduling"),
                    Map.of(
                            ExtensionPoint.QUEUE_SORT, "Coscheduling",
                            ExtensionPoint.PRE_FILTER, "Coscheduling",
                            ExtensionPoint.POST_FILTER, "Coscheduling",
                            ExtensionPoint.RESERVE, "Coscheduling",
                            ExtensionPoint.PERMIT, "Coscheduling"),
                    Map.of(ExtensionPoint.QUEUE_SORT, List.of("*"))),
            new Case(
                    "capacity",
                    "default-scheduler",
                    List.of(),
                    List.of("CapacityScheduling"),
                    Map.of(
                            ExtensionPoint.PRE_FILTER, "CapacityScheduling",
                            ExtensionPoint.POST_FILTER, "CapacityScheduling",
                            ExtensionPoint.RESERVE, "CapacityScheduling"),
                    Map.of(ExtensionPoint.POST_FILTER, List.of("*"))),
            new Case(
                    "preemption-toleration",
                    "default-scheduler",
                    List.of(),
                    List.of("PreemptionToleration"),
                    Map.of(ExtensionPoint.POST_FILTER, "PreemptionToleration"),
                    Map.of(ExtensionPoint.POST_FILTER, List.of("DefaultPreemption"))),
            new Case(
                    "numa",
                    "topo-aware-scheduler",
                    List.of(),
                    List.of("NodeResourceTopologyMatch"),
                    Map.of(
                            ExtensionPoint.FILTER, "NodeResourceTopologyMatch",
                            ExtensionPoint.SCORE, "NodeResourceTopologyMatch 5",
                            ExtensionPoint.RESERVE, "NodeResourceTopologyMatch",
                            ExtensionPoint.POST_BIND, "NodeResourceTopologyMatch"),
                    Map.of()),
            new Case(
                    "trimaran",
                    "trimaran",
                    List.of(),
                    List.of("LoadVariationRiskBalancing", "TargetLoadPacking"),
                    Map.of(ExtensionPoint.SCORE, "LoadVariationRiskBalancing 2, TargetLoadPacking"),
                    Map.of(ExtensionPoint.SCORE, List.of("NodeResourcesBalancedAllocation", "NodeResourcesFit"))),
            new Case(
                    "network-aware",
                    "network-aware-scheduler",
                    List.of(),
                    List.of("NetworkOverhead", "TopologicalSort"),
                    Map.of(ExtensionPoint.QUEUE_SORT, "TopologicalSort"),
                    Map.of(ExtensionPoint.QUEUE_SORT, List.of("*"))),
            new Case(
                    "qos",
                    "default-scheduler",
                    List.of(),
                    List.of("QOSSort"),
                    Map.of(ExtensionPoint.QUEUE_SORT, "QOSSort"),
                    Map.of(ExtensionPoint.QUEUE_SORT, List.of("*"))),
            new Case(
                    "profiles",
                    "default-scheduler",
                    List.of(),
                    List.of("Coscheduling"),
                    Map.of(ExtensionPoint.QUEUE_SORT, "Coscheduling"),
                    Map.of(ExtensionPoint.QUEUE_SORT, List.of("PrioritySort"))),
            new Case(
                    "profiles",
                    "batch",
                    List.of(),
                    List.of("Coscheduling", "NodeResourcesAllocatable"),
                    Map.of(ExtensionPoint.QUEUE_SORT, "Coscheduling"),
                    Map.of(
                            ExtensionPoint.QUEUE_SORT, List.of("PrioritySort"),
                            ExtensionPoint.SCORE, List.of("ImageLocality"))),
            new Case(
                    "profiles",
                    "packing",
                    List.of(),
                    List.of("Coscheduling", "LowRiskOverCommitment"),
                    Map.of(
                            ExtensionPoint.QUEUE_SORT, "Coscheduling",
                            ExtensionPoint.SCORE, "LowRiskOverCommitment"),
                    Map.of(
                            ExtensionPoint.QUEUE_SORT, List.of("PrioritySort"),
                            ExtensionPoint.SCORE, List.of("*"))),
            new Case(
                    "everything",
                    "default-scheduler",
                    defaults(),
                    List.of(
                            "Coscheduling",
                            "NodeUnschedulable",
                            "TaintToleration",
                            "NodeResourcesFit",
                            "CapacityScheduling",
                            "NodeResourceTopologyMatch",
                            "NetworkOverhead",
                            "NodeResourcesAllocatable",
                            "TargetLoadPacking",
                            "LoadVariationRiskBalancing",
                            "LowRiskOverCommitment",
                            "Peaks",
                            "PodState",
                            "SySched",
                            "DefaultBinder",
                            "PreemptionToleration"),
                    Map.of(ExtensionPoint.POST_FILTER, "PreemptionToleration"),
                    Map.of(ExtensionPoint.POST_FILTER, List.of("CapacityScheduling"))));

    private static List<String> defaults() {
        return SchedulerConfig.defaults(PLUGINS).profiles().get(0).pluginNames();
    }

    @ParameterizedTest
    @FieldSource("CASES")
    void haveTheirPlugins(Case each) {
        ProfileConfig profile = load(each.file()).config().profiles().stream()
                .filter(candidate -> candidate.schedulerName().equals(each.profile()))
                .findFirst()
                .orElseThrow();
        List<String> expected = new ArrayList<>(defaults());
        expected.removeAll(each.without());
        expected.addAll(each.with());

        assertThat(profile.pluginNames()).isEqualTo(expected);
        for (ExtensionPoint point : ExtensionPoint.configurable()) {
            assertThat(enabled(profile, point))
                    .as("enabled at %s", point)
                    .isEqualTo(each.enabledAt().getOrDefault(point, ""));
            assertThat(profile.at(point).disabled())
                    .as("disabled at %s", point)
                    .isEqualTo(each.disabledAt().getOrDefault(point, List.of()));
        }
    }

    private static String enabled(ProfileConfig profile, ExtensionPoint point) {
        List<String> texts = new ArrayList<>();
        for (EnabledPlugin plugin : profile.at(point).enabled()) {
            texts.add(plugin.weight() > 1 ? plugin.name() + " " + plugin.weight() : plugin.name());
        }
        return String.join(", ", texts);
    }

    @Test
    void startASchedulerEach() throws IOException {
        List<String> files = new ArrayList<>();
        try (Stream<Path> found = Files.list(FOLDER)) {
            found.sorted()
                    .forEach(file -> files.add(file.getFileName().toString().replace(".yaml", "")));
        }
        assertThat(files)
                .containsExactlyInAnyOrderElementsOf(
                        CASES.stream().map(Case::file).distinct().toList());
        for (String file : files) {
            LoadedConfig loaded = load(file);
            assertThat(loaded.missingPlugins()).as(file).isEmpty();
            assertThat(loaded.warnings()).as(file).isEmpty();
            try (Scheduler scheduler =
                    Scheduler.builder(loaded, PLUGINS, new InMemoryCluster()).build()) {
                scheduler.start();
            }
        }
    }

    private static LoadedConfig load(String file) {
        Path path = FOLDER.resolve(file + ".yaml");
        try {
            return ConfigLoader.load(Files.readString(path), path.toString(), PLUGINS);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }
}
