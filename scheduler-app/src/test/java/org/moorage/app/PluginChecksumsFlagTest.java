// SPDX-License-Identifier: Apache-2.0
package org.moorage.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PluginChecksumsFlagTest {
    @TempDir
    private Path directory;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "plugins",
                "config show",
                "config validate x.yaml",
                "simulate x.yaml",
                "explain default/x --cluster x.yaml",
                "extender --config=x.yaml"
            })
    void refusesAJarThatIsNotListedInEachCommand(String command) throws IOException {
        Path jar = directory.resolve("p.jar");
        try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(jar))) {
            zip.putNextEntry(new ZipEntry("x"));
        }
        Path sums = Files.writeString(directory.resolve("sums"), "");
        List<String> arguments = new ArrayList<>(command.isEmpty() ? List.of() : List.of(command.split(" ")));
        arguments.add("--plugin-dir=" + directory);
        arguments.add("--plugin-checksums=" + sums);

        CapturedRun run = CapturedRun.of(arguments.toArray(String[]::new));

        assertThat(run.exitCode()).isEqualTo(command.isEmpty() || command.startsWith("extender") ? 1 : 2);
        assertThat(run.err())
                .matches("error: " + jar + ": sha256 [0-9a-f]{64} \\(expected: listed in " + sums + "\\)\n");
    }
}
