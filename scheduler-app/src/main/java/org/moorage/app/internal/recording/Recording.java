// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.recording;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.moorage.app.internal.process.CommandException;
import org.moorage.objects.TextFile;
import org.moorage.simulation.dump.ClusterDump;
import org.moorage.simulation.dump.ClusterDumpReader;

/**
 * A recording that {@link RecordingWriter} wrote. If it ends in the middle of a line, because its writer was killed, it
 * is read up to the line before.
 */
public final class Recording {
    private static final byte[] EVENT = "{\"type\":".getBytes(StandardCharsets.UTF_8);

    private final Path file;
    /** The position of the first event. */
    private final long eventsAt;
    /** The end of the last complete line. */
    private final long end;

    private Recording(Path file, long eventsAt, long end) {
        this.file = file;
        this.eventsAt = eventsAt;
        this.end = end;
    }

    /**
     * Opens a recording.
     *
     * @throws CommandException if the file cannot be read, or is not a recording
     */
    public static Recording open(Path file) {
        long position = 0;
        long eventsAt = -1;
        long end = 0;
        int column = 0;
        boolean mayBeEvent = true;
        try (InputStream in = new BufferedInputStream(Files.newInputStream(file), 1 << 16)) {
            for (int next = in.read(); next >= 0; next = in.read()) {
                position++;
                if (next == '\n') {
                    end = position;
                    column = 0;
                    mayBeEvent = eventsAt < 0;
                } else if (mayBeEvent) {
                    mayBeEvent = next == EVENT[column++];
                    if (mayBeEvent && column == EVENT.length) {
                        eventsAt = end;
                        mayBeEvent = false;
                    }
                }
            }
        } catch (IOException e) {
            throw new CommandException(file + ": cannot be read: " + TextFile.fault(e), e);
        }
        if (eventsAt <= 0) {
            throw new CommandException(
                    file + ": no recording (expected: objects, and then the changes that moorage" + " record writes)");
        }
        return new Recording(file, eventsAt, end);
    }

    /**
     * Reads the objects and the changes.
     *
     * @throws org.moorage.objects.ClusterFileException with all that is wrong
     */
    public ClusterDump read(ClusterDumpReader reader) {
        try (InputStream objects = part(0, eventsAt);
                InputStream events = part(eventsAt, end)) {
            return reader.withChanges(file + ", changes", events).read(file + ", objects", objects);
        } catch (IOException e) {
            throw new CommandException(file + ": cannot be read: " + TextFile.fault(e), e);
        }
    }

    /** The changes as they were written, a line for each. */
    InputStream events() throws IOException {
        return part(eventsAt, end);
    }

    /** The file. */
    Path file() {
        return file;
    }

    private InputStream part(long from, long to) throws IOException {
        InputStream in = new BufferedInputStream(Files.newInputStream(file), 1 << 16);
        in.skipNBytes(from);
        return new Part(in, to - from);
    }

    /** The first bytes of a stream. */
    private static final class Part extends InputStream {
        private final InputStream in;
        private long left;

        Part(InputStream in, long left) {
            this.in = in;
            this.left = left;
        }

        @Override
        public int read() throws IOException {
            if (left == 0) {
                return -1;
            }
            left--;
            return in.read();
        }

        @Override
        public int read(byte[] buffer, int offset, int length) throws IOException {
            if (left == 0 && length > 0) {
                return -1;
            }
            int read = in.read(buffer, offset, (int) Math.min(left, length));
            left -= Math.max(0, read);
            return read;
        }

        @Override
        public void close() throws IOException {
            in.close();
        }
    }
}
