// SPDX-License-Identifier: Apache-2.0
package org.moorage.distribution;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Compares the jars of the local repository with {@code checksums.txt}: those that are shipped must be listed, and
 * every jar that is listed must have the bytes that it had when it was accepted. {@code -Dchecksums.accept=shipped}
 * lists what is shipped anew, {@code -Dchecksums.accept=repository} all jars of the local repository, including those
 * of the build: run it with a separate repository.
 */
class DependencyChecksumsTest {
    private static final String ACCEPT = "./dev accept checksums, then look at the difference";

    private final Path list = Shipped.file("checksums.txt");
    private final Path repository = Path.of(System.getProperty("repository"));

    @Test
    void haveTheChecksumsThatWereAccepted() throws IOException {
        Map<String, String> listed = listed();
        accept(listed);

        List<String> faults = new ArrayList<>();
        for (Shipped.Component component : Shipped.components()) {
            if (!component.isOurs() && !listed.containsKey(component.path())) {
                faults.add(component.path() + ": sha256 " + component.sha256() + " (expected: listed in " + list + ")");
            }
        }
        for (Map.Entry<String, String> line : listed.entrySet()) {
            Path jar = repository.resolve(line.getKey());
            if (Files.exists(jar)) {
                String sum = Shipped.sha256(jar);
                if (!sum.equals(line.getValue())) {
                    faults.add(jar + ": sha256 " + sum + " (expected: " + line.getValue() + ", by " + list + ")");
                }
            }
        }
        assertThat(faults).as("where this is meant: " + ACCEPT).isEmpty();
    }

    private void accept(Map<String, String> listed) throws IOException {
        String accept = System.getProperty("checksums.accept", "");
        assertThat(accept).as("-Dchecksums.accept").isIn("", "shipped", "repository");
        if (accept.isEmpty()) {
            return;
        }
        if (accept.equals("repository")) {
            listed.clear();
            try (Stream<Path> files = Files.walk(repository)) {
                for (Path jar : files.filter(file -> file.toString().endsWith(".jar"))
                        .filter(file -> !repository.relativize(file).startsWith("org/moorage"))
                        .toList()) {
                    listed.put(repository.relativize(jar).toString(), Shipped.sha256(jar));
                }
            }
        }
        for (Shipped.Component component : Shipped.components()) {
            if (!component.isOurs()) {
                listed.put(component.path(), component.sha256());
            }
        }
        StringBuilder text = new StringBuilder();
        listed.forEach((path, sum) -> text.append(sum).append("  ").append(path).append('\n'));
        Files.writeString(list, text);
    }

    private Map<String, String> listed() throws IOException {
        Map<String, String> sums = new TreeMap<>();
        for (String line : Files.readAllLines(list)) {
            assertThat(line).as("a line of sha256sum").matches("[0-9a-f]{64}  \\S+\\.jar");
            sums.put(line.substring(66), line.substring(0, 64));
        }
        return sums;
    }
}
