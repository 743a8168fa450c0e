// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KubeconfigFileTest {
    @TempDir
    private Path home;

    @Test
    void kubeconfigNamesSeveralFiles() {
        assertThat(KubeconfigFile.ofUser(Map.of("KUBECONFIG", "a" + File.pathSeparator + File.pathSeparator + "/b/c")))
                .containsExactly(Path.of("a"), Path.of("/b/c"));
    }

    @Test
    void otherwiseItIsTheFileInTheHomeIfThereIsOne() throws IOException {
        Map<String, String> environment = Map.of("HOME", home.toString(), "KUBECONFIG", "");
        assertThat(KubeconfigFile.ofUser(environment)).isEmpty();

        Path file =
                Files.createFile(Files.createDirectory(home.resolve(".kube")).resolve("config"));
        assertThat(KubeconfigFile.ofUser(environment)).containsExactly(file);
    }
}
