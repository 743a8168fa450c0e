// SPDX-License-Identifier: Apache-2.0
package org.moorage.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Configurations of the kinds that charts and documentation publish. */
@Tag("any-jvm")
class PublicConfigurationsTest {
    private static final String V1 = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n";
    private static final String SECOND = V1 + """
            profiles:
            - schedulerName: second
              plugins:
                multiPoint:
                  enabled:
                  - name: Coscheduling
                  - name: CapacityScheduling
                  - name: NodeResourceTopologyMatch
                  disabled:
                  - name: PrioritySort
                score:
                  enabled:
                  - name: NodeResourceTopologyMatch
              pluginConfig:
              - name: Coscheduling
                args: {permitWaitingTimeSeconds: 10}
            """;
    private static final String EXTENDER = """
            extenders:
            - urlPrefix: https://127.0.0.1:1
              filterVerb: filter
              enableHTTPS: true
              ignorable: true
              tlsConfig: {certFile: /host/certs/client.crt, keyFile: /host/certs/client.key, caFile: /host/certs/ca.crt}
            """;

    @TempDir
    private Path folder;

    private String config;
    private String cluster;

    @BeforeEach
    void writeCluster() throws IOException {
        config = folder.resolve("scheduler.yaml").toString();
        cluster = Files.writeString(folder.resolve("cluster.yaml"), """
                        {apiVersion: v1, kind: Node, metadata: {name: one},
                         status: {allocatable: {cpu: 4, memory: 8Gi, pods: 110}}}
                        ---
                        {apiVersion: v1, kind: Pod, metadata: {name: web},
                         spec: {schedulerName: default-scheduler, containers: [{name: a, image: b}]}}
                        """).toString();
    }

    private CapturedRun run(String text, String... args) throws IOException {
        Files.writeString(Path.of(config), text);
        return CapturedRun.of(args);
    }

    static Stream<List<String>> questions() {
        return Stream.of(
                List.of("simulate"),
                List.of("fit", "POD", "--cluster"),
                List.of("scale-down", "--cluster"),
                List.of("drain", "one", "--cluster"),
                List.of("outage", "one", "--cluster"),
                List.of("scale-up", "one", "--max-nodes", "1", "--cluster"));
    }

    @ParameterizedTest
    @MethodSource("questions")
    void questionsAreAnsweredWithoutUnknownPlugins(List<String> question) throws IOException {
        String pod = Files.writeString(
                        folder.resolve("pod.yaml"),
                        "{apiVersion: v1, kind: Pod, metadata: {name: more}, spec: {schedulerName: second,"
                                + " containers: [{name: a, image: b}]}}")
                .toString();
        Stream<String> words = Stream.concat(
                question.stream().map(word -> word.equals("POD") ? pod : word),
                Stream.of(cluster, "--config", config, "--without-unknown-plugins"));

        CapturedRun run = run(SECOND, words.toArray(String[]::new));

        assertThat(run.exitCode()).as(run.err()).isNotEqualTo(2);
        assertThat(run.err())
                .contains(
                        "profile \"second\" is taken without plugins that are not registered: NodeResourceTopologyMatch"
                                + " (score, multiPoint), Coscheduling (multiPoint), CapacityScheduling (multiPoint)")
                .contains("PrioritySort is enabled at queueSort")
                .contains("docs/operate/plugin-substitutes.md");
    }

    @Test
    void withoutTheSwitchTheRefusalNamesTheSwitchesAndSubstitutes() throws IOException {
        assertThat(run(SECOND, "simulate", cluster, "--config", config).err())
                .contains("\"Coscheduling\" (expected: a registered plugin; --plugin-dir adds those of jars)")
                .contains("Substitute: the jar plugins-sigs has it")
                .contains("docs/operate/plugin-substitutes.md");
    }

