// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.snapshot;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.file.Path;
import java.util.zip.GZIPOutputStream;
import org.moorage.app.internal.process.OutputFile;

/** A file of lines that is complete or absent. Compressed if its name ends in {@code .gz}. */
public final class SnapshotFile implements AutoCloseable {
    private static final int BUFFER = 1 << 16;

    private final OutputFile file;
    private final Writer writer;

    private SnapshotFile(OutputFile file, Writer writer) {
        this.file = file;
        this.writer = writer;
    }

    /**
     * Starts the file.
     *
     * @throws org.moorage.app.internal.process.CommandException if it cannot be written
     */
    public static SnapshotFile create(Path file) {
        OutputFile opened = OutputFile.whole(file.toString(), file);
        try {
            OutputStream out = opened.stream();
            OutputStream zipped = file.toString().endsWith(".gz") ? new GZIPOutputStream(out, BUFFER) : out;
            return new SnapshotFile(opened, new BufferedWriter(new OutputStreamWriter(zipped, UTF_8), BUFFER));
        } catch (IOException e) {
            opened.close();
            throw opened.failed(e);
        }
    }

    /**
     * Writes a line.
     *
     * @throws org.moorage.app.internal.process.CommandException if it cannot be written
     */
    public void line(String text) {
        try {
            writer.write(text);
            writer.write('\n');
        } catch (IOException e) {
            throw file.failed(e);
        }
    }

    /**
     * Completes the file.
     *
     * @return its size in bytes
     * @throws org.moorage.app.internal.process.CommandException if it cannot be written
     */
    public long finish() {
        try {
            writer.close();
        } catch (IOException e) {
            throw file.failed(e);
        }
        return file.finish();
    }

    /** Leaves nothing behind if the file was not finished. */
    @Override
    public void close() {
        file.close();
    }
}
