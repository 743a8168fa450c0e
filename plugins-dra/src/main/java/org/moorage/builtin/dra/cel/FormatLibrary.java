// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra.cel;

import dev.cel.common.types.CelType;
import dev.cel.common.types.ListType;
import dev.cel.common.types.OpaqueType;
import dev.cel.common.types.OptionalType;
import dev.cel.common.types.SimpleType;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Forms of texts by name, such as those of labels. What is wrong with a text is said in Kubernetes' words. */
final class FormatLibrary {
    private static final OpaqueType TYPE = OpaqueType.create("kubernetes.NamedFormat");
    private static final String LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
    private static final String SUBDOMAIN = LABEL + "(\\." + LABEL + ")*";
    private static final String OLD_LABEL = "[a-z]([-a-z0-9]*[a-z0-9])?";
    private static final String NAME = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
    private static final String VALUE = "(" + NAME + ")?";
    private static final String ENDS = ", and must start and end with an alphanumeric character";
    private static final String LABEL_PROBLEM =
            "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-'" + ENDS;
    private static final String SUBDOMAIN_PROBLEM =
            "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.'" + ENDS;
    private static final String OLD_LABEL_PROBLEM =
            "a DNS-1035 label must consist of lower case alphanumeric characters or '-',"
                    + " start with an alphabetic character, and end with an alphanumeric character";
    private static final String NAME_PROBLEM = "must consist of alphanumeric characters, '-', '_' or '.'" + ENDS;
    private static final String VALUE_PROBLEM =
            "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.'" + ENDS;
    private static final Pattern UUID = Pattern.compile(
            "[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}", Pattern.CASE_INSENSITIVE);
    private static final Pattern BASE64 =
            Pattern.compile("(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})");
    private static final Pattern TIME =
            Pattern.compile("([0-9]{2}):([0-9]{2}):([0-9]{2})(.[0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))");

    private static final int UUID_SIZE = 72;
    private static final int TIME_SIZE = 72;

    private FormatLibrary() {}

    static void addTo(Functions functions) {
        Map<String, NamedFormat> formats = new HashMap<>();
        put(formats, "dns1123Label", "DNS1123Label", 30, text -> label(text));
        put(formats, "dns1123Subdomain", "DNS1123Subdomain", 60, text -> subdomain(text, "characters"));
        put(formats, "dns1035Label", "DNS1035Label", 30, text -> oldLabel(text));
        put(formats, "dns1123LabelPrefix", "DNS1123LabelPrefix", 30, text -> label(unfinished(text)));
        put(
                formats,
                "dns1123SubdomainPrefix",
                "DNS1123SubdomainPrefix",
                60,
                text -> subdomain(unfinished(text), "characters"));
        put(formats, "dns1035LabelPrefix", "DNS1035LabelPrefix", 30, text -> oldLabel(unfinished(text)));
        put(formats, "qualifiedName", "QualifiedName", 60, FormatLibrary::name);
        put(formats, "labelValue", "LabelValue", 40, FormatLibrary::labelValue);
        put(formats, "uri", "URI", 1103, text -> Url.isOne(text) ? List.of() : List.of(Url.error(text)));
        put(formats, "uuid", "uuid", UUID_SIZE, text -> UUID.matcher(text).matches(), "does not match the UUID format");
        put(formats, "byte", "byte", 84, text -> BASE64.matcher(text).matches(), "invalid base64");
        put(formats, "date", "date", TIME_SIZE, FormatLibrary::isDate, "invalid date");
        put(formats, "datetime", "datetime", TIME_SIZE, FormatLibrary::isTime, "invalid datetime");
        formats.forEach((name, format) ->
                functions.extension("format." + name).global("format." + name, TYPE, List.of(), a -> format));
        functions
                .extension("format.named")
                .global(
                        "format-named",
                        OptionalType.create(TYPE),
                        List.of(SimpleType.STRING),
                        a -> Optional.ofNullable(formats.get((String) a[0])));
        List<CelType> formatAndText = List.of(TYPE, SimpleType.STRING);
        functions
                .extension("validate")
                .member(
                        "format-validate",
                        OptionalType.create(ListType.create(SimpleType.STRING)),
                        formatAndText,
                        a -> {
                            List<String> problems =
                                    ((NamedFormat) a[0]).problems().apply((String) a[1]);
                            return problems.isEmpty() ? Optional.empty() : Optional.of(problems);
                        });
    }

