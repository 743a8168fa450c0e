// SPDX-License-Identifier: Apache-2.0
package org.moorage.objects.tree;

import java.io.IOException;
import java.io.Reader;
import java.util.Arrays;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.reader.ReaderException;
import org.yaml.snakeyaml.reader.StreamReader;
import org.yaml.snakeyaml.scanner.Constant;

/**
 * Reads the characters of a YAML text in time proportional to its length. SnakeYAML's own reader copies a scalar or
 * comment from its start for each 1,024 characters that the scanner looks ahead, which is quadratic; this one reads at
 * least as much as it copies.
 */
public final class LinearStreamReader extends StreamReader {
    private static final int LEAST_READ = 1024;
    private static final int BYTE_ORDER_MARK = 0xfeff;
    private static final String NAME = "'reader'";

    private final Reader source;
    // A mark keeps the window that it points into, so that a new window is made each time.
    private int[] window = new int[0];
    private int pointer;
    private boolean isAtEnd;
    private int index;
    private int documentIndex;
    private int line;
    private int column;

    /** Creates a reader at the start of a text. */
    public LinearStreamReader(Reader source) {
        super(source);
        this.source = source;
    }

    @Override
    public Mark getMark() {
        return new Mark(NAME, index, line, column, window, pointer);
    }

    @Override
    public void forward() {
        forward(1);
    }

    @Override
    public void forward(int length) {
        for (int i = 0; i < length && has(0); i++) {
            int read = window[pointer];
            skip(1);
            if (Constant.LINEBR.has(read) || read == '\r' && has(0) && window[pointer] != '\n') {
                line++;
                column = 0;
            } else if (read != BYTE_ORDER_MARK) {
                column++;
            }
        }
    }

    @Override
    public int peek() {
        return peek(0);
    }

    @Override
    public int peek(int ahead) {
        return has(ahead) ? window[pointer + ahead] : 0;
    }

    @Override
    public String prefix(int length) {
        int count = has(length) ? length : Math.min(length, window.length - pointer);
        return new String(window, pointer, count);
    }

    @Override
    public String prefixForward(int length) {
        String prefix = prefix(length);
        skip(length);
        column += length;
        return prefix;
    }

    private void skip(int length) {
        pointer += length;
        index += length;
        documentIndex += length;
    }

    private boolean has(int ahead) {
        while (!isAtEnd && pointer + ahead >= window.length) {
            read();
        }
        return pointer + ahead < window.length;
    }

    private void read() {
        int kept = window.length - pointer;
        char[] characters = new char[Math.max(LEAST_READ, kept) + 1];
        int count = 0;
        try {
            do {
                int read = source.read(characters, count, characters.length - 1 - count);
                isAtEnd = read < 0;
                count += Math.max(read, 0);
            } while (!isAtEnd && count < Math.max(1, kept));
            if (count > 0 && Character.isHighSurrogate(characters[count - 1])) {
                isAtEnd = source.read(characters, count, 1) < 0;
                count += isAtEnd ? 0 : 1;
            }
        } catch (IOException unreadable) {
            throw new YAMLException(unreadable);
        }
        int[] next = Arrays.copyOfRange(window, pointer, window.length + count);
        int length = kept;
        for (int at = 0; at < count; at += Character.charCount(next[length - 1])) {
            int read = Character.codePointAt(characters, at, count);
            if (!isPrintable(read)) {
                throw new ReaderException(NAME, index + length, read, "special characters are not allowed");
            }
            next[length++] = read;
        }
        window = length == next.length ? next : Arrays.copyOf(next, length);
        pointer = 0;
    }

    @Override
    public int getColumn() {
        return column;
    }

    @Override
    public int getIndex() {
        return index;
    }

    @Override
    public int getDocumentIndex() {
        return documentIndex;
    }

    @Override
    public void resetDocumentIndex() {
        documentIndex = 0;
    }

    @Override
    public int getLine() {
        return line;
    }
}
