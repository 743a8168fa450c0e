// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra.cel;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import dev.cel.common.types.CelType;
import dev.cel.common.types.ListType;
import dev.cel.common.types.SimpleType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Regular expressions: {@code matches}, {@code find} and {@code findAll}. */
final class RegexLibrary {
    private static final ListType TEXTS = ListType.create(SimpleType.STRING);

    private RegexLibrary() {}

    static void addTo(Functions functions) {
        List<CelType> two = List.of(SimpleType.STRING, SimpleType.STRING);
        functions
                .extension("find")
                .member("string_find_string", SimpleType.STRING, two, a -> find(dynamic(a[1]), (String) a[0]));
        functions
                .extension("findAll")
                .member("string_find_all_string", TEXTS, two, a -> findAll(dynamic(a[1]), (String) a[0], -1))
                .member(
                        "string_find_all_string_int",
                        TEXTS,
                        List.of(SimpleType.STRING, SimpleType.STRING, SimpleType.INT),
                        a -> findAll(dynamic(a[1]), (String) a[0], (Long) a[2]));
    }

    /** The functions for which a constant pattern is compiled only once, with what they do with it. */
    static Function.Body withPattern(String function, String text) {
        Pattern pattern = compiled(text, "");
        Map<String, Function.Body> bodies = Map.of(
                "matches",
                        a -> a[0] instanceof String in
                                ? (Object) pattern.matcher(in).find()
                                : Failure.NO_OVERLOAD,
                "find", a -> a[0] instanceof String in ? find(pattern, in) : Failure.NO_OVERLOAD,
                "findAll",
                        a -> a[0] instanceof String in
                                ? findAll(pattern, in, a.length > 2 ? (Long) a[2] : -1)
                                : Failure.NO_OVERLOAD);
        return bodies.getOrDefault(function, a -> Failure.NO_OVERLOAD);
    }

    static Pattern compiled(String pattern, String prefix) {
        try {
            return Pattern.compile(pattern);
        } catch (PatternSyntaxException invalid) {
            throw new IllegalArgumentException(prefix + invalid.getMessage(), invalid);
        }
    }

    private static Pattern dynamic(Object pattern) {
        return compiled((String) pattern, "Illegal regex: ");
    }

    private static String find(Pattern pattern, String text) {
        Matcher matcher = pattern.matcher(text);
        return matcher.find() ? matcher.group() : "";
    }

    private static List<String> findAll(Pattern pattern, String text, long limit) {
        List<String> found = new ArrayList<>();
        Matcher matcher = pattern.matcher(text);
        int lastEnd = -1;
        while ((limit < 0 || found.size() < limit) && matcher.find()) {
            // Go does not take an empty match right after another one.
            if (matcher.end() != matcher.start() || matcher.start() != lastEnd) {
                found.add(matcher.group());
            }
            lastEnd = matcher.end();
        }
        return found;
    }
}
