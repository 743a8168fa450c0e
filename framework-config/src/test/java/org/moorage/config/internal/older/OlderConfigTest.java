// SPDX-License-Identifier: Apache-2.0
package org.moorage.config.internal.older;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.plugin.Plugin;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.config.ConfigException;
import org.moorage.config.ConfigLoader;
import org.moorage.config.ConfigPrinter;
import org.moorage.config.LoadedConfig;
import org.moorage.config.SamplePlugins;
import org.moorage.config.older.PolicyTexts;
import org.moorage.config.plugin.EnabledPlugin;
import org.moorage.config.plugin.PluginRegistry;

/** Configurations of older versions: what they are in v1, what is said about that, and which are refused. */
class OlderConfigTest {
    private static final String V1 = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n";
    private static final String WEIGHTS =
            "multiPoint: {enabled: [{name: TaintToleration, weight: 1}, {name: NodeAffinity, weight: 1},"
                    + " {name: InterPodAffinity, weight: 1}]}";

    private static String head(String version) {
        return "apiVersion: kubescheduler.config.k8s.io/" + version + "\nkind: KubeSchedulerConfiguration\n";
    }

    private static LoadedConfig load(String text) {
        return load(text, "", SamplePlugins.all());
    }

    private static LoadedConfig load(String text, String policy, PluginRegistry registry) {
        return ConfigLoader.load(
                text,
                "old.yaml",
                registry,
                FeatureGates.DEFAULTS,
                (namespace, name, kubeconfig) -> new PolicyTexts.PolicyText(policy, "policy.cfg"));
    }

    private static LoadedConfig withPolicy(String policy) {
        return load(
                head("v1alpha1") + "algorithmSource: {policy: {configMap: {namespace: a, name: b}}}\n",
                policy,
                SamplePlugins.all());
    }

    private static PluginRegistry with(String... names) {
        List<PluginFactory<?>> own = Stream.of(names)
                .<PluginFactory<?>>map(name -> SamplePlugins.factory(name, PluginArgs.None.class, new Plugin() {
                    @Override
                    public String name() {
                        return name;
                    }
                }))
                .toList();
        return SamplePlugins.all().with(own);
    }

    /** The weights of the plugins that score by default. */
    private static Map<String, Integer> weights(LoadedConfig loaded) {
        Map<String, Integer> weights = new LinkedHashMap<>();
        for (EnabledPlugin plugin :
                loaded.config().profiles().get(0).multiPoint().enabled()) {
            if (plugin.weight() > 0) {
                weights.put(plugin.name(), plugin.weight());
            }
        }
        return weights;
    }

    @Nested
    class Defaults {
        @Test
        void keepWhatScoresCountedUntilV1beta2() {
            for (String version : List.of("v1alpha1", "v1beta1", "v1beta2")) {
                assertThat(weights(load(head(version))))
                        .as(version)
                        .containsEntry("TaintToleration", 1)
                        .containsEntry("NodeAffinity", 1)
                        .containsEntry("InterPodAffinity", 1)
                        .containsEntry("PodTopologySpread", 2)
                        .containsEntry("NodeResourcesFit", 1)
                        .containsEntry("NodeResourcesBalancedAllocation", 1)
                        .containsEntry("ImageLocality", 1);
            }
        }

        @Test
        void areThoseOfV1SinceV1beta3() {
            assertThat(load(head("v1beta3")).config()).isEqualTo(load(V1).config());
        }

        @ParameterizedTest
        @EnumSource(ConfigVersion.class)
        void sayWhichVersionItWas(ConfigVersion version) {
            assertThat(load(head(version.toString())).warnings().get(0))
                    .isEqualTo("old.yaml:1: apiVersion: " + version.apiVersion()
                            + " was converted to kubescheduler.config.k8s.io/v1");
        }
    }

    /** A configuration of an older version, its v1 form, both without their first lines, and the warnings. */
    record Case(String name, String version, String given, String expected, String... warnings) {
        @Override
        public String toString() {
            return version + ": " + name;
        }
    }

    private static String kept(String profile, String version) {
        return profile + ".plugins: the weights of " + version
                + " are kept: 1 for TaintToleration, NodeAffinity, InterPodAffinity";
    }

    private static String score(String sets) {
        return "profiles: [{plugins: {score: {" + sets + "}}}]";
    }

    private static String scored(String sets) {
        return "profiles: [{plugins: {" + WEIGHTS + ", score: {" + sets + "}}}]";
    }

