// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.livetests.scene.Moorage;
import org.moorage.livetests.scene.RunningProgram;

/** How much memory a simulation of a large cluster needs. */
@Tag("nightly")
class LargeClusterTest {
    private static final int NODES = 5_000;
    private static final int PODS = 100_000;

    @TempDir
    private Path folder;

    record Dump(String name, String start, String separator, String end) {
        @Override
        public String toString() {
            return name;
        }
    }

    static final List<Dump> DUMPS = List.of(
            new Dump("JSON as of kubectl get", "{\"apiVersion\":\"v1\",\"items\":[\n", ",\n", "],\"kind\":\"List\"}"),
            new Dump("YAML as of kubectl get", "apiVersion: v1\nitems:\n- ", "\n- ", "\nkind: List\n"));

    @ParameterizedTest
    @FieldSource("DUMPS")
    void isSimulatedFromADumpInAHeapOf512Megabytes(Dump dump) throws IOException {
        Path file = folder.resolve("dump");
        try (BufferedWriter out = Files.newBufferedWriter(file)) {
            out.write(dump.start);
            for (int i = 0; i < NODES; i++) {
                out.write(withKind("Node", StreamedCluster.node(i)));
                out.write(dump.separator);
            }
            for (int i = 0; i < PODS; i++) {
                out.write(withKind("Pod", StreamedCluster.pod(i, NODES)));
                out.write(dump.separator);
            }
            String waiting = "{\"metadata\":{\"name\":\"waiting\"},\"spec\":{\"containers\":[{\"name\":\"c\"}]}}";
            out.write(withKind("Pod", waiting));
            out.write(dump.end);
        }
        try (RunningProgram simulation = RunningProgram.start(
                folder.resolve("simulate.log"),
                Moorage.command(List.of("MOORAGE_JAVA_OPTS=-Xmx512m"), "simulate", file.toString()))) {
            assertThat(simulation.await()).as(simulation.log()).isZero();
            assertThat(simulation.log()).contains("waiting");
        } finally {
            Files.delete(file);
        }
    }

    private static String withKind(String kind, String json) {
        return "{\"apiVersion\":\"v1\",\"kind\":\"" + kind + "\"," + json.substring(1);
    }
}
