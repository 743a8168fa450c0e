// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra.cel;

import static dev.cel.common.types.SimpleType.STRING;

import dev.cel.common.types.ListType;
import dev.cel.common.types.OptionalType;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * A form that texts can be checked against, such as that of labels. What is wrong with a text is said in Kubernetes' words.
 *
 * @param name the name of the function that gives it
 * @param patternSize the length of a regular expression that would do the same, for its cost
 * @param problems what is wrong with a text; empty if nothing
 */
record NamedFormat(String name, int patternSize, Function<String, List<String>> problems) {
    private static final String ENDS = ", and must start and end with an alphanumeric character (e.g. ";
    private static final Form LABEL = new Form(
            "[a-z0-9]([-a-z0-9]*[a-z0-9])?",
            63,
            "characters",
            "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-'" + ENDS
                    + "'my-name',  or '123-abc', ");
    private static final Form SUBDOMAIN = new Form(
            "[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*",
            253,
            "characters",
            "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.'" + ENDS
                    + "'example.com', ");
    private static final Form OLD_LABEL = new Form(
            "[a-z]([-a-z0-9]*[a-z0-9])?",
            63,
            "characters",
            "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic"
                    + " character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', ");
    private static final Form NAME = new Form(
            "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]",
            63,
            "bytes",
            "must consist of alphanumeric characters, '-', '_' or '.'" + ENDS
                    + "'MyName',  or 'my.name',  or '123-abc', ");
    private static final Form LABEL_VALUE = new Form(
            "(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?",
            63,
            "bytes",
            "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.'" + ENDS
                    + "'MyValue',  or 'my_value',  or '12345', ");
    private static final String UUID = "(?i)[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}";
    private static final String BASE64 =
            "(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})";
    private static final String TIME = "([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](.[0-9]+)?([zZ]|[+-][0-9]{2}:[0-9]{2})";
    private static final Map<String, NamedFormat> ALL = new LinkedHashMap<>();

    static {
        put("dns1123Label", 30, NamedFormat::label);
        put("dns1123LabelPrefix", 30, text -> label(unfinished(text)));
        put("dns1123Subdomain", 60, SUBDOMAIN::problems);
        put("dns1123SubdomainPrefix", 60, text -> SUBDOMAIN.problems(unfinished(text)));
        put("dns1035Label", 30, OLD_LABEL::problems);
        put("dns1035LabelPrefix", 30, text -> OLD_LABEL.problems(unfinished(text)));
        put("qualifiedName", 60, NamedFormat::qualifiedName);
        put("labelValue", 40, LABEL_VALUE::problems);
        put("uri", 1103, text -> {
            try {
                Url.parse(text);
                return List.of();
            } catch (IllegalArgumentException invalid) {
                return List.of(String.valueOf(invalid.getMessage()));
            }
        });
        put("uuid", 72, "does not match the UUID format", text -> text.matches(UUID));
        put("byte", 84, "invalid base64", text -> text.matches(BASE64));
        put("date", 72, "invalid date", NamedFormat::isDate);
        put("datetime", 72, "invalid datetime", text -> {
            String[] parts = text.split("[tT]", -1);
            return parts.length > 1 && isDate(parts[0]) && parts[1].matches(TIME);
        });
    }

    private record Form(String pattern, int limit, String unit, String problem) {
        List<String> problems(String text) {
            List<String> problems = new ArrayList<>();
            if (text.getBytes(StandardCharsets.UTF_8).length > limit) {
                problems.add("must be no more than " + limit + " " + unit);
            }
            if (!text.matches(pattern)) {
                problems.add(mismatch());
            }
            return problems;
        }

        String mismatch() {
            return problem + "regex used for validation is '" + pattern + "')";
        }
    }

    static void addTo(Functions functions) {
        ALL.forEach(
                (name, format) -> functions.global("format." + name, Functions.FORMAT, List.of(), a -> ALL.get(name)));
        functions.global(
                "format.named",
                OptionalType.create(Functions.FORMAT),
                String.class,
                name -> Optional.ofNullable(ALL.get(name)));
        OptionalType problems = OptionalType.create(ListType.create(STRING));
        functions.member(
                "validate",
                problems,
                NamedFormat.class,
                String.class,
                (format, text) -> Optional.of(format.problems.apply(text)).filter(found -> !found.isEmpty()));
    }

    private static void put(String name, int patternSize, Function<String, List<String>> problems) {
        ALL.put(name, new NamedFormat(name, patternSize, problems));
    }

    private static void put(String name, int patternSize, String problem, Predicate<String> isValid) {
        put(name, patternSize, text -> isValid.test(text) ? List.of() : List.of(problem));
    }

    private static List<String> label(String text) {
        boolean hasDots = !text.matches(LABEL.pattern) && text.matches(SUBDOMAIN.pattern);
        return hasDots ? List.of("must not contain dots") : LABEL.problems(text);
    }

    // What a generated name starts with may end in a dash, since more follows.
    private static String unfinished(String text) {
        return text.length() > 1 && text.endsWith("-") ? text.substring(0, text.length() - 2) + "a" : text;
    }

    private static List<String> qualifiedName(String text) {
        String[] parts = text.split("/", -1);
        if (parts.length > 2) {
            return List.of("a valid label key " + NAME.mismatch()
                    + " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')");
        }
        List<String> problems = new ArrayList<>();
        if (parts.length == 2 && parts[0].isEmpty()) {
            problems.add("prefix part must be non-empty");
        } else if (parts.length == 2) {
            SUBDOMAIN.problems(parts[0]).forEach(problem -> problems.add("prefix part " + problem));
        }
        String name = parts[parts.length - 1];
        if (name.isEmpty()) {
            problems.add("name part must be non-empty");
        }
        NAME.problems(name).forEach(problem -> problems.add("name part " + problem));
        return problems;
    }

    private static boolean isDate(String text) {
        try {
            return text.matches("\\d{4}-\\d{2}-\\d{2}") && LocalDate.parse(text).getYear() >= 0;
        } catch (DateTimeException invalid) {
            return false;
        }
    }
}
