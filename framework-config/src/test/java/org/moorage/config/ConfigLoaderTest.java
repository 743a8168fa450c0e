// SPDX-License-Identifier: Apache-2.0
package org.moorage.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.moorage.config.ConfigTexts.PROFILE;
import static org.moorage.config.ConfigTexts.load;
import static org.moorage.config.ConfigTexts.refusal;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.stream.Stream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.moorage.api.plugin.Problems;

/** Tests reading configurations, and the messages about their errors. */
class ConfigLoaderTest {
    @Nested
    class Messages {
        @Test
        void areOneLineForOneProblem() {
            assertThatExceptionOfType(ConfigException.class)
                    .isThrownBy(() -> load("podInitialBackoffSeconds: 0\n"))
                    .withMessage("scheduler.yaml:3:1: podInitialBackoffSeconds: 0 (expected: more than 0)");
        }

        @Test
        void nameEveryProblemWithItsPlace() {
            assertThatExceptionOfType(ConfigException.class)
                    .isThrownBy(() -> load("""
                            parallelsm: 4
                            podInitialBackoffSeconds: 0
                            leaderElection:
                              leaseDuration: soon
                            profiles:
                            - plugins:
                                score:
                                  enabled:
                                  - name: NodeAffinity
                                  - {name: NodeResourceFit, weight: 2}
                              pluginConfig:
                              - name: InterPodAffinity
                                args:
                                  hardPodAffinityWeight: 101
                            """))
                    .withMessage("""
                            scheduler.yaml: not a valid configuration, 5 problems
                              scheduler.yaml:3:1: parallelsm: unknown field. Did you mean parallelism?
                              scheduler.yaml:4:1: podInitialBackoffSeconds: 0 (expected: more than 0)
                              scheduler.yaml:6:3: leaderElection.leaseDuration: "soon" (expected: a duration such as 15s, 1m30s or 100ms)
                              scheduler.yaml:12:10: profiles[0].plugins.score.enabled[1].name: "NodeResourceFit" (expected: a registered plugin; --plugin-dir adds those of jars). Did you mean NodeResourcesFit?
                              scheduler.yaml:16:7: profiles[0].pluginConfig[0].args.hardPodAffinityWeight: 101 (expected: 0 to 100)""".stripTrailing());
        }

        @Test
        void nameTheClosestPlaceForWhatIsNotThere() {
            ConfigException refused = refusal(PROFILE + "- plugins: {}\n");

            assertThat(refused.problems()).hasSize(1);
            assertThat(refused.placeOf(refused.problems().get(0))).contains("scheduler.yaml:5:3");
            assertThat(refused).hasMessageContaining("scheduler.yaml:5:3: profiles[1].schedulerName: missing");
        }

        @Test
        void nameThePlaceOfWhatOnlyThePluginsShow() {
            LoadedConfig loaded = load(PROFILE + "  plugins:\n    bind: {disabled: [{name: '*'}]}\n");
            Problems problems = Problems.collector();
            problems.at("profiles")
                    .at(0)
                    .at("plugins")
                    .at("bind")
                    .at("disabled")
                    .at(0)
                    .report("one is needed");

            assertThat(loaded.refusal(problems.all()))
                    .hasMessageContaining("scheduler.yaml:6: profiles[0].plugins.bind.disabled[0]: one is needed");
        }
    }

    @Nested
    class Values {
        record Case(String name, String yaml, String path, Object expected) {
            @Override
            public String toString() {
                return name;
            }
        }