    static Stream<Case> cases() {
        String fitIs = "NodeResourcesFit with scoringStrategy ";
        return Stream.of(
                new Case(
                        "own weights, with spreading disabled, as the article has it",
                        "v1beta1",
                        """
                        profiles:
                        - plugins:
                            score:
                              disabled:
                              - name: PodTopologySpread
                              enabled:
                              - name: MyCustomPluginA
                                weight: 2
                              - name: MyCustomPluginB
                                weight: 1
                        """,
                        scored("disabled: [{name: PodTopologySpread}],"
                                + " enabled: [{name: MyCustomPluginA, weight: 2}, {name: MyCustomPluginB, weight: 1}]"),
                        "4: " + kept("profiles[0]", "v1beta1")),
                new Case(
                        "two profiles, one of which does not score, as the article has it",
                        "v1beta2",
                        """
                        profiles:
                        - schedulerName: default-scheduler
                        - schedulerName: no-scoring-scheduler
                          plugins:
                            preScore:
                              disabled:
                              - name: '*'
                            score:
                              disabled:
                              - name: '*'
                        """,
                        "profiles: [{schedulerName: default-scheduler, plugins: {" + WEIGHTS + "}},"
                                + " {schedulerName: no-scoring-scheduler, plugins: {preScore: {disabled: [{name: '*'}]},"
                                + " score: {disabled: [{name: '*'}]}}}]",
                        "1: " + kept("profiles[0]", "v1beta2")),
                new Case(
                        "a score in place of all others, as customScheduler has it",
                        "v1beta1",
                        """
                        clientConnection:
                          kubeconfig: /etc/scheduler.conf
                        profiles:
                        - schedulerName: custom-scheduler
                          plugins:
                            score:
                              enabled:
                              - name: "NetworkTraffic"
                              disabled:
                              - name: "*"
                          pluginConfig:
                            - name: "NetworkTraffic"
                              args: {}
                        """,
                        "clientConnection: {kubeconfig: /etc/scheduler.conf}\nprofiles: [{schedulerName: custom-scheduler,"
                                + " plugins: {score: {enabled: [{name: NetworkTraffic}], disabled: [{name: '*'}]}},"
                                + " pluginConfig: [{name: NetworkTraffic, args: {}}]}]"),
                new Case(
                        "the other way to score by room",
                        "v1beta1",
                        """
                        profiles:
                        - plugins:
                            score:
                              disabled: [{name: NodeResourcesLeastAllocated}, {name: NodePreferAvoidPods}]
                              enabled: [{name: NodeResourcesMostAllocated, weight: 5}]
                          pluginConfig:
                          - name: NodeResourcesMostAllocated
                            args:
                              apiVersion: kubescheduler.config.k8s.io/v1beta1
                              kind: NodeResourcesMostAllocatedArgs
                              resources: [{name: cpu, weight: 3}, {name: memory, weight: 0}]
                        """,
                        "profiles: [{plugins: {" + WEIGHTS
                                + ", score: {enabled: [{name: NodeResourcesFit, weight: 5}]}},"
                                + " pluginConfig: [{name: NodeResourcesFit, args: {scoringStrategy: {type: MostAllocated,"
                                + " resources: [{name: cpu, weight: 3}]}}}]}]",
                        "7: profiles[0].plugins.score.enabled[0]: NodeResourcesMostAllocated is " + fitIs
                                + "MostAllocated",
                        "4: " + kept("profiles[0]", "v1beta1")),
                new Case(
                        "a way to score by room without arguments",
                        "v1beta1",
                        score("disabled: [{name: '*'}], enabled: [{name: NodeResourcesMostAllocated}]"),
                        "profiles: [{plugins: {score: {disabled: [{name: '*'}], enabled: [{name: NodeResourcesFit}]}},"
                                + " pluginConfig: [{name: NodeResourcesFit, args: {scoringStrategy: {type: MostAllocated}}}]}]",
                        "3: profiles[0].plugins.score.enabled[0]: NodeResourcesMostAllocated is " + fitIs
                                + "MostAllocated"),
                new Case(
                        "a shape, next to arguments of NodeResourcesFit",
                        "v1beta1",
                        """
                        profiles:
                        - plugins:
                            score:
                              disabled: [{name: NodeResourcesLeastAllocated}]
                              enabled: [{name: RequestedToCapacityRatio}]
                          pluginConfig:
                          - name: RequestedToCapacityRatio
                            args: {shape: [{utilization: 0, score: 0}, {utilization: 100, score: 10}]}
                          - name: NodeResourcesFit
                            args: {ignoredResources: [example.com/a]}
                        """,
                        "profiles: [{plugins: {" + WEIGHTS + ", score: {enabled: [{name: NodeResourcesFit}]}},"
                                + " pluginConfig: [{name: NodeResourcesFit, args: {ignoredResources: [example.com/a],"
                                + " scoringStrategy: {type: RequestedToCapacityRatio, requestedToCapacityRatio: {shape:"
                                + " [{utilization: 0, score: 0}, {utilization: 100, score: 10}]}}}}]}]",
                        "7: profiles[0].plugins.score.enabled[0]: RequestedToCapacityRatio is " + fitIs
                                + "RequestedToCapacityRatio",
                        "4: " + kept("profiles[0]", "v1beta1")),
                new Case(
                        "a weight of the default way to score by room",
                        "v1beta1",
                        score(
                                "disabled: [{name: NodeResourcesLeastAllocated}],"
                                        + " enabled: [{name: NodeResourcesLeastAllocated, weight: 4}, {name: TaintToleration}]"),
                        "profiles: [{plugins: {multiPoint: {enabled: [{name: NodeAffinity, weight: 1},"
                                + " {name: InterPodAffinity, weight: 1}]}, score: {enabled: [{name: NodeResourcesFit,"
                                + " weight: 4}, {name: TaintToleration}]}}}]",
                        "3: profiles[0].plugins.score.enabled[0]: NodeResourcesLeastAllocated is " + fitIs
                                + "LeastAllocated",
                        "3: profiles[0].plugins: the weights of v1beta1 are kept: 1 for NodeAffinity, InterPodAffinity"),
                new Case(
                        "room does not count",
                        "v1beta1",
                        score("disabled: [{name: NodeResourcesLeastAllocated}]"),
                        scored("disabled: [{name: NodeResourcesFit}]"),
                        "3: " + kept("profiles[0]", "v1beta1")),
                new Case(
                        "labels that nodes must have or lack",
                        "v1beta1",
                        """
                        profiles:
                        - plugins:
                            filter: {enabled: [{name: NodeLabel}]}
                            score: {enabled: [{name: NodeLabel, weight: 2}]}
                          pluginConfig:
                          - name: NodeLabel
                            args: {presentLabels: [zone], absentLabels: [retiring], presentLabelsPreference: [ssd]}
                        """,
                        "profiles: [{plugins: {" + WEIGHTS
                                + ", filter: {}, score: {}}, pluginConfig: [{name: NodeAffinity,"
                                + " args: {addedAffinity: {requiredDuringSchedulingIgnoredDuringExecution:"
                                + " {nodeSelectorTerms: [{matchExpressions: [{key: zone, operator: Exists},"
                                + " {key: retiring, operator: DoesNotExist}]}]}}}}]}]",
                        "9: profiles[0].pluginConfig[0].args: NodeLabel is the argument addedAffinity of NodeAffinity",
                        "9: profiles[0].pluginConfig[0].args: NodeLabel is skipped as a score: nodes are not preferred"
                                + " by [ssd]",
                        "4: " + kept("profiles[0]", "v1beta1")),
                new Case(
                        "scores that were removed",
                        "v1beta1",
                        score("enabled: [{name: NodePreferAvoidPods, weight: 9}, {name: SelectorSpread}]"),
                        scored(""),
                        "3: profiles[0].plugins.score.enabled[0]: NodePreferAvoidPods is skipped: this score no longer"
                                + " exists",
                        "3: profiles[0].plugins.score.enabled[1]: SelectorSpread is part of PodTopologySpread, which"
                                + " spreads pods of a Service or controller by its defaults",
                        "3: " + kept("profiles[0]", "v1beta1")),
                new Case(
                        "SelectorSpread in place of PodTopologySpread",
                        "v1beta2",
                        score("disabled: [{name: PodTopologySpread}], enabled: [{name: SelectorSpread, weight: 3}]"),
                        scored(
                                "disabled: [{name: PodTopologySpread}], enabled: [{name: PodTopologySpread, weight: 3}]"),
                        "3: profiles[0].plugins.score.enabled[0]: SelectorSpread is PodTopologySpread, which spreads pods"
                                + " of a Service or controller by its defaults",
                        "3: " + kept("profiles[0]", "v1beta2")),
                new Case(
                        "limits of volumes",
                        "v1beta3",
                        "profiles: [{plugins: {filter: {disabled: [{name: EBSLimits}, {name: NodeVolumeLimits}],"
                                + " enabled: [{name: GCEPDLimits}, {name: CinderLimits}]}}}]",
                        "profiles: [{plugins: {filter: {disabled: [{name: NodeVolumeLimits}],"
                                + " enabled: [{name: NodeVolumeLimits}]}}}]",
                        "3: profiles[0].plugins.filter.enabled[0]: GCEPDLimits is NodeVolumeLimits",
                        "3: profiles[0].plugins.filter.enabled[1]: CinderLimits is NodeVolumeLimits"),
                new Case(
                        "constraints for pods without any",
                        "v1beta1",
                        "profiles: [{pluginConfig: [{name: PodTopologySpread, args: {defaultConstraints: [{maxSkew: 1,"
                                + " topologyKey: zone, whenUnsatisfiable: ScheduleAnyway}]}}]}]",
                        "profiles: [{plugins: {" + WEIGHTS + "}, pluginConfig: [{name: PodTopologySpread, args:"
                                + " {defaultConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable:"
                                + " ScheduleAnyway}], defaultingType: List}}]}]",
                        "1: " + kept("profiles[0]", "v1beta1")),
                new Case(
                        "arguments of the same version",
                        "v1beta3",
                        "profiles: [{pluginConfig: [{name: InterPodAffinity, args: {apiVersion:"
                                + " kubescheduler.config.k8s.io/v1beta3, kind: InterPodAffinityArgs,"
                                + " hardPodAffinityWeight: 7}}]}]",
                        "profiles: [{pluginConfig: [{name: InterPodAffinity, args: {apiVersion:"
                                + " kubescheduler.config.k8s.io/v1, kind: InterPodAffinityArgs, hardPodAffinityWeight: 7}}]}]"),
                new Case(
                        "addresses without TLS, no preemption, another lock",
                        "v1beta1",
                        """
                        healthzBindAddress: 0.0.0.0:10251
                        metricsBindAddress: 127.0.0.1:0
                        disablePreemption: true
                        leaderElection: {resourceLock: endpointsleases}
                        """,
                        "leaderElection: {resourceLock: leases}\nprofiles: [{plugins: {" + WEIGHTS
                                + ", postFilter: {disabled: [{name: '*'}]}}}]",
                        "3: healthzBindAddress: nothing is served there; health and metrics are served by HTTPS on"
                                + " --secure-port",
                        "1: " + kept("profiles[0]", "v1beta1"),
                        "5: disablePreemption: no plugin is enabled at postFilter",
                        "6: leaderElection.resourceLock: \"endpointsleases\" is \"leases\"; a scheduler that still locks"
                                + " the other way is not noticed"),
                new Case(
                        "extenders in any case of letters, with a limit in nanoseconds",
                        "v1beta1",
                        "extenders: [{URLPrefix: 'http://a', enableHttps: true, BindVerb: bind, httpTimeout: 1500000000,"
                                + " tlsConfig: {Insecure: true, CAFile: ''}, managedResources: [{Name: example.com/a}]}]",
                        "extenders: [{urlPrefix: 'http://a', enableHTTPS: true, bindVerb: bind, httpTimeout: 1.5s,"
                                + " tlsConfig: {insecure: true, caFile: ''}, managedResources: [{name: example.com/a}]}]\n"
                                + "profiles: [{plugins: {" + WEIGHTS + "}}]",
                        "1: " + kept("profiles[0]", "v1beta1")),
                new Case(
                        "one scheduler without profiles",
                        "v1alpha1",
                        """
                        schedulerName: mine
                        hardPodAffinitySymmetricWeight: 10
                        bindTimeoutSeconds: 30
                        algorithmSource: {provider: ClusterAutoscalerProvider}
                        leaderElection: {lockObjectName: mine, lockObjectNamespace: here}
                        failureDomains: kubernetes.io/hostname
                        """,
                        "leaderElection: {resourceName: mine, resourceNamespace: here}\n"
                                + "profiles: [{schedulerName: mine, plugins: {" + WEIGHTS + "}, pluginConfig: ["
                                + "{name: VolumeBinding, args: {bindTimeoutSeconds: 30}},"
                                + " {name: InterPodAffinity, args: {hardPodAffinityWeight: 10}},"
                                + " {name: NodeResourcesFit, args: {scoringStrategy: {type: MostAllocated}}}]}]",
                        "6: algorithmSource.provider: ClusterAutoscalerProvider is " + fitIs + "MostAllocated",
                        "5: bindTimeoutSeconds: is the argument bindTimeoutSeconds of VolumeBinding",
                        "4: hardPodAffinitySymmetricWeight: is the argument hardPodAffinityWeight of InterPodAffinity",
                        "8: failureDomains: has no effect any more",
                        "1: " + kept("profiles[0]", "v1alpha1")),
                new Case(
                        "extension points of former names",
                        "v1alpha1",
                        """
                        plugins:
                          reserve: {enabled: [{name: VolumeBinding}]}
                          unreserve: {enabled: [{name: MyCustomPluginA}]}
                          postFilter: {enabled: [{name: MyCustomPluginB}]}
                        """,
                        "profiles: [{plugins: {" + WEIGHTS + ", reserve: {enabled: [{name: VolumeBinding},"
                                + " {name: MyCustomPluginA}]}, preScore: {enabled: [{name: MyCustomPluginB}]}}}]",
                        "5: profiles[0].plugins.unreserve: is part of reserve",
                        "6: profiles[0].plugins.postFilter: is preScore",
                        "3: " + kept("profiles[0]", "v1alpha1")));
    }

