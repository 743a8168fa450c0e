// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.moorage.api.plugin.FeatureGates;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.Problems;
import org.moorage.runtime.plugin.PluginRegistry;

class ConfigLoaderTest {
    private static final String HEAD = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n";
    private static final String PROFILE = "profiles:\n- schedulerName: a\n";

    @Nested
    class Messages {
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
                              scheduler.yaml:6:3: leaderElection.leaseDuration: "soon" (expected: a duration such as 15s, 1m30s or 100ms)
                              scheduler.yaml:4:1: podInitialBackoffSeconds: 0 (expected: more than 0)
                              scheduler.yaml:12:10: profiles[0].plugins.score.enabled[1].name: "NodeResourceFit" (expected: a registered plugin). Maybe NodeResourcesFit.
                              scheduler.yaml:3:1: parallelsm: unknown field. Maybe parallelism.
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
    class Refusals {
        record Case(String name, String yaml, String... problems) {
            @Override
            public String toString() {
                return name;
            }
        }

        static Stream<Case> cases() {
            String plugins = PROFILE + "  plugins: ";
            String config = PROFILE + "  pluginConfig: ";
            return Stream.of(
                    new Case(
                            "a number as a text",
                            "parallelism: '16'",
                            "parallelism: \"16\" (expected: a whole number)"),
                    new Case(
                            "a number that is too large",
                            "parallelism: 3000000000",
                            "parallelism: 3000000000 (expected: a whole number from -2147483648 to 2147483647)"),
                    new Case("a broken number", "parallelism: 2.5", "parallelism: 2.5 (expected: a whole number)"),
                    new Case(
                            "minutes and seconds",
                            "parallelism: 1:30",
                            "parallelism: \"1:30\" (expected: a whole number)"),
                    new Case(
                            "infinity",
                            "clientConnection: {qps: .inf}",
                            "clientConnection.qps: \".inf\" (expected: a number)"),
                    new Case(
                            "a text for true",
                            "enableProfiling: 'true'",
                            "enableProfiling: \"true\" (expected: true or false)"),
                    new Case(
                            "a number for a duration",
                            "leaderElection: {retryPeriod: 2}",
                            "leaderElection.retryPeriod: 2 (expected: a duration such as 15s, 1m30s or 100ms)"),
                    new Case(
                            "null for a duration",
                            "leaderElection: {retryPeriod: null}",
                            "leaderElection.retryPeriod: null (expected: a duration such as 15s, 1m30s or 100ms)"),
                    new Case(
                            "a duration below zero",
                            "leaderElection: {retryPeriod: -1s}",
                            "leaderElection.retryPeriod: \"-1s\" (expected: more than 0s)"),
                    new Case(
                            "a lock of another kind",
                            "leaderElection: {resourceLock: endpoints}",
                            "leaderElection.resourceLock: \"endpoints\" (expected: leases)"),
                    new Case(
                            "a burst below zero",
                            "clientConnection: {burst: -1}",
                            "clientConnection.burst: -1 (expected: not less than 0)"),
                    new Case(
                            "a number for a name",
                            "profiles: [{schedulerName: 5}]",
                            "profiles[0].schedulerName: 5 (expected: a text; quote it)"),
                    new Case(
                            "a profile with an empty name",
                            "profiles: [{schedulerName: ''}]",
                            "profiles[0].schedulerName: missing (expected: a name, which pods give as their"
                                    + " schedulerName)"),
                    new Case("a text for a profile", "profiles: [a]", "profiles[0]: \"a\" (expected: fields)"),
                    new Case("fields for a list", "profiles: {a: b}", "profiles: {\"a\":\"b\"} (expected: a list)"),
                    new Case("capital letters", "Parallelism: 3", "Parallelism: unknown field. Maybe parallelism."),
                    new Case(
                            "a number as a field",
                            "5: 5",
                            "5: unknown field (expected: one of apiVersion, kind,"
                                    + " parallelism, leaderElection, clientConnection, enableProfiling,"
                                    + " enableContentionProfiling, percentageOfNodesToScore, podInitialBackoffSeconds,"
                                    + " podMaxBackoffSeconds, profiles, extenders, delayCacheUntilActive)"),
                    new Case(
                            "a field given twice",
                            "leaderElection:\n  leaderElect: true\n  leaderElect: false\n",
                            "leaderElection.leaderElect: given twice, again at scheduler.yaml:5:3 (expected: once)"),
                    new Case(
                            "several unknown fields",
                            plugins + "{score: {enabled: [{name: NodeAffinity, wieght: 2}]}, skore: {}}",
                            "profiles[0].plugins.score.enabled[0].wieght: unknown field. Maybe weight.",
                            "profiles[0].plugins.skore: unknown field. Maybe score."),
                    new Case(
                            "a plugin without a name",
                            plugins + "{score: {enabled: [{weight: 2}]}}",
                            "profiles[0].plugins.score.enabled[0].name: missing (expected: the name of a plugin)"),
                    new Case(
                            "a plugin that nobody knows",
                            plugins + "{multiPoint: {enabled: [{name: NetworkTraffic}]}}",
                            "profiles[0].plugins.multiPoint.enabled[0].name: \"NetworkTraffic\" (expected: a"
                                    + " registered plugin)"),
                    new Case(
                            "a slip in the name of a plugin to disable",
                            plugins + "{score: {disabled: [{name: NodeAfinity}]}}",
                            "profiles[0].plugins.score.disabled[0].name: \"NodeAfinity\" (expected: a registered"
                                    + " plugin). Maybe NodeAffinity."),
                    new Case(
                            "a slip in the name of a plugin with arguments",
                            config + "[{name: interpodaffinity}]",
                            "profiles[0].pluginConfig[0].name: \"interpodaffinity\" (expected: a registered plugin)."
                                    + " Maybe InterPodAffinity."),
                    new Case(
                            "a removed plugin at a point",
                            plugins + "{filter: {enabled: [{name: GCEPDLimits}]}}",
                            "profiles[0].plugins.filter.enabled[0]: \"GCEPDLimits\" (expected: a plugin that"
                                    + " kube-scheduler still has; NodeVolumeLimits took its place)"),
                    new Case(
                            "arguments of a removed plugin",
                            config + "[{name: EBSLimits}]",
                            "profiles[0].pluginConfig[0]: \"EBSLimits\" (expected: a plugin that"
                                    + " kube-scheduler still has; NodeVolumeLimits took its place)"),
                    new Case(
                            "a plugin that does not place groups",
                            plugins + "{placementScore: {enabled: [{name: NodeName}]}}",
                            "profiles[0].plugins.placementScore.enabled[0].name: \"NodeName\" (expected: a plugin for"
                                    + " placementScore)"),
                    new Case(
                            "two queue sorts",
                            plugins + "{queueSort: {enabled: [{name: PrioritySort}, {name: PrioritySort}]}}",
                            "profiles[0].plugins.queueSort.enabled: \"2 plugins\" (expected: at most one)"),
                    new Case(
                            "arguments that are a text",
                            config + "[{name: InterPodAffinity, args: hi}]",
                            "profiles[0].pluginConfig[0].args: \"hi\" (expected: fields)"),
                    new Case(
                            "arguments of another plugin",
                            config + "[{name: InterPodAffinity, args: {kind: NodeAffinityArgs}}]",
                            "profiles[0].pluginConfig[0].args.kind: \"NodeAffinityArgs\" (expected:"
                                    + " InterPodAffinityArgs)"),
                    new Case(
                            "arguments of another version",
                            config
                                    + "[{name: InterPodAffinity, args: {apiVersion: kubescheduler.config.k8s.io/v1beta3}}]",
                            "profiles[0].pluginConfig[0].args.apiVersion:"
                                    + " \"kubescheduler.config.k8s.io/v1beta3\" (expected:"
                                    + " kubescheduler.config.k8s.io/v1)"),
                    new Case(
                            "arguments for a plugin that has none",
                            config + "[{name: NodeName, args: {strict: true}}]",
                            "profiles[0].pluginConfig[0].args.strict: unknown field (expected: no fields)"),
                    new Case(
                            "a resource of two extenders",
                            "extenders: [{managedResources: [{name: a.com/b}]}, {managedResources: [{name: a.com/b}]}]",
                            "extenders[1].managedResources[0].name: \"a.com/b\" (expected: each resource once, over"
                                    + " all extenders)"),
                    new Case(
                            "a resource of Kubernetes",
                            "extenders: [{managedResources: [{name: cpu}]}]",
                            "extenders[0].managedResources[0].name: \"cpu\" (expected: an extended resource such as"
                                    + " example.com/gpu)"),
                    new Case(
                            "a domain in capitals",
                            "extenders: [{managedResources: [{name: A.com/b}]}]",
                            "extenders[0].managedResources[0].name: \"A.com/b\" (expected: before the slash a DNS"
                                    + " name in small letters)"),
                    new Case(
                            "a key that is not base64, without showing it",
                            "extenders: [{tlsConfig: {keyData: 'A*'}}]",
                            "extenders[0].tlsConfig.keyData: not base64 (expected: base64)"),
                    new Case(
                            "certificates to trust where any is accepted",
                            "extenders: [{tlsConfig: {insecure: true, caFile: /ca}}]",
                            "extenders[0].tlsConfig.insecure: true (expected: false, since there are certificates to"
                                    + " trust)"),
                    new Case(
                            "ignored resources without NodeResourcesFit",
                            "extenders: [{managedResources: [{name: a.com/b, ignoredByScheduler: true}]}]\n" + plugins
                                    + "{multiPoint: {disabled: [{name: NodeResourcesFit}]}}",
                            "profiles[0].pluginConfig: missing (expected: arguments of NodeResourcesFit, for the"
                                    + " resources that extenders have ignored by the scheduler)"),
                    new Case(
                            "an alias of what it is in",
                            "leaderElection: &it {leaderElect: *it}",
                            "leaderElection.leaderElect: an alias that refers to what it is part of (expected: a"
                                    + " tree)"));
        }

