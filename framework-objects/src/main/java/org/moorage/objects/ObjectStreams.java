// SPDX-License-Identifier: Apache-2.0
package org.moorage.objects;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.InputStream;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.moorage.api.model.ObjectKind;

/**
 * Reads lists and watches of the Kubernetes API one object at a time, so that the whole response is never in memory.
 */
public final class ObjectStreams {
    private static final JsonMapper JSON = JsonMapper.builder(JsonFactory.builder()
                    // Whoever may create objects could choose label keys whose hashes collide, and the list would fail.
                    .disable(JsonFactory.Feature.FAIL_ON_SYMBOL_HASH_OVERFLOW)
                    .build())
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .disable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private ObjectStreams() {}

    /**
     * The metadata of a list.
     *
     * @param resourceVersion the state of the cluster that it shows; empty if it has none
     * @param continuation the token to request the next page with; empty on the last page
     */
    public record ListPage(String resourceVersion, String continuation) {}

    /**
     * Reads a list.
     *
     * @param input the response's body, in UTF-8; read to the end of the list, and not closed
     * @param kind the kind of the list's objects, which is set where they leave it out, as is usual in a list
     * @param items is given each object in turn
     * @throws IOException if the body cannot be read or is not a list
     */
    public static ListPage list(InputStream input, ObjectKind<?> kind, Consumer<ObjectNode> items) throws IOException {
        try (JsonParser parser = open(input)) {
            expect(parser, parser.nextToken(), JsonToken.START_OBJECT, "a list");
            String resourceVersion = "";
            String continuation = "";
            for (String field = parser.nextFieldName(); field != null; field = parser.nextFieldName()) {
                JsonToken value = parser.nextToken();
                if (field.equals("items") && value != JsonToken.VALUE_NULL) {
                    expect(parser, value, JsonToken.START_ARRAY, "a list in the field items");
                    while (parser.nextToken() != JsonToken.END_ARRAY) {
                        items.accept(withKind(object(parser), kind));
                    }
                } else if (field.equals("metadata")) {
                    JsonNode metadata = JSON.readTree(parser);
                    resourceVersion = metadata.path("resourceVersion").asText("");
                    continuation = metadata.path("continue").asText("");
                } else {
                    parser.skipChildren();
                }
            }
            return new ListPage(resourceVersion, continuation);
        }
    }

    /**
     * Reads a watch until its end.
     *
     * @param input the response's body, in UTF-8; not closed
     * @param events is given the type of each event, for example {@code ADDED}, and its object, as soon as it is read
     * @throws IOException if the body cannot be read or breaks off within an event
     */
    public static void watch(InputStream input, BiConsumer<String, ObjectNode> events) throws IOException {
        try (JsonParser parser = open(input)) {
            while (parser.nextToken() != null) {
                ObjectNode event = object(parser);
                JsonNode object = event.path("object");
                events.accept(
                        event.path("type").asText(""),
                        object instanceof ObjectNode tree ? tree : JsonNodeFactory.instance.objectNode());
            }
        }
    }

    /**
     * Reads a response that is a single object.
     *
     * @param text the body
     * @throws IOException if it is not an object in JSON
     */
    public static ObjectNode object(String text) throws IOException {
        try (JsonParser parser = JSON.createParser(text)) {
            parser.nextToken();
            return object(parser);
        }
    }

    private static JsonParser open(InputStream input) throws IOException {
        return JSON.createParser(input).disable(JsonParser.Feature.AUTO_CLOSE_SOURCE);
    }

    private static ObjectNode object(JsonParser parser) throws IOException {
        expect(parser, parser.currentToken(), JsonToken.START_OBJECT, "an object");
        return (ObjectNode) JSON.<JsonNode>readTree(parser);
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
