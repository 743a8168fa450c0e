// SPDX-License-Identifier: Apache-2.0
package org.moorage.distribution;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ImageReferencesTest {
    private static final Path DEPLOY = Shipped.file("../../deploy");

    /** A version, and a digest where it is known. */
    private static final String PINNED = "[a-z0-9./-]+:(?!latest)[A-Za-z0-9._-]+(@sha256:[0-9a-f]{64})?";

    @Test
    void nameAVersion() throws IOException {
        Map<String, String> images = images();

        assertThat(images).hasSizeGreaterThanOrEqualTo(8);
        images.forEach((place, image) -> {
            assertThat(image).as(place).matches(PINNED);
            if (image.startsWith("moorage:")) {
                assertThat(image).as(place).isEqualTo("moorage:" + System.getProperty("version"));
            }
        });
    }

    private static Map<String, String> images() throws IOException {
        Map<String, String> images = new TreeMap<>();
        List<Path> files;
        try (Stream<Path> all = Files.walk(DEPLOY)) {
            // The chart's templates are no YAML; what they render from the folders' values is.
            files = all.filter(file -> file.toString().endsWith(".yaml"))
                    .filter(file -> !file.startsWith(DEPLOY.resolve("chart")) && !file.endsWith("values.yaml"))
                    .toList();
        }
        for (Path file : files) {
            YAMLMapper mapper = new YAMLMapper();
            try (MappingIterator<JsonNode> documents =
                    mapper.readerFor(JsonNode.class).readValues(file.toFile())) {
                while (documents.hasNext()) {
                    List<JsonNode> found = documents.next().findValues("image");
                    for (JsonNode image : found) {
                        images.put(DEPLOY.relativize(file) + " " + images.size(), image.asText());
                    }
                }
            }
        }
        return images;
    }
}