        @ParameterizedTest
        @MethodSource("cases")
        void sayWhatWasSeenAndWhatIsExpected(Case c) {
            assertThat(refusal(c.yaml).problems())
                    .extracting(Problems.Problem::toString)
                    .containsExactly(c.problems);
        }

        record Text(String name, String text, String... problems) {
            @Override
            public String toString() {
                return name;
            }
        }

        static Stream<Text> texts() {
            String noVersion = "apiVersion: missing (expected: kubescheduler.config.k8s.io/v1)";
            String noKind = "kind: missing (expected: KubeSchedulerConfiguration)";
            return Stream.of(
                    new Text("nothing", "", noVersion, noKind),
                    new Text("a comment", "# nothing\n", noVersion, noKind),
                    new Text("null", "null\n", noVersion, noKind),
                    new Text("a word", "hello", "\"hello\" (expected: fields, such as apiVersion and kind)"),
                    new Text("a list", "- a", "[\"a\"] (expected: fields, such as apiVersion and kind)"),
                    new Text("no version", "kind: KubeSchedulerConfiguration", noVersion),
                    new Text(
                            "an old version",
                            "apiVersion: kubescheduler.config.k8s.io/v1beta3\nkind: KubeSchedulerConfiguration\nfoo: 1",
                            "apiVersion: \"kubescheduler.config.k8s.io/v1beta3\" (expected:"
                                    + " kubescheduler.config.k8s.io/v1; Kubernetes 1.29 dropped the last beta version)"),
                    new Text(
                            "something else",
                            "apiVersion: v1\nkind: Pod\n",
                            "apiVersion: \"v1\" (expected: kubescheduler.config.k8s.io/v1)",
                            "kind: \"Pod\" (expected: KubeSchedulerConfiguration)"),
                    new Text(
                            "a tab",
                            "leaderElection:\n\tleaderElect: true\n",
                            "not YAML: found character '\\t(TAB)' that cannot start any token. (Do not use \\t(TAB)"
                                    + " for indentation)"));
        }

