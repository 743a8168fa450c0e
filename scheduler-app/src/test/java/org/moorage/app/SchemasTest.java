// SPDX-License-Identifier: Apache-2.0
package org.moorage.app;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.moorage.app.internal.report.AnswerJson;

/** The schemas of the documentation are those of the answers' types; {@code -Dschemas.accept=true} writes them. */
@Tag("any-jvm")
class SchemasTest {
    static Set<String> names() {
        return AnswerSchemas.TYPES.keySet();
    }

    @ParameterizedTest
    @MethodSource("names")
    void schemaIsGeneratedFromTheTypeOfTheAnswer(String name) throws IOException, ReflectiveOperationException {
        String generated = AnswerSchemas.text(name);
        Path file = JsonSchema.file(name);
        if (Boolean.getBoolean("schemas.accept")) {
            Files.writeString(file, generated);
        }

        assertThat(file).content().isEqualTo(generated);
    }

    @ParameterizedTest
    @MethodSource("names")
    void eachFieldHasADescription(String name) throws IOException {
        List<String> missing = new ArrayList<>();
        collectUndescribed(AnswerJson.JSON.readTree(JsonSchema.file(name).toFile()), "", missing);

        assertThat(missing).isEmpty();
    }

    private static void collectUndescribed(JsonNode schema, String path, List<String> missing) {
        schema.properties().forEach(field -> {
            String here = path + "/" + field.getKey();
            if (path.endsWith("/properties") && !field.getValue().has("description")) {
                missing.add(here);
            }
            collectUndescribed(field.getValue(), here, missing);
        });
    }

    @Test
    void eachSchemaHasAnAnswer() throws IOException {
        try (Stream<Path> files = Files.list(JsonSchema.FOLDER)) {
            assertThat(files.map(file -> file.getFileName().toString())
                            .filter(name -> name.endsWith(".json"))
                            .map(name -> name.replace(".schema.json", "")))
                    .containsExactlyInAnyOrderElementsOf(names());
        }
    }

    @ParameterizedTest
    @MethodSource("names")
    void isListed(String name) {
        assertThat(JsonSchema.FOLDER.resolve("README.md")).content().contains("](" + name + ".schema.json)");
    }
}
