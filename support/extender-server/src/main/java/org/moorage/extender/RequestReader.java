// SPDX-License-Identifier: Apache-2.0
package org.moorage.extender;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.moorage.objects.ObjectDecodeException;
import org.moorage.objects.tree.GoStruct;

/**
 * Reads the body of a request as a stream, in parts delimited by its brackets, so that at most one part is in memory.
 * The client determines the size and number of parts, so the memory of each part is reserved before it is read.
 */
final class RequestReader implements AutoCloseable {
    private static final int FIRST_BUFFER = 16 << 10;
    /** The bytes of a value in a tree in addition to its text: the map entry, the node, and two object headers. */
    private static final int TREE_BYTES = 112;

    private final InputStream input;
    private final ExtenderRequest.Memory memory;
    private byte[] buffer;
    // The range of bytes that were received but not read yet.
    private int at;
    private int end;
    // The start of the part that is being cut out; -1 if bytes can be discarded once read.
    private int start = -1;
    private long values;

    RequestReader(InputStream input, ExtenderRequest.Memory memory) {
        this.input = input;
        this.memory = memory;
        memory.take(FIRST_BUFFER);
        buffer = new byte[FIRST_BUFFER];
    }

    /** Reads the whole value of a field. */
    interface FieldReading {
        void read(String name) throws IOException;
    }

    /** Reads a whole item of an array. */
    interface ItemReading {
        void read() throws IOException;
    }

    /** Returns whether the body is an object, without reading it. Returns false for null; anything else fails. */
    boolean isObject(GoStruct request) throws IOException {
        return begins('{', request, "value", "v1." + request.struct());
    }

    /**
     * Returns whether the next value is an object, without reading it. Skips null and returns false; anything else
     * fails with a type error.
     */
    boolean isObject(GoStruct parent, String field, String type) throws IOException {
        return begins('{', parent, field, type);
    }

    /** Like {@link #isObject(GoStruct, String, String)}, for an array. */
    boolean isArray(GoStruct parent, String field, String type) throws IOException {
        return begins('[', parent, field, type);
    }

    private boolean begins(char bracket, GoStruct parent, String field, String type) throws IOException {
        int first = first();
        GoStruct.checkStart(first);
        if (first == bracket) {
            return true;
        }
        JsonNode value = value();
        if (!value.isNull()) {
            throw parent.wrong(value, field, type);
        }
        return false;
    }

    /** Reads the next object, field by field. */
    void fields(FieldReading reading) throws IOException {
        at++;
        int next = first();
        while (next != '}') {
            if (next != '"') {
                throw unexpected(next, "looking for beginning of object key string");
            }
            cut();
            String name = name();
            expect(':', "after object key");
            GoStruct.checkStart(first());
            reading.read(name);
            next = separator('}', "after object key:value pair");
        }
        at++;
    }

    /** Reads the next array, item by item. */
    void items(ItemReading reading) throws IOException {
        at++;
        int next = first();
        while (next != ']') {
            GoStruct.checkStart(next);
            reading.read();
            next = separator(']', "after array element");
        }
        at++;
    }

    // Returns the byte after a comma, or the closing bracket, without reading it.
    private int separator(char closing, String place) throws IOException {
        int next = first();
        if (next == ',') {
            at++;
            next = first();
            if (next == closing) {
                throw unexpected(next, "looking for beginning of value");
            }
        } else if (next != closing) {
            throw unexpected(next, place);
        }
        return next;
    }

    private void expect(char expected, String place) throws IOException {
        int next = first();
        if (next != expected) {
            throw unexpected(next, place);
        }
        at++;
    }

    private static ObjectDecodeException unexpected(int seen, String place) {
        return new ObjectDecodeException(
                seen < 0 ? "unexpected EOF" : "invalid character '" + (char) seen + "' " + place);
    }

