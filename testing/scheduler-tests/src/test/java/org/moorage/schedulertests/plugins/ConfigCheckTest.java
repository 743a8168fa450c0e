// SPDX-License-Identifier: Apache-2.0
package org.moorage.schedulertests.plugins;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.Mockito.mock;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.plugin.Plugin;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.Problems;
import org.moorage.api.plugin.point.ScorePlugin;
import org.moorage.builtin.dra.KubeSchedulerPlugins;
import org.moorage.config.ConfigException;
import org.moorage.config.ConfigLoader;
import org.moorage.config.ConfigReading;
import org.moorage.config.older.PolicyTexts;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.runtime.ConfigCheck;
import org.moorage.simulation.cluster.InMemoryCluster;

/**
 * Tests that all errors of a configuration are reported together: those of reading it, and those of its plugins and
 * extenders.
 */
class ConfigCheckTest {
    private static final String HEAD = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n";

    private static final InMemoryCluster CLUSTER = InMemoryCluster.of(List.of());

    /** Arguments of a plugin that is only made for an even number. */
    public record Args(int number) implements PluginArgs {
        public static final Args DEFAULTS = new Args(1);

        @Override
        public void validate(Problems problems) {
            if (number < 0) {
                problems.at("number").invalid(number, "not less than 0");
            }
        }
    }

    private static final PluginRegistry REGISTRY = PluginRegistry.of(KubeSchedulerPlugins.all())
            .with(List.of(PluginFactory.of("Even", Plugin.class, Args.class, (args, handle) -> {
                if (args.number % 2 != 0) {
                    throw new IllegalArgumentException("number: " + args.number + " (expected: an even number)");
                }
                return mock(ScorePlugin.class);
            })));

    /**
     * One case.
     *
     * @param given the configuration, without its first lines
     * @param problems the reported problems, with lines and without the file's name
     */
    record Case(String name, String given, String... problems) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Case> cases() {
        String refused = "initializing plugin \"Even\": number: 1 (expected: an even number)";
        return Stream.of(
                new Case("nothing wrong", "profiles:\n- pluginConfig:\n  - name: Even\n    args: {number: 4}\n"),
                new Case(
                        "a plugin whose factory refuses its defaults",
                        "profiles:\n- plugins:\n    score: {enabled: [{name: Even}]}\n",
                        "4: profiles[0].pluginConfig[Even]: " + refused),
                new Case(
                        "a plugin whose factory refuses its arguments",
                        """
                        profiles:
                        - plugins: {score: {enabled: [{name: Even}]}}
                          pluginConfig:
                          - name: Even
                            args: {number: 1}
                        """,
                        "6: profiles[0].pluginConfig[0]: " + refused),
                new Case(
                        "the same next to an unknown field, and in another profile",
                        """
                        parallelsm: 4
                        profiles:
                        - schedulerName: a
                          percentageOfNodesToScore: 101
                        - schedulerName: b
                          plugins: {score: {enabled: [{name: Even}]}, filter: {enabled: [{name: ImageLocality}]}}
                          pluginConfig:
                          - name: Even
                            args: {number: 1}
                        """,
                        "3:1: parallelsm: unknown field. Did you mean parallelism?",
                        "6:3: profiles[0].percentageOfNodesToScore: 101 (expected: 0 to 100)",
                        "8: profiles[1].plugins.filter.enabled[0].name: plugin \"ImageLocality\" does not extend"
                                + " FilterPlugin plugin (it extends score)",
                        "10: profiles[1].pluginConfig[0]: " + refused),
                new Case(
                        "a plugin whose arguments are not valid is reported once",
                        """
                        profiles:
                        - plugins: {multiPoint: {enabled: [{name: Even}]}}
                          pluginConfig:
                          - name: Even
                            args: {number: -2}
                        """,
                        "7:12: profiles[0].pluginConfig[0].args.number: -2 (expected: not less than 0)"),
                new Case(
                        "a plugin that does not exist is reported once",
                        "profiles:\n- plugins: {bind: {disabled: [{name: '*'}], enabled: [{name: MyBinder}]}}\n",
                        "4:56: profiles[0].plugins.bind.enabled[0].name: \"MyBinder\" (expected: a registered plugin; --plugin-dir adds those of jars)"),
                new Case(
                        "no plugin that binds",
                        "profiles:\n- schedulerName: a\n  plugins: {bind: {disabled: [{name: '*'}]}}\n",
                        "4: profiles[0].plugins.bind: at least one bind plugin is needed for profile with scheduler name"
                                + " \"a\""),
                new Case(
                        "files of extenders, and what is wrong after them",
                        """
                        extenders:
                        - urlPrefix: https://a/
                          filterVerb: f
                          tlsConfig:
                            certFile: /nowhere/tls.crt
                            keyFile: /nowhere/tls.key
                            caFile: /nowhere/ca.crt
                        - urlPrefix: https://b/
                          ignorable: true
                          tlsConfig: {caFile: /nowhere/b.crt}
                        profiles:
                        - plugins: {score: {enabled: [{name: Even}]}}
                        """,
                        "7: extenders[0].tlsConfig.certFile: \"/nowhere/tls.crt\": no such file (expected: a readable"
                                + " file)",
                        "8: extenders[0].tlsConfig.keyFile: \"/nowhere/tls.key\": no such file (expected: a readable"
                                + " file)",
                        "9: extenders[0].tlsConfig.caFile: \"/nowhere/ca.crt\": no such file (expected: a readable file)",
                        "12: extenders[1].tlsConfig.caFile: \"/nowhere/b.crt\": no such file (expected: a readable file)",
                        "14: profiles[0].pluginConfig[Even]: " + refused),
                new Case(
                        "a second document",
                        "parallelism: 0\n---\nparallelism: 4\n",
                        "3:1: parallelism: 0 (expected: more than 0)",
                        "5:1: document 2: it is not read, as by kube-scheduler (expected: one configuration in a file)"),
                new Case("a mark at the end", "parallelism: 4\n---\n"),
                new Case(
                        "a second document that is not YAML",
                        "parallelism: 4\n---\n{\n",
                        "6:1: document 2: it is not read, as by kube-scheduler (expected: one configuration in a file)"),
                new Case(
                        "a slip in what is disabled",
                        "profiles:\n- plugins: {score: {disabled: [{name: ImageLocalty}]}}\n",
                        "4:33: profiles[0].plugins.score.disabled[0].name: \"ImageLocalty\" disables nothing (expected: a"
                                + " registered plugin; --plugin-dir adds those of jars). Did you mean ImageLocality?"));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void reportsAllErrorsInTheOrderOfTheLines(Case c) {
        ConfigReading reading =
                ConfigLoader.read(HEAD + c.given, "f", REGISTRY, FeatureGates.DEFAULTS, PolicyTexts.files());

        if (c.problems.length == 0) {
            assertThat(ConfigCheck.check(reading, REGISTRY, CLUSTER, CLUSTER)).isSameAs(reading.loaded());
            return;
        }
        assertThatExceptionOfType(ConfigException.class)
                .isThrownBy(() -> ConfigCheck.check(reading, REGISTRY, CLUSTER, CLUSTER))
                .satisfies(refusal -> assertThat(refusal.problems().stream()
                                .map(problem -> refusal.placeOf(problem).orElse("f:") + ": " + problem))
                        .containsExactly(Stream.of(c.problems)
                                .map(problem -> "f:" + problem)
                                .toArray(String[]::new)));
    }
}