    private static final PluginRegistry OWN = with("MyCustomPluginA", "MyCustomPluginB", "NetworkTraffic");

    @ParameterizedTest
    @MethodSource("cases")
    void areTheSameInV1(Case older) {
        LoadedConfig loaded = load(head(older.version) + older.given, "", OWN);
        LoadedConfig expected = load(V1 + older.expected, "", OWN);

        assertThat(text(loaded)).isEqualTo(text(expected));
        assertThat(loaded.warnings().subList(1, loaded.warnings().size()))
                .containsExactly(Stream.of(older.warnings)
                        .map(warning -> "old.yaml:" + warning)
                        .toArray(String[]::new));
        assertReadsTheSameAgain(loaded);
    }

    /** Returns the printed form, without empty extension points. */
    private static String text(LoadedConfig loaded) {
        return ConfigPrinter.printSource(loaded);
    }

    private static void assertReadsTheSameAgain(LoadedConfig loaded) {
        LoadedConfig again = load(ConfigPrinter.printSource(loaded), "", OWN);

        assertThat(again.warnings()).isEmpty();
        assertThat(again.config()).isEqualTo(loaded.config());
        assertThat(withoutOrigins(again)).isEqualTo(withoutOrigins(loaded));
    }

    private static String withoutOrigins(LoadedConfig loaded) {
        return ConfigPrinter.print(loaded).replaceAll(" +# .*", "");
    }

