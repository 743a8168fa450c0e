// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra.cel;

import static dev.cel.common.types.SimpleType.DYN;
import static dev.cel.common.types.SimpleType.INT;
import static dev.cel.common.types.SimpleType.STRING;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import dev.cel.common.types.ListType;
import java.util.ArrayList;
import java.util.List;

/** Functions of texts: regular expressions and {@code format}. */
final class TextLibrary {
    private TextLibrary() {}

    static void addTo(Functions functions) {
        functions.member("find", STRING, String.class, String.class, (text, pattern) -> {
            Matcher matcher = compiled(pattern, "Illegal regex: ").matcher(text);
            return matcher.find() ? matcher.group() : "";
        });
        ListType texts = ListType.create(STRING);
        functions.member("findAll", texts, String.class, String.class, (text, pattern) -> findAll(text, pattern, -1));
        functions.member(
                "findAll",
                texts,
                List.of(STRING, STRING, INT),
                a -> findAll((String) a[0], (String) a[1], (Long) a[2]));
        functions.member(
                "format",
                STRING,
                List.of(STRING, ListType.create(DYN)),
                a -> TextFormat.format((String) a[0], (List<?>) a[1]));
    }

    /**
     * A regular expression.
     *
     * @throws IllegalArgumentException if it is none
     */
    static Pattern compiled(String pattern, String prefix) {
        try {
            return Pattern.compile(pattern);
        } catch (PatternSyntaxException invalid) {
            throw new IllegalArgumentException(prefix + invalid.getMessage(), invalid);
        }
    }

    private static List<String> findAll(String text, String pattern, long limit) {
        List<String> found = new ArrayList<>();
        Matcher matcher = compiled(pattern, "Illegal regex: ").matcher(text);
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
