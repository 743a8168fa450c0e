// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.logging;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A stream that logs what plugins print, line by line, with the class that printed it. */
final class PrintedLines extends OutputStream {
    private static final Logger LOG = LoggerFactory.getLogger(PrintedLines.class);
    private static final int LONGEST = 4096;

    private final String stream;
    private final PrintStream real;
    private final ByteArrayOutputStream line = new ByteArrayOutputStream();
    private boolean isLogging;

    private PrintedLines(String stream, PrintStream real) {
        this.stream = stream;
        this.real = real;
    }

    /**
     * A stream whose lines are logged.
     *
     * @param name its name in the log
     * @param real where it goes what the log itself prints
     */
    static PrintStream named(String name, PrintStream real) {
        return new PrintStream(new PrintedLines(name, real), true, StandardCharsets.UTF_8);
    }

    @Override
    public synchronized void write(int b) {
        if (isLogging) {
            real.write(b);
            return;
        }
        if (b != '\n') {
            line.write(b);
        }
        if (b == '\n' || line.size() >= LONGEST) {
            log();
        }
    }

    @Override
    public synchronized void write(byte[] bytes, int from, int length) throws IOException {
        for (int i = from; i < from + length; i++) {
            write(bytes[i]);
        }
    }

    private void log() {
        String text = line.toString(StandardCharsets.UTF_8).stripTrailing();
        line.reset();
        if (text.isEmpty()) {
            return;
        }
        isLogging = true;
        try {
            LOG.atInfo()
                    .addKeyValue("stream", stream)
                    .addKeyValue("class", printing())
                    .addKeyValue("text", text)
                    .log("Printed by a plugin or a library");
        } finally {
            isLogging = false;
        }
    }

    // The first class on the stack that is not the JDK's and not this one.
    private static String printing() {
        Optional<String> found = StackWalker.getInstance()
                .walk(frames -> frames.map(StackWalker.StackFrame::getClassName)
                        .filter(name -> !name.startsWith("java.") && !name.equals(PrintedLines.class.getName()))
                        .findFirst());
        return found.orElse("");
    }
}
