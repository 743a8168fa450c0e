// SPDX-License-Identifier: Apache-2.0
package org.moorage.objects.tree;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.io.JsonEOFException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.OtherObject;
import org.moorage.objects.EventType;

/**
 * Reads lists and watches of the Kubernetes API one object at a time, so that the whole response is never in memory.
 * The objects have no {@code managedFields}. There is no limit on the size or depth of objects: everything that the API
 * server accepted is read, so a response that cannot be parsed is not from an API server.
 */
public final class ObjectStreams {
    private static final JsonFactory TEXTS =
            new LenientNamesFactory(names().disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES));

    /** A watch ends after so many characters, and with it what is kept of the names in it. */
    private static final long LONGEST_WATCH = 64 << 20;

    private static final Map<String, EventType> EVENT_TYPES = eventTypes();

    private ObjectStreams() {}

    // Field names of untrusted objects are cached no longer than their stream.
    private static JsonFactoryBuilder names() {
        return new JsonFactoryBuilder()
                .streamReadConstraints(ObjectTrees.UNLIMITED)
                .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
                // A user could create objects with label keys whose hashes collide, and the list would fail.
                .disable(JsonFactory.Feature.FAIL_ON_SYMBOL_HASH_OVERFLOW);
    }

    private static Map<String, EventType> eventTypes() {
        Map<String, EventType> byName = new LinkedHashMap<>();
        for (EventType type : EventType.values()) {
            byName.put(type.name(), type);
        }
        return byName;
    }

    /**
     * The metadata of a list.
     *
     * @param resourceVersion the state of the cluster that it shows; empty if it has none
     * @param continuation the token to request the next page with; empty on the last page
     */
    public record ListPage(String resourceVersion, String continuation) {}

    /**
     * Reads a list. Its kind is known only at its end, so the objects are valid only if there is no exception: the
     * response may be that of a proxy, or truncated.
     *
     * @param input the response's body, in UTF-8; read to the end of the list, and not closed
     * @param kind the kind of the list's objects, which is set where they leave it out, as is usual in a list
     * @param items receives each object in turn
     * @throws IOException if the body cannot be read, or is not a whole list of this kind with a version
     */
    public static ListPage list(InputStream input, ObjectKind<?> kind, Consumer<ObjectNode> items) throws IOException {
        try (JsonParser parser = open(input)) {
            expect(parser, parser.nextToken(), JsonToken.START_OBJECT, "a list");
            String seenKind = "";
            String apiVersion = "";
            boolean hasItems = false;
            String resourceVersion = "";
            String continuation = "";
            for (String field = parser.nextFieldName(); field != null; field = parser.nextFieldName()) {
                JsonToken value = parser.nextToken();
                if (field.equals("items")) {
                    hasItems = true;
                    readItems(parser, value, kind, items);
                } else if (field.equals("kind")) {
                    seenKind = parser.getText();
                } else if (field.equals("apiVersion")) {
                    apiVersion = parser.getText();
                } else if (field.equals("metadata")) {
                    JsonNode metadata = object(parser);
                    resourceVersion = metadata.path("resourceVersion").asText("");
                    continuation = metadata.path("continue").asText("");
                } else {
                    parser.skipChildren();
                }
            }
            if (!hasItems || resourceVersion.isEmpty() || !isListOf(kind, seenKind, apiVersion)) {
                throw new JsonParseException(
                        parser,
                        "a " + (seenKind.isEmpty() ? "JSON object without a kind" : seenKind + " of " + apiVersion)
                                + (resourceVersion.isEmpty() ? ", without a resourceVersion" : "")
                                + (hasItems ? "" : ", without items") + " (expected: a whole " + kind.kind()
                                + "List of " + kind.apiVersion() + ")");
            }
            return new ListPage(resourceVersion, continuation);
        }
    }

    private static void readItems(JsonParser parser, JsonToken start, ObjectKind<?> kind, Consumer<ObjectNode> items)
            throws IOException {
        if (start == JsonToken.VALUE_NULL) {
            return;
        }
        expect(parser, start, JsonToken.START_ARRAY, "a list in the field items");
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            items.accept(withKind(object(parser), kind));
        }
    }

    // A custom resource may give its lists any name.
    private static boolean isListOf(ObjectKind<?> kind, String seenKind, String apiVersion) {
        boolean isNamedSo = kind.type() == OtherObject.class
                ? !seenKind.isEmpty() && !seenKind.equals("Status")
                : seenKind.equals(kind.kind() + "List");
        return isNamedSo && apiVersion.equals(kind.apiVersion());
    }

    /**
     * Reads a watch until its end, or until it is so long that a new watch should continue from its last version.
     *
     * @param input the response's body, in UTF-8; not closed
     * @param kind the kind of the objects
     * @param events receives the type of each event and its object, as soon as it is read
     * @throws IOException if the body cannot be read, ends within an event, or has anything but events of this kind
     */
    public static void watch(InputStream input, ObjectKind<?> kind, BiConsumer<EventType, ObjectNode> events)
            throws IOException {
        try (JsonParser parser = open(input)) {
            while (parser.currentLocation().getCharOffset() < LONGEST_WATCH && parser.nextToken() != null) {
                ObjectNode event = object(parser);
                EventType type = EVENT_TYPES.get(event.path("type").asText(""));
                if (type == null || !(event.path("object") instanceof ObjectNode object)) {
                    throw new JsonParseException(
                            parser,
                            "an event of type " + event.path("type") + " with "
                                    + (event.path("object").isObject() ? "an object" : "no object")
                                    + " (expected: one of " + EVENT_TYPES.keySet() + ")");
                }
                if (type != EventType.ERROR) {
                    expectObjectOf(parser, kind, object);
                }
                events.accept(type, object);
            }
        }
    }

    private static void expectObjectOf(JsonParser parser, ObjectKind<?> kind, ObjectNode object) throws IOException {
        String version = object.path("metadata").path("resourceVersion").asText("");
        if (!kind.kind().equals(object.path("kind").asText("")) || version.isEmpty()) {
            throw new JsonParseException(
                    parser,
                    "an event about a " + object.path("kind").asText("JSON object without a kind")
                            + (version.isEmpty() ? " without a resourceVersion" : "") + " (expected: a "
                            + kind.kind() + " with one)");
        }
    }

    /**
     * Returns the resource version of an object, whose text is parsed no further than that; empty if it has none.
     *
     * @throws IOException if the text is not JSON up to there
     */
    public static String resourceVersion(String text) throws IOException {
        try (JsonParser parser = TEXTS.createParser(new StringReader(text))) {
            if (!findField(parser, "metadata") || !findField(parser, "resourceVersion")) {
                return "";
            }
            String version = parser.getValueAsString();
            return version == null ? "" : version;
        }
    }

    // Skips to the value of a field of the next object.
    private static boolean findField(JsonParser parser, String name) throws IOException {
        if (!parser.hasCurrentToken()) {
            parser.nextToken();
        }
        if (!parser.isExpectedStartObjectToken()) {
            return false;
        }
        for (String field = parser.nextFieldName(); field != null; field = parser.nextFieldName()) {
            parser.nextToken();
            if (field.equals(name)) {
                return true;
            }
            parser.skipChildren();
        }
        return false;
    }

    /**
     * Reads a response that is a single object.
     *
     * @param text the body
     * @throws IOException if it is not an object in JSON
     */
    public static ObjectNode object(String text) throws IOException {
        try (JsonParser parser = TEXTS.createParser(new StringReader(text))) {
            parser.nextToken();
            return object(parser);
        }
    }

    /**
     * Reads the first value of a text, of any type; the rest is ignored.
     *
     * @param text has the value, in UTF-8
     * @param from where it begins
     * @param length how long it is at most
     * @throws IOException if it is not JSON
     */
    public static JsonNode value(byte[] text, int from, int length) throws IOException {
        try (JsonParser parser = TEXTS.createParser(text, from, length)) {
            JsonToken start = parser.nextToken();
            if (start == null) {
                throw new JsonEOFException(parser, JsonToken.NOT_AVAILABLE, "JSON: nothing (expected: a value)");
            }
            return ObjectTrees.value(parser, start, "", 0);
        }
    }

    // Bytes that are no UTF-8 may stand in what the API server passes on as it came; a reader replaces them, as Go
    // does.
    private static JsonParser open(InputStream input) throws IOException {
        return new LenientNamesFactory(names())
                .createParser(new InputStreamReader(input, StandardCharsets.UTF_8))
                .disable(JsonParser.Feature.AUTO_CLOSE_SOURCE);
    }

    private static ObjectNode object(JsonParser parser) throws IOException {
        expect(parser, parser.currentToken(), JsonToken.START_OBJECT, "an object");
        return ObjectTrees.object(parser);
    }

    private static void expect(JsonParser parser, JsonToken seen, JsonToken expected, String what) throws IOException {
        if (seen != expected) {
            throw new JsonParseException(parser, "JSON: " + seen + " (expected: " + what + ")");
        }
    }

    private static ObjectNode withKind(ObjectNode object, ObjectKind<?> kind) {
        if (!object.path("kind").isTextual()) {
            object.put("apiVersion", kind.apiVersion());
            object.put("kind", kind.kind());
        }
        return object;
    }
}
