// SPDX-License-Identifier: Apache-2.0
package org.moorage.systemtests.questions;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.moorage.systemtests.faults.ApiAccess;
import org.moorage.systemtests.faults.SchedulerProcess;
import org.moorage.systemtests.faults.Waiting;
import org.moorage.systemtests.live.ControlPlane;
import org.moorage.systemtests.live.RunningProgram;

/**
 * Questions about clusters drawn by chance: what Moorage answers about a dump, and what becomes of that cluster when its nodes are drained
 * or lost, or a workload is created, and kube-scheduler and the controllers do the rest. {@code -Dquestions=100} asks so many.
 */
@Tag("live")
class LiveQuestionsTest {
    private static final JsonMapper JSON = new JsonMapper();
    private static final Duration LIMIT = Duration.ofSeconds(30);
    // Of the controllers: after that nothing is under way any more.
    private static final Duration QUIET = Duration.ofMillis(1500);
    // What a budget has refused for so long it refuses for ever.
    private static final Duration BLOCKED = Duration.ofSeconds(4);
    // A pod that waits is tried again a second after what may help it, not up to ten.
    private static final String CONFIG = """
            apiVersion: kubescheduler.config.k8s.io/v1
            kind: KubeSchedulerConfiguration
            leaderElection: {leaderElect: false}
            clientConnection: {kubeconfig: "%s", qps: 1000, burst: 1000}
            podMaxBackoffSeconds: 1
            """;
    private static final String PODS = "/api/v1/namespaces/default/pods";
    private static final String APPS = "/apis/apps/v1/namespaces/default/";
    private static final String BUDGETS = "/apis/policy/v1/namespaces/default/poddisruptionbudgets";
    private static final String PRIORITIES = "/apis/scheduling.k8s.io/v1/priorityclasses";

    private final int questions = Integer.getInteger("questions", 6);
    private final long seed = Long.getLong("seed", ThreadLocalRandom.current().nextInt(1_000_000));

    /** The pods of a workload: on how many nodes each, and how many wait. */
    private record Places(TreeMap<String, Integer> byNode, int waiting) {
        int placed() {
            return byNode.values().stream().mapToInt(Integer::intValue).sum();
        }
    }

    /** What is asked, what is done on the cluster in its place. */
    private record Question(List<String> arguments, Runnable change) {}

    private ControlPlane plane;
    private ApiAccess api;
    private int otherCounts;
    private int otherNodes;

    @Test
    @SuppressWarnings("try") // the scheduler and the kubelets run beside the test
    void theAnswerIsWhatBecomesOfTheCluster() throws IOException {
        System.out.println("questions: seed " + seed);
        try (ControlPlane started = ControlPlane.start(Map.of("CONTROLLERS", "1"))) {
            plane = started;
            api = new ApiAccess(plane.kubeconfig());
            Map.of("low", 10, "high", 1000)
                    .forEach((name, value) -> api.create(PRIORITIES, """
                    {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "%s"}, "value": %d}""".formatted(name, value)));
            try (SchedulerProcess scheduler = new SchedulerProcess.Command(
                                    SchedulerProcess.Kind.KUBE_SCHEDULER, plane, "scheduler")
                            .config(CONFIG)
                            .start();
                    Kubelets kubelets = new Kubelets(api, Kubelets.Containers.ENDLESS)) {
                for (int number = 0; number < questions; number++) {
                    ask(number);
                    clear();
                }
            }
        }
        System.out.printf(
                "%d questions: %d with other numbers of placed or waiting pods, %d with other nodes%n",
                questions, otherCounts, otherNodes);
        // Controllers create pods at the same time; where room is scarce, who comes first decides.
        assertThat(otherCounts).as("answers with other numbers, seed %d", seed).isLessThanOrEqualTo(questions / 5);
    }

