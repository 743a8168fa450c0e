// SPDX-License-Identifier: Apache-2.0
package org.moorage.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.moorage.api.feature.FeatureGates;
import org.moorage.config.ConfigLoader;
import org.moorage.config.ConfigPrinter;
import org.moorage.config.LoadedConfig;
import org.moorage.config.plugin.PluginRegistry;

/** A printed configuration is one that can be read again, for all configurations that kube-scheduler accepted. */
final class PrintedConfigurationTest {
    private static final Path VECTORS = Path.of(System.getProperty("basedir", "."), "vectors", "config.jsonl");
    private static final PluginRegistry PLUGINS = ConformanceTest.plugins();

    record Case(String name, String yaml, FeatureGates features) {
        @Override
        public String toString() {
            return name;
        }
    }

    static List<Case> accepted() throws IOException {
        List<Case> cases = new ArrayList<>();
        for (String line : Files.readAllLines(VECTORS)) {
            ObjectNode vector = (ObjectNode) new ObjectMapper().readTree(line);
            if (vector.path("expect").has("config")) {
                cases.add(new Case(
                        vector.path("name").asText(), vector.path("yaml").asText(), Conformance.features(vector)));
            }
        }
        return cases;
    }

    @ParameterizedTest
    @MethodSource("accepted")
    void isReadAgainAsItIsPrinted(Case given) {
        LoadedConfig loaded = ConfigLoader.load(given.yaml, "scheduler.yaml", PLUGINS, given.features);

        String printed = ConfigPrinter.print(loaded);

        assertThat(ConfigLoader.load(printed, "printed", PLUGINS, given.features)
                        .effective())
                .as(printed)
                .isEqualTo(loaded.effective());
    }
}
