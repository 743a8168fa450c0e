// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.labels;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.moorage.api.model.LabelSelector;

/**
 * Validates label selectors, with kube-scheduler's error messages. The API server accepts few invalid selectors, but
 * objects may come from files.
 */
public final class SelectorSyntax {
    private static final int LONGEST = 63;
    private static final int LONGEST_PREFIX = 253;
    private static final String NAME_PATTERN = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
    private static final Pattern NAME = Pattern.compile(NAME_PATTERN);
    private static final String PREFIX_PATTERN = "[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*";
    private static final Pattern PREFIX = Pattern.compile(PREFIX_PATTERN);
    private static final String BAD_NAME =
            " must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric"
                    + " character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '"
                    + NAME_PATTERN + "')";
    private static final String BAD_PREFIX =
            "prefix part a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and"
                    + " must start and end with an alphanumeric character (e.g. 'example.com', regex used for"
                    + " validation is '" + PREFIX_PATTERN + "')";
    private static final String BAD_VALUE =
            "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start"
                    + " and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex"
                    + " used for validation is '(" + NAME_PATTERN + ")?')";

    private SelectorSyntax() {}

    /** Returns the error of the first invalid requirement; empty if all are valid. */
    public static Optional<String> problem(LabelSelector selector) {
        for (Map.Entry<String, String> label : selector.matchLabels().entrySet()) {
            Optional<String> problem = problem(label.getKey(), "Equals", List.of(label.getValue()));
            if (problem.isPresent()) {
                return problem;
            }
        }
        for (LabelSelector.Requirement requirement : selector.matchExpressions()) {
            Optional<String> problem = problem(requirement.key(), requirement.operator(), requirement.values());
            if (problem.isPresent()) {
                return problem;
            }
        }
        return Optional.empty();
    }

    private static Optional<String> problem(String key, String operator, List<String> values) {
        List<String> problems = new ArrayList<>(0);
        switch (operator) {
            case "Equals" -> addKey(key, problems);
            case "In", "NotIn" -> {
                addKey(key, problems);
                if (values.isEmpty()) {
                    problems.add("values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty");
                }
            }
            case "Exists", "DoesNotExist" -> {
                addKey(key, problems);
                if (!values.isEmpty()) {
                    problems.add("values: Invalid value: [\"" + String.join("\",\"", values)
                            + "\"]: values set must be empty for exists and does not exist");
                }
            }
            default -> {
                return Optional.of("\"" + operator + "\" is not a valid label selector operator");
            }
        }
        for (int i = 0; i < values.size(); i++) {
            addValue(key, values.get(i), i, problems);
        }
        return problems.isEmpty() ? Optional.empty() : Optional.of(together(problems));
    }

    /** Joins several problems in one line. */
    public static String together(List<String> problems) {
        return problems.size() == 1 ? problems.get(0) : "[" + String.join(", ", problems) + "]";
    }

    private static void addKey(String key, List<String> problems) {
        if (LabelSyntax.isKey(key)) {
            return;
        }
        List<String> faults = new ArrayList<>();
        int slash = key.indexOf('/');
        if (slash != key.lastIndexOf('/')) {
            faults.add("a valid label key" + BAD_NAME
                    + " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')");
        } else {
            if (slash == 0) {
                faults.add("prefix part must be non-empty");
            } else if (slash > 0) {
                addPrefix(key.substring(0, slash), faults);
            }
            String name = key.substring(slash + 1);
            if (name.isEmpty()) {
                faults.add("name part must be non-empty");
            } else if (name.length() > LONGEST) {
                faults.add("name part must be no more than " + LONGEST + " bytes");
            }
            if (!NAME.matcher(name).matches()) {
                faults.add("name part" + BAD_NAME);
            }
        }
        problems.add("key: Invalid value: \"" + key + "\": " + String.join("; ", faults));
    }

    private static void addPrefix(String prefix, List<String> faults) {
        if (prefix.length() > LONGEST_PREFIX) {
            faults.add("prefix part must be no more than " + LONGEST_PREFIX + " bytes");
        }
        if (!PREFIX.matcher(prefix).matches()) {
            faults.add(BAD_PREFIX);
        }
    }

    private static void addValue(String key, String value, int place, List<String> problems) {
        if (LabelSyntax.isValue(value)) {
            return;
        }
        List<String> faults = new ArrayList<>();
        if (value.length() > LONGEST) {
            faults.add("must be no more than " + LONGEST + " bytes");
        }
        if (!NAME.matcher(value).matches()) {
            faults.add(BAD_VALUE);
        }
        problems.add(
                "values[" + place + "][" + key + "]: Invalid value: \"" + value + "\": " + String.join("; ", faults));
    }
}
