// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.remote;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import org.moorage.app.internal.report.AnswerJson;

/** The JSON schemas of answers, as {@code docs/reference/schema} has them. */
final class AnswerSchema {
    private static final String DEFINITIONS = "$defs";

    private AnswerSchema() {}

    /**
     * Returns the schema of a question's answers.
     *
     * @param names the names of the schemas, of which an answer has one
     */
    static ObjectNode of(List<String> names) {
        if (names.size() == 1) {
            return read(names.get(0));
        }
        ObjectNode either = AnswerJson.JSON.createObjectNode().put("type", "object");
        ObjectNode definitions = either.putObject(DEFINITIONS);
        ArrayNode schemas = either.putArray("anyOf");
        for (String name : names) {
            ObjectNode schema = read(name);
            // References to definitions are relative to the whole schema.
            JsonNode own = schema.path(DEFINITIONS);
            own.properties().forEach(definition -> {
                JsonNode other = definitions.replace(definition.getKey(), definition.getValue());
                if (other != null && !other.equals(definition.getValue())) {
                    throw new IllegalStateException(name + ": " + definition.getKey()
                            + " (expected: the same definition in each of the schemas " + names + ")");
                }
            });
            schema.remove(DEFINITIONS);
            schemas.add(schema);
        }
        return either;
    }

    // Without the version of JSON Schema, which MCP clients of other versions refuse.
    private static ObjectNode read(String name) {
        String file = "schema/" + name + ".schema.json";
        try (InputStream schema = AnswerSchema.class.getResourceAsStream(file)) {
            if (schema == null) {
                throw new IllegalStateException(
                        file + ": no such resource (expected: a schema of docs/reference/schema)");
            }
            ObjectNode read = (ObjectNode) AnswerJson.JSON.readTree(schema);
            read.remove(List.of("$schema", "title"));
            return read;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
