// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.process;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import org.moorage.objects.TextFile;

/**
 * A file that a command writes for its user.
 *
 * <p>A regular file is written next to its path and then renamed, so that it is complete or absent, and readable by its
 * owner only. Symbolic links are followed: the target is replaced, the link stays. A FIFO, a device and
 * {@code /dev/stdout} are written to as they are.
 */
public final class OutputFile implements AutoCloseable {
    private static final int MOST_LINKS = 40;
    private static final Path DESCRIPTORS = Path.of("/proc/self/fd");

    private final String name;
    private final Path target;
    private final CountingStream out;
    private Optional<Path> unfinished;

    private OutputFile(String name, Path target, Optional<Path> unfinished, OutputStream out) {
        this.name = name;
        this.target = target;
        this.unfinished = unfinished;
        this.out = new CountingStream(out);
    }

    /**
     * Starts a file that replaces an existing one when it is complete.
     *
     * @param name the file in messages
     * @param file the path
     * @throws CommandException if it cannot be written
     */
    public static OutputFile whole(String name, Path file) {
        return open(name, file);
    }

    /**
     * Starts a file that replaces an existing one immediately, for readers that follow it while it grows.
     *
     * @param name the file in messages
     * @param file the path
     * @throws CommandException if it cannot be written
     */
    public static OutputFile growing(String name, Path file) {
        OutputFile opened = open(name, file);
        opened.move();
        return opened;
    }

    /**
     * Writes a text that is no secret: other users may read the file as the umask permits.
     *
     * @param name the file in messages
     * @param file the path
     * @param text the contents, in UTF-8
     * @throws CommandException if it cannot be written
     */
    public static void writePublic(String name, Path file, String text) {
        FileAttribute<?>[] usual =
                file.getFileSystem().supportedFileAttributeViews().contains("posix")
                        ? new FileAttribute<?>[] {
                            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-rw-rw-"))
                        }
                        : new FileAttribute<?>[0];
        try (OutputFile opened = open(name, file, usual)) {
            opened.out.write(text.getBytes(UTF_8));
            long ignored = opened.finish();
        } catch (IOException e) {
            throw failed(name, e);
        }
    }

    private static OutputFile open(String name, Path file, FileAttribute<?>... permissions) {
        try {
            Path target = file.toAbsolutePath();
            for (int links = 0; Files.isSymbolicLink(target); links++) {
                if (links == MOST_LINKS) {
                    throw new FileSystemException(name, null, "too many levels of symbolic links");
                }
                Path folder = realFolder(target);
                if (Files.exists(DESCRIPTORS) && folder.equals(DESCRIPTORS.toRealPath())) {
                    return new OutputFile(name, target, Optional.empty(), descriptor(target));
                }
                target = folder.resolve(Files.readSymbolicLink(target));
            }
            if (Files.isDirectory(target)) {
                throw new FileSystemException(name, null, "a folder");
            }
            if (Files.exists(target) && !Files.isRegularFile(target)) {
                OutputStream stream = Files.newOutputStream(target, StandardOpenOption.WRITE);
                return new OutputFile(name, target, Optional.empty(), stream);
            }
            if (Files.exists(target) && !Files.isWritable(target)) {
                throw new AccessDeniedException(name);
            }
            Path written = Files.createTempFile(realFolder(target), ".moorage-", ".part", permissions);
            // Removed when a signal ends the process.
            written.toFile().deleteOnExit();
            return new OutputFile(name, target, Optional.of(written), Files.newOutputStream(written));
        } catch (IOException e) {
            throw failed(name, e);
        }
    }

    private static Path realFolder(Path file) throws IOException {
        Path folder = file.getParent();
        return folder == null ? file : folder.toRealPath();
    }

    // Standard output may be a regular file that the shell has opened, whose position counts.
    private static OutputStream descriptor(Path target) throws IOException {
        return switch (target.getFileName().toString()) {
            case "1" -> new Unclosed(new FileOutputStream(FileDescriptor.out));
            case "2" -> new Unclosed(new FileOutputStream(FileDescriptor.err));
            default -> Files.newOutputStream(target, StandardOpenOption.WRITE, StandardOpenOption.APPEND);
        };
    }

    /** The stream to write to, which is not buffered. Closing it does not finish the file. */
    public OutputStream stream() {
        return out;
    }

    /**
     * Closes the file and renames it to its path.
     *
     * @return how many bytes were written
     * @throws CommandException if it cannot be written
     */
    public long finish() {
        try {
            out.close();
        } catch (IOException e) {
            throw failed(e);
        }
        move();
        return out.bytes;
    }

    private void move() {
        if (unfinished.isPresent()) {
            try {
                Files.move(unfinished.get(), target, StandardCopyOption.ATOMIC_MOVE);
                unfinished = Optional.empty();
            } catch (IOException e) {
                throw failed(e);
            }
        }
    }

    /** Closes the file. A file that should be complete but is unfinished is removed. */
    @Override
    public void close() {
        try {
            out.close();
        } catch (IOException e) {
            if (unfinished.isEmpty()) {
                throw failed(e);
            }
        } finally {
            remove();
        }
    }

    private void remove() {
        if (unfinished.isPresent()) {
            try {
                boolean ignored = Files.deleteIfExists(unfinished.get());
            } catch (IOException e) {
                throw failed(e);
            }
        }
    }

    /** The exception for a failed write. */
    public CommandException failed(IOException e) {
        return failed(name, e);
    }

    private static CommandException failed(String name, IOException e) {
        String why = e instanceof NoSuchFileException ? "no such folder" : TextFile.fault(e);
        return new CommandException(name + ": cannot be written: " + why, e);
    }

    private static final class CountingStream extends FilterOutputStream {
        private long bytes;

        CountingStream(OutputStream out) {
            super(out);
        }

        @Override
        public void write(int b) throws IOException {
            out.write(b);
            bytes++;
        }

        @Override
        public void write(byte[] text, int from, int length) throws IOException {
            out.write(text, from, length);
            bytes += length;
        }
    }

    /** Leaves a stream of the whole process open. */
    private static final class Unclosed extends FilterOutputStream {
        Unclosed(OutputStream out) {
            super(out);
        }

        @Override
        public void write(byte[] text, int from, int length) throws IOException {
            out.write(text, from, length);
        }

        @Override
        public void close() throws IOException {
            flush();
        }
    }
}
