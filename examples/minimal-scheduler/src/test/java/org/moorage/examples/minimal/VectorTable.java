// SPDX-License-Identifier: Apache-2.0
package org.moorage.examples.minimal;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/**
 * The results of vectors, one per line in {@code target/vectors-<name>.txt}, from which {@code table.sh} generates the
 * README's tables.
 */
final class VectorTable {
    private final String name;
    private final Map<String, String> cells = new TreeMap<>();

    VectorTable(String name) {
        this.name = name;
    }

    /** Adds a line. */
    synchronized void add(String vector, Object... texts) {
        StringBuilder line = new StringBuilder();
        for (Object text : texts) {
            line.append('\t').append(text);
        }
        cells.put(vector, line.toString());
    }

    synchronized void write() {
        StringBuilder text = new StringBuilder();
        cells.forEach((vector, line) -> text.append(vector).append(line).append('\n'));
        try {
            Path folder = Files.createDirectories(Path.of(System.getProperty("basedir", "."), "target"));
            Files.writeString(folder.resolve("vectors-" + name + ".txt"), text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
