// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests.questions;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.moorage.livetests.scene.ApiAccess;
import org.moorage.livetests.scene.ControlPlane;
import org.moorage.livetests.scene.Kubelets;
import org.moorage.livetests.scene.Moorage;
import org.moorage.livetests.scene.RunningProgram;
import org.moorage.livetests.scene.Scene;
import org.moorage.livetests.scene.SchedulerProcess;

/** An Indexed Job, whose pods run as processes, answers a thousand drains as one process does, line by line. */
@Tag("live")
class LiveBatchTest {
    private static final int NODES = 1000;

    private final Map<String, Path> answers = new ConcurrentHashMap<>();

    @Test
    @SuppressWarnings("try") // the kubelets run next to the test
    void anIndexedJobAnswersWhatOneProcessAnswers() throws IOException {
        try (Scene scene = Scene.withControllers()) {
            Path folder = Files.createDirectory(scene.plane().folder().resolve("batch"));
            Path questions = folder.resolve("questions.txt");
            Path cluster = folder.resolve("cluster.json.gz");
            Files.writeString(questions, questions());
            try (OutputStream file = new GZIPOutputStream(Files.newOutputStream(cluster))) {
                file.write(cluster().getBytes(UTF_8));
            }
            ApiAccess api = scene.api();
            ControlPlane plane = scene.plane();
            createNodes(api);
            plane.kubectl("apply", "-f", deploy("namespace.yaml"));
            plane.kubectl(
                    "-n",
                    "moorage-system",
                    "create",
                    "configmap",
                    "moorage-batch-questions",
                    "--from-file=" + questions);
            plane.kubectl(
                    "-n", "moorage-system", "create", "configmap", "moorage-batch-cluster", "--from-file=" + cluster);

            SchedulerProcess ignored =
                    scene.scheduler(SchedulerProcess.Kind.MOORAGE).start();
            try (Kubelets kubelets = new Kubelets(api, pod -> run(pod, api, folder))) {
                plane.kubectl("apply", "-f", deploy("job.yaml"));
                scene.await(
                        "all pods of the job have succeeded",
                        () -> api.get("/apis/batch/v1/namespaces/moorage-system/jobs/moorage-batch")
                                        .at("/status/succeeded")
                                        .asInt()
                                == 4);
            }
            List<String> merge = new ArrayList<>(List.of("batch", "merge"));
            answers.values().forEach(file -> merge.add(file.toString()));
            Path merged = folder.resolve("merged.jsonl");
            assertThat(moorage(merged, merge)).isZero();
            Path local = folder.resolve("local.jsonl");
            assertThat(moorage(local, List.of("batch", "run", questions.toString(), "--cluster", cluster.toString())))
                    .isZero();
            assertThat(lines(merged)).hasSize(NODES).isEqualTo(lines(local));
        }
    }

    // A kubelet's part: the volumes, the arguments, and what is printed.
    private boolean run(JsonNode pod, ApiAccess api, Path folder) throws IOException {
        String name = pod.at("/metadata/name").asText();
        String index = pod.at("/metadata/annotations/batch.kubernetes.io~1job-completion-index")
                .asText();
        JsonNode container = pod.at("/spec/containers/0");
        Map<String, Path> mounts = new HashMap<>();
        for (JsonNode mount : container.path("volumeMounts")) {
            Path mounted = Files.createDirectories(
                    folder.resolve(name).resolve(mount.path("name").asText()));
            mounts.put(mount.path("mountPath").asText(), mounted);
            for (JsonNode volume : pod.at("/spec/volumes")) {
                String configMap = volume.at("/configMap/name").asText();
                if (volume.path("name").equals(mount.path("name")) && !configMap.isEmpty()) {
                    write(api.get("/api/v1/namespaces/moorage-system/configmaps/" + configMap), mounted);
                }
            }
        }
        List<String> arguments = new ArrayList<>();
        for (JsonNode argument : container.path("args")) {
            arguments.add(inMounts(argument.asText().replace("$(JOB_COMPLETION_INDEX)", index), mounts));
        }
        Path out = folder.resolve(name + ".log");
        assertThat(moorage(out, arguments)).as(name).isZero();
        answers.put(index, out);
        return false;
    }

    // All in one pass, since the folder of the test may itself be below a mount path such as /tmp.
    private static String inMounts(String argument, Map<String, Path> mounts) {
        String paths = mounts.keySet().stream().map(Pattern::quote).collect(Collectors.joining("|"));
        return Pattern.compile("(?<![\\w./-])(" + paths + ")(?=/)")
                .matcher(argument)
                .replaceAll(path -> Matcher.quoteReplacement(
                        Objects.requireNonNull(mounts.get(path.group(1))).toString()));
    }

    private static void write(JsonNode configMap, Path folder) throws IOException {
        for (Map.Entry<String, JsonNode> entry : configMap.path("data").properties()) {
            Files.writeString(folder.resolve(entry.getKey()), entry.getValue().asText());
        }
        for (Map.Entry<String, JsonNode> entry : configMap.path("binaryData").properties()) {
            Files.write(
                    folder.resolve(entry.getKey()),
                    Base64.getDecoder().decode(entry.getValue().asText()));
        }
    }

    private static int moorage(Path out, List<String> arguments) {
        try (RunningProgram program = RunningProgram.start(out, Moorage.command(arguments.toArray(String[]::new)))) {
            return program.await();
        }
    }

    // Without the note of how many answers there are, which is for people.
    private static List<String> lines(Path file) throws IOException {
        return Files.readAllLines(file).stream()
                .filter(line -> line.startsWith("{"))
                .toList();
    }

    private static String deploy(String file) {
        return Moorage.root().resolve("deploy").resolve("batch").resolve(file).toString();
    }

    private static void createNodes(ApiAccess api) {
        for (int i = 0; i < 4; i++) {
            api.create("/api/v1/nodes", node("worker-" + i, "z"));
        }
    }

    private static String questions() {
        StringBuilder text = new StringBuilder("# every node\n");
        for (int i = 0; i < NODES; i++) {
            text.append("drain node-").append(i).append('\n');
        }
        return text.toString();
    }

    private static String cluster() {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < NODES; i++) {
            text.append(node("node-" + i, "zone-" + i % 3)).append('\n');
            for (int pod = 0; pod < 3; pod++) {
                text.append("""
                        {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "app-%1$d-%2$d", "namespace": "default", "uid": "%1$d-%2$d",
                          "ownerReferences": [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "app-%1$d", "uid": "app-%1$d",
                            "controller": true}]},
                         "spec": {"nodeName": "node-%1$d", "containers": [{"name": "c", "image": "i",
                          "resources": {"requests": {"cpu": "%3$dm", "memory": "1Gi"}}}]}}
                        """.formatted(i, pod, 200 + 37 * (i % 11) + 100 * pod)
                                .replace("\n", ""))
                        .append('\n');
            }
        }
        return text.toString();
    }

    private static String node(String name, String zone) {
        return """
                {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "%s", "labels": {"topology.kubernetes.io/zone": "%s"}},
                 "status": {"allocatable": {"cpu": "4", "memory": "16Gi", "pods": "110"},
                  "capacity": {"cpu": "4", "memory": "16Gi", "pods": "110"}}}""".formatted(name, zone).replace("\n", "");
    }
}