    private void ask(int number) throws IOException {
        Random random = new Random(seed * 1000 + number);
        DrawnCluster cluster = DrawnCluster.of(random);
        cluster.manifests().forEach(this::create);
        settle(cluster.pods());
        Path dump = Files.writeString(
                plane.folder().resolve("cluster-" + number + ".json"),
                plane.kubectl(
                        "get",
                        "nodes,namespaces,priorityclasses,pods,deployments,replicasets,statefulsets,poddisruptionbudgets",
                        "-A",
                        "-o",
                        "json"));
        Map<String, String> nodeByPod = new TreeMap<>();
        api.items(PODS)
                .forEach(
                        pod -> nodeByPod.put(name(pod), pod.at("/spec/nodeName").asText()));
        Question question = draw(random, cluster);
        JsonNode answer = answer(question, dump);
        Map<String, Places> expected = placesAfter(answer, nodeByPod);

        question.change.run();
        settle(-1);

        Map<String, String> after = new TreeMap<>();
        api.items(PODS)
                .forEach(pod -> after.put(name(pod), pod.at("/spec/nodeName").asText()));
        compare(number, question, places(after), expected);
    }

    private void compare(int number, Question question, Map<String, Places> real, Map<String, Places> expected) {
        String title = number + ": " + String.join(" ", question.arguments.subList(0, 2));
        if (real.equals(expected)) {
            System.out.println(title + ": same");
            return;
        }
        boolean sameCounts = real.keySet().equals(expected.keySet());
        for (Map.Entry<String, Places> entry : real.entrySet()) {
            Places other = expected.get(entry.getKey());
            if (!entry.getValue().equals(other)) {
                System.out.println(title + ": " + entry.getKey() + " real " + entry.getValue() + ", answered " + other);
                sameCounts &= other != null
                        && other.waiting == entry.getValue().waiting
                        && other.placed() == entry.getValue().placed();
            }
        }
        otherNodes++;
        otherCounts += sameCounts ? 0 : 1;
    }

    private Question draw(Random random, DrawnCluster cluster) throws IOException {
        return switch (random.nextInt(3)) {
            case 0 -> {
                String node = cluster.nodes().get(random.nextInt(cluster.nodes().size()));
                yield new Question(List.of("drain", node, "--force"), () -> drain(node));
            }
            case 1 -> {
                String zone = DrawnCluster.ZONES.get(random.nextInt(3));
                yield new Question(List.of("lose", "zone=" + zone), () -> lose(zone));
            }
            default -> {
                String manifest = cluster.workload("Deployment", "asked", 1 + random.nextInt(8));
                Path file = Files.writeString(plane.folder().resolve("asked.json"), manifest);
                yield new Question(List.of("fit", file.toString()), () -> create(manifest));
            }
        };
    }

    private void create(String manifest) {
        JsonNode kind = parse(manifest).path("kind");
        api.create(
                switch (kind.asText()) {
                    case "Node" -> "/api/v1/nodes";
                    case "Pod" -> PODS;
                    case "PodDisruptionBudget" -> BUDGETS;
                    default -> APPS + kind.asText().toLowerCase(Locale.ROOT) + "s";
                },
                manifest);
    }

    // As kubectl drain, which waits five seconds before it asks again for what a budget refuses.
    private void drain(String node) {
        plane.kubectl("cordon", node);
        long[] since = {System.nanoTime()};
        Duration took = Waiting.until(LIMIT, () -> {
            int left = 0;
            for (JsonNode pod : api.items(PODS)) {
                if (pod.at("/spec/nodeName").asText().equals(node)) {
                    boolean isEvicted = api.answer(
                                    "POST", PODS + "/" + name(pod) + "/eviction", "application/json", """
                                    {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "%s", "namespace": "default"}}""".formatted(
                                                    name(pod)))
                            .filter(answer -> answer.statusCode() < 300)
                            .isPresent();
                    since[0] = isEvicted ? System.nanoTime() : since[0];
                    left += isEvicted ? 0 : 1;
                }
            }
            return left == 0 || System.nanoTime() - since[0] > BLOCKED.toNanos();
        });
        assertThat(took).as("drained").isLessThan(LIMIT);
    }

    private void lose(String zone) {
        plane.kubectl("cordon", "--selector=topology.kubernetes.io/zone=" + zone);
        List<String> paths = new ArrayList<>();
        List<String> nodes = new ArrayList<>();
        for (JsonNode node : api.items("/api/v1/nodes")) {
            if (node.at("/metadata/labels/topology.kubernetes.io~1zone")
                    .asText()
                    .equals(zone)) {
                nodes.add(name(node));
            }
        }
        for (JsonNode pod : api.items(PODS)) {
            if (nodes.contains(pod.at("/spec/nodeName").asText())) {
                paths.add(PODS + "/" + name(pod));
            }
        }
        api.deleteAll(paths);
        nodes.forEach(node -> api.delete("/api/v1/nodes/" + node));
    }

