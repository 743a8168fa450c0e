// SPDX-License-Identifier: Apache-2.0
package org.moorage.config.plugin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

class PluginChecksumsTest {
    private static final String ZEROS = "0".repeat(64);

    @TempDir
    private Path directory;

    private Path plugins;
    private Path sums;

    @BeforeEach
    void makePlugins() throws IOException {
        plugins = Files.createDirectory(directory.resolve("plugins"));
        sums = directory.resolve("sums");
        for (String name : List.of("a.jar", "b-sources.jar")) {
            try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(plugins.resolve(name)))) {
                zip.putNextEntry(new ZipEntry(name));
            }
        }
    }

    @Test
    void takesWhatSha256sumListed() throws IOException, InterruptedException {
        assertThat(new ProcessBuilder("sh", "-c", "sha256sum plugins/*.jar > sums")
                        .directory(directory.toFile())
                        .inheritIO()
                        .start()
                        .waitFor())
                .isZero();

        assertThat(load().notes()).hasSize(1);
    }

    @Test
    void refusesEachJarThatIsNotListedOrDiffers() throws IOException {
        Files.writeString(sums, ZEROS + "  x/a.jar\n");

        assertThatExceptionOfType(PluginJarException.class)
                .isThrownBy(this::load)
                .satisfies(refused -> {
                    List<String> lines = refused.getMessage().lines().toList();
                    assertThat(lines).hasSize(2);
                    assertThat(lines.get(0))
                            .matches(plugins + "/a.jar: sha256 [0-9a-f]{64} \\(expected: " + ZEROS + ", by " + sums
                                    + ":1\\)");
                    assertThat(lines.get(1))
                            .matches(plugins + "/b-sources.jar: sha256 [0-9a-f]{64} \\(expected: listed in " + sums
                                    + "\\)");
                });
    }

    record Case(String name, String text, String problem) {
        @Override
        public String toString() {
            return name;
        }
    }

    static final List<Case> CASES = List.of(
            new Case(
                    "a line that is no checksum",
                    ZEROS + " *a.jar\n" + "0".repeat(40) + "  b.jar\n",
                    ":2: not a checksum (expected: a line of sha256sum, such as \"<64 hex digits>  plugin.jar\")"),
            new Case(
                    "two checksums for one name",
                    ZEROS + "  x/a.jar\n" + "1".repeat(64) + "  y/a.jar\n",
                    ":2: another checksum of a.jar than in line 1 (expected: one for a name)"));

    @ParameterizedTest
    @FieldSource("CASES")
    void refusesAFileThatIsNotOfSha256sum(Case given) throws IOException {
        Files.writeString(sums, given.text);

        assertThatExceptionOfType(PluginJarException.class)
                .isThrownBy(this::load)
                .withMessage(sums + given.problem);
    }

    @Test
    void refusesAFileThatIsNotThereOrTooLarge() throws IOException {
        assertThatExceptionOfType(PluginJarException.class)
                .isThrownBy(this::load)
                .withMessage(sums + ": not there");

        try (RandomAccessFile large = new RandomAccessFile(sums.toFile(), "rw")) {
            large.setLength(1L << 32);
        }
        assertThatExceptionOfType(PluginJarException.class)
                .isThrownBy(this::load)
                .withMessage(sums + ": more than 1 MB (expected: a file of sha256sum)");
    }

    private PluginJars load() {
        return PluginJars.load(plugins, new JarRules(PluginChecksums.read(sums), JarRules.WithoutVersion.REFUSED));
    }
}
