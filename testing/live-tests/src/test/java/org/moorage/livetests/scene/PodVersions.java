// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests.scene;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.moorage.api.model.Quantity;

/**
 * Follows every version of every pod in the store, so that none is missed while an API server is away, and adds up what
 * is requested of each node. Two bindings of one pod, and a binding to a node that is full, are violations.
 */
public final class PodVersions implements AutoCloseable {
    /** No more than this is counted of a pod or a node, so that sums do not overflow. */
    private static final long MOST = 1L << 50;

    private final ApiAccess api;
    private final URI store;
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final Thread thread = new Thread(this::run, "pod-versions");
    private final Map<String, JsonNode> podsByKey = new HashMap<>();
    private final Map<String, Map<String, JsonNode>> podsByKeyByNode = new HashMap<>();
    private final Map<String, JsonNode> nodes = new HashMap<>();
    private final List<String> violations = new ArrayList<>();
    private final Map<String, Long> boundAt = new HashMap<>();
    private volatile boolean isClosed;
    private long version;

    public PodVersions(ApiAccess api, URI store) {
        this.api = api;
        this.store = store;
        thread.setDaemon(true);
        thread.start();
    }

    private void run() {
        while (!isClosed) {
            try {
                follow();
            } catch (IOException e) {
                // The store was stopped, as these tests do: continue from the last version.
            } catch (InterruptedException e) {
                return;
            }
            Waiting.pause(Duration.ofMillis(50));
        }
    }

    private void follow() throws IOException, InterruptedException {
        String prefix = "/registry/pods/";
        String end = "/registry/pods0";
        HttpRequest request = HttpRequest.newBuilder(store.resolve("/v3/watch"))
                .POST(BodyPublishers.ofString(
                        "{\"create_request\": {\"key\": \"%s\", \"range_end\": \"%s\", \"start_revision\": \"%d\"}}"
                                .formatted(encode(prefix), encode(end), version + 1)))
                .build();
        HttpResponse<InputStream> response = client.send(request, BodyHandlers.ofInputStream());
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                JsonNode result = ApiAccess.JSON.readTree(line).path("result");
                if (result.path("canceled").asBoolean()) {
                    add("the test itself has missed versions: " + line);
                    return;
                }
                for (JsonNode event : result.path("events")) {
                    apply(event);
                    wakeWaiting();
                }
            }
        }
    }

    private static String encode(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    private synchronized void add(String violation) {
        violations.add(violation);
    }

    private synchronized void wakeWaiting() {
        notifyAll();
    }

    /**
     * Waits until something is so, looking after each version.
     *
     * @return false if it is not so within the limit
     */
    public synchronized boolean await(Duration limit, BooleanSupplier isSo) {
        long deadline = System.nanoTime() + limit.toNanos();
        while (!isSo.getAsBoolean()) {
            long left = deadline - System.nanoTime();
            if (left <= 0) {
                return false;
            }
            try {
                TimeUnit.NANOSECONDS.timedWait(this, left);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException(e);
            }
        }
        return true;
    }

    private synchronized void apply(JsonNode event) throws IOException {
        JsonNode entry = event.path("kv");
        version = entry.path("mod_revision").asLong();
        String key = entry.path("key").asText();
        if (event.path("type").asText().equals("DELETE")) {
            JsonNode gone = podsByKey.remove(key);
            if (gone != null) {
                onNode(nodeName(gone)).remove(key);
            }
            return;
        }
        JsonNode pod = ApiAccess.JSON.readTree(
                Base64.getDecoder().decode(entry.path("value").asText()));
        JsonNode before = podsByKey.put(key, pod);
        String uid = pod.at("/metadata/uid").asText();
        String node = nodeName(pod);
        String was = before == null ? "" : nodeName(before);
        onNode(was).remove(key);
        onNode(node).put(key, pod);
        if (!was.isEmpty() && !was.equals(node)) {
            violations.add(name(pod) + " went from " + was + " to " + node);
        }
        // A pod may be created on a node without room.
        if (before != null && was.isEmpty() && !node.isEmpty()) {
            boundAt.put(uid, System.nanoTime());
            checkNode(pod, node);
        }
    }

    private Map<String, JsonNode> onNode(String nodeName) {
        return podsByKeyByNode.computeIfAbsent(nodeName, name -> new HashMap<>());
    }

    private void checkNode(JsonNode pod, String nodeName) {
        JsonNode node = nodes.computeIfAbsent(nodeName, name -> api.get("/api/v1/nodes/" + name));
        JsonNode room = node.at("/status/allocatable");
        long cpu = 0;
        long memory = 0;
        int count = 0;
        List<Integer> ports = new ArrayList<>();
        for (JsonNode other : onNode(nodeName).values()) {
            if (isTerminal(other)) {
                continue;
            }
            count++;
            for (JsonNode container : other.at("/spec/containers")) {
                cpu += amount(container.at("/resources/requests/cpu"), true);
                memory += amount(container.at("/resources/requests/memory"), false);
                container.path("ports").forEach(port -> {
                    if (port.has("hostPort")) {
                        ports.add(port.path("hostPort").asInt());
                    }
                });
            }
        }
        if (cpu > amount(room.path("cpu"), true)
                || memory > amount(room.path("memory"), false)
                || count > amount(room.path("pods"), false)
                || ports.stream().distinct().count() != ports.size()) {
            violations.add(nodeName + " is over its room with " + name(pod));
        }
    }

    private static long amount(JsonNode quantity, boolean inThousandths) {
        if (quantity.isMissingNode()) {
            return 0;
        }
        Quantity parsed = Quantity.parse(quantity.asText());
        return Math.min(MOST, inThousandths ? parsed.milliValue() : parsed.value());
    }

    public static String nodeName(JsonNode pod) {
        return pod.at("/spec/nodeName").asText();
    }

    public static String name(JsonNode pod) {
        return pod.at("/metadata/namespace").asText() + "/"
                + pod.at("/metadata/name").asText();
    }

    /** A pod's condition {@code PodScheduled}; missing if it has none. */
    public static JsonNode podScheduled(JsonNode pod) {
        return ApiAccess.condition(pod, "PodScheduled");
    }

    public static boolean isTerminal(JsonNode pod) {
        String phase = pod.at("/status/phase").asText();
        return phase.equals("Succeeded") || phase.equals("Failed");
    }

    /** How many of the present pods whose names begin so have a node. */
    public synchronized int bound(String prefix) {
        int count = 0;
        for (JsonNode pod : podsByKey.values()) {
            if (!nodeName(pod).isEmpty() && pod.at("/metadata/name").asText().startsWith(prefix)) {
                count++;
            }
        }
        return count;
    }

    /** The present pods. */
    public synchronized List<JsonNode> pods() {
        return List.copyOf(podsByKey.values());
    }

    /** When a pod was seen bound, by the test's monotonic clock. */
    public synchronized long boundAt(String uid) {
        return boundAt.getOrDefault(uid, 0L);
    }

    /** Reads the capacity of each node again at the next binding to it. */
    public synchronized void forgetNodes() {
        nodes.clear();
    }

    public synchronized List<String> violations() {
        return List.copyOf(violations);
    }

    @Override
    public void close() {
        isClosed = true;
        thread.interrupt();
    }
}
