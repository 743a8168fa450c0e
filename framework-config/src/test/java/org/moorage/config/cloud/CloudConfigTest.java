// SPDX-License-Identifier: Apache-2.0
package org.moorage.config.cloud;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.moorage.api.plugin.Problems;
import org.moorage.config.ConfigException;
import org.moorage.config.ConfigLoader;
import org.moorage.config.ConfigPrinter;
import org.moorage.config.LoadedConfig;
import org.moorage.config.SamplePlugins;

/**
 * Configurations of the shapes of EKS and AKS: what they are in v1, which are refused, and how others are written in
 * these shapes.
 */
@Tag("any-jvm")
class CloudConfigTest {
    private static final String HEAD = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n";
    private static final String OBJECT =
            "apiVersion: aks.azure.com/v1alpha1\nkind: SchedulerConfiguration\nmetadata:\n  name: upstream\n";
    private static final String PACKED = """
            profiles:
            - schedulerName: packing
              pluginConfig:
              - name: NodeResourcesFit
                args:
                  scoringStrategy:
                    type: MostAllocated
                    resources: [{name: cpu, weight: 1}]
            """;

    private static LoadedConfig load(String text) {
        return ConfigLoader.load(text, "cloud.yaml", SamplePlugins.all());
    }

    private static LoadedConfig ofStrategy(String strategy) {
        return load(HEAD + "profiles: [{pluginConfig: [{name: NodeResourcesFit, args: {scoringStrategy: " + strategy
                + "}}]}]\n");
    }

    private static String aks(String config) {
        return OBJECT + "spec:\n  rawConfig: |\n" + config.indent(4);
    }

    private static void assertSame(LoadedConfig loaded, LoadedConfig expected) {
        assertThat(loaded.config()).isEqualTo(expected.config());
        assertThat(loaded.effective()).isEqualTo(expected.effective());
        assertThat(loaded.changed()).isEqualTo(expected.changed());
    }

    /**
     * A setting of EKS.
     *
     * @param strategy the same as an argument of kube-scheduler's plugin; empty if it is the default
     */
    record Setting(String name, String text, String strategy) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Setting> settings() {
        String cpu = "{type: MostAllocated, resources: [{name: cpu, weight: 5}]}";
        return Stream.of(
                new Setting(
                        "the argument of the AWS CLI",
                        "{\"nodeResourcesFit\":{\"scoringStrategy\":{\"type\":\"MostAllocated\",\"resources\":"
                                + "[{\"name\":\"cpu\",\"weight\":5}]}}}",
                        cpu),
                new Setting(
                        "a part of the request",
                        "{\"kubeSchedulerConfig\":\n{\"nodeResourcesFit\":{\"scoringStrategy\":{\"resources\":"
                                + "[{\"weight\":5,\"name\":\"cpu\"}],\"type\":\"MostAllocated\"}}}}",
                        cpu),
                new Setting("YAML", "nodeResourcesFit:\n  scoringStrategy: " + cpu, cpu),
                new Setting(
                        "YAML in an object",
                        "kubeSchedulerConfig:\n  nodeResourcesFit: {scoringStrategy: " + cpu + "}",
                        cpu),
                new Setting(
                        "a type alone",
                        "nodeResourcesFit: {scoringStrategy: {type: MostAllocated}}",
                        "{type: MostAllocated}"),
                new Setting(
                        "resources alone",
                        "nodeResourcesFit: {scoringStrategy: {resources: [{name: nvidia.com/gpu, weight: 3}]}}",
                        "{type: LeastAllocated, resources: [{name: nvidia.com/gpu, weight: 3}]}"),
                new Setting(
                        "a resource without a weight",
                        "nodeResourcesFit: {scoringStrategy: {type: null, resources: [{name: cpu}, {name: memory, weight: null}]}}",
                        "{type: LeastAllocated, resources: [{name: cpu, weight: 1}, {name: memory, weight: 1}]}"),
                new Setting(
                        "no resources",
                        "nodeResourcesFit: {scoringStrategy: {type: MostAllocated, resources: []}}",
                        "{type: MostAllocated, resources: []}"),
                new Setting("an empty strategy", "nodeResourcesFit: {scoringStrategy: {}}", "{type: LeastAllocated}"),
                new Setting("a strategy of null", "nodeResourcesFit: {scoringStrategy: null}", ""),
                new Setting("nothing for the plugin", "kubeSchedulerConfig: {nodeResourcesFit: {}}", ""),
                new Setting("nothing", "kubeSchedulerConfig: {}", ""),
                new Setting("null", "kubeSchedulerConfig: null", ""));
    }