        static Stream<Case> cases() {
            return Stream.of(
                    new Case("a whole number with a point", "parallelism: 2.0", "/parallelism", 2),
                    new Case("an octal number", "parallelism: 017", "/parallelism", 15),
                    new Case("an octal number as of YAML 1.2", "parallelism: 0o17", "/parallelism", 15),
                    new Case("a hexadecimal number", "parallelism: 0x10", "/parallelism", 16),
                    new Case("a binary number", "parallelism: 0b11", "/parallelism", 3),
                    new Case("a number with a line in it", "parallelism: 1_000", "/parallelism", 1000),
                    new Case("null", "parallelism: ~", "/parallelism", 16),
                    new Case("a power of ten", "clientConnection: {qps: 1e3}", "/clientConnection/qps", 1000),
                    new Case("a fraction", "clientConnection: {qps: 0.1}", "/clientConnection/qps", 0.1),
                    new Case("no rate", "clientConnection: {qps: 0}", "/clientConnection/qps", 50),
                    new Case("no burst", "clientConnection: {burst: 0}", "/clientConnection/burst", 100),
                    new Case("yes", "enableProfiling: n", "/enableProfiling", false),
                    new Case("on", "enableProfiling: off", "/enableProfiling", false),
                    new Case("True", "enableProfiling: True", "/enableProfiling", true),
                    new Case(
                            "an empty name of the lease",
                            "leaderElection: {resourceName: ''}",
                            "/leaderElection/resourceName",
                            "kube-scheduler"),
                    new Case(
                            "no duration",
                            "leaderElection: {leaseDuration: 0s}",
                            "/leaderElection/leaseDuration",
                            "15s"),
                    new Case(
                            "a long duration",
                            "leaderElection: {leaseDuration: 1h1.5s}",
                            "/leaderElection/leaseDuration",
                            "1h0m1.5s"),
                    new Case(
                            "what does not count",
                            "leaderElection: {leaderElect: false, resourceLock: x, leaseDuration: -1s}",
                            "/leaderElection/leaseDuration",
                            "-1s"),
                    new Case(
                            "a date",
                            "profiles: [{schedulerName: 2001-01-01}]",
                            "/profiles/0/schedulerName",
                            "2001-01-01"),
                    new Case("a null profile", "profiles: [null]", "/profiles/0/schedulerName", "default-scheduler"),
                    new Case(
                            "a share of none",
                            "profiles: [{percentageOfNodesToScore: 0}]",
                            "/profiles/0/percentageOfNodesToScore",
                            0),
                    new Case(
                            "a tagged text",
                            "clientConnection: {kubeconfig: !!str 5}",
                            "/clientConnection/kubeconfig",
                            "5"),
                    new Case(
                            "an alias",
                            "clientConnection: {kubeconfig: &k f, acceptContentTypes: *k}",
                            "/clientConnection/acceptContentTypes",
                            "f"),
                    new Case(
                            "what is merged",
                            "clientConnection: {<<: {kubeconfig: f, burst: 3}, burst: 4}",
                            "/clientConnection/kubeconfig",
                            "f"),
                    new Case(
                            "what is merged and given",
                            "clientConnection: {<<: {kubeconfig: f, burst: 3}, burst: 4}",
                            "/clientConnection/burst",
                            4),
                    new Case(
                            "a weight where something is disabled",
                            PROFILE + "  plugins: {score: {disabled: [{name: NodeAffinity, weight: 4}]}}",
                            "/profiles/0/plugins/score/disabled/0/weight",
                            0),
                    new Case(
                            "no timeout of an extender",
                            "extenders: [{urlPrefix: http://a/, httpTimeout: 0s}]",
                            "/extenders/0/httpTimeout",
                            "5s"),
                    new Case(
                            "null arguments",
                            PROFILE + "  pluginConfig: [{name: InterPodAffinity, args: null}]",
                            "/profiles/0/pluginConfig/0/args/hardPodAffinityWeight",
                            1));
        }

        @ParameterizedTest
        @MethodSource("cases")
        void areReadAsKubeSchedulerReadsThem(Case c) {
            JsonNode value = load(c.yaml).effectiveTree().at(c.path);

            assertThat(
                            value.isTextual()
                                    ? value.textValue()
                                    : value.isBoolean() ? (Object) value.booleanValue() : value.numberValue())
                    .isEqualTo(c.expected);
        }

        @Test
        void areReadFromJsonToo() {
            LoadedConfig loaded = ConfigLoader.load(
                    "{\n\t\"apiVersion\": \"kubescheduler.config.k8s.io/v1\",\n\t\"kind\":\t\"KubeSchedulerConfiguration\","
                            + "\n\t\"parallelism\": 3}",
                    "scheduler.json",
                    SamplePlugins.all());

            assertThat(loaded.config().parallelism()).isEqualTo(3);
        }
    }
}
