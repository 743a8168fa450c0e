// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.zpages;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * A media range of an {@code Accept} header, read as Kubernetes reads it: names are case-sensitive, nothing is quoted,
 * and what cannot be read is skipped.
 *
 * @param type the type, such as {@code application}; may be {@code *}
 * @param subtype the subtype, such as {@code json}; may be {@code *}
 * @param quality how much the client prefers it
 * @param parameters its parameters, other than {@code q}
 */
record AcceptClause(String type, String subtype, double quality, Map<String, String> parameters) {
    private static final String ANY = "*";
    private static final Pattern NUMBER = Pattern.compile("[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]{1,2})?");

    /** The media ranges of a header, the preferred ones first. */
    static List<AcceptClause> parse(String header) {
        List<AcceptClause> clauses = new ArrayList<>();
        for (String part : header.split(",", -1)) {
            String range = before(trim(part), ';');
            String type = trim(before(range, '/'));
            String subtype = after(range, '/');
            if (subtype.isEmpty() ? type.equals(ANY) : after(subtype, '/').isEmpty()) {
                clauses.add(clause(type, subtype.isEmpty() ? ANY : trim(before(subtype, '/')), after(trim(part), ';')));
            }
        }
        sort(clauses);
        return clauses;
    }

    private static AcceptClause clause(String type, String subtype, String rest) {
        double quality = 1;
        Map<String, String> parameters = new LinkedHashMap<>();
        for (String parameter : rest.split(";", -1)) {
            String name = trim(before(parameter, '='));
            String value = before(after(parameter, '='), '=');
            if (after(parameter, '=').isEmpty()
                    || !after(after(parameter, '='), '=').isEmpty()) {
                continue;
            }
            if (name.equals("q")) {
                quality = NUMBER.matcher(value).matches() ? Double.parseDouble(value) : 0;
            } else {
                parameters.put(name, trim(value));
            }
        }
        return new AcceptClause(type, subtype, quality, parameters);
    }

    private static String before(String text, char separator) {
        int at = text.indexOf(separator);
        return at < 0 ? text : text.substring(0, at);
    }

    private static String after(String text, char separator) {
        int at = text.indexOf(separator);
        return at < 0 ? "" : text.substring(at + 1);
    }

    // The order is not transitive, so that the result depends on the way of sorting: by insertion, as Go sorts so few
    // elements.
    private static void sort(List<AcceptClause> clauses) {
        for (int i = 1; i < clauses.size(); i++) {
            for (int j = i; j > 0 && clauses.get(j).isBefore(clauses.get(j - 1)); j--) {
                Collections.swap(clauses, j, j - 1);
            }
        }
    }

    private boolean isBefore(AcceptClause other) {
        return quality > other.quality
                || !type.equals(ANY) && other.type.equals(ANY)
                || !subtype.equals(ANY) && other.subtype.equals(ANY);
    }

    /** Whether a media type is in the range. */
    boolean matches(String otherType, String otherSubtype) {
        boolean isType = type.equals(otherType);
        return isType && subtype.equals(otherSubtype)
                || isType && subtype.equals(ANY)
                || type.equals(ANY) && subtype.equals(ANY);
    }

    private static String trim(String text) {
        int start = 0;
        int end = text.length();
        while (start < end && text.charAt(start) == ' ') {
            start++;
        }
        while (end > start && text.charAt(end - 1) == ' ') {
            end--;
        }
        return text.substring(start, end);
    }
}
