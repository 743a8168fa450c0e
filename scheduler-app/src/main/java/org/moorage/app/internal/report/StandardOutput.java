// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.report;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.moorage.objects.TextFile;

/**
 * The standard output, where an answer that cannot be written is a failure. A {@link PrintWriter} alone only remembers
 * that it has failed, so that a command would end as if its answer had been read.
 */
public final class StandardOutput extends OutputStream {
    private static final Path DESCRIPTOR = Path.of("/proc/self/fd/1");

    private final OutputStream target;
    private @Nullable IOException failure;

    private StandardOutput(OutputStream target) {
        this.target = target;
    }

    /**
     * Returns a writer that throws {@link FailedException} from the first failure on.
     *
     * @param target the stream of the process
     * @param charset the encoding
     */
    public static PrintWriter writer(OutputStream target, Charset charset) {
        return new PrintWriter(new OutputStreamWriter(new StandardOutput(target), charset));
    }

    @Override
    public void write(int b) {
        write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int from, int length) {
        check();
        try {
            target.write(bytes, from, length);
        } catch (IOException e) {
            failure = e;
            check();
        }
    }

    @Override
    public void flush() {
        check();
        try {
            target.flush();
        } catch (IOException e) {
            failure = e;
            check();
        }
    }

    private void check() {
        if (failure != null) {
            throw new FailedException(failure, isPipe());
        }
    }

    // A pipe can only fail because its reader has gone; the system's text about it may be in any language.
    private boolean isPipe() {
        try {
            return target instanceof FileOutputStream file
                    && file.getFD() == FileDescriptor.out
                    && Files.readSymbolicLink(DESCRIPTOR).toString().startsWith("pipe:");
        } catch (IOException | UnsupportedOperationException unknown) {
            return false;
        }
    }

    /** The exception when standard output cannot be written, so that the command has no answer. */
    public static final class FailedException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final boolean isClosedPipe;

        private FailedException(IOException cause, boolean isPipe) {
            super("standard output: cannot be written: " + TextFile.fault(cause), cause);
            isClosedPipe = isPipe || "Broken pipe".equals(cause.getMessage());
        }

        /** Returns whether the reader has closed a pipe, as {@code head} does; then no message is expected. */
        public boolean isClosedPipe() {
            return isClosedPipe;
        }
    }
}
