// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests.questions;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/** Generates random questions about generated clusters. */
final class Questions {
    private static final int MOST_NODES = 8;
    private static final String ASKED = "asked";

    private final DrawnCluster drawn;
    private final Random random;
    private final Path folder;

    /** The subject of a question. */
    enum Kind {
        DRAIN,
        REMOVABLE,
        LOSE,
        BUY,
        FIT,
        FIT_MAX,
        EXPLAIN
    }

    /** A question that the command answers and that is then tried on the real cluster. */
    interface Question {
        /** Returns the command line without the dump. */
        List<String> arguments();

        /** Changes the cluster before it is dumped. */
        default void prepare(RealCluster cluster) {}

        /**
         * Applies the question to the cluster, and compares the result with the answer.
         *
         * @param before the nodes by pod name at the time of the question; empty for a pending pod
         */
        Comparison compare(JsonNode answer, Map<String, String> before, RealCluster cluster);
    }

    /**
     * Creates questions about a cluster, which may add pods to it.
     *
     * @param folder the folder of files for the command line
     */
    Questions(DrawnCluster drawn, Random random, Path folder) {
        this.drawn = drawn;
        this.random = random;
        this.folder = folder;
    }

    Question draw(Kind kind) {
        return switch (kind) {
            case DRAIN ->
                new Drained(drawn.nodes().get(random.nextInt(drawn.nodes().size())));
            case LOSE -> new Lost(DrawnCluster.ZONES.get(random.nextInt(DrawnCluster.ZONES.size())));
            case FIT -> {
                String manifest = drawn.workload(ASKED, 1 + random.nextInt(8));
                yield new Fitting(file("fit.json", manifest), manifest);
            }
            case FIT_MAX -> {
                String manifest = drawn.large(ASKED, 1);
                yield new FittingAtMost(file("fit-max.json", manifest), manifest);
            }
            case EXPLAIN -> new Explained(drawn.tooLarge(ASKED));
            case REMOVABLE -> new Removed(random.nextInt(Integer.MAX_VALUE));
            case BUY -> {
                drawn.addLarge(ASKED, 20 + random.nextInt(15));
                String node = drawn.node("big", DrawnCluster.ZONES.get(random.nextInt(DrawnCluster.ZONES.size())));
                yield new Bought(file("big.json", node), node);
            }
        };
    }

