// SPDX-License-Identifier: Apache-2.0
package org.moorage.opa;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/**
 * The results of the vectors in one mode, one per line in {@code target/vectors-<mode>.txt}, from which the README's
 * table is generated.
 */
final class VectorTable {
    private final String mode;
    private final Map<String, Row> rows = new TreeMap<>();

    private record Row(String expected, String got) {}

    VectorTable(String mode) {
        this.mode = mode;
    }

    synchronized void add(Vectors.Case vector, String expected, String got) {
        rows.put(vector.toString(), new Row(expected, got));
    }

    synchronized void write() {
        StringBuilder text = new StringBuilder();
        rows.forEach((name, row) -> text.append(name)
                .append('\t')
                .append(row.expected())
                .append('\t')
                .append(row.got())
                .append('\n'));
        try {
            Path folder = Files.createDirectories(Path.of(System.getProperty("basedir", "."), "target"));
            Files.writeString(folder.resolve("vectors-" + mode + ".txt"), text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