    @ParameterizedTest
    @MethodSource("settings")
    void aSettingOfEksIsTheStrategyOfTheDefaultProfile(Setting setting) {
        LoadedConfig loaded = load(setting.text);

        assertSame(loaded, setting.strategy.isEmpty() ? load(HEAD) : ofStrategy(setting.strategy));
        assertThat(loaded.shape()).isEqualTo(ConfigShape.EKS);
        assertThat(loaded.warnings()).isEmpty();
    }

    private static String randomStrategy(Random random, boolean hasShape) {
        List<String> types = new ArrayList<>(List.of("LeastAllocated", "MostAllocated"));
        if (hasShape) {
            types.add("RequestedToCapacityRatio");
        }
        String type = types.get(random.nextInt(types.size()));
        List<String> names = List.of("cpu", "memory", "nvidia.com/gpu", "aws.amazon.com/neuron");
        String resources = names.subList(0, random.nextInt(names.size() + 1)).stream()
                .map(name -> "{name: " + name + ", weight: " + (1 + random.nextInt(100)) + "}")
                .collect(Collectors.joining(", "));
        int middle = 1 + random.nextInt(99);
        String shape = type.startsWith("Requested")
                ? ", requestedToCapacityRatio: {shape: [{utilization: 0, score: " + random.nextInt(11)
                        + "}, {utilization: " + middle + ", score: " + random.nextInt(11)
                        + "}, {utilization: 100, score: " + random.nextInt(11) + "}]}"
                : "";
        return "{type: " + type + (resources.isEmpty() ? "" : ", resources: [" + resources + "]") + shape + "}";
    }

    @RepeatedTest(50)
    void anyStrategyIsThatOfKubeSchedulerInBothShapesAndBack() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        String ofEks = randomStrategy(random, false);
        String ofAks = "profiles: [{schedulerName: default-scheduler, pluginConfig: [{name: NodeResourcesFit, args:"
                + " {scoringStrategy: " + randomStrategy(random, true) + "}}]}]\n";

        LoadedConfig eks = load("nodeResourcesFit: {scoringStrategy: " + ofEks + "}");
        LoadedConfig aks = load(aks(HEAD + ofAks));

