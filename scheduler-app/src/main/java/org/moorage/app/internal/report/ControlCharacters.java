// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.report;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Keeps names, reasons and messages of objects and plugins from controlling the terminal that they are printed on.
 * Escape and carriage return are shown as kubectl shows them, other control characters as in JSON, so that JSON stays
 * valid.
 */
public final class ControlCharacters {
    /** Control sequences of this program itself: colours, and the progress line that is overwritten. */
    private static final Pattern COLOR = Pattern.compile("\u001b\\[(?:[013]|2[1-4]|3[1-39])m");

    private static final Pattern PROGRESS = Pattern.compile(Pattern.quote(ProgressLine.CLEAR));
    private static final Pattern NONE = Pattern.compile("(?!)");

    private ControlCharacters() {}

    /** A text in one line, without control characters. */
    public static String escaped(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (isControl(text.charAt(i)) || text.charAt(i) == '\n' || text.charAt(i) == '\t') {
                StringBuilder escaped = new StringBuilder();
                escape(text, 0, text.length(), NONE, escaped);
                return escaped.toString().replace("\n", "\\n").replace("\t", "\\t");
            }
        }
        return text;
    }

    /**
     * A writer of lines to a terminal.
     *
     * @param target where they go
     * @param colors whether colours pass
     * @param progress whether a line of progress passes
     */
    public static PrintWriter escaping(PrintWriter target, boolean colors, boolean progress) {
        return new PrintWriter(new EscapingWriter(target, progress ? PROGRESS : colors ? COLOR : NONE));
    }

    private static boolean isControl(char character) {
        return Character.isISOControl(character) && character != '\n' && character != '\t';
    }

    private static void escape(CharSequence text, int from, int to, Pattern passing, StringBuilder escaped) {
        Matcher own = passing.matcher(text).region(from, to);
        for (int i = from; i < to; i++) {
            char character = text.charAt(i);
            if (!isControl(character)) {
                escaped.append(character);
            } else if (own.region(i, to).lookingAt()) {
                escaped.append(own.group());
                i = own.end() - 1;
            } else if (character == '\u001b') {
                escaped.append("^[");
            } else if (character == '\r') {
                escaped.append("\\r");
            } else {
                escaped.append(String.format("\\u%04x", (int) character));
            }
        }
    }

    private static final class EscapingWriter extends Writer {
        private final PrintWriter target;
        private final Pattern passing;

        EscapingWriter(PrintWriter target, Pattern passing) {
            this.target = target;
            this.passing = passing;
        }

        @Override
        public void write(String text, int from, int length) {
            StringBuilder escaped = new StringBuilder(length);
            escape(text, from, from + length, passing, escaped);
            target.append(escaped);
        }

        @Override
        public void write(char[] text, int from, int length) {
            write(new String(text, from, length), 0, length);
        }

        @Override
        public void flush() throws IOException {
            if (target.checkError()) {
                throw new IOException("the output cannot be written");
            }
        }

        @Override
        public void close() throws IOException {
            flush();
            target.close();
        }
    }
}
