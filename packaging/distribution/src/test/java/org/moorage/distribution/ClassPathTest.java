// SPDX-License-Identifier: Apache-2.0
package org.moorage.distribution;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The class path of the image has all that commands need. */
class ClassPathTest {
    private static final Path FIRST = Shipped.file("../../examples/clusters/first.yaml");

    @Test
    void startsTheCommand() throws IOException, InterruptedException {
        assertThat(run("version")).startsWith("Moorage " + System.getProperty("version"));
    }

    /** The output is JSON, and the file YAML. */
    @Test
    void schedulesAClusterInAFile() throws IOException, InterruptedException {
        assertThat(run("simulate", "-o", "json", FIRST.toString())).contains("\"pod\": \"default/shop-1\"");
    }

    private static String run(String... arguments) throws IOException, InterruptedException {
        List<String> line = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                Shipped.jars().stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator)),
                "org.moorage.app.Main"));
        line.addAll(List.of(arguments));
        Process process = new ProcessBuilder(line).redirectErrorStream(true).start();
        String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
        assertThat(printed).doesNotContain("NoClassDefFoundError", "ended by an unexpected exception");
        return printed;
    }
}
