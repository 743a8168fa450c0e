// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A parser of JSON (RFC 8259) into maps, lists, strings, {@link Long}s, {@link Double}s and booleans. The API has no
 * dependencies, and the untyped objects that plugins read are small.
 */
final class JsonText {
    // More than an API server accepts.
    private static final int MOST_DEPTH = 1_000;

    private final String text;
    private int at;
    private int depth;

    private JsonText(String text) {
        this.text = text;
    }

    /**
     * Parses a JSON text.
     *
     * @throws IllegalArgumentException if it is not JSON
     */
    static @Nullable Object read(String text) {
        JsonText reader = new JsonText(text);
        Object value = reader.value();
        reader.space();
        if (reader.at < text.length()) {
            throw reader.unexpected("the end");
        }
        return value;
    }

    private @Nullable Object value() {
        space();
        char first = at < text.length() ? text.charAt(at) : 0;
        return switch (first) {
            case '{' -> object();
            case '[' -> list();
            case '"' -> string();
            case 't' -> {
                skip("true");
                yield true;
            }
            case 'f' -> {
                skip("false");
                yield false;
            }
            case 'n' -> {
                skip("null");
                yield null;
            }
            default -> number();
        };
    }

    private Map<String, @Nullable Object> object() {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        deeper();
        if (!take('}')) {
            do {
                space();
                String name = string();
                demand(':');
                fields.put(name, value());
            } while (take(','));
            demand('}');
        }
        depth--;
        return Collections.unmodifiableMap(fields);
    }

    private List<@Nullable Object> list() {
        List<@Nullable Object> values = new ArrayList<>();
        deeper();
        if (!take(']')) {
            do {
                values.add(value());
            } while (take(','));
            demand(']');
        }
        depth--;
        return Collections.unmodifiableList(values);
    }

    private void deeper() {
        at++;
        if (++depth > MOST_DEPTH) {
            throw unexpected("at most " + MOST_DEPTH + " levels");
        }
    }

    private String string() {
        if (at >= text.length() || text.charAt(at) != '"') {
            throw unexpected("a text");
        }
        at++;
        StringBuilder value = new StringBuilder();
        while (at < text.length() && text.charAt(at) != '"') {
            char next = text.charAt(at++);
            if (next < ' ') {
                at--;
                throw unexpected("an escaped control character");
            }
            value.append(next == '\\' ? escaped() : next);
        }
        demand('"');
        return value.toString();
    }

    private char escaped() {
        char kind = at < text.length() ? text.charAt(at++) : 0;
        return switch (kind) {
            case '"', '\\', '/' -> kind;
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'u' -> {
                int code = 0;
                for (int i = 0; i < 4; i++) {
                    int digit = at < text.length() ? Character.digit(text.charAt(at), 16) : -1;
                    if (digit < 0) {
                        throw unexpected("four hexadecimal digits");
                    }
                    code = code * 16 + digit;
                    at++;
                }
                yield (char) code;
            }
            default -> {
                at--;
                throw unexpected("an escape");
            }
        };
    }

    private void skip(String word) {
        if (!text.startsWith(word, at)) {
            throw unexpected("a value");
        }
        at += word.length();
    }

    private Number number() {
        int start = at;
        boolean ignored = takeNext('-');
        digits();
        boolean isWhole = true;
        if (takeNext('.')) {
            isWhole = false;
            digits();
        }
        if (takeNext('e') || takeNext('E')) {
            isWhole = false;
            ignored = takeNext('-') || takeNext('+');
            digits();
        }
        String number = text.substring(start, at);
        if (!isWhole) {
            return Double.valueOf(number);
        }
        try {
            return Long.valueOf(number);
        } catch (NumberFormatException tooLarge) {
            return Double.valueOf(number);
        }
    }

    private void digits() {
        int start = at;
        while (at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '9') {
            at++;
        }
        if (at == start) {
            throw unexpected("a value");
        }
    }

    private boolean take(char wanted) {
        space();
        return takeNext(wanted);
    }

    private boolean takeNext(char wanted) {
        if (at < text.length() && text.charAt(at) == wanted) {
            at++;
            return true;
        }
        return false;
    }

    private void demand(char wanted) {
        if (!take(wanted)) {
            throw unexpected("'" + wanted + "'");
        }
    }

    private void space() {
        while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
    }

    private IllegalArgumentException unexpected(String expected) {
        String seen = at < text.length() ? "'" + text.charAt(at) + "'" : "the end";
        return new IllegalArgumentException("json, character " + at + ": " + seen + " (expected: " + expected + ")");
    }
}