    @Test
    void nameThePositionsOfTheirSettings() {
        LoadedConfig loaded = load(head("v1alpha1") + "schedulerName: mine\nbindTimeoutSeconds: 30\n");

        assertThat(loaded.originByPath())
                .containsEntry("profiles[0].schedulerName", "old.yaml:3")
                .containsEntry("profiles[0].pluginConfig[0].args.bindTimeoutSeconds", "old.yaml:4");
    }

    record Refusal(String name, String version, String given, String... problems) {
        @Override
        public String toString() {
            return version + ": " + name;
        }
    }

    static Stream<Refusal> refusals() {
        String v1HasIt = ", or apiVersion: kubescheduler.config.k8s.io/v1, which has it)";
        return Stream.of(
                new Refusal(
                        "fields that came later",
                        "v1beta2",
                        "delayCacheUntilActive: true\nprofiles: [{percentageOfNodesToScore: 5,"
                                + " plugins: {multiPoint: {}}}]",
                        "3:1: delayCacheUntilActive: unknown field (expected: a field of v1beta2" + v1HasIt,
                        "4:13: profiles[0].percentageOfNodesToScore: unknown field (expected: a field of v1beta2"
                                + v1HasIt,
                        "4:52: profiles[0].plugins.multiPoint: unknown field (expected: a field of v1beta2" + v1HasIt),
                new Refusal(
                        "profiles before there were any",
                        "v1alpha1",
                        "profiles: []",
                        "3:1: profiles: unknown field (expected: a field of v1alpha1" + v1HasIt),
                new Refusal(
                        "fields that went before",
                        "v1beta3",
                        "healthzBindAddress: ''\nschedulerName: a",
                        "3:1: healthzBindAddress: unknown field (expected: one of apiVersion, kind, parallelism,"
                                + " leaderElection, clientConnection, enableProfiling, enableContentionProfiling,"
                                + " percentageOfNodesToScore, podInitialBackoffSeconds, podMaxBackoffSeconds, profiles,"
                                + " extenders, delayCacheUntilActive)",
                        "4:1: schedulerName: unknown field (expected: one of apiVersion, kind, parallelism,"
                                + " leaderElection, clientConnection, enableProfiling, enableContentionProfiling,"
                                + " percentageOfNodesToScore, podInitialBackoffSeconds, podMaxBackoffSeconds, profiles,"
                                + " extenders, delayCacheUntilActive)"),
                new Refusal(
                        "a slip in a field that went",
                        "v1beta1",
                        "healthzBindAdress: ':1'",
                        "3:1: healthzBindAdress: unknown field. Did you mean healthzBindAddress?"),
                new Refusal(
                        "a slip in the name of a plugin that went",
                        "v1beta1",
                        score("enabled: [{name: NodeResourceLeastAllocated}]"),
                        "3:42: profiles[0].plugins.score.enabled[0].name: \"NodeResourceLeastAllocated\" (expected: a"
                                + " registered plugin; --plugin-dir adds those of jars). Did you mean NodeResourcesLeastAllocated?"),
                new Refusal(
                        "two ways to score by room",
                        "v1beta1",
                        score("enabled: [{name: NodeResourcesMostAllocated}]"),
                        "3:42: profiles[0].plugins.score.enabled[0].name: \"NodeResourcesMostAllocated\" (expected: one"
                                + " plugin that scores by room, since NodeResourcesFit has one scoringStrategy; disable"
                                + " NodeResourcesLeastAllocated, which v1beta1 enables)"),
                new Refusal(
                        "a plugin of an earlier version",
                        "v1beta2",
                        score("enabled: [{name: NodeLabel}]"),
                        "3:42: profiles[0].plugins.score.enabled[0].name: \"NodeLabel\" (expected: a plugin of v1beta2;"
                                + " v1beta1 was the last version with it)"),
                new Refusal(
                        "pods of a Service on nodes with the same labels",
                        "v1beta1",
                        "profiles: [{plugins: {filter: {enabled: [{name: ServiceAffinity}]}}, pluginConfig: [{name:"
                                + " ServiceAffinity, args: {affinityLabels: [rack], x: 1}}]}]",
                        "3:116: profiles[0].pluginConfig[0].args.affinityLabels: [rack] (expected: none; no plugin keeps"
                                + " the pods of a Service on nodes with the same labels any more, pods say so by"
                                + " podAffinity)",
                        "3:140: profiles[0].pluginConfig[0].args.x: unknown field (expected: one of apiVersion, kind,"
                                + " affinityLabels, antiAffinityLabelsPreference)"),
                new Refusal(
                        "two names of the lock",
                        "v1alpha1",
                        "leaderElection: {lockObjectName: a, resourceName: b}",
                        "3:18: leaderElection.lockObjectName: \"a\" (expected: the same as leaderElection.resourceName,"
                                + " which is b)"),
                new Refusal(
                        "an unknown provider",
                        "v1alpha1",
                        "algorithmSource: {provider: Best}",
                        "3:19: algorithmSource.provider: \"Best\" (expected: DefaultProvider or"
                                + " ClusterAutoscalerProvider)"),
                new Refusal(
                        "no Policy",
                        "v1alpha1",
                        "algorithmSource: {policy: {file: {}}}",
                        "3:19: algorithmSource.policy: neither file nor configMap (expected: file with a path, or"
                                + " configMap with a namespace and a name)"),
                new Refusal(
                        "a Policy that is not there",
                        "v1alpha1",
                        "algorithmSource: {policy: {file: {path: no-such.cfg}}}",
                        "3:28: algorithmSource.policy.file: no-such.cfg cannot be read: no such file (expected: a"
                                + " Policy)"),
                new Refusal(
                        "values of the wrong type",
                        "v1beta1",
                        "profiles: [{plugins: {score: {enabled: 5}}}]\ndisablePreemption: 'true'",
                        "3:31: profiles[0].plugins.score.enabled: 5 (expected: a list)",
                        "4:1: disablePreemption: \"true\" (expected: true or false)"));
    }

