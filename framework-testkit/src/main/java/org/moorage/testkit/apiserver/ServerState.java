// SPDX-License-Identifier: Apache-2.0
package org.moorage.testkit.apiserver;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.moorage.api.model.ObjectKind;
import org.moorage.objects.GeneratedNames;
import org.moorage.objects.tree.ClusterFiles;
import org.moorage.objects.tree.InputNotes;
import org.moorage.objects.tree.ObjectStreams;
import org.moorage.objects.tree.TreeDecoder;

/**
 * The objects of a {@link FakeApiServer} with all their changes, and the responses to requests for them. Threads that
 * wait for a change wait on this object.
 */
final class ServerState {
    private static final String CONFLICT = "Conflict";
    private static final ObjectNode EXPIRED = Response.statusObject(410, "Expired", "too old resource version");

    /** As for a kind that is not served. An object that does not exist is a {@code Status}. */
    private static final Response NO_SUCH_PATH = Response.of(404, "404 page not found\n");

    private record Stored(ApiPath path, ObjectNode object) {}

    private record Kind(String apiVersion, String name) {}

    /**
     * A change, or what else is sent to watches.
     *
     * @param object what has changed; null in what is sent to all watches
     */
    private record Event(
            long version, String type, @Nullable Stored object) {}

    // Trees are not changed once they are in here.
    @GuardedBy("this")
    private final TreeMap<String, Stored> objects = new TreeMap<>();

    @GuardedBy("this")
    private final Map<String, Kind> kinds = new HashMap<>();

    @GuardedBy("this")
    private final List<Event> events = new ArrayList<>();

    @GuardedBy("this")
    private long version = 1;

    /** The oldest version from which a list or watch can continue. */
    @GuardedBy("this")
    private long oldest;

    ServerState() {
        Stream<ObjectKind<?>> others = Stream.of(
                ObjectKind.other("coordination.k8s.io/v1", "Lease", "leases", true),
                ObjectKind.other("events.k8s.io/v1", "Event", "events", true));
        for (ObjectKind<?> kind :
                Stream.concat(ObjectKind.TYPED.stream(), others).toList()) {
            kinds.put(ApiPath.root(kind.apiVersion()) + "/" + kind.plural(), new Kind(kind.apiVersion(), kind.kind()));
        }
    }

    synchronized void put(String manifests) {
        InputNotes notes = new InputNotes();
        List<ObjectNode> read = new ArrayList<>();
        ClusterFiles.read(
                "manifests",
                new ByteArrayInputStream(manifests.getBytes(UTF_8)),
                notes,
                (object, position) -> read.add(object));
        notes.throwProblems();
        if (read.isEmpty()) {
            throw new IllegalArgumentException("manifests: no object (expected: apiVersion, kind and metadata)");
        }
        for (ObjectNode object : read) {
            ObjectKind<?> kind = TreeDecoder.kindOf(object);
            JsonNode metadata = object.path("metadata");
            String apiVersion = object.path("apiVersion").asText();
            ApiPath path = new ApiPath(
                    ApiPath.root(apiVersion),
                    kind.namespaced() ? metadata.path("namespace").asText() : "",
                    kind.plural(),
                    metadata.path("name").asText(),
                    "");
            kinds.put(path.collection(), new Kind(apiVersion, kind.kind()));
            ObjectNode ignored = store(path, object);
        }
    }

    synchronized Optional<String> json(String path) {
        return Optional.ofNullable(objects.get(path)).map(stored -> stored.object.toString());
    }

    synchronized boolean delete(String path) {
        Stored removed = objects.remove(path);
        if (removed != null) {
            ObjectNode last = removed.object.deepCopy();
            last.withObjectProperty("metadata").put("resourceVersion", String.valueOf(++version));
            tell("DELETED", new Stored(removed.path, last));
        }
        return removed != null;
    }

    synchronized void expire() {
        oldest = ++version;
        tell("EXPIRED", null);
    }

    synchronized void sendBookmarks() {
        tell("BOOKMARK", null);
    }

    @GuardedBy("this")
    private ObjectNode store(ApiPath path, ObjectNode object) {
        Stored before = objects.get(path.object());
        ObjectNode metadata = object.withObjectProperty("metadata");
        version++;
        if (!metadata.hasNonNull("uid")) {
            metadata.put(
                    "uid",
                    before == null
                            ? new UUID(0, version).toString()
                            : before.object.at("/metadata/uid").asText());
        }
        metadata.put("resourceVersion", String.valueOf(version));
        Stored stored = new Stored(path, object);
        objects.put(path.object(), stored);
        tell(before == null ? "ADDED" : "MODIFIED", stored);
        return object;
    }

    @GuardedBy("this")
    private void tell(String type, @Nullable Stored object) {
        events.add(new Event(version, type, object));
        notifyAll();
    }