        @ParameterizedTest
        @MethodSource("texts")
        void ofTextsThatAreNoConfigurationAtAll(Text c) {
            assertThatExceptionOfType(ConfigException.class)
                    .isThrownBy(() -> ConfigLoader.load(c.text, "scheduler.yaml", SamplePlugins.all()))
                    .satisfies(refused -> assertThat(refused.problems())
                            .extracting(Problems.Problem::toString)
                            .containsExactly(c.problems));
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
            JsonNode value = load(c.yaml).effective().at(c.path);

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

    @Nested
    class Plugins {
        @Test
        void ofTheDefaultsKeepTheirPlaceAndTakeTheGivenWeight() {
            ProfileConfig profile = load(PROFILE
                            + "  plugins: {multiPoint: {disabled: [{name: NodeName}, {name: ImageLocality}],"
                            + " enabled: [{name: DefaultBinder}, {name: NodeName}, {name: TaintToleration, weight: 9}]}}")
                    .config()
                    .profiles()
                    .get(0);

            assertThat(profile.multiPoint().enabled()).hasSize(19);
            assertThat(profile.multiPoint().enabled().get(3)).isEqualTo(new EnabledPlugin("TaintToleration", 9));
            assertThat(profile.multiPoint().enabled().get(17).name()).isEqualTo("NodeDeclaredFeatures");
            assertThat(profile.multiPoint().enabled().get(18)).isEqualTo(new EnabledPlugin("NodeName", 0));
        }

        @Test
        void areAddedWhenTheyAreEnabledTwice() {
            ProfileConfig profile = load(PROFILE
                            + "  plugins: {multiPoint: {enabled: [{name: NodeAffinity, weight: 4}, {name: NodeAffinity,"
                            + " weight: 3}]}}")
                    .config()
                    .profiles()
                    .get(0);

            assertThat(profile.multiPoint().enabled().get(5)).isEqualTo(new EnabledPlugin("NodeAffinity", 3));
            assertThat(profile.multiPoint().enabled().get(20)).isEqualTo(new EnabledPlugin("NodeAffinity", 4));
        }

        @Test
        void haveTheirArguments() {
            ProfileConfig profile = load(PROFILE
                            + "  pluginConfig: [{name: NodeResourcesFit, args: {ignoredResources: [a.com/b]}}]")
                    .config()
                    .profiles()
                    .get(0);

            assertThat(profile.args())
                    .containsEntry("VolumeBinding", new SamplePlugins.VolumeArgs(600))
                    .containsEntry("NodeName", PluginArgs.None.DEFAULTS)
                    .containsEntry(
                            "NodeResourcesFit",
                            new SamplePlugins.FitArgs(
                                    List.of("a.com/b"), List.of(), SamplePlugins.FitArgs.DEFAULTS.scoringStrategy()));
            assertThat(profile.pluginNames()).hasSize(20).startsWith("SchedulingGates", "PrioritySort");
        }

        @Test
        void ofOthersHaveTheirArgumentsWithoutAKind() {
            PluginRegistry registry = SamplePlugins.all()
                    .with(List.of(SamplePlugins.factory(
                            "Mine", SamplePlugins.VolumeArgs.class, new SamplePlugins.Score("Mine"))));
            LoadedConfig loaded = ConfigLoader.load(
                    HEAD + PROFILE + "  plugins: {score: {enabled: [{name: Mine}]}}\n", "scheduler.yaml", registry);

            assertThat(loaded.effective().at("/profiles/0/pluginConfig/3"))
                    .hasToString("{\"name\":\"Mine\",\"args\":{\"bindTimeoutSeconds\":600}}");
        }

        @Test
        void ofKubeSchedulerThatAreNotRegisteredAreNamedOnceAndKept() {
            PluginRegistry registry = SamplePlugins.without(Set.of("VolumeBinding", "PodTopologySpread"));
            LoadedConfig loaded = ConfigLoader.load(HEAD + """
                            profiles:
                            - schedulerName: a
                              plugins: {score: {enabled: [{name: PodTopologySpread, weight: 3}]}}
                              pluginConfig:
                              - name: PodTopologySpread
                                args: {defaultingType: List}
                              - name: VolumeBinding
                            - schedulerName: b
                              plugins: {multiPoint: {disabled: [{name: VolumeBinding}, {name: SelectorSpread}]}}
                            """, "scheduler.yaml", registry);

            assertThat(loaded.missingPlugins())
                    .containsExactlyInAnyOrder("PodTopologySpread", "VolumeBinding", "SelectorSpread");
            assertThat(loaded.effective().at("/profiles/0/pluginConfig/0/args"))
                    .hasToString("{\"defaultingType\":\"List\"}");
            assertThat(loaded.effective().at("/profiles/0/pluginConfig/1/args").isNull())
                    .isTrue();
            assertThat(loaded.effective().at("/profiles/0/plugins/multiPoint/enabled"))
                    .hasSize(20);
            assertThat(loaded.config().profiles().get(0).pluginNames())
                    .hasSize(18)
                    .doesNotContain("PodTopologySpread", "VolumeBinding");
        }

        /** Arguments that fail when they are completed or checked, as they say. */
        public record FailingArgs(String completion, String check) implements PluginArgs {
            public static final FailingArgs DEFAULTS = new FailingArgs("", "");

            @Override
            @SuppressWarnings("NullAway") // that is what it does wrong
            public PluginArgs forFeatures(FeatureGates features, Problems problems) {
                fail(completion);
                return completion.equals("null") ? null : this;
            }

            @Override
            public void validate(Problems problems) {
                fail(check);
            }

            private static void fail(String how) {
                if (how.equals("exception")) {
                    throw new IllegalArgumentException("boom");
                } else if (how.equals("linkage")) {
                    throw new NoClassDefFoundError("gone");
                } else if (how.equals("stack")) {
                    throw new StackOverflowError();
                }
            }
        }

        @ParameterizedTest
        @CsvSource(
                delimiter = '|',
                value = {
                    "completion: exception | completing the arguments of plugin \"Mine\": boom",
                    "completion: linkage   | completing the arguments of plugin \"Mine\": java.lang.NoClassDefFoundError: gone",
                    "completion: stack     | completing the arguments of plugin \"Mine\": java.lang.StackOverflowError",
                    "completion: 'null'    | completing the arguments of plugin \"Mine\": answered null",
                    "check: exception      | checking the arguments of plugin \"Mine\": boom",
                    "check: linkage        | checking the arguments of plugin \"Mine\": java.lang.NoClassDefFoundError: gone",
                    "check: stack          | checking the arguments of plugin \"Mine\": java.lang.StackOverflowError",
                })
        void areRefusedWithThePluginWhoseArgumentsFail(String args, String message) {
            PluginRegistry registry = PluginRegistry.of(
                    List.of(SamplePlugins.factory("Mine", FailingArgs.class, new SamplePlugins.Score("Mine"))));

            ConfigException refused = catchThrowableOfType(
                    ConfigException.class,
                    () -> ConfigLoader.load(
                            HEAD + PROFILE + "  plugins: {score: {enabled: [{name: Mine}]}}\n"
                                    + "  pluginConfig: [{name: Mine, args: {" + args + "}}]\n",
                            "scheduler.yaml",
                            registry));

            assertThat(refused).hasMessageContaining("profiles[0].pluginConfig[0].args: " + message);
        }

        @Test
        void cannotHaveArgumentsThatCannotBeRead() {
            PluginRegistry registry = PluginRegistry.of(List.of(SamplePlugins.factory(
                    "Mine", ArgsBinderTest.WithoutDefaults.class, new SamplePlugins.Score("Mine"))));

            ConfigException refused = catchThrowableOfType(
                    ConfigException.class,
                    () -> ConfigLoader.load(
                            HEAD + PROFILE + "  plugins: {score: {enabled: [{name: Mine}]}}\n",
                            "scheduler.yaml",
                            registry));

            assertThat(refused)
                    .hasMessageContaining(
                            "profiles[0].pluginConfig[0].args: plugin \"Mine\" cannot be given arguments: "
                                    + ArgsBinderTest.WithoutDefaults.class.getName() + ": no arguments by default");
        }
    }

    @Nested
    class Extenders {
        @Test
        void comeLastWhenTheyMayBeIgnored() {
            LoadedConfig loaded = load("extenders: [{urlPrefix: http://a/, ignorable: true}, {urlPrefix: http://b/},"
                    + " {urlPrefix: http://c/, ignorable: true}, {urlPrefix: http://d/}]");

            assertThat(loaded.config().extenders())
                    .extracting(ExtenderConfig::urlPrefix)
                    .containsExactly("http://b/", "http://d/", "http://a/", "http://c/");
            assertThat(loaded.effective().at("/extenders/0/urlPrefix").textValue())
                    .isEqualTo("http://a/");
        }

        @Test
        void replaceTheIgnoredResourcesOfEveryProfile() {
            LoadedConfig loaded = load("""
                    extenders:
                    - {urlPrefix: 'http://a/', ignorable: true, managedResources: [{name: a.com/z, ignoredByScheduler: true}, {name: a.com/c}]}
                    - {urlPrefix: 'http://b/', managedResources: [{name: a.com/a, ignoredByScheduler: true}]}
                    profiles:
                    - schedulerName: a
                      pluginConfig: [{name: NodeResourcesFit, args: {ignoredResources: [x.com/y]}}]
                    - schedulerName: b
                    """);

            for (ProfileConfig profile : loaded.config().profiles()) {
                assertThat(profile.args().get("NodeResourcesFit"))
                        .isEqualTo(new SamplePlugins.FitArgs(
                                List.of("a.com/z", "a.com/a"),
                                List.of(),
                                SamplePlugins.FitArgs.DEFAULTS.scoringStrategy()));
            }
            assertThat(loaded.effective().at("/profiles/0/pluginConfig/0/args/ignoredResources"))
                    .hasToString("[\"a.com/z\",\"a.com/a\"]");
        }

        @Test
        void areReadWhole() {
            LoadedConfig loaded = load("""
                    extenders:
                    - urlPrefix: https://a/
                      filterVerb: f
                      preemptVerb: p
                      prioritizeVerb: s
                      weight: 3
                      bindVerb: b
                      enableHTTPS: true
                      tlsConfig: {serverName: a.org, certFile: c, keyFile: k, caFile: t, certData: AAAA, keyData: AAAA, caData: AAAA}
                      httpTimeout: 30s
                      nodeCacheCapable: true
                      managedResources: [{name: a.com/b, ignoredByScheduler: true}]
                      ignorable: true
                    """);

            ExtenderConfig extender = loaded.config().extenders().get(0);
            assertThat(extender)
                    .isEqualTo(new ExtenderConfig(
                            "https://a/",
                            "f",
                            "p",
                            "s",
                            3,
                            "b",
                            true,
                            extender.tls(),
                            Duration.ofSeconds(30),
                            true,
                            List.of(new ExtenderConfig.ManagedResource("a.com/b", true)),
                            true));
            assertThat(extender.tls())
                    .contains(new ExtenderConfig.Tls(false, "a.org", "c", "k", "t", "AAAA", "AAAA", "AAAA"));
        }
    }

    @Nested
    class Flags {
        private final FlagValue elect =
                new FlagValue("leaderElection.leaderElect", BooleanNode.FALSE, "--leader-elect");

        @Test
        void countMoreThanTheFile() {
            LoadedConfig loaded = ConfigLoader.load(
                    HEAD + "leaderElection: {leaderElect: true, retryPeriod: 3s}",
                    "scheduler.yaml",
                    SamplePlugins.all(),
                    FeatureGates.DEFAULTS,
                    elect);

            assertThat(loaded.config().leaderElection().leaderElect()).isFalse();
            assertThat(loaded.originByPath())
                    .containsEntry("leaderElection.leaderElect", "--leader-elect")
                    .containsEntry("leaderElection.retryPeriod", "scheduler.yaml:3")
                    .containsEntry("leaderElection.leaseDuration", "default");
        }

        @Test
        void countWithoutAFile() {
            LoadedConfig loaded = ConfigLoader.defaults(SamplePlugins.all(), FeatureGates.DEFAULTS, elect);

            assertThat(loaded.config().leaderElection().leaderElect()).isFalse();
            assertThat(loaded.config().profiles())
                    .extracting(ProfileConfig::schedulerName)
                    .containsExactly("default-scheduler");
            assertThat(ConfigPrinter.print(loaded)).contains("# --leader-elect").doesNotContain("# default:");
            assertThat(SchedulerConfig.defaults(SamplePlugins.all())
                            .leaderElection()
                            .leaderElect())
                    .isTrue();
        }

        @Test
        void areNamedWhenTheyAreRefused() {
            assertThatExceptionOfType(ConfigException.class)
                    .isThrownBy(() -> ConfigLoader.defaults(
                            SamplePlugins.all(),
                            FeatureGates.DEFAULTS,
                            new FlagValue(
                                    "leaderElection.retryPeriod",
                                    TextNode.valueOf("soon"),
                                    "--leader-elect-retry-period"),
                            new FlagValue("clientConnection.burst", IntNode.valueOf(-1), "--kube-api-burst")))
                    .withMessageContaining("  --leader-elect-retry-period: leaderElection.retryPeriod: \"soon\"")
                    .withMessageContaining(
                            "  --kube-api-burst: clientConnection.burst: -1 (expected: not less than 0)");
        }
    }

    private static LoadedConfig load(String body) {
        return ConfigLoader.load(HEAD + body, "scheduler.yaml", SamplePlugins.all());
    }

    private static ConfigException refusal(String body) {
        return catchThrowableOfType(ConfigException.class, () -> load(body));
    }
}
