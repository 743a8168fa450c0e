// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.command;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.zip.GZIPOutputStream;
import org.moorage.app.internal.process.CommandException;
import org.moorage.objects.TextFile;

/**
 * A file that is there as a whole or not at all: it is written beside its place, readable for its owner alone, and then put there. Compressed if its
 * name ends in {@code .gz}.
 */
final class DumpFile implements AutoCloseable {
    private static final int BUFFER = 1 << 16;

    private final Path file;
    private final Path written;
    private final Writer writer;

    private DumpFile(Path file, Path written, Writer writer) {
        this.file = file;
        this.written = written;
        this.writer = writer;
    }

    /**
     * Starts the file.
     *
     * @throws CommandException if it cannot be written
     */
    static DumpFile create(Path file) {
        try {
            if (Files.isDirectory(file)) {
                throw new FileSystemException(file.toString(), null, "a folder");
            }
            Path folder = file.toAbsolutePath().getParent();
            Path written = Files.createTempFile(folder, "." + file.getFileName(), ".part");
            // Where the process is told to end.
            written.toFile().deleteOnExit();
            OutputStream out = Files.newOutputStream(written);
            OutputStream zipped = file.toString().endsWith(".gz") ? new GZIPOutputStream(out, BUFFER) : out;
            return new DumpFile(file, written, new BufferedWriter(new OutputStreamWriter(zipped, UTF_8), BUFFER));
        } catch (IOException e) {
            throw failed(file, e);
        }
    }

    /**
     * Writes a line.
     *
     * @throws CommandException if it cannot be written
     */
    void line(String text) {
        try {
            writer.write(text);
            writer.write('\n');
        } catch (IOException e) {
            throw failed(file, e);
        }
    }

    /**
     * Ends the file, and puts it in its place.
     *
     * @return its size in bytes
     * @throws CommandException if it cannot be written
     */
    long finish() {
        try {
            writer.close();
            long size = Files.size(written);
            Files.move(written, file, StandardCopyOption.ATOMIC_MOVE);
            return size;
        } catch (IOException e) {
            throw failed(file, e);
        }
    }

    /** Leaves nothing behind if the file was not finished. */
    @Override
    public void close() {
        try {
            writer.close();
        } catch (IOException unfinished) {
            // It is not used.
        }
        try {
            boolean ignored = Files.deleteIfExists(written);
        } catch (IOException e) {
            throw failed(written, e);
        }
    }

    private static CommandException failed(Path file, IOException e) {
        String why = e instanceof NoSuchFileException ? "no such folder" : TextFile.fault(e);
        return new CommandException(file + ": cannot be written: " + why, e);
    }
}