    private JsonNode answer(Question question, Path dump) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                RunningProgram.applicationClassPath(),
                "org.moorage.app.Main"));
        command.addAll(question.arguments);
        command.addAll(List.of("-o", "json", "--cluster", dump.toString()));
        Path out = plane.folder().resolve("answer.json");
        try (RunningProgram program = RunningProgram.start(out, command)) {
            assertThat(program.await(LIMIT)).as(program.log()).isLessThan(2);
            // Notes for people come before it.
            String text = program.log();
            return JSON.readTree(text.substring(text.indexOf("\n{") + 1));
        }
    }

    private static Map<String, Places> placesAfter(JsonNode answer, Map<String, String> before) {
        Map<String, String> after = new TreeMap<>(before);
        for (String list : List.of("pods", "preempted")) {
            for (JsonNode pod : answer.path(list)) {
                String name = pod.path("pod").asText().substring("default/".length());
                switch (pod.path("outcome").asText()) {
                    case "moves", "returns" ->
                        after.put(name, pod.path("newNode").asText());
                    case "waits" -> after.put(name, "");
                    case "lost", "ended" -> after.remove(name);
                    default -> {}
                }
            }
        }
        for (JsonNode manifest : answer.path("manifests")) {
            for (JsonNode pod : manifest.path("pods")) {
                after.put(
                        pod.path("pod").asText().substring("default/".length()),
                        pod.path("node").asText());
            }
        }
        for (JsonNode pod : answer.path("preempted")) {
            if (!pod.has("outcome")) {
                after.remove(pod.path("pod").asText().substring("default/".length()));
            }
        }
        for (JsonNode pod : answer.path("recreated")) {
            after.put(
                    pod.path("pod").asText().substring("default/".length()),
                    pod.path("node").asText());
        }
        return places(after);
    }

    // By workload: names of pods begin with its name and a dash.
    private static Map<String, Places> places(Map<String, String> nodeByPod) {
        Map<String, Places> places = new TreeMap<>();
        nodeByPod.forEach((pod, node) -> {
            String app = pod.split("-", 2)[0];
            Places known = places.getOrDefault(app, new Places(new TreeMap<>(), 0));
            if (!node.isEmpty()) {
                known.byNode.merge(node, 1, Integer::sum);
            }
            places.put(app, new Places(known.byNode, known.waiting + (node.isEmpty() ? 1 : 0)));
        });
        return places;
    }

    // Until the scheduler has tried each pod, and nothing changes any more.
    private void settle(int pods) {
        StringBuilder last = new StringBuilder();
        long[] since = {System.nanoTime()};
        Duration took = Waiting.until(LIMIT, () -> {
            StringBuilder now = new StringBuilder();
            boolean isDone = true;
            int count = 0;
            for (JsonNode pod : api.items(PODS)) {
                count++;
                isDone &= !pod.at("/status/conditions").isMissingNode();
                now.append(name(pod))
                        .append(pod.at("/spec/nodeName").asText())
                        .append(pod.at("/status/phase").asText());
            }
            for (JsonNode budget : api.items(BUDGETS)) {
                now.append(budget.path("status"));
            }
            if (!now.toString().contentEquals(last)) {
                last.setLength(0);
                last.append(now);
                since[0] = System.nanoTime();
            }
            return isDone && (pods < 0 || count == pods) && System.nanoTime() - since[0] > QUIET.toNanos();
        });
        assertThat(took).as("settled: %s", last).isLessThan(LIMIT);
    }

    private void clear() {
        for (String kind : List.of("deployments", "statefulsets", "replicasets")) {
            api.delete(APPS + kind);
        }
        api.delete(BUDGETS);
        Duration took = Waiting.until(LIMIT, () -> {
            api.delete(PODS);
            return api.items(APPS + "replicasets").isEmpty() && api.items(PODS).isEmpty();
        });
        assertThat(took).as("cleared").isLessThan(LIMIT);
        api.delete("/api/v1/nodes");
    }

    private static JsonNode parse(String json) {
        try {
            return JSON.readTree(json);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String name(JsonNode object) {
        return object.at("/metadata/name").asText();
    }
}
