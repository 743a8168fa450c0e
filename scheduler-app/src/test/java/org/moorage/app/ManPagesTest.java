// SPDX-License-Identifier: Apache-2.0
package org.moorage.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ManPagesTest {
    private static final Set<String> MACROS = Set.of(".TH", ".SH", ".PP", ".TP", ".nf", ".fi");

    @TempDir
    private Path folder;

    @BeforeEach
    void write() {
        assertThat(CapturedRun.of("man", folder.resolve("man1").toString()).exitCode())
                .isZero();
    }

    private String page(String name) throws IOException {
        return Files.readString(folder.resolve("man1").resolve(name + ".1"));
    }

    @Test
    void haveTheTextsOfTheHelp() throws IOException {
        assertThat(page("moorage-drain"))
                .startsWith(".TH MOORAGE-DRAIN 1 ")
                .contains("moorage-drain \\- Simulate draining nodes.")
                .contains(".SH SYNOPSIS\nmoorage drain [NODE...] [flags]\n")
                .contains(".TP\n\\fB\\-\\-force\\fR\nAlso evict pods")
                .contains(".SH CLUSTER\n")
                .contains(".TP\n\\fB1\\fR\na node is not drained, or a pod is not scheduled\n")
                .contains("  moorage drain node\\-1 node\\-2\n")
                .endsWith(".SH SEE ALSO\nmoorage(1)\n");
        assertThat(page("moorage")).contains("moorage\\-drain(1)").doesNotContain("rehearse");
        assertThat(page("moorage-batch-run")).contains("moorage batch run LIST [flags]");
    }

    @Test
    void haveNoOtherMacros() throws IOException {
        try (Stream<Path> pages = Files.list(folder.resolve("man1"))) {
            for (Path page : pages.toList()) {
                List<String> macros = Files.readAllLines(page).stream()
                        .filter(line -> line.startsWith(".") || line.startsWith("'"))
                        .map(line -> line.split(" ", 2)[0])
                        .toList();
                assertThat(MACROS).as(page.toString()).containsAll(macros);
            }
        }
    }
}
