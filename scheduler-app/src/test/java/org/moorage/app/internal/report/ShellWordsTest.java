// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.report;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

class ShellWordsTest {
    @Test
    void leavesNamesAndPathsAsTheyAre() {
        assertThat(ShellWords.line(List.of("moorage", "drain", "zone=a", "--cluster", "../c.json.gz", "--seeds=5")))
                .isEqualTo("moorage drain zone=a --cluster ../c.json.gz --seeds=5");
    }

    @Test
    void aShellSplitsTheLineIntoTheWords() throws IOException {
        List<String> words = List.of("my cluster.yaml", "it's", "", "$HOME", "a;b", "`id`", "\\", "*", "a\nb");

        Process shell = new ProcessBuilder("sh", "-c", "printf '%s|' " + ShellWords.line(words)).start();

        assertThat(new String(shell.getInputStream().readAllBytes(), UTF_8)).isEqualTo(String.join("|", words) + "|");
    }
}