    /** Returns what an API server responds to a request. */
    synchronized Response respond(Request request) {
        Optional<ApiPath> parsed = ApiPath.parse(request.path());
        if (parsed.isEmpty()) {
            return NO_SUCH_PATH;
        }
        ApiPath path = parsed.get();
        if (path.name().isEmpty()) {
            return switch (request.method()) {
                case "GET" -> collection(path, request);
                case "POST" -> create(path, tree(request));
                default -> notAllowed(request);
            };
        }
        Stored stored = objects.get(path.object());
        if (stored == null) {
            return kinds.containsKey(path.collection()) ? notFound(path) : NO_SUCH_PATH;
        }
        String served = request.method().equals("POST") ? "binding" : "status";
        if (!path.subresource().isEmpty() && !path.subresource().equals(served)) {
            return NO_SUCH_PATH;
        }
        return switch (request.method()) {
            case "GET" -> Response.ok(stored.object.toString());
            case "POST" -> path.subresource().isEmpty() ? notAllowed(request) : bind(stored, tree(request));
            case "PUT" -> replace(stored, path.subresource(), tree(request));
            case "PATCH" -> patch(stored, path.subresource(), request);
            case "DELETE" -> delete(stored, request);
            default -> notAllowed(request);
        };
    }

    private static ObjectNode tree(Request request) {
        try {
            return ObjectStreams.object(request.body());
        } catch (IOException e) {
            throw new IllegalArgumentException("body: " + request.body() + " (expected: an object in JSON)", e);
        }
    }

    private static Response notFound(ApiPath path) {
        String kind = path.plural() + (path.group().isEmpty() ? "" : "." + path.group());
        ObjectNode status = Response.statusObject(404, "NotFound", kind + " \"" + path.name() + "\" not found");
        status.putObject("details")
                .put("name", path.name())
                .put("group", path.group())
                .put("kind", path.plural());
        return Response.of(404, status.toString());
    }

    private static Response notAllowed(Request request) {
        return Response.status(405, "MethodNotAllowed", request.method() + " " + request.path() + " is not supported");
    }

    @GuardedBy("this")
    private Response collection(ApiPath path, Request request) {
        Kind kind = kinds.get(path.collection());
        if (kind == null) {
            return NO_SUCH_PATH;
        }
        if (request.isWatch()) {
            // It begins now, not when the response is sent: what changes in between is an event.
            List<String> first = new ArrayList<>();
            int next = begin(path, request.query(), first);
            return Response.streamed(out -> watch(path, kind, request.query(), first, next, out));
        }
        String[] token = request.query().getOrDefault("continue", version + " ").split(" ", 2);
        if (Long.parseLong(token[0]) < oldest) {
            return Response.of(410, EXPIRED.toString());
        }
        int limit = Integer.parseInt(request.query().getOrDefault("limit", "0"));
        ObjectNode list = JsonNodeFactory.instance.objectNode();
        ObjectNode metadata = list.put("kind", kind.name + "List")
                .put("apiVersion", kind.apiVersion)
                .putObject("metadata")
                .put("resourceVersion", token[0]);
        ArrayNode items = list.putArray("items");
        String last = "";
        for (Map.Entry<String, Stored> entry : objects.tailMap(token[1], false).entrySet()) {
            Stored stored = entry.getValue();
            if (path.contains(stored.path)) {
                if (limit > 0 && items.size() == limit) {
                    metadata.put("continue", token[0] + " " + last);
                    break;
                }
                // The items of a list do not repeat its kind.
                ObjectNode item = JsonNodeFactory.instance.objectNode();
                item.setAll(stored.object);
                items.add(item.without(List.of("kind", "apiVersion")));
                last = entry.getKey();
            }
        }
        return Response.ok(list.toString());
    }

    @GuardedBy("this")
    private Response create(ApiPath collection, ObjectNode object) {
        ObjectNode metadata = object.withObjectProperty("metadata");
        if (!metadata.hasNonNull("name")) {
            metadata.put(
                    "name", GeneratedNames.name(metadata.path("generateName").asText(), String.valueOf(version)));
        }
        if (!collection.namespace().isEmpty()) {
            metadata.put("namespace", collection.namespace());
        }
        ApiPath path = collection.named(metadata.get("name").asText());
        if (objects.containsKey(path.object())) {
            return Response.status(409, "AlreadyExists", path.object() + " already exists");
        }
        kinds.putIfAbsent(
                path.collection(),
                new Kind(object.path("apiVersion").asText(), object.path("kind").asText()));
        return Response.of(201, store(path, object).toString());
    }

    @GuardedBy("this")
    private Response bind(Stored pod, ObjectNode binding) {
        String node = pod.object.at("/spec/nodeName").asText();
        if (!node.isEmpty()) {
            return Response.status(
                    409, CONFLICT, "pod " + pod.path.name() + " is already assigned to node \"" + node + "\"");
        }
        Optional<Response> conflict = conflict(pod, binding.path("metadata"));
        if (conflict.isEmpty()) {
            ObjectNode bound = pod.object.deepCopy();
            bound.withObjectProperty("spec")
                    .put("nodeName", binding.at("/target/name").asText());
            ObjectNode ignored = store(pod.path, bound);
        }
        return conflict.orElseGet(() -> Response.status(201, "", ""));
    }

