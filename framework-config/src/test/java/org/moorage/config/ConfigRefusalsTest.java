// SPDX-License-Identifier: Apache-2.0
package org.moorage.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.moorage.config.ConfigTexts.PROFILE;
import static org.moorage.config.ConfigTexts.refusal;

import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.moorage.api.plugin.Problems;

/** Configurations that are refused. */
@Tag("any-jvm")
class ConfigRefusalsTest {
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
                new Case("a number as a text", "parallelism: '16'", "parallelism: \"16\" (expected: a whole number)"),
                new Case(
                        "a number that is too large",
                        "parallelism: 3000000000",
                        "parallelism: 3000000000 (expected: a whole number from -2147483648 to 2147483647)"),
                new Case("a broken number", "parallelism: 2.5", "parallelism: 2.5 (expected: a whole number)"),
                new Case(
                        "minutes and seconds", "parallelism: 1:30", "parallelism: \"1:30\" (expected: a whole number)"),
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
                new Case("a text for a profile", "profiles: [a]", "profiles[0]: \"a\" (expected: an object)"),
                new Case("an object for a list", "profiles: {a: b}", "profiles: {\"a\":\"b\"} (expected: a list)"),
                new Case("capital letters", "Parallelism: 3", "Parallelism: unknown field. Did you mean parallelism?"),
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
                        "profiles[0].plugins.score.enabled[0].wieght: unknown field. Did you mean weight?",
                        "profiles[0].plugins.skore: unknown field. Did you mean score?"),
                new Case(
                        "a plugin without a name",
                        plugins + "{score: {enabled: [{weight: 2}]}}",
                        "profiles[0].plugins.score.enabled[0].name: missing (expected: the name of a plugin)"),
                new Case(
                        "an unknown plugin",
                        plugins + "{multiPoint: {enabled: [{name: NetworkTraffic}]}}",
                        "profiles[0].plugins.multiPoint.enabled[0].name: \"NetworkTraffic\" (expected: a"
                                + " registered plugin; --plugin-dir adds those of jars)"),
                new Case(
                        "a slip in the name of a plugin to disable",
                        plugins + "{score: {disabled: [{name: NodeAfinity}]}}",
                        "profiles[0].plugins.score.disabled[0].name: \"NodeAfinity\" disables nothing (expected: a"
                                + " registered plugin; --plugin-dir adds those of jars). Did you mean NodeAffinity?"),
                new Case(
                        "a slip in the name of a plugin with arguments",
                        config + "[{name: interpodaffinity}]",
                        "profiles[0].pluginConfig[0].name: \"interpodaffinity\" has no effect (expected: a"
                                + " registered plugin; --plugin-dir adds those of jars). Did you mean InterPodAffinity?"),
                new Case(
                        "a removed plugin at a point",
                        plugins + "{filter: {enabled: [{name: GCEPDLimits}]}}",
                        "profiles[0].plugins.filter.enabled[0]: \"GCEPDLimits\" (expected: a plugin that"
                                + " kube-scheduler still has). Substitute: removed in Kubernetes 1.32; NodeVolumeLimits, which is"
                                + " enabled by default, applies the limits of CSI drivers: delete the entry"
                                + " (docs/operate/plugin-substitutes.md)."),
                new Case(
                        "arguments of a removed plugin",
                        config + "[{name: EBSLimits}]",
                        "profiles[0].pluginConfig[0]: \"EBSLimits\" (expected: a plugin that"
                                + " kube-scheduler still has). Substitute: removed in Kubernetes 1.32; NodeVolumeLimits, which is"
                                + " enabled by default, applies the limits of CSI drivers: delete the entry"
                                + " (docs/operate/plugin-substitutes.md)."),
                new Case(
                        "two queue sorts",
                        plugins + "{queueSort: {enabled: [{name: PrioritySort}, {name: PrioritySort}]}}",
                        "profiles[0].plugins.queueSort.enabled: \"2 plugins\" (expected: at most one)"),
                new Case(
                        "arguments that are a text",
                        config + "[{name: InterPodAffinity, args: hi}]",
                        "profiles[0].pluginConfig[0].args: \"hi\" (expected: an object)"),
                new Case(
                        "arguments of another plugin",
                        config + "[{name: InterPodAffinity, args: {kind: NodeAffinityArgs}}]",
                        "profiles[0].pluginConfig[0].args.kind: \"NodeAffinityArgs\" (expected:"
                                + " InterPodAffinityArgs)"),
                new Case(
                        "arguments of another version",
                        config + "[{name: InterPodAffinity, args: {apiVersion: kubescheduler.config.k8s.io/v1beta3}}]",
                        "profiles[0].pluginConfig[0].args.apiVersion:"
                                + " \"kubescheduler.config.k8s.io/v1beta3\" (expected:"
                                + " kubescheduler.config.k8s.io/v1)"),
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

    @Test
    @Timeout(20)
    void stopAtAliasesThatStandForTooManyValues() {
        StringBuilder yaml = new StringBuilder("a0: &a0 [0, 0, 0, 0, 0, 0, 0, 0, 0, 0]\n");
        for (int i = 1; i < 9; i++) {
            yaml.append("a%d: &a%d [%s]\n".formatted(i, i, String.join(", ", Collections.nCopies(5, "*a" + (i - 1)))));
        }

        assertThat(refusal(yaml.toString()).problems())
                .extracting(Problems.Problem::toString)
                .filteredOn(problem -> problem.contains("aliases"))
                .singleElement()
                .asString()
                .endsWith(": aliases repeat too much (expected: at most 100000 values)");
    }

    static final List<String> TOO_DEEP = List.of("[", "{\"a\":", "- ", "{a: ");

    @ParameterizedTest
    @FieldSource("TOO_DEEP")
    @Timeout(20)
    void sayThatTheyAreNestedTooDeep(String opening) {
        String yaml = "profiles: " + (opening.equals("- ") ? "\n" : "") + opening.repeat(100_000);

        assertThat(refusal(yaml).problems()).hasSizeBetween(1, 3);
    }

    record Text(String name, String text, String... problems) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Text> texts() {
        String anObject = " (expected: an object with apiVersion and kind)";
        String noVersion = "apiVersion: missing (expected: kubescheduler.config.k8s.io/v1)";
        String noKind = "kind: missing (expected: KubeSchedulerConfiguration)";
        return Stream.of(
                new Text("nothing", "", "empty" + anObject),
                new Text("a comment", "# nothing\n", "empty" + anObject),
                new Text("null", "null\n", "empty" + anObject),
                new Text("a mark alone", "---\n", "empty" + anObject),
                new Text("an object without fields", "{}\n", noVersion, noKind),
                new Text("a word", "hello", "a text" + anObject),
                new Text("a list", "- a", "a list" + anObject),
                new Text("no version", "kind: KubeSchedulerConfiguration", noVersion),
                new Text(
                        "an old version",
                        "apiVersion: kubescheduler.config.k8s.io/v1beta4\nkind: KubeSchedulerConfiguration\nfoo: 1",
                        "apiVersion: \"kubescheduler.config.k8s.io/v1beta4\" (expected:"
                                + " kubescheduler.config.k8s.io/v1; v1alpha1, v1alpha2 and v1beta1 to v1beta3 are converted)"),
                new Text(
                        "something else",
                        "apiVersion: v1\nkind: Pod\n",
                        "apiVersion: \"v1\" (expected: kubescheduler.config.k8s.io/v1)",
                        "kind: \"Pod\" (expected: KubeSchedulerConfiguration)"),
                new Text(
                        "a key that is a list",
                        "? [a]\n: b\n",
                        "?: a key that is not a text (expected: names of fields)"),
                new Text(
                        "a %YAML line of another version",
                        "%YAML 3.0\n---\na: b\n",
                        "not YAML: a %YAML line of another version (expected: 1.1 or 1.2, or no such line)"));
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

    /**
     * A text that is not YAML.
     *
     * @param place line and column
     */
    record Slip(String name, String text, String place, String message) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Slip> slips() {
        String twoColons =
                "a second ':' in a line, or a field that is indented more than those around it (expected: fields"
                        + " below one another; a value with ': ' in quotes)";
        return Stream.of(
                new Slip(
                        "a tab",
                        "leaderElection:\n\tleaderElect: true\n",
                        "2:1",
                        "a tab (expected: spaces, which alone can indent)"),
                new Slip("two fields in a line", "a: b: c\n", "1:5", twoColons),
                new Slip("a field that is indented too much", "a: b\n  c: d\n", "2:4", twoColons),
                new Slip(
                        "a field that is indented too little",
                        "a:\n  - b: c\n d: e\n",
                        "3:2",
                        "inconsistent indentation (expected: the same as that of neighboring fields or items)"),
                new Slip(
                        "an item behind a field",
                        "a: - b\n",
                        "1:4",
                        "a '- ' behind a field (expected: each item of a list on a separate line)"),
                new Slip(
                        "a quote that is not closed",
                        "a: \"b\nc: d\n",
                        "3:1",
                        "the end of the text within quotes that begin in line 1 (expected: a closing quote)"),
                new Slip(
                        "a bracket that is not closed",
                        "a: {b: c\n",
                        "2:1",
                        "the end of the text within brackets that begin in line 1 (expected: ',' or '}')"),
                new Slip("a bracket at the end", "a: [\n", "2:1", "the end of the text (expected: a value)"),
                new Slip(
                        "JSON without a comma",
                        "{\"a\": 1 \"b\": 2}",
                        "1:12",
                        "no ',' within brackets (expected: ',' or '}')"),
                new Slip("an alias of nothing", "a: *b\n", "1:4", "*b, which names nothing (expected: &b before it)"),
                new Slip(
                        "a value that starts with a sign",
                        "a: @b\n",
                        "1:4",
                        "a value that starts with @ (expected: it in quotes)"),
                new Slip(
                        "an unknown escape",
                        "a: \"\\q\"\n",
                        "1:6",
                        "\\q in double quotes (expected: an escape such as \\n, \\\" or \\\\; or single quotes)"),
                new Slip(
                        "a line without a colon",
                        "a: b\nc\n",
                        "3:1",
                        "a line without ':' (expected: a field and its" + " value)"),
                new Slip(
                        "a control character",
                        "a: b\nc: \u0001\n",
                        "2:4",
                        "the character U+0001 (expected: text without control characters)"));
    }

    @ParameterizedTest
    @MethodSource("slips")
    void ofTextsThatAreNotYaml(Slip slip) {
        assertThatExceptionOfType(ConfigException.class)
                .isThrownBy(() -> ConfigLoader.load(slip.text, "scheduler.yaml", SamplePlugins.all()))
                .withMessage("scheduler.yaml:" + slip.place + ": not YAML: " + slip.message);
    }
}
