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
 * Reads the body of a request as it comes, cut into parts by its brackets, so that no more than one part has to be in memory. How large parts are, and
 * how many, is up to whoever sends it; so each part is counted before it is read.
 */
final class RequestReader implements AutoCloseable {
    private static final int FIRST_BUFFER = 16 << 10;
    /** What a value takes in a tree beside its text: the entry of its object, the node, the headers of two objects. */
    private static final int TREE_BYTES = 112;

    private final InputStream input;
    private final ExtenderRequest.Memory memory;
    private byte[] buffer;
    // What has come and was not read yet.
    private int at;
    private int end;
    // Where the part that is cut out begins; -1 if what is read may be forgotten.
    private int start = -1;
    private long values;

    RequestReader(InputStream input, ExtenderRequest.Memory memory) {
        this.input = input;
        this.memory = memory;
        memory.take(FIRST_BUFFER);
        buffer = new byte[FIRST_BUFFER];
    }

    /** Reads the value of a field, all of it. */
    interface FieldReading {
        void read(String name) throws IOException;
    }

    /** Reads an item of an array, all of it. */
    interface ItemReading {
        void read() throws IOException;
    }

    /** Whether the body is an object, which is not read yet; null is nothing, and anything else fails. */
    boolean isObject(GoStruct request) throws IOException {
        return begins('{', request, "value", "v1." + request.struct());
    }

    /** Whether an object comes next, which is not read yet; null is passed over, and anything else fails as not of the type. */
    boolean isObject(GoStruct parent, String field, String type) throws IOException {
        return begins('{', parent, field, type);
    }

    /** The same of an array. */
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

    /** Reads the object that comes next, field by field. */
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

    /** Reads the array that comes next, item by item. */
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

    // The byte after the comma, or the bracket that closes, which is not read yet.
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

    /** Cuts out the value that comes next: its {@link #value}, {@link #text} and {@link #size} are there until something else is read. */
    void cut() throws IOException {
        start = at;
        pass();
    }

    /** Passes over the value that comes next. */
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
                        // What is escaped may be a quotation mark that has not come yet.
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

    /** How many bytes of text have been cut out. */
    int length() {
        return at - start;
    }

    /** How many values there are in what has been cut out, at most. */
    long values() {
        return values;
    }

    /** What has been cut out. */
    byte[] text() {
        return Arrays.copyOfRange(buffer, start, at);
    }

    /** What the tree of what has been cut out takes, at most. */
    long treeBytes() {
        return length() + TREE_BYTES * values;
    }

    /** The tree of what has been cut out; its memory is somebody else's to count. */
    JsonNode tree() {
        return GoStruct.value(buffer, start, at - start);
    }

    /** The tree of the value that comes next, counted for as long as the request. */
    JsonNode value() throws IOException {
        cut();
        memory.take(treeBytes());
        return tree();
    }

    // The next byte that is no white space, which is not read yet; -1 at the end.
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
            // Both are there while the one is copied into the other.
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

    /** Gives the memory of the text back; what is made of it stays counted. */
    @Override
    public void close() {
        memory.giveBack(buffer.length);
    }
}