    private String name() {
        for (int i = start; i < at; i++) {
            if (buffer[i] == '\\') {
                return GoStruct.value(buffer, start, at - start).asText();
            }
        }
        return new String(buffer, start + 1, at - start - 2, StandardCharsets.UTF_8);
    }

    /**
     * Cuts out the next value: {@link #length}, {@link #values}, {@link #text} and {@link #tree} refer to it until the
     * next read.
     */
    void cut() throws IOException {
        start = at;
        pass();
    }

    /** Skips the next value. */
    void skip() throws IOException {
        start = -1;
        pass();
    }

    private void pass() throws IOException {
        values = 1;
        int depth = 0;
        boolean inText = false;
        boolean isBare = false;
        while (true) {
            byte[] bytes = buffer;
            int limit = end;
            int i = at;
            for (; i < limit; i++) {
                byte next = bytes[i];
                if (inText) {
                    if (next == '\\') {
                        // The escaped character may be a quotation mark that was not received yet.
                        if (i + 1 == limit) {
                            break;
                        }
                        i++;
                    } else if (next == '"') {
                        inText = false;
                        if (depth == 0) {
                            at = i + 1;
                            return;
                        }
                    }
                } else if (next == '"') {
                    inText = true;
                } else if (next == '{' || next == '[') {
                    depth++;
                    values++;
                } else if (next == '}' || next == ']') {
                    if (isBare) {
                        at = i;
                        return;
                    }
                    depth--;
                    if (depth <= 0) {
                        at = i + 1;
                        return;
                    }
                } else if (next == ',' || next == ':') {
                    if (isBare) {
                        at = i;
                        return;
                    }
                    values++;
                } else if (depth == 0) {
                    if (GoStruct.isSpace(next)) {
                        at = i;
                        return;
                    }
                    isBare = true;
                }
            }
            at = i;
            if (!fill()) {
                if (isBare) {
                    return;
                }
                throw unexpected(-1, "");
            }
        }
    }

    /** Returns the length of the cut-out text in bytes. */
    int length() {
        return at - start;
    }

    /** Returns an upper bound of the number of values in the cut-out text. */
    long values() {
        return values;
    }

    /** Returns the cut-out text. */
    byte[] text() {
        return Arrays.copyOfRange(buffer, start, at);
    }

    /** Returns an upper bound of the memory of the cut-out text's tree, in bytes. */
    long treeBytes() {
        return length() + TREE_BYTES * values;
    }

    /** Returns the tree of the cut-out text. The caller reserves its memory. */
    JsonNode tree() {
        return GoStruct.value(buffer, start, at - start);
    }

    /** Returns the tree of the next value; its memory stays reserved until the request ends. */
    JsonNode value() throws IOException {
        cut();
        memory.take(treeBytes());
        return tree();
    }

    // Returns the next byte that is not white space, without reading it; -1 at the end.
    private int first() throws IOException {
        start = -1;
        while (true) {
            for (; at < end; at++) {
                if (!GoStruct.isSpace(buffer[at])) {
                    return buffer[at] & 0xff;
                }
            }
            if (!fill()) {
                return -1;
            }
        }
    }

    private boolean fill() throws IOException {
        int kept = start < 0 ? at : start;
        if (kept > 0) {
            System.arraycopy(buffer, kept, buffer, 0, end - kept);
            at -= kept;
            end -= kept;
            start = start < 0 ? -1 : 0;
        }
        if (end == buffer.length) {
            // Both buffers exist during the copy.
            int larger = (int) Math.min(2L * buffer.length, Integer.MAX_VALUE - 16);
            memory.take(larger);
            int smaller = buffer.length;
            buffer = Arrays.copyOf(buffer, larger);
            memory.giveBack(smaller);
        }
        int count = input.read(buffer, end, buffer.length - end);
        end += Math.max(count, 0);
        return count > 0;
    }

    /** Releases the memory of the text; that of the values read from it stays reserved. */
    @Override
    public void close() {
        memory.giveBack(buffer.length);
    }
}
