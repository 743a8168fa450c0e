// SPDX-License-Identifier: Apache-2.0
package org.moorage.buildrules;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The messages that the pages about debugging quote exist in the code: headings of the troubleshooting page, and reasons of the page about
 * pending pods. In a message, {@code <...>} stands for a value. The parts between values must be in the code.
 */
@Tag("any-jvm")
class TroubleshootingPageTest {
    private static final Path ROOT =
            Path.of(System.getProperty("basedir", "."), "..", "..").normalize();
    private static final Path PAGES = ROOT.resolve("docs").resolve("debug");
    private static final Pattern HEADING = Pattern.compile("(?m)^### `(.*)`$");
    private static final Pattern ROW = Pattern.compile("(?m)^\\| (`.*?`) \\|");
    private static final Pattern SPAN = Pattern.compile("`(.*?)`");
    // Messages are assembled from values, the place of a problem, and the expected value.
    private static final Pattern JOINTS = Pattern.compile("<[^>]*>| \\(expected: |\\)$|: ");
    private static final int SHORTEST_PART = 4;

    /** The text literals of all main code, and the launchers. */
    private static String code() throws IOException {
        StringBuilder code = new StringBuilder();
        for (String launcher : List.of("moorage", "deploy/archive/bin/moorage")) {
            code.append(Files.readString(ROOT.resolve(launcher)));
        }
        Path main = Path.of("src", "main");
        Files.walkFileTree(ROOT, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
                String name = folder.getFileName().toString();
                boolean isSkipped = name.equals("target") || name.equals(".git") || name.equals("node_modules");
                return isSkipped ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                if (file.toString().endsWith(".java") && file.toString().contains(main.toString())) {
                    code.append(Files.readString(file));
                }
                return FileVisitResult.CONTINUE;
            }
        });
        return code.toString().replaceAll("\"\\s*\\+\\s*\"", "").replace("\\\"", "\"");
    }

    private static List<String> messages() throws IOException {
        List<String> messages = new ArrayList<>();
        HEADING.matcher(Files.readString(PAGES.resolve("troubleshooting.md")))
                .results()
                .forEach(heading -> messages.add(heading.group(1)));
        ROW.matcher(Files.readString(PAGES.resolve("pending-pods.md")))
                .results()
                .forEach(row -> SPAN.matcher(row.group(1)).results().forEach(span -> messages.add(span.group(1))));
        return messages;
    }

    @Test
    void messagesAreThoseOfTheCode() throws IOException {
        String code = code();
        List<String> missing = new ArrayList<>();
        int parts = 0;
        for (String message : messages()) {
            for (String part : JOINTS.split(message)) {
                String text = part.strip();
                if (text.length() >= SHORTEST_PART) {
                    parts++;
                    if (!code.contains(text)) {
                        missing.add(message + " (" + text + ")");
                    }
                }
            }
        }

        assertThat(missing).as("messages that the code does not have").isEmpty();
        assertThat(parts).as("parts of messages that were looked for").isGreaterThan(60);
    }
}
