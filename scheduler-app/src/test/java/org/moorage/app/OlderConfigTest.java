// SPDX-License-Identifier: Apache-2.0
package org.moorage.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.moorage.testkit.apiserver.FakeApiServer;

/** Configurations and command lines of earlier versions, as people have them in files. */
class OlderConfigTest {
    private static final String BETA =
            "apiVersion: kubescheduler.config.k8s.io/v1beta1\nkind: KubeSchedulerConfiguration\n";
    private static final String CONFIG = """
            apiVersion: v1
            kind: ConfigMap
            metadata: {name: my-scheduler-config, namespace: kube-system}
            data:
              config.yaml: |
                apiVersion: kubescheduler.config.k8s.io/v1alpha1
                kind: KubeSchedulerConfiguration
                schedulerName: my-scheduler
                algorithmSource:
                  policy:
                    configMap: {namespace: kube-system, name: my-scheduler-policy}
                leaderElection:
                  leaderElect: true
                  lockObjectName: my-scheduler
                  lockObjectNamespace: kube-system
            """;

    @TempDir
    Path folder;

    private String file(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text).toString();
    }

    /** The files of kube-safe-scheduler: an extender is named by its port, verb and weight. */
    record Manifest(String name, String port, String filter, String prioritize, int weight, String more) {
        String policy() {
            return """
                    ---
                    apiVersion: v1
                    kind: ConfigMap
                    metadata: {name: my-scheduler-policy, namespace: kube-system}
                    data:
                     policy.cfg : |
                      {
                        "kind" : "Policy",
                        "apiVersion" : "v1",
                        "extenders" : [{
                          "urlPrefix": "http://localhost%s/scheduler",
                          "filterVerb": "%s",
                          "prioritizeVerb": "%s",
                          "preemptVerb": "",
                          "bindVerb": "",
                          "weight": %d,
                          "enableHttps": false,
                          "nodeCacheCapable": false
                        }%s]
                      }
                    """.formatted(port, filter, prioritize, weight, more);
        }

        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Manifest> manifests() {
        return Stream.of(
                new Manifest(
                        "safe",
                        "",
                        "predicates/safe-overload",
                        "priorities/safe-overload",
                        1,
                        second("", "priorities/safe-balance", 10)),
                new Manifest("congestion", "", "", "priorities/congestion", 10, ""),
                new Manifest("foo", "", "predicates/foo", "priorities/foo", 10, ""),
                new Manifest("pigeon", "", "", "priorities/pigeon-holing", 10, ""),
                new Manifest(
                        "safe and congestion",
                        ":5401",
                        "predicates/safe-overload",
                        "priorities/safe-overload",
                        1,
                        second(":5402", "priorities/congestion", 1)));
    }

    private static String second(String port, String prioritize, int weight) {
        return ", {\"urlPrefix\": \"http://localhost" + port
                + "/scheduler\", \"filterVerb\": \"\", \"prioritizeVerb\": \"" + prioritize + "\", \"weight\": "
                + weight + ", \"enableHttps\": false}";
    }

    @ParameterizedTest
    @MethodSource("manifests")
    void areConvertedAsTheyAreDeployed(Manifest manifest) throws IOException {
        String given = file("extender.yaml", CONFIG + manifest.policy());

        CapturedRun run = CapturedRun.of("config", "convert", given);

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.err())
                .startsWith("warning: " + given + "(my-scheduler-config/config.yaml):1: apiVersion:"
                        + " kubescheduler.config.k8s.io/v1alpha1 was converted to kubescheduler.config.k8s.io/v1\n");
        assertThat(run.out())
                .startsWith("apiVersion: kubescheduler.config.k8s.io/v1\n")
                .contains("  resourceName: my-scheduler\n", "- schedulerName: my-scheduler\n")
                .contains("- urlPrefix: http://localhost" + manifest.port + "/scheduler\n")
                .contains("  prioritizeVerb: " + manifest.prioritize + "\n", "  weight: " + manifest.weight + "\n")
                .contains("  enableHTTPS: false\n")
                .doesNotContain("algorithmSource", "lockObjectName", "enableHttps");
        assertIsClean(run.out());
    }

    private void assertIsClean(String converted) throws IOException {
        String v1 = file("v1.yaml", converted);

        assertThat(CapturedRun.of("config", "validate", v1)).isEqualTo(new CapturedRun(0, v1 + ": valid\n", ""));
        assertThat(CapturedRun.of("config", "convert", v1)).isEqualTo(new CapturedRun(0, converted, ""));
    }

    @Test
    void findTheirPolicyInASeparateFile() throws IOException {
        Manifest foo = new Manifest("foo", "", "predicates/foo", "priorities/foo", 10, "");
        String config = file("config.yaml", CONFIG);
        String manifest = file("policy.yaml", foo.policy());
        String policy = file("policy.cfg", "{\"kind\": \"Policy\", \"predicates\": []}");

        assertThat(CapturedRun.of("config", "convert", "--policy=" + manifest, config)
                        .out())
                .contains("  filterVerb: predicates/foo\n");
        assertThat(CapturedRun.of("config", "convert", "--policy", policy, config)
                        .out())
                .contains("- {name: NodeName}\n");
        assertThat(CapturedRun.of("config", "validate", config).err())
                .endsWith(
                        "config.yaml(my-scheduler-config/config.yaml):6:5: algorithmSource.policy.configMap: ConfigMap"
                                + " kube-system/my-scheduler-policy cannot be read: it is in no file; --policy FILE of moorage config"
                                + " names one (expected: a Policy)\n");
    }

    @Test
    void arePrintedAsJson() throws IOException {
        String given = file("old.yaml", BETA + "profiles: [{schedulerName: a}]\n");

        CapturedRun run = CapturedRun.of("config", "convert", "-o", "json", given);

        assertThat(run.out()).startsWith("{\n  \"apiVersion\": \"kubescheduler.config.k8s.io/v1\",\n");
        assertIsClean(
                CapturedRun.of("config", "convert", file("v1.json", run.out())).out());
        assertThat(CapturedRun.of("config", "convert", "-o", "table", given).err())
                .isEqualTo("error: --output: table (expected: yaml or json)\n");
    }

    @Test
    void areTakenByEachCommandWithAWarning() throws IOException {
        String given = file("old.yaml", BETA);
        String converted = "warning: " + given + ":1: apiVersion: kubescheduler.config.k8s.io/v1beta1 was converted to"
                + " kubescheduler.config.k8s.io/v1\n";

        assertThat(CapturedRun.of("config", "show", given).err()).startsWith(converted);
        assertThat(CapturedRun.of("config", "show", given).out())
                .containsPattern("- \\{name: TaintToleration, weight: 1} +# .*old.yaml:1\n");
        assertThat(CapturedRun.of("simulate", "--config=" + given, CapturedRun.FIRST)
                        .err())
                .startsWith(converted);
    }

    @Nested
    class Flags {
        private String written(String... flags) throws IOException {
            Path file = folder.resolve("written.yaml");
            CapturedRun run = CapturedRun.of(Stream.concat(Stream.of("--write-config-to=" + file), Stream.of(flags))
                    .toArray(String[]::new));
            assertThat(run).isEqualTo(new CapturedRun(0, "", ""));
            return Files.readString(file);
        }

        @Test
        void sayWhatAConfigurationSaid() throws IOException {
            String policy = file("policy.cfg", "{\"kind\": \"Policy\", \"priorities\": []}");

            assertThat(written("--algorithm-provider=ClusterAutoscalerProvider", "--scheduler-name=mine"))
                    .containsPattern("schedulerName: mine +# flags:1\n")
                    .contains("type: MostAllocated");
            assertThat(written("--policy-config-file=" + policy, "--lock-object-name=mine"))
                    .contains("resourceName: mine", "disabled:");
            assertThat(written("--hard-pod-affinity-symmetric-weight=7")).contains("hardPodAffinityWeight: 7");
        }

        @Test
        void haveAPolicyReadFromTheApiServer() throws IOException {
            try (FakeApiServer server = FakeApiServer.start()) {
                server.put("""
                        apiVersion: v1
                        kind: ConfigMap
                        metadata: {name: mine, namespace: kube-system}
                        data: {policy.cfg: "{kind: Policy, priorities: []}"}
                        """);
                String kubeconfig = file("kubeconfig", server.kubeconfig());

                assertThat(written("--policy-configmap=mine", "--kubeconfig=" + kubeconfig))
                        .contains("- {name: ImageLocality}");
                assertThat(CapturedRun.of(
                                        "--policy-configmap=none",
                                        "--kubeconfig=" + kubeconfig,
                                        "--write-config-to=" + folder.resolve("none"))
                                .err())
                        .isEqualTo(
                                "error: flags:1:31: algorithmSource.policy.configMap: ConfigMap kube-system/none cannot"
                                        + " be read: there is none (expected: a Policy)\n");
            }
        }

        @Test
        void areIgnoredWithAFile() throws IOException {
            String config = file("v1.yaml", BETA.replace("v1beta1", "v1"));

            assertThat(written("--config=" + config, "--scheduler-name=mine", "--kube-api-qps=7"))
                    .containsPattern("schedulerName: default-scheduler +# default\n")
                    .containsPattern("qps: 50 +# default\n");
        }

        @Test
        void thatHaveNoEffectAreTaken() throws IOException {
            assertThat(written("--address=127.0.0.1", "--port=0", "--use-legacy-policy-config"))
                    .isEqualTo(written());
        }
    }
}