    @ParameterizedTest
    @MethodSource("refusals")
    void areRefusedWithAllProblems(Refusal older) {
        ConfigException refused =
                catchThrowableOfType(ConfigException.class, () -> load(head(older.version) + older.given));

        assertThat(refused.problems().stream()
                        .map(problem -> refused.placeOf(problem).orElse("") + ": " + problem))
                .containsExactly(Stream.of(older.problems)
                        .map(problem -> "old.yaml:" + problem)
                        .toArray(String[]::new));
    }

    @Test
    void haveAPluginOfOnesOwnWhereItHasANameThatWent() {
        LoadedConfig loaded = load(head("v1beta2") + score("enabled: [{name: NodeLabel}]"), "", with("NodeLabel"));

        assertThat(loaded.config().profiles().get(0).pluginNames()).contains("NodeLabel");
    }

    @Nested
    class Policies {
        record Policy(String name, String given, String expected, String... warnings) {
            @Override
            public String toString() {
                return name;
            }
        }

        static Stream<Policy> policies() {
            return Stream.of(
                    new Policy(
                            "safe, of kube-safe-scheduler",
                            """
                            {"kind": "Policy", "apiVersion": "v1",
                            \t"extenders": [
                            {"urlPrefix": "http://localhost/scheduler", "filterVerb": "predicates/safe-overload",
                             "prioritizeVerb": "priorities/safe-overload", "preemptVerb": "", "bindVerb": "", "weight": 1,
                             "enableHttps": false, "nodeCacheCapable": false},
                            {"urlPrefix": "http://localhost/scheduler", "filterVerb": "",
                             "prioritizeVerb": "priorities/safe-balance", "preemptVerb": "", "bindVerb": "", "weight": 10,
                             "enableHttps": false, "nodeCacheCapable": false}]}
                            """,
                            "profiles: [{plugins: {" + WEIGHTS + "}}]\nextenders: ["
                                    + "{urlPrefix: 'http://localhost/scheduler', filterVerb: predicates/safe-overload,"
                                    + " prioritizeVerb: priorities/safe-overload, preemptVerb: '', bindVerb: '', weight: 1,"
                                    + " enableHTTPS: false, nodeCacheCapable: false}, {urlPrefix:"
                                    + " 'http://localhost/scheduler', filterVerb: '', prioritizeVerb:"
                                    + " priorities/safe-balance, preemptVerb: '', bindVerb: '', weight: 10,"
                                    + " enableHTTPS: false, nodeCacheCapable: false}]",
                            BY_DEFAULT),
                    new Policy(
                            "pigeon, of kube-safe-scheduler",
                            """
                            {"kind": "Policy", "apiVersion": "v1", "extenders": [{
                              "urlPrefix": "http://localhost/scheduler", "filterVerb": "",
                              "prioritizeVerb": "priorities/pigeon-holing", "preemptVerb": "", "bindVerb": "", "weight": 1,
                              "enableHttps": false, "nodeCacheCapable": false}],
                              "hardPodAffinitySymmetricWeight": 10}
                            """,
                            "profiles: [{plugins: {" + WEIGHTS + "}, pluginConfig: [{name: InterPodAffinity, args:"
                                    + " {hardPodAffinityWeight: 10}}]}]\nextenders: [{urlPrefix:"
                                    + " 'http://localhost/scheduler', filterVerb: '', prioritizeVerb:"
                                    + " priorities/pigeon-holing, preemptVerb: '', bindVerb: '', weight: 1,"
                                    + " enableHTTPS: false, nodeCacheCapable: false}]",
                            BY_DEFAULT),
                    new Policy(
                            "rl-scheduler, of kubeRL",
                            """
                            {"kind": "Policy", "apiVersion": "v1",
                            "predicates": [{"name": "PodFitsHostPorts"}, {"name": "PodFitsResources"},
                              {"name": "NoDiskConflict"}, {"name": "MatchNodeSelector"}, {"name": "HostName"}],
                            "priorities": [{"name": "LeastRequestedPriority", "weight": 1},
                              {"name": "BalancedResourceAllocation", "weight": 1},
                              {"name": "ServiceSpreadingPriority", "weight": 1}, {"name": "EqualPriority", "weight": 1}],
                            "hardPodAffinitySymmetricWeight": 10}
                            """,
                            """
                            profiles:
                            - plugins:
                                multiPoint:
                                  enabled: [{name: PodTopologySpread, weight: 1}]
                                  disabled: [{name: NodeVolumeLimits}, {name: VolumeBinding}, {name: VolumeZone}, \
                            {name: InterPodAffinity}, {name: ImageLocality}]
                                preFilter: {disabled: [{name: PodTopologySpread}]}
                                filter: {disabled: [{name: PodTopologySpread}]}
                                preScore: {disabled: [{name: TaintToleration}, {name: NodeAffinity}]}
                                score: {disabled: [{name: TaintToleration}, {name: NodeAffinity}]}
                            """,
                            "policy.cfg:2: policy.predicates: only the plugins that stand for these, and for taints, filter",
                            "policy.cfg:4: policy.priorities: the plugins that stand for these score: NodeResourcesFit 1,"
                                    + " PodTopologySpread 1, NodeResourcesBalancedAllocation 1"),
                    new Policy(
                            "nothing but what is always checked, and no score",
                            "kind: Policy\npredicates: []\npriorities: []\n",
                            """
                            profiles:
                            - plugins:
                                multiPoint:
                                  disabled: [{name: NodeName}, {name: NodeAffinity}, {name: NodePorts}, \
                            {name: NodeResourcesFit}, {name: VolumeRestrictions}, {name: NodeVolumeLimits}, \
                            {name: VolumeBinding}, {name: VolumeZone}, {name: PodTopologySpread}, \
                            {name: InterPodAffinity}, {name: NodeResourcesBalancedAllocation}, {name: ImageLocality}]
                                preScore: {disabled: [{name: TaintToleration}]}
                                score: {disabled: [{name: TaintToleration}]}
                            """,
                            "policy.cfg:2: policy.predicates: only the plugins that stand for these, and for taints, filter",
                            "policy.cfg:3: policy.priorities: the plugins that stand for these score: none"),
                    new Policy(
                            "predicates and priorities of any name",
                            """
                            predicates:
                            - {name: GeneralPredicates}
                            - {name: PodFitsPorts}
                            - {name: MatchInterPodAffinity}
                            - {name: EvenPodsSpread}
                            - {name: CheckVolumeBinding}
                            - {name: NoVolumeZoneConflict}
                            - {name: NoDiskConflict}
                            - {name: MaxGCEPDVolumeCount}
                            - {name: zoned, argument: {labelsPresence: {labels: [zone], presence: true}}}
                            - {name: lasting, argument: {labelsPresence: {labels: [retiring]}}}
                            priorities:
                            - name: filled
                              weight: 4
                              argument:
                                requestedToCapacityRatioArguments:
                                  shape: [{utilization: 0, score: 0}, {utilization: 100, score: 10}]
                                  resources: [{name: example.com/gpu, weight: 3}]
                            - {name: EvenPodsSpreadPriority, weight: 2}
                            - {name: NodePreferAvoidPodsPriority, weight: 10000}
                            - {name: apart, weight: 1, argument: {serviceAntiAffinity: {label: rack}}}
                            - {name: fast, weight: 1, argument: {labelPreference: {label: ssd, presence: true}}}
                            - {name: NodeAffinityPriority, weight: 2}
                            - {name: TaintTolerationPriority, weight: 3}
                            - {name: InterPodAffinityPriority, weight: 2}
                            - {name: ImageLocalityPriority, weight: 1}
                            - {name: BalancedResourceAllocation, weight: 1}
                            """,
                            """
                            profiles:
                            - plugins:
                                multiPoint: {enabled: [{name: NodeResourcesFit, weight: 4}]}
                              pluginConfig:
                              - name: NodeAffinity
                                args:
                                  addedAffinity:
                                    requiredDuringSchedulingIgnoredDuringExecution:
                                      nodeSelectorTerms:
                                      - matchExpressions: [{key: zone, operator: Exists}, \
                            {key: retiring, operator: DoesNotExist}]
                              - name: NodeResourcesFit
                                args:
                                  scoringStrategy:
                                    type: RequestedToCapacityRatio
                                    resources: [{name: example.com/gpu, weight: 3}]
                                    requestedToCapacityRatio:
                                      shape: [{utilization: 0, score: 0}, {utilization: 100, score: 10}]
                              - name: PodTopologySpread
                                args: {defaultingType: List}
                            """,
                            "policy.cfg:10: policy.predicates[8].argument.labelsPresence: is the argument addedAffinity of"
                                    + " NodeAffinity",
                            "policy.cfg:11: policy.predicates[9].argument.labelsPresence: is the argument addedAffinity of"
                                    + " NodeAffinity",
                            "policy.cfg:20: policy.priorities[2].name: NodePreferAvoidPodsPriority is skipped: this score"
                                    + " no longer exists",
                            "policy.cfg:21: policy.priorities[3].argument.serviceAntiAffinity: skipped: pods of a Service"
                                    + " are not spread by rack",
                            "policy.cfg:22: policy.priorities[4].argument.labelPreference: skipped: nodes are not preferred"
                                    + " by ssd",
                            "policy.cfg:1: policy.predicates: only the plugins that stand for these, and for taints, filter",
                            "policy.cfg:12: policy.priorities: the plugins that stand for these score: TaintToleration 3,"
                                    + " NodeAffinity 2, NodeResourcesFit 4, PodTopologySpread 2, InterPodAffinity 2,"
                                    + " NodeResourcesBalancedAllocation 1, ImageLocality 1"));
        }

