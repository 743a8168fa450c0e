// SPDX-License-Identifier: Apache-2.0
package org.moorage.app;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.moorage.objects.tree.ClusterFiles;
import org.moorage.testkit.apiserver.FakeApiServer;
import org.moorage.testkit.apiserver.Response;

@Tag("any-jvm")
@Timeout(60)
class SnapshotTest {
    private static final JsonMapper JSON = new JsonMapper();
    private static final String SECRETS = """
            apiVersion: v1
            kind: Pod
            metadata:
              name: web
              annotations: {example.com/token: hidden-1, kubernetes.io/config.mirror: m, example.com/zone: z}
            spec:
              containers:
              - {name: c, image: i, args: [hidden-2], env: [{name: TOKEN, value: hidden-3}], resources: {requests: {cpu: 1}}}
            ---
            apiVersion: apps/v1
            kind: Deployment
            metadata: {name: web}
            spec:
              selector: {matchLabels: {app: web}}
              template:
                metadata: {labels: {app: web}, annotations: {example.com/token: hidden-4}}
                spec: {containers: [{name: c, image: i, command: [hidden-5]}]}
            ---
            {apiVersion: v1, kind: Node, metadata: {name: 'n', annotations: {load: hidden-6, mean-free-cpu: '7'}}}
            """;

    @TempDir
    private Path folder;

    private static final String DEPLOYMENTS = "/apis/apps/v1/deployments";

    private final FakeApiServer server = FakeApiServer.start();

    @AfterEach
    void stop() {
        server.close();
    }

    private void putFile(String file) throws IOException {
        server.put(Files.readString(Path.of(file)));
    }

    /** Writes the objects of a file in the order in which an API server lists them. */
    private String inApiOrder(String file) throws IOException {
        Stream<String> objects = ClusterFiles.read(List.of(file), InputStream.nullInputStream()).stream()
                .sorted(Comparator.comparing(object -> object.at("/metadata/namespace")
                                .asText() + "/" + object.at("/metadata/name").asText()))
                .map(ObjectNode::toString);
        return Files.write(folder.resolve("source.jsonl"), (Iterable<String>) objects::iterator)
                .toString();
    }

    private void forbid(String path) {
        server.on("GET", path, request -> Response.status(403, "Forbidden", "not for you"));
    }

    private CapturedRun dump(String... more) {
        List<String> args = new ArrayList<>(List.of("snapshot", "--master", server.address()));
        args.addAll(List.of(more));
        return CapturedRun.of(args.toArray(String[]::new));
    }

    private static JsonNode simulated(String file) throws IOException {
        ObjectNode answer = (ObjectNode) JSON.readTree(CapturedRun.of(
                        "simulate", "--feature-gates", CapturedRun.GROUP_GATES, "--seed", "5", "-o", "json", file)
                .out());
        answer.withObject("/summary").remove("seconds");
        return answer;
    }

    @Test
    void aSimulationOfTheFileIsThatOfTheCluster() throws IOException {
        String source = inApiOrder(CapturedRun.FIRST);
        putFile(source);
        for (String name : List.of("cluster.jsonl", "cluster.jsonl.gz")) {
            Path file = folder.resolve(name);

            CapturedRun run = dump("-f", file.toString());

            assertThat(run.exitCode()).isZero();
            assertThat(run.err()).contains(file + ": ", "Node 6, ", "Pod ", " KiB");
            assertThat(Files.readAllBytes(file)[0] == 0x1f).isEqualTo(name.endsWith(".gz"));
            JsonNode ofDump = simulated(file.toString());
            JsonNode ofSource = simulated(source);
            assertThat(ofDump.path("summary")).isEqualTo(ofSource.path("summary"));
            assertThat(ofDump.path("pods")).hasSize(12).containsExactlyInAnyOrderElementsOf(ofSource.path("pods"));
            assertThat(ofDump.path("nodes")).isEqualTo(ofSource.path("nodes"));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"first.yaml", "groups.yaml", "zones.yaml"})
    void theOmittedFieldsDecideNothing(String name) throws IOException {
        String source = Path.of("..", "examples", "clusters", name).toString();
        putFile(source);
        Path whole = folder.resolve("whole.jsonl");
        Path kept = folder.resolve("kept.jsonl");

        assertThat(dump("--include-sensitive", "-f", whole.toString()).exitCode())
                .isZero();
        assertThat(dump("-f", kept.toString()).exitCode()).isZero();

        assertThat(simulated(kept.toString())).isEqualTo(simulated(whole.toString()));
        for (List<String> question :
                List.of(List.of("scale-down"), List.of("outage", "topology.kubernetes.io/zone=a"))) {
            assertThat(answered(question, kept)).isEqualTo(answered(question, whole));
        }
    }

