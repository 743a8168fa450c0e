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
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Phrases that have no place in pages, in help, or in the Javadoc of main code; docs/contribute/style.md has what to write. */
@Tag("any-jvm")
class PhrasesTest {
    private static final Path ROOT =
            Path.of(System.getProperty("basedir", "."), "..", "..").normalize();
    private static final Set<String> SKIPPED = Set.of("target", ".git");
    private static final Pattern PHRASES = Pattern.compile(
            "\\b(?:in thought|thought of as|thinks? of a|what (?:comes?|came|becomes?|became) of"
                    + "|whoever|nobody|somebody|everybody|anybody|strangers?|sees? to it"
                    + "|finds? (?:a|no|its|their) place|goes nowhere|ha(?:s|ve) no place|what there is|that there (?:is|are)"
                    + "|the real thing|alike pods|held up|for good|all the same|need not|hands? over|if need be|passed over"
                    + "|tells? (?:of|what|how|whether|which|whom)|told of|goes on|given up|gives? up|leaves? out"
                    + "|of (?:its|their) own|will do|makes? no sense)\\b",
            Pattern.CASE_INSENSITIVE);
    private static final Pattern FENCED = Pattern.compile("(?ms)^ *```.*?^ *```$");
    private static final Pattern CODE = Pattern.compile("`[^`\n]*`|\\{@code [^}]*}");
    // Javadoc, and the values of picocli's annotations.
    private static final Pattern TEXTS_OF_JAVA = Pattern.compile(
            "/\\*\\*.*?\\*/|\\b(?:description|header|footer|descriptionHeading) *= *(?:\\{.*?}|\"(?:[^\"\\\\]|\\\\.)*\")",
            Pattern.DOTALL);
    private static final Pattern LINE_END = Pattern.compile("\\s*\n\\s*(?:\\* ?)?");

    private final List<String> found = new ArrayList<>();
    private int texts;

    @Test
    void areNowhere() throws IOException {
        Files.walkFileTree(ROOT, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
                boolean isSkipped = SKIPPED.contains(String.valueOf(folder.getFileName()));
                return isSkipped ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                String path = ROOT.relativize(file).toString();
                if (path.endsWith(".md")) {
                    check(path, FENCED.matcher(Files.readString(file)).replaceAll(" "));
                } else if (path.endsWith(".java") && path.contains("/src/main/")) {
                    Matcher text = TEXTS_OF_JAVA.matcher(Files.readString(file));
                    while (text.find()) {
                        check(path, text.group());
                    }
                }
                return FileVisitResult.CONTINUE;
            }
        });
        assertThat(found).as("phrases that docs/contribute/style.md replaces").isEmpty();
        assertThat(texts).as("texts that were read").isGreaterThan(1_000);
    }

    private void check(String path, String text) {
        texts++;
        String words = LINE_END.matcher(CODE.matcher(text).replaceAll("")).replaceAll(" ");
        Matcher phrase = PHRASES.matcher(words);
        while (phrase.find()) {
            int begin = Math.max(0, phrase.start() - 40);
            int end = Math.min(words.length(), phrase.end() + 40);
            found.add(path + ": " + words.substring(begin, end));
        }
    }
}
