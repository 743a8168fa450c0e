// SPDX-License-Identifier: Apache-2.0
package org.moorage.objects.tree;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.moorage.api.model.Quantity;
import org.moorage.objects.KeptJson;

/** The table has the answers of {@code oracle scalars}, which asks the library that kubectl and kube-scheduler use. */
final class YamlScalarsTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** A scalar as it is written in YAML, and its value. */
    record Row(String yaml, JsonNode json) {}

    static List<Row> table() throws IOException {
        List<Row> rows = new ArrayList<>();
        try (InputStream in = YamlScalarsTest.class.getResourceAsStream("yaml-scalars.jsonl")) {
            for (String line : new String(in.readAllBytes(), UTF_8).split("\n")) {
                JsonNode row = JSON.readTree(line);
                rows.add(new Row(row.path("yaml").asText(), row.path("json")));
            }
        }
        return rows;
    }

    @ParameterizedTest
    @MethodSource("table")
    void aManifestHasTheValueThatKubectlReads(Row row) {
        String manifest = "apiVersion: example.org/v1\nkind: Ship\nv: " + row.yaml() + "\n";

        ObjectNode object = ClusterFiles.read(List.of("-"), new ByteArrayInputStream(manifest.getBytes(UTF_8)))
                .get(0);

        JsonNode value = object.path("v");
        assertThat(value.getNodeType()).isEqualTo(row.json().getNodeType());
        if (value.isNumber()) {
            assertThat(value.decimalValue()).isEqualByComparingTo(row.json().decimalValue());
        } else {
            assertThat(value).isEqualTo(row.json());
        }
    }

    static Stream<Row> wholeNumbers() throws IOException {
        return table().stream()
                .filter(row -> row.json().isIntegralNumber() && row.json().canConvertToLong())
                .filter(row -> row.json().longValue() >= 0);
    }

    @ParameterizedTest
    @MethodSource("wholeNumbers")
    void aQuantityOfAManifestHasTheValueOfItsNumber(Row row) {
        String manifest = "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec:\n  containers:\n  - name: web\n"
                + "    resources: {requests: {cpu: " + row.yaml() + "}}\n";

        ObjectNode object = ClusterFiles.read(List.of("-"), new ByteArrayInputStream(manifest.getBytes(UTF_8)))
                .get(0);

        assertThat(new TreeDecoder().pod(object, KeptJson.NONE).spec().containers())
                .singleElement()
                .extracting(container -> container.requests().get("cpu"))
                .isEqualTo(Quantity.of(row.json().longValue()));
    }

    @Test
    void aLongRowOfDigitsIsATextAndTakesNoTime() {
        String digits = "7".repeat(1_000_000);

        assertThat(YamlScalars.plain(digits).textValue()).isEqualTo(digits);
    }

    @Test
    void digitsOfOtherScriptsAreATextBehindASign() {
        assertThat(YamlScalars.plain("+\u0663").textValue()).isEqualTo("+\u0663");
    }
}
