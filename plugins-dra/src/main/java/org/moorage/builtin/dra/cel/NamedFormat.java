// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra.cel;

import static dev.cel.common.types.SimpleType.STRING;

import com.google.common.io.BaseEncoding;
import dev.cel.common.types.ListType;
import dev.cel.common.types.OptionalType;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * A form that texts can be checked against, such as that of labels.
 *
 * @param name the name of the function that gives it
 * @param patternSize the length of a regular expression that would do the same, for its cost
 * @param problem what is wrong with a text; empty if nothing
 */
record NamedFormat(String name, int patternSize, UnaryOperator<String> problem) {
    // Nothing longer is of one of the forms, and the patterns would recurse too deep.
    private static final int MOST_CHARACTERS = 317;
    private static final String PART = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
    private static final String LABEL = "(?=.{1,63}$)" + PART;
    private static final String PARTS = PART + "(\\." + PART + ")*";
    private static final String SUBDOMAIN = "(?=.{1,253}$)" + PARTS;
    private static final String NAME = "[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?";
    private static final String UUID = "(?i)[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}";
    private static final String TIME = "([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](.[0-9]+)?([zZ]|[+-][0-9]{2}:[0-9]{2})";
    private static final Map<String, NamedFormat> ALL = new LinkedHashMap<>();

    static {
        put("dns1123Label", 30, NamedFormat::ofLabel);
        put("dns1123LabelPrefix", 30, text -> ofLabel(unfinished(text)));
        put("dns1123Subdomain", 60, text -> mismatch(SUBDOMAIN, text));
        put("dns1123SubdomainPrefix", 60, text -> mismatch(SUBDOMAIN, unfinished(text)));
        put("dns1035Label", 30, text -> mismatch("(?=[a-z])" + LABEL, text));
        put("dns1035LabelPrefix", 30, text -> mismatch("(?=[a-z])" + LABEL, unfinished(text)));
        put("qualifiedName", 60, text -> mismatch("((?=.{1,253}/)" + PARTS + "/)?" + NAME, text));
        put("labelValue", 40, text -> mismatch("(" + NAME + ")?", text));
        put("uri", 1103, text -> QuantityLibrary.isOne(() -> NetworkLibrary.url(text)) ? "" : "invalid URI");
        put("uuid", 72, text -> text.matches(UUID) ? "" : "does not match the UUID format");
        put("byte", 84, text -> isBase64(text) ? "" : "invalid base64");
        put("date", 72, text -> isDate(text) ? "" : "invalid date");
        put("datetime", 72, text -> {
            String[] parts = text.split("[tT]", -1);
            return parts.length > 1 && isDate(parts[0]) && parts[1].matches(TIME) ? "" : "invalid datetime";
        });
    }

    static void addTo(Functions functions) {
        for (String name : ALL.keySet()) {
            functions.global("format." + name, Functions.FORMAT, List.of(), a -> Objects.requireNonNull(ALL.get(name)));
        }
        functions.global(
                "format.named",
                OptionalType.create(Functions.FORMAT),
                String.class,
                name -> Optional.ofNullable(ALL.get(name)));
        OptionalType problems = OptionalType.create(ListType.create(STRING));
        functions.member("validate", problems, NamedFormat.class, String.class, NamedFormat::problems);
    }

    private Optional<List<String>> problems(String text) {
        return Optional.of(problem.apply(text))
                .filter(found -> !found.isEmpty())
                .map(List::of);
    }

    private static void put(String name, int patternSize, UnaryOperator<String> problem) {
        ALL.put(name, new NamedFormat(name, patternSize, problem));
    }

    private static String mismatch(String pattern, String text) {
        return text.length() <= MOST_CHARACTERS && text.matches(pattern) ? "" : "must match '" + pattern + "'";
    }

    private static String ofLabel(String text) {
        boolean hasDots = text.indexOf('.') >= 0 && mismatch(PARTS, text).isEmpty();
        return hasDots ? "must not contain dots" : mismatch(LABEL, text);
    }

    // The prefix of a generated name may end in a dash, since a suffix follows.
    private static String unfinished(String text) {
        return text.length() > 1 && text.endsWith("-") ? text.substring(0, text.length() - 2) + "a" : text;
    }

    private static boolean isBase64(String text) {
        return !text.isEmpty()
                && text.length() % 4 == 0
                && BaseEncoding.base64().canDecode(text);
    }

    private static boolean isDate(String text) {
        try {
            return text.matches("\\d{4}-\\d{2}-\\d{2}") && LocalDate.parse(text).getYear() >= 0;
        } catch (DateTimeException invalid) {
            return false;
        }
    }
}