        assertThat(eks.config()).as("seed %s", seed).isEqualTo(ofStrategy(ofEks).config());
        assertSame(eks, ofStrategy(ofEks));
        assertThat(aks.config())
                .as("seed %s", seed)
                .isEqualTo(load(HEAD + ofAks).config());
        assertSame(aks, load(HEAD + ofAks));
        for (ConfigShape shape : ConfigShape.values()) {
            LoadedConfig again = load(ConfigPrinter.printSource(eks, shape, warning -> {}));
            assertThat(again.shape()).isEqualTo(shape);
            assertThat(again.config()).as("seed %s, %s", seed, shape).isEqualTo(eks.config());
        }
    }

    /** How a text stands in a resource of AKS. */
    record Written(String name, String text, String place) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Written> writtenTexts() {
        String json = (HEAD + "parallelism: 0\n").replace("\n", "\\n");
        return Stream.of(
                new Written("a block", aks(HEAD + "parallelism: 0"), "cloud.yaml:9:5"),
                new Written(
                        "a block without a last line end",
                        OBJECT + "spec:\n  rawConfig: |-\n" + (HEAD + "parallelism: 0").indent(7),
                        "cloud.yaml:9:8"),
                new Written(
                        "a block after a comment, with empty lines",
                        OBJECT + "spec:\n  rawConfig: |  # of the platform team\n\n    # why\n" + HEAD.indent(4)
                                + "\n    parallelism: 0\n",
                        "cloud.yaml:12:5"),
                new Written("a block of Windows", aks(HEAD + "parallelism: 0").replace("\n", "\r\n"), "cloud.yaml:9:5"),
                new Written(
                        "a folded block",
                        OBJECT + "spec:\n  rawConfig: >\n" + (HEAD.replace("\n", "\n\n") + "parallelism: 0").indent(4),
                        "cloud.yaml(spec.rawConfig):3:1"),
                new Written(
                        "a text in quotes",
                        OBJECT + "spec: {rawConfig: \"" + json + "\"}\n",
                        "cloud.yaml(spec.rawConfig):3:1"),
                new Written(
                        "JSON",
                        "{\"apiVersion\": \"aks.azure.com/v1alpha1\", \"kind\": \"SchedulerConfiguration\",\n"
                                + "\"metadata\": {\"name\": \"upstream\"}, \"spec\": {\"rawConfig\": \"" + json
                                + "\"}}",
                        "cloud.yaml(spec.rawConfig):3:1"),
                new Written(
                        "an alias of a block",
                        "metadata:\n  annotations:\n    a: &text |\n" + (HEAD + "parallelism: 0").indent(6)
                                + "  name: upstream\nspec: {rawConfig: *text}\n"
                                + "apiVersion: aks.azure.com/v1alpha1\nkind: SchedulerConfiguration\n",
                        "cloud.yaml(spec.rawConfig):3:1"));
    }

    @ParameterizedTest
    @MethodSource("writtenTexts")
    void reportsAnErrorInAnAksResourceWithItsLine(Written written) {
        assertThat(catchThrowableOfType(ConfigException.class, () -> load(written.text)))
                .hasMessage(written.place + ": spec.rawConfig: parallelism: 0 (expected: more than 0)");
        LoadedConfig sound = load(written.text.replace("parallelism: 0", "parallelism: 4"));
        assertThat(sound.config()).isEqualTo(load(HEAD + "parallelism: 4").config());
        assertThat(sound.shape()).isEqualTo(ConfigShape.AKS);
        assertThat(sound.sourceName()).isEqualTo("cloud.yaml");
    }

    record Refusal(String name, String text, String... messages) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static Refusal strategy(String name, String strategy, String... messages) {
        return new Refusal(
                name,
                "kubeSchedulerConfig:\n  nodeResourcesFit:\n    scoringStrategy: " + strategy + "\n",
                Stream.of(messages)
                        .map(message -> "3:" + message.replaceFirst(": ", ": kubeSchedulerConfig.nodeResourcesFit."))
                        .toArray(String[]::new));
    }

    private static String many(int count) {
        return IntStream.range(0, count).mapToObj(i -> "{name: r" + i + "}").collect(Collectors.joining(", "));
    }

    static Stream<Refusal> refusals() {
        String expectedText = " (expected: a KubeSchedulerConfiguration as a text, such as a block after |)";
        return Stream.of(
                new Refusal(
                        "EKS: a strategy that it does not have",
                        "{\"nodeResourcesFit\": {\"scoringStrategy\": {\"type\": \"RequestedToCapacityRatio\",\n"
                                + "  \"requestedToCapacityRatio\": {\"shape\": []}}}}",
                        "1:43: nodeResourcesFit.scoringStrategy.type: \"RequestedToCapacityRatio\" (expected:"
                                + " LeastAllocated or MostAllocated, the strategies of EKS)",
                        "2:3: nodeResourcesFit.scoringStrategy.requestedToCapacityRatio: EKS has no such setting"
                                + " (expected: type or resources)"),
                new Refusal(
                        "EKS: arguments of the plugin that it does not have",
                        "nodeResourcesFit:\n  ignoredResources: [example.com/a]\n  scoringStrategi: {}\n",
                        "2:3: nodeResourcesFit.ignoredResources: EKS has no such setting (expected: scoringStrategy)",
                        "3:3: nodeResourcesFit.scoringStrategi: unknown field. Did you mean scoringStrategy?"),
                new Refusal(
                        "EKS: another plugin",
                        "nodeResourcesFit: {}\nnodeAffinity: {}\n",
                        "2:1: nodeAffinity: EKS has no such setting (expected: nodeResourcesFit)"),
                new Refusal(
                        "EKS: settings of other components",
                        "kubeSchedulerConfig: {nodeResourcesFit: {}, profiles: []}\nkubeApiServerConfig: {eventTtl: 10m}\n",
                        "1:45: kubeSchedulerConfig.profiles: EKS has no such setting (expected: nodeResourcesFit)",
                        "2:1: kubeApiServerConfig: EKS has no such setting (expected: kubeSchedulerConfig)"),
                new Refusal(
                        "EKS: no objects",
                        "kubeSchedulerConfig: [nodeResourcesFit]\n",
                        "1:1: kubeSchedulerConfig: [\"nodeResourcesFit\"] (expected: an object)"),
                new Refusal(
                        "EKS: a text for the strategy",
                        "nodeResourcesFit: {scoringStrategy: MostAllocated}\n",
                        "1:20: nodeResourcesFit.scoringStrategy: \"MostAllocated\" (expected: an object)"),
                strategy(
                        "EKS: another case",
                        "{type: mostAllocated}",
                        "23: scoringStrategy.type: \"mostAllocated\" (expected: LeastAllocated or MostAllocated, the"
                                + " strategies of EKS)"),
                strategy(
                        "EKS: a number for a type",
                        "{type: 1}",
                        "23: scoringStrategy.type: 1 (expected: LeastAllocated or"
                                + " MostAllocated, the strategies of EKS)"),
                strategy(
                        "EKS: an object for resources",
                        "{resources: {cpu: 1}}",
                        "23: scoringStrategy.resources: {\"cpu\":1} (expected: a list)"),
                strategy(
                        "EKS: weights out of range",
                        "{resources: [{name: cpu, weight: 0}, {name: memory, weight: 101}, {name: a, weight: 1.5}, {name: b, weight: '1'}]}",
                        "47: scoringStrategy.resources[0].weight: 0 (expected: a whole number from 1 to 100)",
                        "74: scoringStrategy.resources[1].weight: 101 (expected: a whole number from 1 to 100)",
                        "98: scoringStrategy.resources[2].weight: 1.5 (expected: a whole number)",
                        "122: scoringStrategy.resources[3].weight: \"1\" (expected: a whole number)"),
                strategy(
                        "EKS: resources without a name",
                        "{resources: [{weight: 1}, {name: ''}, {name: 5}, cpu, null, {name: a, wait: 2}]}",
                        "35: scoringStrategy.resources[0].name: missing (expected: the name of a resource)",
                        "49: scoringStrategy.resources[1].name: missing (expected: the name of a resource)",
                        "61: scoringStrategy.resources[2].name: 5 (expected: a text; quote it)",
                        "71: scoringStrategy.resources[3]: \"cpu\" (expected: an object)",
                        "76: scoringStrategy.resources[4]: null (expected: an object)",
                        "92: scoringStrategy.resources[5].wait: EKS has no such setting (expected: name or weight)"),
                strategy(
                        "EKS: more resources than it takes",
                        "{resources: [" + many(101) + "]}",
                        "23: scoringStrategy.resources: 101 resources (expected: at most 100, as EKS accepts)"),
                new Refusal(
                        "EKS: a field twice",
                        "nodeResourcesFit: {}\nnodeResourcesFit: {}\n",
                        "1:1: nodeResourcesFit: given twice, again at cloud.yaml:2:1 (expected: once)"),
                new Refusal(
                        "neither shape",
                        "{\"scoringStrategy\": {\"type\": \"MostAllocated\"}}",
                        ": apiVersion: missing (expected: kubescheduler.config.k8s.io/v1)",
                        ": kind: missing (expected: KubeSchedulerConfiguration)"),
                new Refusal(
                        "EKS with an apiVersion",
                        "apiVersion: eks.amazonaws.com/v1\nnodeResourcesFit: {}\n",
                        ": kind: missing (expected: KubeSchedulerConfiguration)",
                        "1:1: apiVersion: \"eks.amazonaws.com/v1\" (expected: kubescheduler.config.k8s.io/v1)"),
                new Refusal(
                        "AKS: another version",
                        aks(HEAD).replace("v1alpha1", "v2"),
                        "1:1: apiVersion: \"aks.azure.com/v2\" (expected: kubescheduler.config.k8s.io/v1)",
                        "2:1: kind: \"SchedulerConfiguration\" (expected: KubeSchedulerConfiguration)"),
                new Refusal(
                        "AKS: another name",
                        aks(HEAD).replace("upstream", "mine"),
                        "4:3: metadata.name: \"mine\" (expected: upstream, as AKS demands)"),
                new Refusal(
                        "AKS: nothing but its kind",
                        "apiVersion: aks.azure.com/v1alpha1\nkind: SchedulerConfiguration\n",
                        ": metadata.name: missing (expected: upstream, as AKS demands)",
                        ": spec.rawConfig: missing" + expectedText),
                new Refusal(
                        "AKS: the shape of its first preview",
                        OBJECT + "spec:\n  profiles: []\n",
                        "5:1: spec.rawConfig: missing" + expectedText),
                new Refusal("AKS: a list for spec", OBJECT + "spec: []\n", "5:1: spec: [] (expected: an object)"),
                new Refusal(
                        "AKS: an object in place of a text",
                        OBJECT + "spec:\n  rawConfig: {kind: KubeSchedulerConfiguration}\n",
                        "6:3: spec.rawConfig: {\"kind\":\"KubeSchedulerConfiguration\"}" + expectedText),
                new Refusal(
                        "AKS: null", OBJECT + "spec:\n  rawConfig:\n", "6:3: spec.rawConfig: missing" + expectedText),
                new Refusal(
                        "AKS: a number", OBJECT + "spec: {rawConfig: 5}\n", "5:8: spec.rawConfig: 5" + expectedText),
                new Refusal(
                        "AKS: an empty text",
                        OBJECT + "spec:\n  rawConfig: ''\n",
                        "6:3: spec.rawConfig: empty (expected: an object with apiVersion and kind)"),
                new Refusal(
                        "AKS: a text that is no object",
                        OBJECT + "spec:\n  rawConfig: MostAllocated\n",
                        "6:3: spec.rawConfig: a text (expected: an object with apiVersion and kind)"),
                new Refusal(
                        "AKS: a text that is not YAML",
                        aks(HEAD + "profiles: [a\n"),
                        "10:1: spec.rawConfig: not YAML: the end of the text within brackets that begin in line 9"
                                + " (expected: ',' or ']')"),
                new Refusal(
                        "AKS: itself once more",
                        aks(aks(HEAD)),
                        "7:5: spec.rawConfig: apiVersion: \"aks.azure.com/v1alpha1\" (expected:"
                                + " kubescheduler.config.k8s.io/v1)",
                        "8:5: spec.rawConfig: kind: \"SchedulerConfiguration\" (expected: KubeSchedulerConfiguration)"),
                new Refusal(
                        "AKS: a setting of EKS",
                        aks("nodeResourcesFit: {}\n"),
                        "6:3: spec.rawConfig: apiVersion: missing (expected: kubescheduler.config.k8s.io/v1)",
                        "6:3: spec.rawConfig: kind: missing (expected: KubeSchedulerConfiguration)"),
                new Refusal(
                        "AKS: faults of arguments",
                        aks(HEAD + PACKED.replace("MostAllocated", "Most").replace("weight: 1", "wait: 1")),
                        "15:13: spec.rawConfig: profiles[0].pluginConfig[0].args.scoringStrategy.type: \"Most\" (expected: one"
                                + " of LeastAllocated, MostAllocated, RequestedToCapacityRatio)",
                        "16:37: spec.rawConfig: profiles[0].pluginConfig[0].args.scoringStrategy.resources[0].wait:"
                                + " unknown field (expected: one of name, weight)"),
                new Refusal(
                        "AKS: fields twice, and fields of the resource",
                        aks(HEAD + "metadata: {name: a}\nspec: {}\nparallelism: 3\nparallelism: 4\n"),
                        "9:5: spec.rawConfig: metadata: unknown field (expected: one of apiVersion, kind, parallelism,"
                                + " leaderElection, clientConnection, enableProfiling, enableContentionProfiling,"
                                + " percentageOfNodesToScore, podInitialBackoffSeconds, podMaxBackoffSeconds, profiles,"
                                + " extenders, delayCacheUntilActive)",
                        "10:5: spec.rawConfig: spec: unknown field (expected: one of apiVersion, kind, parallelism,"
                                + " leaderElection, clientConnection, enableProfiling, enableContentionProfiling,"
                                + " percentageOfNodesToScore, podInitialBackoffSeconds, podMaxBackoffSeconds, profiles,"
                                + " extenders, delayCacheUntilActive)",
                        "11:5: spec.rawConfig: parallelism: given twice, again at cloud.yaml:12:5 (expected: once)"),
                new Refusal(
                        "AKS: the profile of the scheduler aks-system",
                        aks(HEAD + PACKED.replace("packing", "aks-system")),
                        "10:7: spec.rawConfig: profiles[0].schedulerName: \"aks-system\" (expected: another name: AKS rejects"
                                + " profiles for its own scheduler)"),
                new Refusal(
                        "AKS: an alias of itself",
                        OBJECT + "spec: &a {rawConfig: *a}\n",
                        "5:11: spec.rawConfig: an alias that refers to what it is part of (expected: a tree)",
                        "5:11: spec.rawConfig: missing" + expectedText));
    }

    @ParameterizedTest
    @MethodSource("refusals")
    void areRefusedWithAllProblemsAndTheNamesOfTheText(Refusal refusal) {
        ConfigException refused = catchThrowableOfType(ConfigException.class, () -> load(refusal.text));

        List<String> lines = refused.getMessage().lines().map(String::strip).toList();
        assertThat(lines.size() == 1 ? lines : lines.subList(1, lines.size()))
                .containsExactly(Stream.of(refusal.messages)
                        .map(message -> "cloud.yaml" + (message.startsWith(":") ? "" : ":") + message)
                        .toArray(String[]::new));
    }

    static Stream<Refusal> warnings() {
        String fields = " (expected: one of percentageOfNodesToScore, podInitialBackoffSeconds, podMaxBackoffSeconds,"
                + " profiles)";
        return Stream.of(
                new Refusal(
                        "EKS: a resource that it does not document",
                        "nodeResourcesFit:\n  scoringStrategy:\n    resources:\n    - {name: example.com/tpu}\n",
                        "4: nodeResourcesFit.scoringStrategy.resources[0].name: \"example.com/tpu\" is not among the"
                                + " resources that EKS documents (expected: one of cpu, memory, nvidia.com/gpu,"
                                + " aws.amazon.com/neuron, aws.amazon.com/neuroncore; aws eks describe-cluster-versions"
                                + " lists those of a version)"),
                new Refusal("AKS: all that it documents", aks(HEAD + PACKED + "percentageOfNodesToScore: 40\n")),
                new Refusal(
                        "AKS: what a cluster adds",
                        aks(HEAD).replace("metadata:\n", "status: {state: Succeeded}\nmetadata:\n  uid: a\n")),
                new Refusal(
                        "AKS: fields of a later version",
                        "mode: Strict\n" + aks(HEAD) + "  priority: 5\n",
                        "1: mode: ignored: SchedulerConfiguration is not known to have it (expected: metadata and spec)",
                        "10: spec.priority: ignored: SchedulerConfiguration is not known to have it (expected: rawConfig)"),
                new Refusal(
                        "AKS: settings that it does not document",
                        aks(HEAD + "parallelism: 4\nextenders: []\n"),
                        "9: spec.rawConfig: parallelism: AKS documents no such setting" + fields,
                        "10: spec.rawConfig: extenders: AKS documents no such setting" + fields),
                new Refusal(
                        "AKS: plugins that it does not document",
                        aks(HEAD + """
                                profiles:
                                - plugins:
                                    multiPoint:
                                      disabled:
                                      - name: DynamicResources
                                  pluginConfig:
                                  - name: DynamicResources
                                """),
                        "15: spec.rawConfig: profiles[0].pluginConfig[0].name: \"DynamicResources\" is not among the 18"
                                + " plugins that AKS documents as configurable",
                        "13: spec.rawConfig: profiles[0].plugins.multiPoint.disabled[0].name: \"DynamicResources\" is not"
                                + " among the 18 plugins that AKS documents as configurable"),
                new Refusal(
                        "AKS: an older version",
                        aks(HEAD.replace("/v1", "/v1beta3")),
                        "7: spec.rawConfig: apiVersion: AKS runs Kubernetes 1.33 or later, which reads"
                                + " kubescheduler.config.k8s.io/v1 alone",
                        "7: spec.rawConfig: apiVersion: kubescheduler.config.k8s.io/v1beta3 was converted to"
                                + " kubescheduler.config.k8s.io/v1"),
                new Refusal(
                        "AKS: documents that do not count",
                        aks(HEAD + "---\nkind: A\n") + "---\nkind: B\n",
                        "12: document 2: it is not read, as by kube-scheduler (expected: one configuration in a file)",
                        "10: spec.rawConfig: document 2: it is not read, as by kube-scheduler (expected: one configuration in"
                                + " a file)"));
    }

    @ParameterizedTest
    @MethodSource("warnings")
    void warnOfWhatTheCloudMayNotAccept(Refusal loaded) {
        assertThat(load(loaded.text).warnings())
                .containsExactly(Stream.of(loaded.messages)
                        .map(message -> "cloud.yaml:" + message)
                        .toArray(String[]::new));
    }

    @Test
    void whatPluginsRefuseIsNamedAsInTheText() {
        Problems problems = Problems.collector();
        problems.at("profiles[0].pluginConfig[NodeResourcesFit].args").report("refused");

        assertThat(load("kubeSchedulerConfig:\n  nodeResourcesFit: {scoringStrategy: {type: MostAllocated}}\n")
                        .refusal(problems.all()))
                .hasMessage("cloud.yaml:2: kubeSchedulerConfig.nodeResourcesFit: refused");
        assertThat(load(aks(HEAD + PACKED)).refusal(problems.all()))
                .hasMessage("cloud.yaml:13: spec.rawConfig: profiles[0].pluginConfig[0].args: refused");
    }

    @Test
    void settingsComeFromTheLinesOfTheText() {
        assertThat(ConfigPrinter.printChanged(load(aks(HEAD + PACKED)))).isEqualTo("""
                apiVersion: kubescheduler.config.k8s.io/v1  # cloud.yaml:7
                kind: KubeSchedulerConfiguration            # cloud.yaml:8
                profiles:
                - schedulerName: packing                    # cloud.yaml:10
                  pluginConfig:
                  - name: NodeResourcesFit                  # cloud.yaml:12
                    args:
                      scoringStrategy:
                        type: MostAllocated                 # cloud.yaml:15
                        resources:
                        - {name: cpu, weight: 1}            # cloud.yaml:16
                """);
    }

    @Test
    @Timeout(60)
    void megabytesOfTextAreReadOnce() {
        String line = "# " + "x".repeat(98) + "\n";

        assertThat(load(aks(HEAD + line.repeat(25_000) + PACKED)).config())
                .isEqualTo(load(HEAD + PACKED).config());
        assertThat(catchThrowableOfType(
                        ConfigException.class, () -> load(OBJECT + "spec: {rawConfig: " + "a".repeat(3_000_000) + "}")))
                .hasMessage("cloud.yaml:5:8: spec.rawConfig: a text (expected: an object with apiVersion and kind)");
        assertThat(catchThrowableOfType(ConfigException.class, () -> load(aks(HEAD + line.repeat(40_000)))))
                .hasMessage("cloud.yaml:1:1: too long (expected: at most 3145728 characters)");
    }

    @Nested
    class WrittenForACloud {
        private String printed(String text, ConfigShape shape, List<String> warnings) {
            return ConfigPrinter.printSource(load(text), shape, warnings::add);
        }

        @Test
        void isAResourceOfAks() {
            assertThat(printed(HEAD + PACKED, ConfigShape.AKS, new ArrayList<>()))
                    .isEqualTo("""
                    apiVersion: aks.azure.com/v1alpha1
                    kind: SchedulerConfiguration
                    metadata:
                      name: upstream
                    spec:
                      rawConfig: |
                        apiVersion: kubescheduler.config.k8s.io/v1
                        kind: KubeSchedulerConfiguration
                        profiles:
                        - schedulerName: packing
                          pluginConfig:
                          - name: NodeResourcesFit
                            args:
                              scoringStrategy:
                                type: MostAllocated
                                resources:
                                - {name: cpu, weight: 1}
                    """);
        }

        @Test
        void isASettingOfEksWithItsDefaults() {
            assertThat(printed(
                            HEAD + "leaderElection: {leaderElect: true}\n"
                                    + PACKED.replace("packing", "default-scheduler"),
                            ConfigShape.EKS,
                            new ArrayList<>()))
                    .isEqualTo("""
                    nodeResourcesFit:
                      scoringStrategy:
                        type: MostAllocated
                        resources:
                        - {name: cpu, weight: 1}
                    """);
            assertThat(load(HEAD).source(ConfigShape.EKS, warning -> {}))
                    .isEqualTo(load("""
                            nodeResourcesFit: {scoringStrategy: {type: LeastAllocated, resources: [{name: cpu, weight: 1},
                             {name: memory, weight: 1}]}}
                            """).source(ConfigShape.EKS, warning -> {}));
        }

        @ParameterizedTest
        @EnumSource(ConfigShape.class)
        void isTheSameWhenItIsWrittenAgain(ConfigShape shape) {
            String once = printed(HEAD + PACKED.replace("packing", "default-scheduler"), shape, new ArrayList<>());

            assertThat(printed(once, shape, new ArrayList<>())).isEqualTo(once);
        }

        @Test
        void warnsOfWhatAksMayNotAccept() {
            List<String> warnings = new ArrayList<>();

            printed(HEAD + "parallelism: 4\n", ConfigShape.AKS, warnings);
            printed(aks(HEAD + "parallelism: 4\n"), ConfigShape.AKS, warnings);

            assertThat(warnings)
                    .containsExactly("cloud.yaml: parallelism: AKS documents no such setting (expected: one of"
                            + " percentageOfNodesToScore, podInitialBackoffSeconds, podMaxBackoffSeconds, profiles)");
        }

        static Stream<Refusal> refusals() {
            String alone = " (expected: nodeResourcesFit.scoringStrategy alone)";
            return Stream.of(
                    new Refusal(
                            "settings that are not about a plugin",
                            HEAD
                                    + "percentageOfNodesToScore: 50\nextenders: [{urlPrefix: 'http://a', filterVerb: f}]\n",
                            "3: percentageOfNodesToScore: EKS has no such setting" + alone,
                            "4: extenders[0]: EKS has no such setting" + alone),
                    new Refusal(
                            "another profile",
                            HEAD + PACKED,
                            "4: profiles[0].schedulerName: \"packing\" (expected: default-scheduler, which EKS configures)"),
                    new Refusal(
                            "two profiles",
                            HEAD + PACKED + "- {schedulerName: default-scheduler}\n",
                            ": profiles: 2 profiles (expected: one, since EKS configures default-scheduler alone)"),
                    new Refusal(
                            "weights of plugins",
                            HEAD + "profiles:\n- plugins:\n    score: {disabled: [{name: ImageLocality}]}\n",
                            "4: profiles[0].plugins: EKS has no such setting" + alone),
                    new Refusal(
                            "arguments of another plugin, and others of this one",
                            HEAD
                                    + "profiles:\n- pluginConfig:\n  - {name: InterPodAffinity, args: {hardPodAffinityWeight: 7}}\n"
                                    + "  - {name: NodeResourcesFit, args: {ignoredResources: [a.com/b]}}\n",
                            "5: profiles[0].pluginConfig[0]: EKS has no setting for InterPodAffinity (expected:"
                                    + " NodeResourcesFit alone)",
                            "6: profiles[0].pluginConfig[1].args.ignoredResources[0]: EKS has no such setting" + alone),
                    new Refusal(
                            "a strategy that it does not have",
                            HEAD
                                    + "profiles:\n- pluginConfig:\n  - name: NodeResourcesFit\n    args:\n      scoringStrategy:\n"
                                    + "        type: RequestedToCapacityRatio\n        requestedToCapacityRatio: {shape:"
                                    + " [{utilization: 0, score: 1}]}\n",
                            "8: profiles[0].pluginConfig[0].args.scoringStrategy.type: \"RequestedToCapacityRatio\""
                                    + " (expected: LeastAllocated or MostAllocated, the strategies of EKS)",
                            "9: profiles[0].pluginConfig[0].args.scoringStrategy.requestedToCapacityRatio: EKS has no such"
                                    + " setting (expected: type or resources)"));
        }

        @ParameterizedTest
        @MethodSource("refusals")
        void isRefusedForWhatEksDoesNotHave(Refusal refusal) {
            ConfigException refused = catchThrowableOfType(
                    ConfigException.class, () -> load(refusal.text).source(ConfigShape.EKS, warning -> {}));

            List<String> lines = refused.getMessage().lines().map(String::strip).toList();
            assertThat(lines.size() == 1 ? lines : lines.subList(1, lines.size()))
                    .containsExactly(Stream.of(refusal.messages)
                            .map(message -> "cloud.yaml" + (message.startsWith(":") ? "" : ":") + message)
                            .toArray(String[]::new));
        }

        @Test
        void isRefusedForAProfileOfTheSchedulerOfAks() {
            assertThat(catchThrowableOfType(
                            ConfigException.class,
                            () -> load(HEAD + PACKED.replace("packing", "aks-system"))
                                    .source(ConfigShape.AKS, warning -> {})))
                    .hasMessage(
                            "cloud.yaml:4: profiles[0].schedulerName: \"aks-system\" (expected: another name: AKS rejects"
                                    + " profiles for its own scheduler)");
        }
    }
}
