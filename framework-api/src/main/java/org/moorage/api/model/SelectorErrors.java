// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The errors in the requirements of node selectors, in the words of Kubernetes' parsers. The syntax of label keys and
 * values is not checked: the API server checks it wherever a node selector is written.
 */
final class SelectorErrors {
    private static final List<String> LABEL_OPERATORS = List.of("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt");
    private static final List<String> FIELD_OPERATORS = List.of("In", "NotIn");

    private final Set<String> errors = new LinkedHashSet<>();

    /** Checks a requirement on a label. */
    void addLabel(String path, NodeSelector.Requirement requirement) {
        List<String> values = requirement.values();
        switch (requirement.operator()) {
            case "In", "NotIn" -> {
                if (values.isEmpty()) {
                    invalidValues(path, values, "for 'in', 'notin' operators, values set can't be empty");
                }
            }
            case "Exists", "DoesNotExist" -> {
                if (!values.isEmpty()) {
                    invalidValues(path, values, "values set must be empty for exists and does not exist");
                }
            }
            case "Gt", "Lt" -> addBound(path, values);
            default -> unsupported(path, requirement.operator(), LABEL_OPERATORS);
        }
    }

    private void addBound(String path, List<String> values) {
        if (values.size() != 1) {
            invalidValues(path, values, "for 'Gt', 'Lt' operators, exactly one value is required");
        }
        for (int i = 0; i < values.size(); i++) {
            if (!isWholeNumber(values.get(i))) {
                errors.add(path + ".values[" + i + "]: Invalid value: " + quoted(values.get(i))
                        + ": for 'Gt', 'Lt' operators, the value must be an integer");
            }
        }
    }

    private static boolean isWholeNumber(String value) {
        try {
            Long.parseLong(value);
        } catch (NumberFormatException notANumber) {
            return false;
        }
        return isAscii(value);
    }

    /**
     * Returns whether a text is in ASCII: {@link Long#parseLong} accepts the digits of other scripts, Kubernetes does
     * not.
     */
    static boolean isAscii(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) >= 0x80) {
                return false;
            }
        }
        return true;
    }

    /** Checks a requirement on a field. */
    void addField(String path, NodeSelector.Requirement requirement) {
        if (!FIELD_OPERATORS.contains(requirement.operator())) {
            unsupported(path, requirement.operator(), FIELD_OPERATORS);
        } else if (requirement.values().size() != 1) {
            invalidValues(path, requirement.values(), "must have one element");
        }
    }

    private void invalidValues(String path, List<String> values, String detail) {
        errors.add(path + ".values: Invalid value: "
                + values.stream().map(SelectorErrors::quoted).collect(Collectors.joining(",", "[", "]"))
                + ": " + detail);
    }

    private void unsupported(String path, String operator, List<String> supported) {
        errors.add(path + ".operator: Unsupported value: " + quoted(operator) + ": supported values: "
                + supported.stream().map(SelectorErrors::quoted).collect(Collectors.joining(", ")));
    }

    private static String quoted(String text) {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }

    /** Returns all errors as one text; empty without errors. */
    Optional<String> text() {
        return switch (errors.size()) {
            case 0 -> Optional.empty();
            case 1 -> Optional.of(errors.iterator().next());
            default -> Optional.of("[" + String.join(", ", errors) + "]");
        };
    }
}
