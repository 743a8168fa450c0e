// SPDX-License-Identifier: Apache-2.0
package org.moorage.distribution;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class BillOfMaterialsTest {
    @Test
    void listsEveryJarOfTheClassPathByItsChecksum() throws IOException {
        Map<String, String> listed = new TreeMap<>();
        Shipped.components().forEach(component -> listed.put(component.sha256(), component.toString()));

        List<Path> jars = Shipped.jars();

        assertThat(jars).hasSizeGreaterThan(40);
        for (Path jar : jars) {
            assertThat(listed).as("the checksum of " + jar).containsKey(Shipped.sha256(jar));
        }
    }

    @Test
    void listsThePluginsAndTheLibrariesInTheirJars() throws IOException {
        assertThat(Shipped.components())
                .extracting(component -> component.group() + ":" + component.name())
                .contains(
                        "com.styra.opa:opa-java-wasm",
                        "com.dylibso.chicory:runtime",
                        "org.moorage:plugins-opa",
                        "org.moorage:plugins-safe");
    }
}