    private static void put(
            Map<String, NamedFormat> formats,
            String key,
            String name,
            int size,
            java.util.function.Function<String, List<String>> problems) {
        formats.put(key, new NamedFormat(name, size, problems));
    }

    private static void put(
            Map<String, NamedFormat> formats,
            String key,
            String name,
            int size,
            Predicate<String> isValid,
            String problem) {
        put(formats, key, name, size, text -> isValid.test(text) ? List.of() : List.of(problem));
    }

    private static List<String> label(String text) {
        List<String> problems = new ArrayList<>();
        checkLength(problems, text, 63, "characters");
        if (!text.matches(LABEL)) {
            problems.add(
                    text.matches(SUBDOMAIN)
                            ? "must not contain dots"
                            : mismatch(LABEL_PROBLEM, "'my-name',  or '123-abc', ", LABEL));
        }
        return problems;
    }

    private static List<String> subdomain(String text, String unit) {
        List<String> problems = new ArrayList<>();
        checkLength(problems, text, 253, unit);
        if (!text.matches(SUBDOMAIN)) {
            problems.add(mismatch(SUBDOMAIN_PROBLEM, "'example.com', ", SUBDOMAIN));
        }
        return problems;
    }

    private static List<String> oldLabel(String text) {
        List<String> problems = new ArrayList<>();
        checkLength(problems, text, 63, "characters");
        if (!text.matches(OLD_LABEL)) {
            problems.add(mismatch(OLD_LABEL_PROBLEM, "'my-name',  or 'abc-123', ", OLD_LABEL));
        }
        return problems;
    }

    // What a generated name starts with may end in a dash, since more follows.
    private static String unfinished(String text) {
        return text.length() > 1 && text.endsWith("-") ? text.substring(0, text.length() - 2) + "a" : text;
    }

    private static List<String> name(String text) {
        String nameMismatch = mismatch(NAME_PROBLEM, "'MyName',  or 'my.name',  or '123-abc', ", NAME);
        String[] parts = text.split("/", -1);
        if (parts.length > 2) {
            return List.of("a valid label key " + nameMismatch
                    + " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')");
        }
        List<String> problems = new ArrayList<>();
        if (parts.length == 2 && parts[0].isEmpty()) {
            problems.add("prefix part must be non-empty");
        } else if (parts.length == 2) {
            subdomain(parts[0], "bytes").forEach(problem -> problems.add("prefix part " + problem));
        }
        String name = parts[parts.length - 1];
        if (name.isEmpty()) {
            problems.add("name part must be non-empty");
        } else if (length(name) > 63) {
            problems.add("name part must be no more than 63 bytes");
        }
        if (!name.matches(NAME)) {
            problems.add("name part " + nameMismatch);
        }
        return problems;
    }

    private static List<String> labelValue(String text) {
        List<String> problems = new ArrayList<>();
        checkLength(problems, text, 63, "bytes");
        if (!text.matches(VALUE)) {
            problems.add(mismatch(VALUE_PROBLEM, "'MyValue',  or 'my_value',  or '12345', ", VALUE));
        }
        return problems;
    }

    private static void checkLength(List<String> problems, String text, int limit, String unit) {
        if (length(text) > limit) {
            problems.add("must be no more than " + limit + " " + unit);
        }
    }

    private static int length(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }

    private static String mismatch(String problem, String examples, String pattern) {
        return problem + " (e.g. " + examples + "regex used for validation is '" + pattern + "')";
    }

    private static boolean isDate(String text) {
        try {
            return text.matches("\\d{4}-\\d{2}-\\d{2}") && LocalDate.parse(text).getYear() >= 0;
        } catch (DateTimeException invalid) {
            return false;
        }
    }

    private static boolean isTime(String text) {
        String[] parts = text.toLowerCase(Locale.ROOT).split("t", -1);
        if (parts.length < 2 || !isDate(parts[0])) {
            return false;
        }
        Matcher time = TIME.matcher(parts[1]);
        return time.matches()
                && time.group(1).compareTo("23") <= 0
                && time.group(2).compareTo("59") <= 0
                && time.group(3).compareTo("59") <= 0;
    }
}
