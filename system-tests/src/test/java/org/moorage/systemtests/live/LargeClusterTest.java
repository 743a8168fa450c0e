// SPDX-License-Identifier: Apache-2.0
package org.moorage.systemtests.live;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** How much memory and time the application needs for a large cluster. */
@Tag("live")
class LargeClusterTest {
    private static final int NODES = 5_000;
    private static final int PODS = 100_000;
    private static final Duration LONGEST_SYNC = Duration.ofSeconds(15);
    private static final Duration LONGEST_LIST = Duration.ofMinutes(5);
    private static final Duration LONGEST_SIMULATION = Duration.ofMinutes(10);

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
        try (RunningProgram simulation =
                RunningProgram.start(folder.resolve("simulate.log"), moorage("simulate", file.toString()))) {
            assertThat(simulation.await(LONGEST_SIMULATION))
                    .as(simulation.log())
                    .isZero();
            assertThat(simulation.log()).contains("waiting");
        } finally {
            Files.delete(file);
        }
    }

    private static String withKind(String kind, String json) {
        return "{\"apiVersion\":\"v1\",\"kind\":\"" + kind + "\"," + json.substring(1);
    }

    private static List<String> moorage(String... arguments) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx512m",
                "-cp",
                System.getProperty("java.class.path"),
                "org.moorage.app.Main"));
        command.addAll(List.of(arguments));
        return command;
    }

    @Test
    void isKnownWithinFifteenSecondsOfTheLastByteInAHeapOf512Megabytes() throws IOException, InterruptedException {
        try (StreamedCluster cluster = new StreamedCluster(NODES, PODS);
                RunningProgram moorage = RunningProgram.start(
                        folder.resolve("moorage.log"),
                        moorage("--master=" + cluster.address(), "--leader-elect=false", "--secure-port=0"))) {
            long start = System.nanoTime();
            while (!moorage.log().contains("The cluster's objects are known")) {
                assertThat(Duration.ofNanos(System.nanoTime() - start))
                        .as(moorage.log())
                        .isLessThan(LONGEST_LIST);
                TimeUnit.MILLISECONDS.sleep(50);
            }
            long synced = System.nanoTime();
            System.out.printf(
                    "lists: %.1f s; known %.1f s after the last byte%n",
                    (cluster.lastByteNanos() - start) / 1e9, (synced - cluster.lastByteNanos()) / 1e9);
            assertThat(Duration.ofNanos(synced - cluster.lastByteNanos())).isLessThan(LONGEST_SYNC);
            assertThat(moorage.errors()).isEmpty();
        }
    }
}
