// SPDX-License-Identifier: Apache-2.0
package org.moorage.app;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * A JSON Schema of the documentation. It is held against an answer strictly: a field that the schema does not describe is wrong, and so is
 * a keyword in the schema that is not understood here.
 */
final class JsonSchema {
    private static final Set<String> KEYWORDS = Set.of(
            "$schema",
            "$defs",
            "$ref",
            "title",
            "description",
            "type",
            "required",
            "properties",
            "additionalProperties",
            "items",
            "enum",
            "minimum");

    private final JsonNode root;
    private final List<String> problems = new ArrayList<>();

    private JsonSchema(JsonNode root) {
        this.root = root;
    }

    /** What is wrong with an answer, by the schema of this name. */
    static List<String> problems(String name, JsonNode answer) throws IOException {
        Path file = Path.of("..", "docs", "schema", name + ".schema.json");
        JsonSchema schema = new JsonSchema(new JsonMapper().readTree(file.toFile()));
        schema.check(schema.root, answer, "");
        return schema.problems;
    }

    private void check(JsonNode schema, JsonNode value, String path) {
        schema.fieldNames().forEachRemaining(keyword -> {
            if (!KEYWORDS.contains(keyword)) {
                problems.add("keyword " + keyword + " (expected: one of " + KEYWORDS + ")");
            }
        });
        if (schema.isObject() && schema.isEmpty()) {
            // Anything: another schema describes it.
            return;
        }
        if (schema.has("$ref")) {
            check(root.at(schema.path("$ref").asText().substring(1)), value, path);
            return;
        }
        if (schema.has("type") && !isOfType(schema.path("type"), value)) {
            problems.add(path + ": " + value + " (expected: " + schema.path("type") + ")");
            return;
        }
        if (schema.has("enum") && !contains(schema.path("enum"), value)) {
            problems.add(path + ": " + value + " (expected: one of " + schema.path("enum") + ")");
        }
        if (schema.has("minimum") && value.asDouble() < schema.path("minimum").asDouble()) {
            problems.add(path + ": " + value + " (expected: at least " + schema.path("minimum") + ")");
        }
        for (int i = 0; i < value.size() && value.isArray(); i++) {
            check(schema.path("items"), value.path(i), path + "/" + i);
        }
        if (value.isObject()) {
            checkFields(schema, value, path);
        }
    }

    private void checkFields(JsonNode schema, JsonNode value, String path) {
        for (JsonNode required : schema.path("required")) {
            if (!value.has(required.asText())) {
                problems.add(path + "/" + required.asText() + ": missing (expected: a value)");
            }
        }
        value.properties().forEach(field -> {
            JsonNode described = schema.path("properties").path(field.getKey());
            JsonNode other = described.isMissingNode() ? schema.path("additionalProperties") : described;
            if (other.isMissingNode()) {
                problems.add(path + "/" + field.getKey() + ": " + field.getValue() + " (expected: a described field)");
            } else {
                check(other, field.getValue(), path + "/" + field.getKey());
            }
        });
    }

    private static boolean isOfType(JsonNode types, JsonNode value) {
        if (types.isArray()) {
            for (JsonNode type : types) {
                if (isOfType(type, value)) {
                    return true;
                }
            }
            return false;
        }
        return switch (types.asText()) {
            case "object" -> value.isObject();
            case "array" -> value.isArray();
            case "string" -> value.isTextual();
            case "integer" -> value.isIntegralNumber();
            case "number" -> value.isNumber();
            case "boolean" -> value.isBoolean();
            case "null" -> value.isNull();
            default -> false;
        };
    }

    private static boolean contains(JsonNode values, JsonNode value) {
        for (JsonNode one : values) {
            if (one.equals(value)) {
                return true;
            }
        }
        return false;
    }
}
