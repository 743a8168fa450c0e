// SPDX-License-Identifier: Apache-2.0
package org.moorage.app;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.moorage.testkit.apiserver.FakeApiServer;
import org.moorage.testkit.apiserver.Response;

/** A scheduler in a process whose heap is too small for its cluster. */
final class ExhaustedMemoryTest {
    private static final int PODS = 400_000;

    @TempDir
    private Path directory;

    private final FakeApiServer server = FakeApiServer.start();

    @AfterEach
    void stop() {
        server.close();
    }

    private static void sendPods(OutputStream out) throws IOException {
        out.write("{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"1\"},\"items\":["
                .getBytes(UTF_8));
        for (int i = 0; i < PODS; i++) {
            out.write(((i == 0 ? "" : ",") + "{\"metadata\":{\"name\":\"pod-" + i
                            + "\",\"namespace\":\"default\",\"uid\":\"uid-" + i + "\",\"labels\":{\"number\":\"" + i
                            + "\"}},\"spec\":{\"containers\":[{\"name\":\"c-" + i + "\",\"image\":\"image-" + i
                            + "\"}]}}")
                    .getBytes(UTF_8));
        }
        out.write("]}".getBytes(UTF_8));
    }

    @ParameterizedTest
    @ValueSource(strings = {"-XX:+UseSerialGC", "-XX:+UseG1GC"})
    void endsTheProcessWithOneLine(String collector) throws InterruptedException, IOException {
        server.on("GET", "/api/v1/pods", request -> Response.streamed(ExhaustedMemoryTest::sendPods));
        Path err = directory.resolve("err");
        Process process = new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx40m",
                        collector,
                        "-cp",
                        System.getProperty("java.class.path"),
                        "org.moorage.app.Main",
                        "--master=" + server.address()))
                .redirectError(err.toFile())
                .redirectOutput(directory.resolve("out").toFile())
                .start();
        try {
            assertThat(process.waitFor(90, TimeUnit.SECONDS))
                    .as("the process has ended")
                    .isTrue();
        } finally {
            process.destroyForcibly();
        }

        assertThat(process.exitValue()).as(Files.readString(err)).isEqualTo(3);
        assertThat(Files.readAllLines(err))
                .filteredOn(line -> line.startsWith("error: "))
                .containsExactly("error: memory is exhausted, so the process ends (expected: a larger heap, see -Xmx)");
    }
}
