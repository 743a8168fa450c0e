// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra.cel;

import dev.cel.common.types.CelType;
import dev.cel.common.types.ListType;
import dev.cel.common.types.SimpleType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** Functions of texts, which count in code points. */
final class StringLibrary {
    private static final CelType TEXT = SimpleType.STRING;
    private static final CelType INT = SimpleType.INT;
    private static final ListType TEXTS = ListType.create(TEXT);

    private StringLibrary() {}

    static void addTo(Functions functions) {
        functions.extension("charAt").member("string_char_at_int", TEXT, List.of(TEXT, INT), a -> {
            long at = (Long) a[1];
            int[] points = points(a[0]);
            if (at < 0 || at > points.length) {
                return outOfRange(at);
            }
            return at == points.length ? "" : text(points, (int) at, (int) at + 1);
        });
        functions
                .extension("indexOf")
                .member("string_index_of_string", INT, List.of(TEXT, TEXT), a -> indexOf(a[0], a[1], 0))
                .member(
                        "string_index_of_string_int",
                        INT,
                        List.of(TEXT, TEXT, INT),
                        a -> indexOf(a[0], a[1], (Long) a[2]));
        functions
                .extension("lastIndexOf")
                .member("string_last_index_of_string", INT, List.of(TEXT, TEXT), a -> lastIndexOf(a[0], a[1]))
                .member(
                        "string_last_index_of_string_int",
                        INT,
                        List.of(TEXT, TEXT, INT),
                        a -> lastIndexOf(a[0], a[1], (Long) a[2]));
        functions.extension("lowerAscii").member("string_lower_ascii", TEXT, List.of(TEXT), a -> cased(a[0], 'A', 32));
        functions.extension("upperAscii").member("string_upper_ascii", TEXT, List.of(TEXT), a -> cased(a[0], 'a', -32));
        functions
                .extension("replace")
                .member(
                        "string_replace_string_string",
                        TEXT,
                        List.of(TEXT, TEXT, TEXT),
                        a -> replaced(a, Long.MAX_VALUE))
                .member(
                        "string_replace_string_string_int",
                        TEXT,
                        List.of(TEXT, TEXT, TEXT, INT),
                        a -> replaced(a, (Long) a[3] < 0 ? Long.MAX_VALUE : (Long) a[3]));
        functions
                .extension("split")
                .member("string_split_string", TEXTS, List.of(TEXT, TEXT), a -> split(a, Long.MAX_VALUE))
                .member(
                        "string_split_string_int",
                        TEXTS,
                        List.of(TEXT, TEXT, INT),
                        a -> split(a, (Long) a[2] < 0 ? Long.MAX_VALUE : (Long) a[2]));
        functions
                .extension("substring")
                .member("string_substring_int", TEXT, List.of(TEXT, INT), a -> {
                    int[] points = points(a[0]);
                    long start = (Long) a[1];
                    return start < 0 || start > points.length
                            ? outOfRange(start)
                            : text(points, (int) start, points.length);
                })
                .member(
                        "string_substring_int_int",
                        TEXT,
                        List.of(TEXT, INT, INT),
                        a -> substring(points(a[0]), (Long) a[1], (Long) a[2]));
        functions.extension("trim").member("string_trim", TEXT, List.of(TEXT), a -> trimmed((String) a[0]));
        functions
                .extension("format")
                .member(
                        "string_format",
                        TEXT,
                        List.of(TEXT, ListType.create(SimpleType.DYN)),
                        a -> TextFormat.format((String) a[0], (List<?>) a[1]));
        functions.extension("strings.quote").global("strings_quote", TEXT, List.of(TEXT), a -> quoted((String) a[0]));
        functions
                .extension("join")
                .member("list_join", TEXT, List.of(TEXTS), a -> joined((List<?>) a[0], ""))
                .member("list_join_string", TEXT, List.of(TEXTS, TEXT), a -> joined((List<?>) a[0], (String) a[1]));
    }

    private static int[] points(Object text) {
        return ((String) text).codePoints().toArray();
    }

    private static String text(int[] points, int from, int to) {
        return new String(points, from, to - from);
    }

    private static Failure outOfRange(long index) {
        return new Failure("index out of range: " + index);
    }

    private static Object indexOf(Object in, Object what, long from) {
        int[] text = points(in);
        int[] part = points(what);
        if (part.length == 0) {
            return from;
        }
        if (from < 0) {
            return outOfRange(from);
        }
        for (long i = from; i <= text.length - part.length; i++) {
            if (isAt(text, (int) i, part)) {
                return i;
            }
        }
        return -1L;
    }