        private static final String BY_DEFAULT =
                "old.yaml: policy.priorities: those by default score: TaintToleration 1,"
                        + " NodeAffinity 1, NodeResourcesFit 1, PodTopologySpread 2, InterPodAffinity 1,"
                        + " NodeResourcesBalancedAllocation 1, ImageLocality 1";

        @ParameterizedTest
        @MethodSource("policies")
        void areTheSameInV1(Policy policy) {
            LoadedConfig loaded = withPolicy(policy.given);

            assertThat(text(loaded)).isEqualTo(text(load(V1 + policy.expected)));
            assertThat(loaded.warnings().subList(1, loaded.warnings().size())).containsExactly(policy.warnings);
            assertReadsTheSameAgain(loaded);
        }

        @ParameterizedTest
        @MethodSource("policies")
        void areTheSameWithoutAConfigurationAround(Policy policy) {
            String alone = policy.given.contains("kind") ? policy.given : "kind: Policy\n" + policy.given;
            LoadedConfig loaded = load(alone.contains("apiVersion") ? alone : "apiVersion: v1\n" + alone);

            assertThat(loaded.config()).isEqualTo(withPolicy(policy.given).config());
        }

        @Test
        void areReadFromFiles(@TempDir Path folder) throws IOException {
            Path file = Files.writeString(folder.resolve("policy.cfg"), "{\"kind\": \"Policy\", \"priorities\": []}");

            LoadedConfig loaded = ConfigLoader.load(
                    head("v1alpha1") + "algorithmSource: {policy: {file: {path: '" + file + "'}}}",
                    "old.yaml",
                    SamplePlugins.all());

            assertThat(loaded.config().profiles().get(0).multiPoint().disabled())
                    .contains("ImageLocality");
        }

