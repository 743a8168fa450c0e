// SPDX-License-Identifier: Apache-2.0
package org.moorage.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.moorage.config.ConfigTexts.HEAD;
import static org.moorage.config.ConfigTexts.load;

import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests the printed differences of a configuration from the defaults; read again, they are the same configuration. */
class ChangedSettingsTest {
    /**
     * One case.
     *
     * @param given the configuration, without its first lines
     * @param shown what is shown of it, with where it comes from
     */
    record Case(String name, String given, String shown) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Case> cases() {
        return Stream.of(
                new Case("nothing", "", ""),
                new Case(
                        "defaults that are written out", "parallelism: 16\nleaderElection: {leaseDuration: 15s}\n", ""),
                new Case(
                        "one field of several",
                        "leaderElection:\n  leaseDuration: 20s\n  renewDeadline: 10s\n",
                        "leaderElection:\n  leaseDuration: 20s  # 4\n"),
                new Case("a profile's name", "profiles:\n- schedulerName: a\n", "profiles:\n- schedulerName: a  # 4\n"),
                new Case("the default profile", "profiles:\n- schedulerName: default-scheduler\n", ""),
                new Case(
                        "the default profile next to another",
                        "profiles:\n- schedulerName: default-scheduler\n- schedulerName: b\n",
                        "profiles:\n- schedulerName: default-scheduler  # 4\n- schedulerName: b  # 5\n"),
                new Case("a weight, and a plugin that is disabled", """
                        profiles:
                        - plugins:
                            multiPoint:
                              enabled:
                              - {name: NodeAffinity, weight: 7}
                              - {name: TaintToleration, weight: 3}
                              disabled:
                              - name: ImageLocality
                        """, """
                        profiles:
                        - plugins:
                            multiPoint:
                              enabled:
                              - {name: NodeAffinity, weight: 7}  # 7
                              disabled:
                              - {name: ImageLocality}  # 10
                        """),
                new Case("plugins in place of all", """
                        profiles:
                        - plugins:
                            multiPoint:
                              disabled: [{name: '*'}]
                              enabled:
                              - {name: PrioritySort}
                              - {name: DefaultBinder}
                        """, """
                        profiles:
                        - plugins:
                            multiPoint:
                              enabled:
                              - {name: PrioritySort}  # 8
                              - {name: DefaultBinder}  # 9
                              disabled:
                              - {name: "*"}  # 6
                        """),
                new Case("a default that comes last", """
                        profiles:
                        - plugins:
                            multiPoint:
                              disabled: [{name: NodeName}]
                              enabled:
                              - {name: NodeName}
                        """, """
                        profiles:
                        - plugins:
                            multiPoint:
                              enabled:
                              - {name: NodeName}  # 8
                              disabled:
                              - {name: NodeName}  # 6
                        """),
                new Case("some arguments", """
                        profiles:
                        - pluginConfig:
                          - name: DefaultPreemption
                            args: {minCandidateNodesPercentage: 10}
                          - name: NodeResourcesFit
                            args:
                              scoringStrategy:
                                type: MostAllocated
                                resources:
                                - name: cpu
                                  weight: 1
                                - name: memory
                                  weight: 1
                        """, """
                        profiles:
                        - pluginConfig:
                          - name: NodeResourcesFit  # 7
                            args:
                              scoringStrategy:
                                type: MostAllocated  # 10
                        """),
                new Case("items of a list", """
                        profiles:
                        - pluginConfig:
                          - name: NodeResourcesFit
                            args:
                              scoringStrategy:
                                resources:
                                - name: cpu
                                  weight: 2
                                - name: memory
                                  weight: 1
                        """, """
                        profiles:
                        - pluginConfig:
                          - name: NodeResourcesFit  # 5
                            args:
                              scoringStrategy:
                                resources:
                                - {name: cpu, weight: 2}  # 9
                                - {name: memory, weight: 1}  # 11
                        """),
                new Case(
                        "an extender",
                        "extenders:\n- urlPrefix: http://x/\n  filterVerb: f\n  httpTimeout: 5s\n",
                        "extenders:\n- urlPrefix: http://x/  # 4\n  filterVerb: f  # 5\n  httpTimeout: 5s  # 6\n"));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void areShownWithTheirOrigins(Case c) {
        LoadedConfig loaded = load(c.given);

        String shown = ConfigPrinter.printChanged(loaded);

        String head = "apiVersion: kubescheduler.config.k8s.io/v1  # 1\nkind: KubeSchedulerConfiguration  # 2\n";
        assertThat(shown.replaceAll(" +# scheduler.yaml:", "  # ")).isEqualTo(head + c.shown);
        assertThat(ConfigLoader.load(shown, "shown", SamplePlugins.all()).config())
                .isEqualTo(loaded.config());
    }

    static Stream<Case> origins() {
        return Stream.of(
                new Case(
                        "arguments of a plugin that the file does not name",
                        "profiles:\n- schedulerName: a\n",
                        "- name: NodeResourcesFit +# default\n"),
                new Case(
                        "items of a default list",
                        "profiles:\n- schedulerName: a\n",
                        "- \\{name: cpu, weight: 1} +# default\n"),
                new Case(
                        "items of a default list next to given ones",
                        "profiles:\n- pluginConfig:\n  - name: NodeResourcesFit\n    args: {scoringStrategy: {type:"
                                + " MostAllocated}}\n",
                        "type: MostAllocated +# scheduler.yaml:6\n +resources:\n +- \\{name: cpu, weight: 1} +# default\n"),
                new Case(
                        "items that are given",
                        "profiles:\n- pluginConfig:\n  - name: NodeResourcesFit\n    args:\n      ignoredResources:\n"
                                + "      - a.com/b\n      - a.com/c\n",
                        "- a.com/b +# scheduler.yaml:8\n +- a.com/c +# scheduler.yaml:9\n"),
                new Case("null in place of a value", "parallelism: null\n", "parallelism: 16 +# default\n"));
    }

    @ParameterizedTest
    @MethodSource("origins")
    void haveTheOriginOfTheWholeConfiguration(Case c) {
        assertThat(ConfigPrinter.print(ConfigLoader.load(HEAD + c.given, "scheduler.yaml", SamplePlugins.all())))
                .containsPattern(c.shown);
    }
}
