// SPDX-License-Identifier: Apache-2.0
package org.moorage.conformance;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * The extender of recorded cases. Its responses depend only on the path, whose first part is a mode, as in {@code
 * extenders.go} of the oracle when the cases were recorded. It records its requests.
 */
final class ScriptedExtender implements AutoCloseable {
    /** The address in recorded configurations, which is replaced by the extender's own. */
    private static final String RECORDED = "http://extender.test";

    private static final JsonMapper JSON = new JsonMapper();
    // Not recorded, since it depends on the load of the machine whether such a request arrives within its time limit.
    private static final String HANG = "hang";
    private static final int OK = 200;
    private static final int SERVER_ERROR = 500;
    private static final int MOST_SECONDS = 3;

    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Set<String> requests = new ConcurrentSkipListSet<>();

    ScriptedExtender() {
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException unusable) {
            throw new VectorException("cannot listen on the loopback address", unusable);
        }
        server.setExecutor(threads);
        server.createContext("/", this::handle);
        server.start();
    }

    /** Returns a recorded text with the extender's own address. */
    String withOwnAddress(String text) {
        return text.replace(RECORDED, address());
    }

    /** Returns a text with the recorded address. */
    String withRecordedAddress(String text) {
        return text.replace(address(), RECORDED);
    }

    private String address() {
        return "http://" + server.getAddress().getAddress().getHostAddress() + ":"
                + server.getAddress().getPort();
    }

    /** Returns the requests, as path and body, in sorted order. */
    Set<String> requests() {
        return new TreeSet<>(requests);
    }

    /**
     * Returns a request in the recorded form: objects without kind, lists of nodes sorted by name, and no empty values.
     */
    static String request(String path, JsonNode body) {
        ObjectNode kept = body.deepCopy();
        withoutKind(kept.path("Pod"));
        sortByName(kept.path("NodeNames"));
        JsonNode nodes = kept.path("Nodes").path("items");
        nodes.forEach(ScriptedExtender::withoutKind);
        sortByName(nodes);
        for (JsonNode victims : kept.path("NodeNameToVictims")) {
            victims.path("Pods").forEach(ScriptedExtender::withoutKind);
        }
        return path + " " + ordered(kept);
    }

    private static void withoutKind(JsonNode object) {
        if (object instanceof ObjectNode tree) {
            tree.remove(List.of("kind", "apiVersion"));
        }
    }

    private static void sortByName(JsonNode list) {
        if (list instanceof ArrayNode array) {
            List<JsonNode> items = new ArrayList<>();
            array.forEach(items::add);
            items.sort((first, second) -> name(first).compareTo(name(second)));
            array.removeAll().addAll(items);
        }
    }

    private static String name(JsonNode item) {
        return item.isTextual()
                ? item.asText()
                : item.path("metadata").path("name").asText();
    }

    // Returns a value as text, without empty values and with sorted fields.
    private static String ordered(JsonNode value) {
        StringBuilder text = new StringBuilder();
        if (value.isObject()) {
            Set<String> names = new TreeSet<>();
            value.fieldNames().forEachRemaining(names::add);
            for (String name : names) {
                String field = ordered(value.path(name));
                text.append(field.isEmpty() ? "" : (text.isEmpty() ? "{" : ", ") + name + ": " + field);
            }
            return text.isEmpty() ? "" : text.append('}').toString();
        }
        if (value.isArray()) {
            for (JsonNode item : value) {
                String part = ordered(item);
                text.append(part.isEmpty() ? "" : (text.isEmpty() ? "[" : ", ") + part);
            }
            return text.isEmpty() ? "" : text.append(']').toString();
        }
        boolean isEmpty = value.isNull()
                || value.isTextual() && value.asText().isEmpty()
                || value.isBoolean() && !value.asBoolean()
                || value.isNumber() && value.asLong() == 0;
        return isEmpty ? "" : value.toString();
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            String path = exchange.getRequestURI().getPath();
            JsonNode body = JSON.readTree(exchange.getRequestBody());
            String[] parts = path.substring(1).split("/");
            if (!parts[0].equals(HANG)) {
                requests.add(request(path, body));
            }
            answer(exchange, parts[0], parts[parts.length - 1], path, body);
        }
    }

    private void answer(HttpExchange exchange, String mode, String verb, String path, JsonNode body)
            throws IOException {
        switch (mode) {
            case "code500" -> send(exchange, SERVER_ERROR, "no\n");
            case "garbage" -> send(exchange, OK, "<html>no</html>");
            case "empty" -> send(exchange, OK, "");
            case "null" -> send(exchange, OK, "null");
            case "object" -> send(exchange, OK, "{}");
            case "list" -> send(exchange, OK, "[]");
            case "cut" -> send(exchange, OK, "{\"NodeNames\": [\"n0\"");
            case "wrongtype" -> send(exchange, OK, "{\"NodeNames\": \"n0\", \"NodeNameToMetaVictims\": 3}");
            case "error" -> send(exchange, OK, "{\"Error\": \"the extender says no\"}");
            case HANG -> hang();
            default -> send(exchange, OK, scripted(mode, verb, path, body));
        }
    }

    private void hang() {
        try {
            boolean ignored = closed.await(MOST_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void send(HttpExchange exchange, int status, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
        exchange.getResponseBody().write(bytes);
    }

    private static String scripted(String mode, String verb, String path, JsonNode body)
            throws JsonProcessingException {
        JsonNode answer = switch (verb) {
            case "filter" -> filter(mode, path, body);
            case "prioritize" -> prioritize(path, body);
            case "preempt" -> preempt(mode, path, body);
            default -> JSON.createObjectNode();
        };
        return JSON.writeValueAsString(answer);
    }

    private static int bucket(String path, String name, int buckets) {
        int hash = 0x811c9dc5;
        for (byte next : (path + "/" + name).getBytes(StandardCharsets.UTF_8)) {
            hash = (hash ^ (next & 0xff)) * 0x01000193;
        }
        return (hash >>> 8) % buckets;
    }

    private static List<String> nodeNames(JsonNode body) {
        List<String> names = new ArrayList<>();
        body.path("NodeNames").forEach(name -> names.add(name.asText()));
        body.path("Nodes").path("items").forEach(node -> names.add(name(node)));
        return names;
    }

    private static ObjectNode filter(String mode, String path, JsonNode body) {
        ObjectNode answer = JSON.createObjectNode();
        ObjectNode failed = answer.putObject("FailedNodes");
        ObjectNode unresolvable = answer.putObject("FailedAndUnresolvableNodes");
        Set<String> kept = new HashSet<>();
        for (String node : nodeNames(body)) {
            int bucket = bucket(path, node, 10);
            if (mode.equals("keep") || bucket < 4) {
                if (mode.equals("reject")) {
                    failed.put(node, "rejected by the extender");
                } else {
                    kept.add(node);
                }
            } else if (bucket < 6) {
                failed.put(node, "too small for the extender");
            } else if (bucket < 7) {
                failed.put(node, "too busy, says the extender, 100%");
            } else if (bucket < 8) {
                unresolvable.put(node, "never, says the extender");
            } else if (bucket < 9) {
                failed.put(node, "perhaps");
                unresolvable.put(node, "not at all");
            }
        }
        if (mode.equals("others")) {
            failed.put("elsewhere", "not of this cluster");
            failed.put("n0", "said of any node");
        }
        if (body.path("NodeNames").isArray()) {
            ArrayNode names = answer.putArray("NodeNames");
            nodeNames(body).stream().filter(kept::contains).forEach(names::add);
            if (mode.equals("unknown")) {
                names.add("elsewhere");
            }
        } else {
            ArrayNode items = answer.putObject("Nodes").putArray("items");
            body.path("Nodes").path("items").forEach(node -> {
                if (kept.contains(name(node))) {
                    items.add(node);
                }
            });
        }
        return mode.equals("small") ? inSmallLetters(answer) : answer;
    }

    private static ObjectNode inSmallLetters(ObjectNode answer) {
        ObjectNode small = JSON.createObjectNode().put("unknown", 1);
        answer.properties().forEach(field -> small.set(field.getKey().toLowerCase(Locale.ROOT), field.getValue()));
        return small;
    }

    private static ArrayNode prioritize(String path, JsonNode body) {
        ArrayNode scores = JSON.createArrayNode();
        scores.addObject().put("Host", "elsewhere").put("Score", 7);
        for (String node : nodeNames(body)) {
            int bucket = bucket(path, node, 13);
            if (bucket < 11) {
                scores.addObject().put("Host", node).put("Score", bucket);
            }
        }
        return scores;
    }

    private static ObjectNode preempt(String mode, String path, JsonNode body) {
        ObjectNode answer = JSON.createObjectNode();
        ObjectNode victims = answer.putObject("NodeNameToMetaVictims");
        if (mode.equals("unknown")) {
            victims.putObject("elsewhere").putArray("Pods");
            return answer;
        }
        body.path("NodeNameToVictims").properties().forEach(node -> {
            List<String> uids = new ArrayList<>();
            node.getValue()
                    .path("Pods")
                    .forEach(pod -> uids.add(pod.path("metadata").path("uid").asText()));
            preempt(mode, path, node.getKey(), uids, node.getValue(), victims);
        });
        body.path("NodeNameToMetaVictims").properties().forEach(node -> {
            List<String> uids = new ArrayList<>();
            node.getValue().path("Pods").forEach(pod -> uids.add(pod.path("UID").asText()));
            preempt(mode, path, node.getKey(), uids, node.getValue(), victims);
        });
        return answer;
    }

    private static void preempt(
            String mode, String path, String node, List<String> uids, JsonNode from, ObjectNode victims) {
        int bucket = bucket(path, node, 8);
        if (mode.equals("reject") || bucket == 0) {
            return;
        }
        long violations = from.path("NumPDBViolations").asLong();
        List<String> left = uids;
        if (mode.equals("novictims") && bucket < 5) {
            left = List.of();
        } else if (mode.equals("unknownpod")) {
            left = List.of("nobody");
        } else if (bucket < 4) {
            left = uids.subList(0, 1);
        } else if (bucket < 5) {
            violations++;
        }
        ObjectNode kept = victims.putObject(node).put("NumPDBViolations", violations);
        ArrayNode pods = kept.putArray("Pods");
        left.forEach(uid -> pods.addObject().put("UID", uid));
    }

    @Override
    public void close() {
        closed.countDown();
        server.stop(0);
        threads.shutdownNow();
    }
}