        record Refused(String name, String given, String... problems) {
            @Override
            public String toString() {
                return name;
            }
        }

        static Stream<Refused> refused() {
            return Stream.of(
                    new Refused(
                            "a slip in a predicate, and no weight",
                            "{\"predicates\": [{\"name\": \"PodFitsResource\"}],\n"
                                    + "\"priorities\": [{\"name\": \"LeastRequestedPriority\"}]}",
                            "policy.cfg:1:18: policy.predicates[0].name: \"PodFitsResource\" (expected: a predicate of"
                                    + " kube-scheduler 1.22). Did you mean PodFitsResources?",
                            "policy.cfg:2:16: policy.priorities[0].weight: 0 (expected: more than 0)"),
                    new Refused(
                            "an unknown priority; the unknown field is ignored",
                            "priorities: [{name: Luck, weight: 1}]\nextender: []",
                            "policy.cfg:1:15: policy.priorities[0].name: \"Luck\" (expected: a priority of kube-scheduler"
                                    + " 1.22)"),
                    new Refused(
                            "two priorities by room",
                            "priorities: [{name: LeastRequestedPriority, weight: 1}, {name: MostRequestedPriority,"
                                    + " weight: 1}]",
                            "policy.cfg:1:58: policy.priorities[1].name: \"MostRequestedPriority\" (expected: one priority"
                                    + " by room, since NodeResourcesFit has one scoringStrategy)"),
                    new Refused(
                            "pods of a Service on nodes with the same labels",
                            "predicates: [{name: a, argument: {serviceAffinity: {labels: [rack]}}}]",
                            "policy.cfg:1:53: policy.predicates[0].argument.serviceAffinity.labels: [rack] (expected: none;"
                                    + " no plugin keeps the pods of a Service on nodes with the same labels any more, pods"
                                    + " say so by podAffinity)"),
                    new Refused(
                            "an argument without content",
                            "predicates: [{name: a, argument: {}}]",
                            "policy.cfg:1:24: policy.predicates[0].argument: 0 arguments (expected: one)"),
                    new Refused(
                            "an extender that scores without a weight",
                            "extenders:\n- urlPrefix: http://a\n  prioritizeVerb: b\n",
                            "policy.cfg:2:3: extenders[0].weight: 0 (expected: more than 0, since there is a"
                                    + " prioritizeVerb)"),
                    new Refused("no JSON", "{\"kind\": ", "policy.cfg:1:10: policy: not YAML:"),
                    new Refused(
                            "another kind", "kind: Pod", "policy.cfg:1:1: policy.kind: \"Pod\" (expected: Policy)"));
        }

