// SPDX-License-Identifier: Apache-2.0
package org.moorage.app;

import com.fasterxml.jackson.databind.JsonNode;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion.VersionFlag;
import com.networknt.schema.ValidationMessage;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The JSON schemas of the documentation. */
public final class JsonSchema {
    /** The folder of the schemas. */
    static final Path FOLDER = Path.of("..", "docs", "reference", "schema");

    private static final JsonSchemaFactory FACTORY = JsonSchemaFactory.getInstance(VersionFlag.V202012);

    private JsonSchema() {}

    /** Returns the file of a schema. */
    static Path file(String name) {
        return FOLDER.resolve(name + ".schema.json");
    }

    /** Returns what is wrong with an answer, by the schema of that name. */
    public static List<String> problems(String name, JsonNode answer) throws IOException {
        try (InputStream schema = Files.newInputStream(file(name))) {
            return FACTORY.getSchema(schema).validate(answer).stream()
                    .map(ValidationMessage::getMessage)
                    .toList();
        }
    }
}