    private static boolean isAt(int[] text, int at, int[] part) {
        return Arrays.equals(text, at, at + part.length, part, 0, part.length);
    }

    private static Object lastIndexOf(Object in, Object what) {
        long length = Values.size(in);
        if (((String) what).isEmpty()) {
            return length;
        }
        return length < Values.size(what) ? -1L : lastIndexOf(in, what, length - 1);
    }

    private static Object lastIndexOf(Object in, Object what, long from) {
        int[] text = points(in);
        int[] part = points(what);
        if (part.length == 0) {
            return from;
        }
        if (from < 0) {
            return outOfRange(from);
        }
        if (from < text.length) {
            for (long i = Math.min(from, text.length - part.length); i >= 0; i--) {
                if (isAt(text, (int) i, part)) {
                    return i;
                }
            }
        }
        return -1L;
    }

    private static String cased(Object value, int first, int shift) {
        int[] points = points(value);
        for (int i = 0; i < points.length; i++) {
            if (points[i] >= first && points[i] < first + 26) {
                points[i] += shift;
            }
        }
        return text(points, 0, points.length);
    }

    private static String replaced(Object[] arguments, long limit) {
        String text = (String) arguments[0];
        String old = (String) arguments[1];
        String with = (String) arguments[2];
        StringBuilder replaced = new StringBuilder();
        int at = 0;
        for (long i = 0; i < limit; i++) {
            int next;
            if (old.isEmpty()) {
                // Between all characters, and at both ends.
                if (i > 0 && at >= text.length()) {
                    break;
                }
                next = i == 0 ? 0 : text.offsetByCodePoints(at, 1);
            } else {
                next = text.indexOf(old, at);
            }
            if (next < 0) {
                break;
            }
            replaced.append(text, at, next).append(with);
            at = next + old.length();
        }
        return replaced.append(text.substring(at)).toString();
    }

    private static List<String> split(Object[] arguments, long limit) {
        String text = (String) arguments[0];
        String separator = (String) arguments[1];
        List<String> parts = new ArrayList<>();
        if (limit == 0) {
            return parts;
        }
        int at = 0;
        if (separator.isEmpty()) {
            while (at < text.length() && parts.size() < limit - 1) {
                int next = text.offsetByCodePoints(at, 1);
                parts.add(text.substring(at, next));
                at = next;
            }
            if (at < text.length()) {
                parts.add(text.substring(at));
            }
            return parts;
        }
        for (int next = text.indexOf(separator);
                next >= 0 && parts.size() < limit - 1;
                next = text.indexOf(separator, at)) {
            parts.add(text.substring(at, next));
            at = next + separator.length();
        }
        parts.add(text.substring(at));
        return parts;
    }

    private static Object substring(int[] points, long start, long end) {
        if (start > end) {
            return new Failure("invalid substring range. start: " + start + ", end: " + end);
        }
        if (start < 0 || start > points.length) {
            return outOfRange(start);
        }
        return end > points.length ? outOfRange(end) : text(points, (int) start, (int) end);
    }

    private static String trimmed(String text) {
        int start = 0;
        int end = text.length();
        while (start < end && isSpace(text.charAt(start))) {
            start++;
        }
        while (end > start && isSpace(text.charAt(end - 1))) {
            end--;
        }
        return text.substring(start, end);
    }

    private static boolean isSpace(char character) {
        return Character.isSpaceChar(character) && character != '\u180e'
                || character >= '\t' && character <= '\r'
                || character == '\u0085';
    }

    private static String quoted(String text) {
        return text.codePoints()
                .mapToObj(point -> switch (point) {
                    case 7 -> "\\a";
                    case '\b' -> "\\b";
                    case '\f' -> "\\f";
                    case '\n' -> "\\n";
                    case '\r' -> "\\r";
                    case '\t' -> "\\t";
                    case 11 -> "\\v";
                    case '\\' -> "\\\\";
                    case '"' -> "\\\"";
                    default -> Character.toString(point);
                })
                .collect(Collectors.joining("", "\"", "\""));
    }

    private static Object joined(List<?> list, String separator) {
        for (Object element : list) {
            if (!(element instanceof String)) {
                return new Failure("join: invalid input: " + Values.text(element));
            }
        }
        return list.stream().map(String.class::cast).collect(Collectors.joining(separator));
    }
}