    @GuardedBy("this")
    private Response replace(Stored stored, String subresource, ObjectNode sent) {
        Optional<Response> conflict = conflict(stored, sent.path("metadata"));
        if (conflict.isPresent()) {
            return conflict.get();
        }
        ObjectNode changed = sent;
        if (!subresource.isEmpty()) {
            changed = stored.object.deepCopy();
            changed.set(subresource, sent.path(subresource));
        }
        return Response.ok(store(stored.path, changed).toString());
    }

    @GuardedBy("this")
    private Response patch(Stored stored, String subresource, Request request) {
        String type = request.header("Content-Type").orElse("");
        if (type.contains("json-patch")) {
            return Response.status(415, "UnsupportedMediaType", type + " (expected: a merge patch)");
        }
        JsonNode patched = Patches.apply(stored.object, tree(request), type.contains("strategic-merge-patch"));
        return replace(stored, subresource, (ObjectNode) patched);
    }

    @GuardedBy("this")
    private Response delete(Stored stored, Request request) {
        JsonNode preconditions = request.body().isEmpty()
                ? JsonNodeFactory.instance.missingNode()
                : tree(request).path("preconditions");
        Optional<Response> conflict = conflict(stored, preconditions);
        if (conflict.isEmpty()) {
            boolean ignored = delete(stored.path.object());
        }
        return conflict.orElseGet(() -> Response.status(200, "", ""));
    }

    /** Returns the failure of a request that is meant for another object of that name, or for another version of it. */
    private static Optional<Response> conflict(Stored stored, JsonNode expected) {
        for (String field : List.of("uid", "resourceVersion")) {
            String value = expected.path(field).asText();
            if (!value.isEmpty()
                    && !value.equals(stored.object.path("metadata").path(field).asText())) {
                return Optional.of(Response.status(
                        409, CONFLICT, stored.path.object() + ": " + field + ": the object has been modified"));
            }
        }
        return Optional.empty();
    }

    private void watch(
            ApiPath path, Kind kind, Map<String, String> query, List<String> first, int begin, OutputStream out)
            throws IOException, InterruptedException {
        long end = System.nanoTime()
                + TimeUnit.SECONDS.toNanos(
                        Integer.parseInt(query.getOrDefault("timeoutSeconds", String.valueOf(Integer.MAX_VALUE))));
        List<String> lines = new ArrayList<>(first);
        int next = begin;
        while (true) {
            for (String line : lines) {
                out.write((line + "\n").getBytes(UTF_8));
            }
            out.flush();
            lines.clear();
            if (next < 0) {
                return;
            }
            synchronized (this) {
                for (long left = end - System.nanoTime(); next == events.size(); left = end - System.nanoTime()) {
                    if (left <= 0) {
                        return;
                    }
                    TimeUnit.NANOSECONDS.timedWait(this, left);
                }
                while (next >= 0 && next < events.size()) {
                    Event event = events.get(next++);
                    if (event.type.equals("EXPIRED")) {
                        lines.add(line("ERROR", EXPIRED));
                        next = -1;
                    } else if (event.object == null) {
                        if (query.getOrDefault("allowWatchBookmarks", "").equals("true")) {
                            lines.add(bookmark(kind, event.version));
                        }
                    } else if (path.contains(event.object.path)) {
                        lines.add(line(event.type, event.object.object));
                    }
                }
            }
        }
    }

    /** Adds what a watch begins with, and returns the number of the next event; -1 if the watch ends. */
    @GuardedBy("this")
    private int begin(ApiPath path, Map<String, String> query, List<String> lines) {
        String from = query.getOrDefault("resourceVersion", "");
        if (from.isEmpty() || from.equals("0")) {
            objects.values().stream()
                    .filter(stored -> path.contains(stored.path))
                    .forEach(stored -> lines.add(line("ADDED", stored.object)));
            return events.size();
        }
        long seen = Long.parseLong(from);
        if (seen < oldest) {
            lines.add(line("ERROR", EXPIRED));
            return -1;
        }
        int next = events.size();
        while (next > 0 && events.get(next - 1).version > seen) {
            next--;
        }
        return next;
    }

    private static String line(String type, JsonNode object) {
        return "{\"type\":\"" + type + "\",\"object\":" + object + "}";
    }

    private static String bookmark(Kind kind, long version) {
        ObjectNode object = JsonNodeFactory.instance.objectNode();
        object.put("kind", kind.name)
                .put("apiVersion", kind.apiVersion)
                .putObject("metadata")
                .put("resourceVersion", String.valueOf(version));
        return line("BOOKMARK", object);
    }
}