    @ParameterizedTest
    @ValueSource(strings = {"show", "validate"})
    void configurationCommandsLeaveUnknownPluginsOut(String command) throws IOException {
        CapturedRun run = run(SECOND, "config", command, config, "--without-unknown-plugins");

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out()).doesNotContain("CapacityScheduling");
    }

    @Test
    void convertKeepsUnknownPluginsWithAWarning() throws IOException {
        CapturedRun run = run(SECOND.replace("/v1\n", "/v1beta3\n"), "config", "convert", config);

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out())
                .startsWith("apiVersion: kubescheduler.config.k8s.io/v1\n")
                .contains("Coscheduling", "CapacityScheduling", "permitWaitingTimeSeconds: 10");
        assertThat(run.err()).contains("names plugins that are not registered: ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"config show", "config validate", "config convert"})
    void filesOfExtendersOnAnotherMachineAreAWarning(String command) throws IOException {
        CapturedRun run = run(V1 + EXTENDER, (command + " " + config).split(" "));

        assertThat(run.exitCode()).as(run.err()).isZero();
        for (String field : List.of(
                "certFile: /host/certs/client.crt", "keyFile: /host/certs/client.key", "caFile: /host/certs/ca.crt")) {
            assertThat(run.err())
                    .contains(
                            "warning: " + config + ":8:",
                            "extenders[0].tlsConfig." + field
                                    + ": no such file, so it is not used (expected: where the scheduler runs)");
        }
    }

    @Test
    void aSimulationDoesWithoutFilesOfExtendersOnAnotherMachine() throws IOException {
        CapturedRun run = run(V1 + EXTENDER, "simulate", cluster, "--config", config);

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.err()).contains("client.crt: no such file, so it is not used");
        assertThat(run(
                                "",
                                "compare",
                                "--profiles",
                                "default-scheduler,default-scheduler",
                                "--cluster",
                                cluster,
                                "--config",
                                Files.writeString(folder.resolve("other.yaml"), V1 + EXTENDER)
                                        .toString())
                        .exitCode())
                .isZero();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "AzureDiskLimits",
                "CinderLimits",
                "EBSLimits",
                "GCEPDLimits",
                "SelectorSpread",
                "NodeResourcesMostAllocated"
            })
    void aRemovedPluginHasAHint(String plugin) throws IOException {
        for (String point : List.of("multiPoint", plugin.contains("Limits") ? "filter" : "score")) {
            String text = V1 + "profiles:\n- plugins: {" + point + ": {enabled: [{name: " + plugin + "}]}}\n";

            assertThat(run(text, "config", "validate", config).err()).contains("Substitute: removed ");
            assertThat(run(text, "config", "validate", config, "--without-unknown-plugins")
                            .exitCode())
                    .isZero();
            assertThat(run(text, "config", "convert", config).exitCode()).isZero();
        }
    }

    @Test
    void v1alpha2IsConverted() throws IOException {
        CapturedRun run = run("""
                apiVersion: kubescheduler.config.k8s.io/v1alpha2
                kind: KubeSchedulerConfiguration
                bindTimeoutSeconds: 60
                podInitialBackoffSeconds: null
                leaderElection: {leaderElect: true, resourceLock: leases, resourceName: ks, resourceNamespace: ks}
                extenders:
                - {urlPrefix: "http://127.0.0.1:1", filterVerb: filter, enableHttps: false, httpTimeout: 1000000000}
                profiles:
                - schedulerName: packing
                  plugins:
                    unreserve: {enabled: [{name: VolumeBinding}]}
                    score:
                      disabled: [{name: NodeResourcesLeastAllocated}, {name: NodeResourcesBalancedAllocation}]
                      enabled: [{name: NodeResourcesMostAllocated}]
                - schedulerName: other
                """, "config", "convert", config);

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out()).contains("type: MostAllocated", "schedulerName: other", "httpTimeout: 1s");
        assertThat(run.out().split("bindTimeoutSeconds: 60", -1)).hasSize(3);
        assertThat(run("", "config", "validate", converted(run)).exitCode()).isZero();
    }

    private String converted(CapturedRun run) throws IOException {
        return Files.writeString(folder.resolve("converted.yaml"), run.out()).toString();
    }

    @Test
    void theGroupBeforeKubernetes112IsReadAsV1alpha1() throws IOException {
        CapturedRun run = run(
                "apiVersion: componentconfig/v1alpha1\nkind: KubeSchedulerConfiguration\nschedulerName: mine\n"
                        + "algorithmSource: {provider: DefaultProvider}\nnoSuchField: 1\n",
                "config",
                "convert",
                config);

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out()).contains("schedulerName: mine").doesNotContain("noSuchField");
        assertThat(run.err()).contains(":5: noSuchField: unknown field", "It is ignored");
    }

    static Stream<String> policies() {
        String policy =
                "{\"kind\": \"Policy\", \"apiVersion\": \"v1\", \"predicates\": [{\"name\": \"GeneralPredicates\"}],"
                        + " \"priorities\": [{\"name\": \"LeastRequestedPriority\", \"weight\": 1, \"wieght\": 2}],"
                        + " \"extenders\": [{\"urlPrefix\": \"http://127.0.0.1:1\", \"filterVerb\": \"filter\", \"ignoreable\": false}]}";
        return Stream.of(
                policy,
                "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: b}\ndata:\n  policy.cfg: |\n    "
                        + policy + "\n---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\n");
    }

    @ParameterizedTest
    @MethodSource("policies")
    void unknownFieldsOfAPolicyAreIgnoredWithAWarning(String policy) throws IOException {
        for (String command : List.of("convert", "validate", "show")) {
            CapturedRun run = run(policy, "config", command, config);

            assertThat(run.exitCode()).as(run.err()).isZero();
            assertThat(run.err())
                    .contains("a Policy was converted")
                    .contains("wieght: unknown field. Did you mean weight? It is ignored")
                    .contains("extenders[0].ignoreable: unknown field. Did you mean ignorable? It is ignored");
            assertThat(run.out()).doesNotContain("ignoreable");
        }
        assertThat(run("", "config", "validate", converted(run(policy, "config", "convert", config)))
                        .exitCode())
                .isZero();
    }

    @Test
    void aProfileTakesPodsThatNameNone() throws IOException {
        String text = V1 + "profiles: [{schedulerName: second}]\n";

        CapturedRun without = run(text, "simulate", cluster, "--config", config);
        assertThat(without.err())
                .contains("note: 1 pending pod names the scheduler \"default-scheduler\", which is no profile of "
                        + config + " (second); --scheduler-name NAME schedules such pods");
        assertThat(without.out()).contains("for the scheduler default-scheduler");
        for (List<String> question : List.of(
                List.of("simulate", cluster),
                List.of("explain", "web", "--cluster", cluster),
                List.of("fit", cluster, "--cluster", cluster))) {
            CapturedRun run = run(
                    text,
                    Stream.concat(question.stream(), Stream.of("--config", config, "--scheduler-name", "second"))
                            .toArray(String[]::new));
            assertThat(run.exitCode()).as(run.err()).isZero();
            assertThat(run.out()).doesNotContain("default-scheduler");
        }
        assertThat(run(text, "simulate", cluster, "--config", config, "--scheduler-name", "secnd")
                        .err())
                .isEqualTo("error: --scheduler-name: \"secnd\" (expected: of " + config
                        + ": second). Did you mean second?\n");
    }
}
