// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests.clients;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** As much of an API server as informers need: lists and watches of pods and nodes, and bindings. */
final class ListServer implements AutoCloseable {
    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final String END = "";

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final HttpServer server;
    private final Map<String, Map<String, ObjectNode>> objects = new HashMap<>();
    private final Map<String, Collection<BlockingQueue<String>>> watches = new HashMap<>();
    private final BlockingQueue<String> bindings = new LinkedBlockingQueue<>();
    private int version = 1;
    /** Watches that begin before this version have expired. */
    private int oldest;

    ListServer() {
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        for (String kind : new String[] {"pods", "nodes"}) {
            objects.put(kind, new LinkedHashMap<>());
            watches.put(kind, new CopyOnWriteArrayList<>());
        }
        server.setExecutor(threads);
        server.createContext("/", this::handle);
        server.start();
    }

    String address() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    /** Adds or changes an object. */
    synchronized void put(String kind, String json) {
        ObjectNode object = read(json);
        object.withObjectProperty("metadata").put("resourceVersion", String.valueOf(++version));
        boolean isNew = objects.get(kind).put(name(object), object) == null;
        tell(kind, isNew ? "ADDED" : "MODIFIED", object);
    }

    /** Removes an object, which the watches are told of. */
    synchronized void remove(String kind, String name) {
        ObjectNode object = objects.get(kind).remove(name);
        object.withObjectProperty("metadata").put("resourceVersion", String.valueOf(++version));
        tell(kind, "DELETED", object);
    }

    /** Removes an object, of which no watch is told: all have expired, and must list again. */
    synchronized void removeUnseen(String kind, String name) {
        objects.get(kind).remove(name);
        oldest = ++version;
        watches.get(kind).forEach(watch -> watch.add(END));
        watches.get(kind).clear();
    }

    /** The next binding: the pod, and its node. */
    String nextBinding() throws InterruptedException {
        return String.valueOf(bindings.poll(20, TimeUnit.SECONDS));
    }

    private void tell(String kind, String type, ObjectNode object) {
        watches.get(kind).forEach(watch -> watch.add("{\"type\":\"" + type + "\",\"object\":" + object + "}"));
    }

    private static String name(JsonNode object) {
        return object.path("metadata").path("name").asText();
    }

    private static ObjectNode read(String json) {
        try {
            return (ObjectNode) JSON.readTree(json);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            String path = exchange.getRequestURI().getPath();
            String query = String.valueOf(exchange.getRequestURI().getQuery());
            String body = new String(exchange.getRequestBody().readAllBytes(), UTF_8);
            String kind = path.substring(path.lastIndexOf('/') + 1);
            if (path.endsWith("/binding")) {
                ObjectNode binding = read(body);
                bindings.add(name(binding) + " " + binding.at("/target/name").asText());
                answer(exchange, 201, "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Success\"}");
            } else if (!objects.containsKey(kind)) {
                answer(
                        exchange,
                        404,
                        "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"reason\":\"NotFound\",\"code\":404}");
            } else if (query.contains("watch=true")) {
                watch(exchange, kind, query);
            } else {
                answer(exchange, 200, list(kind));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized String list(String kind) {
        String name = kind.equals("pods") ? "PodList" : "NodeList";
        return "{\"kind\":\"" + name + "\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"" + version
                + "\"},\"items\":" + objects.get(kind).values() + "}";
    }

    private void watch(HttpExchange exchange, String kind, String query) throws IOException, InterruptedException {
        BlockingQueue<String> events = new LinkedBlockingQueue<>();
        boolean isExpired;
        synchronized (this) {
            int from = Integer.parseInt(query.replaceAll(".*resourceVersion=([0-9]+).*", "$1"));
            isExpired = from < oldest;
            for (ObjectNode object : objects.get(kind).values()) {
                if (object.at("/metadata/resourceVersion").asInt() > from) {
                    events.add("{\"type\":\"ADDED\",\"object\":" + object + "}");
                }
            }
            watches.get(kind).add(events);
        }
        if (isExpired) {
            answer(exchange, 410, "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"reason\":\"Expired\",\"code\":410}");
            return;
        }
        exchange.getResponseHeaders().add("Content-Type", "application/json");
        exchange.sendResponseHeaders(200, 0);
        exchange.getResponseBody().flush();
        for (String event = events.take(); !event.equals(END); event = events.take()) {
            exchange.getResponseBody().write((event + "\n").getBytes(UTF_8));
            exchange.getResponseBody().flush();
        }
    }

    private static void answer(HttpExchange exchange, int code, String body) throws IOException {
        byte[] bytes = body.getBytes(UTF_8);
        exchange.getResponseHeaders().add("Content-Type", "application/json");
        exchange.sendResponseHeaders(code, bytes.length);
        exchange.getResponseBody().write(bytes);
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
