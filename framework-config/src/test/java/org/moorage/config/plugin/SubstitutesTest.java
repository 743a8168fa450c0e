// SPDX-License-Identifier: Apache-2.0
package org.moorage.config.plugin;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class SubstitutesTest {
    @Test
    void thePageListsEachPluginThatHasAHint() throws IOException {
        String page = Files.readString(Path.of("..", Substitutes.PAGE));

        assertThat(Substitutes.plugins())
                .isNotEmpty()
                .allSatisfy(plugin -> assertThat(page).containsPattern("(?m)^\\|[^|]*\\b" + plugin + "\\b"));
    }
}
