// SPDX-License-Identifier: Apache-2.0
package org.moorage.objects;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** How files of text are read, and why they cannot be. */
class TextFileTest {
    @TempDir
    private Path folder;

    record Text(String name, String text, Charset charset, String message) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Text> texts() {
        return Stream.of(
                new Text("plain letters", "a: b\n", StandardCharsets.UTF_8, ""),
                new Text("other letters", "é: 港\n", StandardCharsets.UTF_8, ""),
                new Text("a byte order mark", "\uFEFFa: b\n", StandardCharsets.UTF_8, ""),
                new Text("nothing", "", StandardCharsets.UTF_8, ""),
                new Text(
                        "letters of Western Europe",
                        "a: b\n\nc: é\n",
                        StandardCharsets.ISO_8859_1,
                        "not a text in UTF-8: byte 0xE9 in line 3"),
                new Text(
                        "UTF-16 as of Windows",
                        "\uFEFFa: b\n",
                        StandardCharsets.UTF_16LE,
                        "a text in UTF-16, not in" + " UTF-8"),
                new Text("the other UTF-16", "a: b\n", StandardCharsets.UTF_16, "a text in UTF-16, not in UTF-8"));
    }

    @ParameterizedTest
    @MethodSource("texts")
    void areInUtf8(Text text) throws IOException {
        Path file = Files.write(folder.resolve("text"), text.text.getBytes(text.charset));

        if (text.message.isEmpty()) {
            assertThat(TextFile.read(file)).isEqualTo(text.text.replace("\uFEFF", ""));
        } else {
            assertThatExceptionOfType(IOException.class)
                    .isThrownBy(() -> TextFile.read(file))
                    .withMessage(text.message);
        }
    }

    @Test
    void areNoFolders() {
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> TextFile.read(folder))
                .withMessage("a folder");
    }

    @Test
    void mustBeThere() {
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> TextFile.read(folder.resolve("none")))
                .withMessage("no such file");
    }

    record Fault(IOException thrown, String text) {}

    static Stream<Fault> faults() {
        return Stream.of(
                new Fault(new NoSuchFileException("/a"), "no such file"),
                new Fault(new AccessDeniedException("/a"), "permission denied"),
                new Fault(new FileSystemException("/a", null, "Not a directory"), "not a directory"),
                new Fault(new NotDirectoryException("/a"), "it cannot be used"),
                new Fault(new FileSystemException("/a", null, "No space left on device"), "no space left on device"),
                new Fault(new IOException("Is a directory"), "a folder"),
                new Fault(new IOException("Input/output error"), "input/output error"),
                new Fault(new IOException(), "it cannot be used"));
    }

    @ParameterizedTest
    @MethodSource("faults")
    void haveErrorsThatAreReportedWithoutJavaTerms(Fault fault) {
        assertThat(TextFile.fault(fault.thrown)).isEqualTo(fault.text);
    }
}
