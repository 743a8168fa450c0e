// SPDX-License-Identifier: Apache-2.0
package org.moorage.buildrules;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;

/**
 * Tests that Java code in pages is cut from code that is compiled and run. A mark before each block names a file and a
 * region in it; the block and the region must be equal.
 */
@Tag("any-jvm")
class DocsSnippetsTest {
    private static final Path ROOT =
            Path.of(System.getProperty("basedir", "."), "..", "..").normalize();
    private static final List<String> PAGES = List.of(
            "README.md",
            "docs/extend/embedding-clients.md",
            "docs/extend/embedding-spring-boot.md",
            "docs/extend/embedding-tracing.md",
            "docs/extend/plugin-data.md",
            "docs/extend/plugin-guide.md",
            "docs/extend/plugin-queueing.md",
            "docs/extend/plugin-testing.md",
            "docs/extend/pod-group-plugins.md");
    /** Pages that also have blocks that are not cut from code. */
    private static final List<String> PARTLY_CUT = List.of("docs/extend/embedding.md");

    private static final Pattern BLOCK =
            Pattern.compile("(?:<!-- snippet (\\S+)#(\\S+) -->\\n)?```java\\n(.*?)```\\n", Pattern.DOTALL);

    @TestFactory
    List<DynamicTest> blocks() throws IOException {
        List<DynamicTest> tests = new ArrayList<>();
        List<String> pages = new ArrayList<>(PAGES);
        pages.addAll(PARTLY_CUT);
        for (String page : pages) {
            Matcher block = BLOCK.matcher(Files.readString(ROOT.resolve(page)));
            while (block.find()) {
                Optional<String> file = Optional.ofNullable(block.group(1));
                String region = String.valueOf(block.group(2));
                String code = block.group(3);
                if (file.isEmpty() && PARTLY_CUT.contains(page)) {
                    continue;
                }
                String first = code.lines().findFirst().orElse("");
                tests.add(DynamicTest.dynamicTest(page + ": " + first, () -> {
                    assertThat(file)
                            .as("source of this block: <!-- snippet FILE#REGION -->")
                            .isPresent();
                    assertThat(code).isEqualTo(region(ROOT.resolve(file.orElseThrow()), region));
                }));
            }
        }
        assertThat(tests).hasSizeGreaterThan(PAGES.size());
        return tests;
    }

    private static String region(Path file, String name) throws IOException {
        Matcher region = Pattern.compile(
                        "\\n *// region " + Pattern.quote(name) + "\\n(.*?\\n) *// endregion\\n", Pattern.DOTALL)
                .matcher(Files.readString(file));
        assertThat(region.find()).as("region %s of %s", name, file).isTrue();
        return region.group(1).stripTrailing().stripIndent() + "\n";
    }
}
