// SPDX-License-Identifier: Apache-2.0
package org.moorage.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.plugin.Problems;
import org.moorage.api.plugin.point.ExtensionPoint;

class ExtenderServerReaderTest {
    private static final String HEAD = "apiVersion: moorage.org/v1\nkind: ExtenderConfiguration\n";

    private static ExtenderServerConfig read(String body) {
        return ExtenderServerReader.read(HEAD + body, "extender.yaml", SamplePlugins.all(), FeatureGates.DEFAULTS);
    }

    @Test
    void readsAllSettings() {
        ExtenderServerConfig config = read("""
                clientConnection: {kubeconfig: /k, qps: 5}
                agents:
                - name: fit
                  port: 5401
                  tls: {certFile: c, keyFile: k, clientCAFile: a}
                  nodeCache: true
                  prefix: /x
                  plugins:
                  - {name: NodeAffinity, as: mine, weight: 3}
                  - name: InterPodAffinity
                    args: {hardPodAffinityWeight: 7}
                    maxScore: 10
                - name: other
                  plugins: [{name: NodeResourcesFit}]
                """);

        assertThat(config.clientConnection().kubeconfig()).isEqualTo("/k");
        assertThat(config.clientConnection().qps()).isEqualTo(5);
        assertThat(config.agents().get(0))
                .isEqualTo(new ExtenderServerConfig.Agent(
                        "fit",
                        "agents[0]",
                        OptionalInt.of(5401),
                        Optional.of(new ExtenderServerConfig.Tls("c", "k", "a")),
                        true,
                        "/x",
                        List.of(
                                new ExtenderServerConfig.AgentPlugin(
                                        "NodeAffinity", SamplePlugins.NodeAffinityArgs.DEFAULTS, "mine", 100, 3),
                                new ExtenderServerConfig.AgentPlugin(
                                        "InterPodAffinity",
                                        new SamplePlugins.PodAffinityArgs(7, false),
                                        "inter-pod-affinity",
                                        10,
                                        1))));
        assertThat(config.agents().get(1))
                .isEqualTo(new ExtenderServerConfig.Agent(
                        "other",
                        "agents[1]",
                        OptionalInt.empty(),
                        Optional.empty(),
                        false,
                        "/scheduler",
                        List.of(new ExtenderServerConfig.AgentPlugin(
                                "NodeResourcesFit", SamplePlugins.FitArgs.DEFAULTS, "node-resources-fit", 100, 1))));
    }

    @Test
    void makesAProfileOfAnAgent() {
        SchedulerConfig config = read("agents: [{name: a, plugins: [{name: NodeAffinity}]}]")
                .agents()
                .get(0)
                .schedulerConfig("Own");

        assertThat(config.extenders()).isEmpty();
        assertThat(config.profiles()).singleElement().satisfies(profile -> {
            assertThat(profile.schedulerName()).isEqualTo("a");
            assertThat(profile.pluginNames()).containsExactly("NodeAffinity", "Own");
            assertThat(profile.at(ExtensionPoint.QUEUE_SORT).disablesAll()).isTrue();
        });
    }

    /** A text after the first lines, and what is wrong with it. */
    record Case(String text, String... problems) {
        @Override
        public String toString() {
            return text;
        }
    }

    static Stream<Case> cases() {
        return Stream.of(
                new Case("", "agents: missing (expected: a list with at least one agent)"),
                new Case("agents: []", "agents: [] (expected: at least one agent)"),
                new Case("agents: 7", "agents: 7 (expected: a list)"),
                new Case(
                        "agents: [{name: a}]",
                        "agents[0].plugins: missing (expected: a list with at least one plugin)"),
                new Case("agents: [{name: a, plugins: []}]", "agents[0].plugins: [] (expected: at least one plugin)"),
                new Case(
                        "agents: [{plugins: [{name: NodeAffinity}]}]",
                        "agents[0].name: missing (expected: a name, such as that of the agent's main plugin)"),
                new Case(
                        "agents: [{name: a, plugins: [{name: NodeAffinity}]}, {name: a, plugins: [{name: NodeAffinity}]}]",
                        "agents[1].name: \"a\" (expected: another name for each agent)"),
                new Case(
                        "agents: [{name: a, port: 70000, prefix: x/, plugins: [{name: NodeAffinity}]}]",
                        "agents[0].port: 70000 (expected: 0 to 65535; 0 for any that is free)",
                        "agents[0].prefix: \"x/\" (expected: a path such as /scheduler, without a slash at its end)"),
                new Case(
                        "agents: [{name: a, tls: {keyFile: k, caFile: c}, plugins: [{name: NodeAffinity}]}]",
                        "agents[0].tls.certFile: missing (expected: a file in PEM format)",
                        "agents[0].tls.caFile: unknown field (expected: one of certFile, keyFile, clientCAFile)"),
                new Case(
                        "agents: [{name: a, plugins: [{}, {name: NodeAfinity}, {name: Nobody}]}]",
                        "agents[0].plugins[0].name: missing (expected: the name of a plugin)",
                        "agents[0].plugins[1].name: \"NodeAfinity\" (expected: a registered plugin; --plugin-dir adds those of jars). Did you mean NodeAffinity?",
                        "agents[0].plugins[2].name: \"Nobody\" (expected: a registered plugin; --plugin-dir adds those of jars)"),
                new Case(
                        "agents: [{name: a, plugins: [{name: NodeAffinity}, {name: NodeAffinity, as: b},"
                                + " {name: NodeName, as: b}, {name: NodePorts, as: a/b}]}]",
                        "agents[0].plugins[1].name: \"NodeAffinity\" (expected: each plugin once)",
                        "agents[0].plugins[2].as: \"b\" (expected: another route for each plugin)",
                        "agents[0].plugins[3].as: \"a/b\" (expected: letters, digits, '-', '_' and '.')"),
                new Case(
                        "agents: [{name: a, plugins: [{name: InterPodAffinity, weight: 0, maxScore: 0,"
                                + " args: {hardPodAffinityWeigth: 1}}]}]",
                        "agents[0].plugins[0].weight: 0 (expected: more than 0)",
                        "agents[0].plugins[0].maxScore: 0 (expected: 1 to 100)",
                        "agents[0].plugins[0].args.hardPodAffinityWeigth: unknown field. Did you mean hardPodAffinityWeight?"),
                new Case(
                        "agent: []\nagents: [{name: a, plugin: 1, plugins: [{name: NodeAffinity, wight: 1}]}]",
                        "agent: unknown field. Did you mean agents?",
                        "agents[0].plugin: unknown field. Did you mean plugins?",
                        "agents[0].plugins[0].wight: unknown field. Did you mean weight?"));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void reportsAllErrors(Case wrong) {
        ConfigException refusal = catchThrowableOfType(ConfigException.class, () -> read(wrong.text));

        assertThat(refusal.problems()).extracting(Problems.Problem::toString).containsExactly(wrong.problems);
    }
}
