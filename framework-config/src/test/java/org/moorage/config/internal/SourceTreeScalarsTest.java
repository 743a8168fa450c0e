// SPDX-License-Identifier: Apache-2.0
package org.moorage.config.internal;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.moorage.api.plugin.Problems;

/** The same table of scalars as for manifests. */
final class SourceTreeScalarsTest {
    private static final Path TABLE = Path.of(
            System.getProperty("basedir", "."),
            "../framework-objects/src/test/resources/org/moorage/objects/tree/yaml-scalars.jsonl");
    private static final ObjectMapper JSON = new ObjectMapper();

    static List<JsonNode> table() throws IOException {
        List<JsonNode> rows = new ArrayList<>();
        for (String line : Files.readAllLines(TABLE)) {
            rows.add(JSON.readTree(line));
        }
        return rows;
    }

    @ParameterizedTest
    @MethodSource("table")
    void aConfigurationHasTheValueThatKubeSchedulerReads(JsonNode row) {
        Problems problems = Problems.collector();

        JsonNode value = SourceTree.read("v: " + row.path("yaml").asText() + "\n", "file", problems)
                .root()
                .path("v");

        JsonNode expected = row.path("json");
        assertThat(problems.all()).isEmpty();
        assertThat(value.getNodeType()).isEqualTo(expected.getNodeType());
        if (value.isNumber()) {
            assertThat(value.decimalValue()).isEqualByComparingTo(expected.decimalValue());
        } else {
            assertThat(value).isEqualTo(expected);
        }
    }
}