        @ParameterizedTest
        @MethodSource("refused")
        void areRefusedWithAllProblems(Refused policy) {
            ConfigException refused = catchThrowableOfType(ConfigException.class, () -> withPolicy(policy.given));

            assertThat(refused.problems()).hasSameSizeAs(policy.problems);
            for (int i = 0; i < policy.problems.length; i++) {
                var problem = refused.problems().get(i);
                assertThat(refused.placeOf(problem).orElse("") + ": " + problem).startsWith(policy.problems[i]);
            }
        }

        @Test
        void excludeFurtherPlugins() {
            ConfigException refused = catchThrowableOfType(
                    ConfigException.class,
                    () -> load(
                            head("v1alpha1") + "plugins: {score: {disabled: [{name: '*'}]}}\n"
                                    + "algorithmSource: {policy: {configMap: {name: a}}}",
                            "kind: Policy",
                            SamplePlugins.all()));

            assertThat(refused)
                    .hasMessage(
                            "old.yaml:3:1: profiles[0].plugins: given together with a Policy (expected: only one of them)");
        }

        @Test
        void areAskedForWithTheKubeconfigThatTheConfigurationNames() {
            List<String> asked = new ArrayList<>();
            ConfigLoader.load(
                    head("v1alpha1") + "clientConnection: {kubeconfig: /etc/k}\n"
                            + "algorithmSource: {policy: {configMap: {name: a}}}",
                    "old.yaml",
                    SamplePlugins.all(),
                    FeatureGates.DEFAULTS,
                    (namespace, name, kubeconfig) -> {
                        asked.addAll(List.of(namespace, name, kubeconfig));
                        return new PolicyTexts.PolicyText("kind: Policy", "");
                    });

            assertThat(asked).containsExactly("kube-system", "a", "/etc/k");
        }
    }
}