    private Path file(String name, String text) {
        try {
            return Files.writeString(folder.resolve(name), text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String podName(JsonNode pod) {
        return pod.path("pod").asText().substring("default/".length());
    }

    // Returns the nodes of pods after the pods of some nodes were evicted.
    private static Map<String, String> afterDisruption(JsonNode answer, Map<String, String> before) {
        Map<String, String> after = new TreeMap<>(before);
        for (String list : List.of("pods", "preempted")) {
            for (JsonNode pod : answer.path(list)) {
                switch (pod.path("outcome").asText()) {
                    case "rescheduled", "returned" ->
                        after.put(podName(pod), pod.path("newNode").asText());
                    case "pending" -> after.put(podName(pod), "");
                    case "lost", "ended" -> after.remove(podName(pod));
                    default -> {}
                }
            }
        }
        answer.path("pendingBefore")
                .forEach(pod -> after.put(podName(pod), pod.path("node").asText()));
        return after;
    }

    private static Map<String, String> afterFitting(JsonNode answer, Map<String, String> before) {
        Map<String, String> after = new TreeMap<>(before);
        for (JsonNode manifest : answer.path("manifests")) {
            manifest.path("pods")
                    .forEach(pod -> after.put(podName(pod), pod.path("node").asText()));
        }
        answer.path("preempted").forEach(pod -> after.remove(podName(pod)));
        answer.path("rescheduled")
                .forEach(pod -> after.put(podName(pod), pod.path("node").asText()));
        return after;
    }

    private record Drained(String node) implements Question {
        @Override
        public List<String> arguments() {
            return List.of("drain", node, "--force", "--cluster");
        }

        @Override
        public Comparison compare(JsonNode answer, Map<String, String> before, RealCluster cluster) {
            cluster.drain(List.of(node));
            return Comparison.ofPlaces(cluster.nodeByPod(), afterDisruption(answer, before));
        }
    }

    private record Lost(String zone) implements Question {
        @Override
        public List<String> arguments() {
            return List.of("outage", "zone=" + zone, "--cluster");
        }

        @Override
        public Comparison compare(JsonNode answer, Map<String, String> before, RealCluster cluster) {
            List<String> nodes = new ArrayList<>();
            answer.path("nodes").forEach(node -> nodes.add(node.asText()));
            cluster.lose(nodes);
            return Comparison.ofPlaces(cluster.nodeByPod(), afterDisruption(answer, before));
        }
    }

    private record Fitting(Path file, String manifest) implements Question {
        @Override
        public List<String> arguments() {
            return List.of("fit", file.toString(), "--cluster");
        }

        @Override
        public Comparison compare(JsonNode answer, Map<String, String> before, RealCluster cluster) {
            cluster.change(() -> cluster.create(manifest));
            return Comparison.ofPlaces(cluster.nodeByPod(), afterFitting(answer, before));
        }
    }

    /** Creates as many pods as would fit, and one that is pending. */
    private record FittingAtMost(Path file, String manifest) implements Question {
        @Override
        public List<String> arguments() {
            return List.of("fit", file.toString(), "--max", "--cluster");
        }

        @Override
        public Comparison compare(JsonNode answer, Map<String, String> before, RealCluster cluster) {
            Map<String, String> after = afterFitting(answer, before);
            JsonNode asked = answer.at("/manifests/0");
            asked.path("pods").forEach(pod -> after.remove(podName(pod), ""));
            int pods = asked.path("scheduled").asInt() + asked.at("/more/pods").asInt();
            int number = 0;
            for (JsonNode node : asked.at("/more/nodes")) {
                for (int i = 0; i < node.path("pods").asInt(); i++) {
                    after.put(ASKED + "-more-" + number++, node.path("node").asText());
                }
            }
            after.put(ASKED + "-next", "");
            cluster.change(
                    () -> cluster.create(manifest.replace("\"replicas\": 1,", "\"replicas\": " + (pods + 1) + ",")));
            return Comparison.ofPlaces(cluster.nodeByPod(), after);
        }
    }

    /** Asks why a pod is pending: the answer is the pod's condition. */
    private record Explained(String manifest) implements Question {
        @Override
        public List<String> arguments() {
            return List.of("explain", "default/" + ASKED, "--cluster");
        }

        @Override
        public void prepare(RealCluster cluster) {
            cluster.create(manifest);
            cluster.settle();
        }

        @Override
        public Comparison compare(JsonNode answer, Map<String, String> before, RealCluster cluster) {
            String preemption = answer.at("/postFilter/message").asText();
            String message = answer.path("message").asText() + (preemption.isEmpty() ? "" : " " + preemption);
            return Comparison.of(ASKED, cluster.message(ASKED), message);
        }
    }

    /** Checks that the number of new nodes is sufficient, and that one less is not. */
    private record Bought(Path file, String node) implements Question {
        @Override
        public List<String> arguments() {
            return List.of("scale-up", file.toString(), "--max-nodes", String.valueOf(MOST_NODES), "--cluster");
        }

        @Override
        public Comparison compare(JsonNode answer, Map<String, String> before, RealCluster cluster) {
            JsonNode type = answer.at("/types/0");
            int nodes = type.path("nodes").asInt();
            int left = type.path("pending").asInt();
            Comparison comparison = Comparison.of(
                    "waiting", waiting(before), answer.path("pendingBefore").asInt());
            if (nodes > 1) {
                add(nodes - 1, cluster);
                for (JsonNode tried : type.path("tried")) {
                    if (tried.path("nodes").asInt() == nodes - 1) {
                        comparison = comparison.and(Comparison.of(
                                "left with " + (nodes - 1) + " nodes",
                                waiting(cluster.nodeByPod()),
                                tried.path("pending").asInt()));
                    }
                }
                cluster.lose(names(nodes - 1));
            }
            // If no number of nodes helps, one node does not.
            add(nodes == 0 && left > 0 ? 1 : nodes, cluster);
            Map<String, String> after = new TreeMap<>(before);
            type.path("pods")
                    .forEach(pod -> after.put(podName(pod), pod.path("node").asText()));
            return comparison.and(Comparison.ofPlaces(cluster.nodeByPod(), after));
        }

        private static int waiting(Map<String, String> nodeByPod) {
            return (int) nodeByPod.values().stream().filter(String::isEmpty).count();
        }

        // Returns the names that the command uses.
        private static List<String> names(int nodes) {
            List<String> names = new ArrayList<>();
            for (int i = 1; i <= nodes; i++) {
                names.add("big-new-" + i);
            }
            return names;
        }

        private void add(int nodes, RealCluster cluster) {
            cluster.change(() ->
                    names(nodes).forEach(name -> cluster.create(node.replace("\"big\"", "\"" + name + "\""))));
        }
    }

    /**
     * One node that can be removed, some that can be removed together, or one that cannot be removed.
     *
     * @param number selects the node
     */
    private record Removed(int number) implements Question {
        private static final String NO_PLACE = "unschedulable elsewhere";

        @Override
        public List<String> arguments() {
            return List.of("scale-down", "--cluster");
        }

        @Override
        public Comparison compare(JsonNode answer, Map<String, String> before, RealCluster cluster) {
            List<String> together = new ArrayList<>();
            answer.path("together").forEach(node -> together.add(node.asText()));
            if (number % 3 == 0 && together.size() > 1) {
                return compareTogether(together, before, cluster);
            }
            List<JsonNode> nodes = new ArrayList<>();
            answer.path("nodes").forEach(node -> {
                if (node.path("pods").asInt() > 0) {
                    nodes.add(node);
                }
            });
            if (nodes.isEmpty()) {
                return new Comparison(List.of(), List.of());
            }
            JsonNode node = nodes.get(number % nodes.size());
            return node.path("removable").asBoolean()
                    ? compareRemovable(node, before, cluster)
                    : compareKept(node, before, cluster);
        }

        private static Comparison compareRemovable(JsonNode node, Map<String, String> before, RealCluster cluster) {
            List<String> name = List.of(node.path("node").asText());
            // The answer assumes that the node disappears immediately.
            cluster.lose(name);
            Map<String, String> after = new TreeMap<>(before);
            node.path("rescheduledTo")
                    .properties()
                    .forEach(move -> after.put(
                            move.getKey().substring("default/".length()),
                            move.getValue().asText()));
            return Comparison.of("preempted", preempted(before, name, cluster), 0)
                    .and(Comparison.ofPlaces(cluster.nodeByPod(), after));
        }

        // For nodes that can be removed together, the answer contains only numbers.
        private static Comparison compareTogether(List<String> nodes, Map<String, String> before, RealCluster cluster) {
            int left = drainAndDelete(nodes, cluster);
            return Comparison.of("left on " + nodes, left, 0)
                    .and(Comparison.of("preempted", preempted(before, nodes, cluster), 0))
                    .and(Comparison.ofNumbers(cluster.nodeByPod(), before));
        }

        private static int drainAndDelete(List<String> nodes, RealCluster cluster) {
            cluster.drain(nodes);
            int left = cluster.countOn(nodes);
            cluster.change(() -> cluster.delete(nodes));
            return left;
        }

        private static int preempted(Map<String, String> before, List<String> drained, RealCluster cluster) {
            Map<String, String> after = cluster.nodeByPod();
            int preempted = 0;
            for (Map.Entry<String, String> pod : before.entrySet()) {
                boolean wasElsewhere = !pod.getValue().isEmpty() && !drained.contains(pod.getValue());
                preempted += wasElsewhere && !pod.getValue().equals(after.get(pod.getKey())) ? 1 : 0;
            }
            return preempted;
        }

        private static Comparison compareKept(JsonNode node, Map<String, String> before, RealCluster cluster) {
            String name = node.path("node").asText();
            Comparison comparison = new Comparison(List.of(), List.of());
            boolean isTold = false;
            for (JsonNode obstacle : node.path("obstacles")) {
                String reason = obstacle.path("reason").asText();
                if (reason.contains("declare no controller")) {
                    isTold = true;
                    comparison = comparison.and(Comparison.of(
                            "kubectl drain " + name,
                            cluster.drainRefusal(name).contains("declare no controller"),
                            true));
                } else if (!reason.startsWith(NO_PLACE)) {
                    isTold = true;
                    for (JsonNode pod : obstacle.path("pods")) {
                        String podName = pod.asText().substring("default/".length());
                        comparison = comparison.and(Comparison.of(
                                podName + " may not be evicted: " + reason, cluster.isProtected(podName), true));
                    }
                }
            }
            if (isTold) {
                return comparison;
            }
            int left = drainAndDelete(List.of(name), cluster);
            long waited = before.values().stream().filter(String::isEmpty).count();
            long waiting = cluster.nodeByPod().values().stream()
                    .filter(String::isEmpty)
                    .count();
            return Comparison.of(
                    name + " can go",
                    left == 0 && waiting <= waited && preempted(before, List.of(name), cluster) == 0,
                    false);
        }
    }
}