    private static JsonNode answered(List<String> question, Path cluster) throws IOException {
        List<String> args = new ArrayList<>(question);
        args.addAll(List.of(
                "--cluster",
                cluster.toString(),
                "--feature-gates",
                CapturedRun.GROUP_GATES,
                "--seed",
                "5",
                "-o",
                "json"));
        return JSON.readTree(CapturedRun.of(args.toArray(String[]::new)).out());
    }

    @Test
    void omitsFieldsThatMayBeSecretByDefault() throws IOException {
        server.put(SECRETS);

        assertThat(dump().out())
                .contains("config.mirror", "\"mean-free-cpu\":\"7\"", "\"cpu\":1")
                .doesNotContain("hidden", "example.com/zone");
        assertThat(dump("--keep-annotation", "example.com/zone").out())
                .contains("\"example.com/zone\":\"z\"")
                .doesNotContain("hidden");
        assertThat(dump("--include-sensitive").out())
                .contains("hidden-1", "hidden-2", "hidden-3", "hidden-4", "hidden-5");
    }

    @Test
    void isForItsOwnerAlone() throws IOException {
        Path file = folder.resolve("c.jsonl");
        dump("-f", file.toString());

        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
    }

    @Test
    void leavesTheFormerFileIfTheClusterCannotBeRead() throws IOException {
        forbid("/api/v1/pods");
        Path file = Files.writeString(folder.resolve("c.jsonl"), "former");

        CapturedRun run = dump("-f", file.toString());

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).isEqualTo("error: list pods: 403 Forbidden: not for you\n");
        assertThat(file).hasContent("former");
        try (var files = Files.list(folder)) {
            assertThat(files).containsExactly(file);
        }
    }

    @Test
    void namesWhatTheUserMayNotList() {
        forbid(DEPLOYMENTS);

        assertThat(dump().err())
                .contains("warning: Deployment objects are omitted: list deployments: 403 Forbidden: not for you");
    }

    @Test
    void refusesAFileThatCannotBeWritten() {
        assertThat(dump("-f", folder.resolve("none/c.jsonl").toString()).err())
                .isEqualTo("error: " + folder.resolve("none/c.jsonl") + ": cannot be written: no such folder\n");
        assertThat(dump("-f", folder.toString()).err()).startsWith("error: " + folder + ": cannot be written: ");
    }

    @Test
    void aManifestThatAddsOmittedFieldsIsNoRollout() throws IOException {
        String deployment = """
                apiVersion: apps/v1
                kind: Deployment
                metadata: {name: web, namespace: default}
                spec:
                  replicas: 1
                  selector: {matchLabels: {app: web}}
                  template:
                    metadata: {labels: {app: web}, annotations: {example.com/token: '%s'}}
                    spec:
                      securityContext: {runAsUser: 1}
                      volumes: [{name: v, secret: {secretName: '%1$s'}}]
                      containers: [{name: c, image: i, command: ['%1$s'], imagePullPolicy: Always}]
                """;
        String replicaSet = """
                ---
                apiVersion: apps/v1
                kind: ReplicaSet
                metadata:
                  name: web-1
                  namespace: default
                  ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: web, controller: true}]
                """ + deployment.substring(deployment.indexOf("spec:"));
        String node =
                "---\n{apiVersion: v1, kind: Node, metadata: {name: 'n'}, status: {allocatable: {cpu: 4, pods: 9}}}\n";
        server.put(deployment.formatted("x") + replicaSet.formatted("x") + node);
        Path file = folder.resolve("c.jsonl");
        dump("-f", file.toString());
        for (String image : List.of("i", "other")) {
            Path changed = Files.writeString(
                    folder.resolve("changed.yaml"), deployment.formatted("y").replace("image: i", "image: " + image));

            CapturedRun run = CapturedRun.of("simulate", "--apply", changed.toString(), file.toString());

            assertThat(run.exitCode()).as(run.err()).isZero();
            assertThat(run.err().contains("rolled out")).as(run.err()).isEqualTo(image.equals("other"));
        }
    }
}
