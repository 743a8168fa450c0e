// SPDX-License-Identifier: Apache-2.0
package org.moorage.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.moorage.api.feature.FeatureGates;
import org.moorage.config.plugin.PluginRegistry;

class ConfigPrinterTest {
    private static final String HEAD = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n";

    @Test
    void namesTheOriginOfEverySetting() {
        LoadedConfig loaded = ConfigLoader.load(
                HEAD + """
                        parallelism: 4
                        profiles:
                        - schedulerName: a
                          plugins:
                            multiPoint:
                              disabled: [{name: '*'}]
                              enabled:
                              - {name: PrioritySort}
                              - {name: DefaultBinder}
                              - {name: InterPodAffinity, weight: 5}
                          pluginConfig:
                          - name: InterPodAffinity
                            args:
                              hardPodAffinityWeight: 3
                        extenders:
                        - urlPrefix: http://127.0.0.1:8888/
                          managedResources:
                          - {name: example.com/foo}
                        """,
                "scheduler.yaml",
                SamplePlugins.all(),
                FeatureGates.DEFAULTS,
                new FlagValue("leaderElection.leaderElect", false, "--leader-elect"));

        assertThat(ConfigPrinter.print(loaded)).isEqualTo("""
                        apiVersion: kubescheduler.config.k8s.io/v1          # scheduler.yaml:1
                        kind: KubeSchedulerConfiguration                    # scheduler.yaml:2
                        parallelism: 4                                      # scheduler.yaml:3
                        leaderElection:
                          leaderElect: false                                # --leader-elect
                          leaseDuration: 15s                                # default
                          renewDeadline: 10s                                # default
                          retryPeriod: 2s                                   # default
                          resourceLock: leases                              # default
                          resourceName: kube-scheduler                      # default
                          resourceNamespace: kube-system                    # default
                        clientConnection:
                          kubeconfig: ""                                    # default
                          acceptContentTypes: ""                            # default
                          contentType: application/vnd.kubernetes.protobuf  # default
                          qps: 50                                           # default
                          burst: 100                                        # default
                        enableProfiling: true                               # default
                        enableContentionProfiling: true                     # default
                        percentageOfNodesToScore: 0                         # default
                        podInitialBackoffSeconds: 1                         # default
                        podMaxBackoffSeconds: 10                            # default
                        profiles:
                        - schedulerName: a                                  # scheduler.yaml:5
                          plugins:
                            multiPoint:
                              enabled:
                              - {name: PrioritySort}                        # scheduler.yaml:10
                              - {name: DefaultBinder}                       # scheduler.yaml:11
                              - {name: InterPodAffinity, weight: 5}         # scheduler.yaml:12
                              disabled:
                              - {name: "*"}                                 # scheduler.yaml:8
                          pluginConfig:
                          - name: InterPodAffinity                          # scheduler.yaml:14
                            args:
                              kind: InterPodAffinityArgs                    # default
                              apiVersion: kubescheduler.config.k8s.io/v1    # default
                              hardPodAffinityWeight: 3                      # scheduler.yaml:16
                              ignorePreferredTermsOfExistingPods: false     # default
                        extenders:
                        - urlPrefix: http://127.0.0.1:8888/                 # scheduler.yaml:18
                          httpTimeout: 5s                                   # default
                          managedResources:
                          - {name: example.com/foo}                         # scheduler.yaml:20
                        """);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "plain",
                "5",
                "1e3",
                "0x1f",
                "0o7",
                "017",
                "1_000",
                "-5",
                ".5",
                "y",
                "No",
                "true",
                "on",
                "null",
                "~",
                "",
                " ",
                "a: b",
                "a #b",
                "#",
                "*",
                "&a",
                "!a",
                "<<",
                "[",
                "{}",
                "a,b",
                "'",
                "\"",
                "\\",
                "15s",
                "1:30",
                "- a",
                "2001-01-01",
                "é",
                "a\nb",
                "%a",
                "@a",
                "`a",
                "|",
                ">",
                "?",
                "a:",
                "http://x:1/y",
                "tab\there"
            })
    void writesTextsSoThatTheyStayTexts(String text) {
        PluginRegistry registry = PluginRegistry.of(
                List.of(SamplePlugins.factory("Mine", RecordBinderTest.Args.class, new SamplePlugins.Score("Mine"))));
        FlagValue value = new FlagValue("clientConnection.kubeconfig", text, "--kubeconfig");

        String printed = ConfigPrinter.print(ConfigLoader.defaults(registry, FeatureGates.DEFAULTS, value));

        assertThat(ConfigLoader.load(printed, "printed", registry)
                        .config()
                        .clientConnection()
                        .kubeconfig())
                .as(printed)
                .isEqualTo(text);
    }

    @Test
    void printsEmptyArguments() {
        LoadedConfig loaded = ConfigLoader.load(
                HEAD + "profiles: [{pluginConfig: [{name: NodeAffinity, args: {addedAffinity: {}}}]}]",
                "scheduler.yaml",
                SamplePlugins.all());

        String printed = ConfigPrinter.print(loaded);

        assertThat(printed).containsPattern("addedAffinity: \\{} +# scheduler.yaml:3");
        assertThat(ConfigLoader.load(printed, "printed", SamplePlugins.all()).effectiveTree())
                .isEqualTo(loaded.effectiveTree());
    }
}
