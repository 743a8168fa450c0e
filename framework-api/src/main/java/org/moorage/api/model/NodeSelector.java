// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A selector of nodes by their labels and names. One of the terms must match; a selector without terms selects no node.
 *
 * @param terms the terms
 */
public record NodeSelector(List<Term> terms) {
    public NodeSelector {
        terms = List.copyOf(terms);
    }

    /**
     * Returns why a strict parser rejects the selector, in kube-scheduler's words; empty if it is valid. The API server
     * accepts a {@code Gt} or {@code Lt} whose value is not a whole number. {@link #matches} treats a term with such a
     * requirement as one that matches no node, as kube-scheduler does for required node affinity. Elsewhere
     * kube-scheduler is strict: one invalid term is an error, whether or not another term matches.
     */
    public Optional<String> parseError() {
        SelectorErrors errors = new SelectorErrors();
        for (int i = 0; i < terms.size(); i++) {
            terms.get(i).parse("nodeSelectorTerms[" + i + "]", errors);
        }
        return errors.text();
    }

    /** Returns whether the node is selected. */
    public boolean matches(Node node) {
        for (int i = 0; i < terms.size(); i++) {
            if (terms.get(i).matches(node)) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether a node with these labels is selected; fields are only checked for validity. */
    public boolean matchesLabels(Map<String, String> labels) {
        for (int i = 0; i < terms.size(); i++) {
            if (terms.get(i).matchesLabels(labels)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Requirements that must all be satisfied. A term without requirements matches no node, and neither does a term
     * with an invalid requirement, for example {@code Gt} with a value that is not a number.
     *
     * @param matchExpressions requirements on labels
     * @param matchFields requirements on fields; Kubernetes has only {@code metadata.name}
     */
    public record Term(List<Requirement> matchExpressions, List<Requirement> matchFields) {
        private static final String NAME_FIELD = "metadata.name";

        public Term {
            matchExpressions = List.copyOf(matchExpressions);
            matchFields = List.copyOf(matchFields);
        }

        /** Returns whether it has no requirements. */
        public boolean isEmpty() {
            return matchExpressions.isEmpty() && matchFields.isEmpty();
        }

        void parse(String path, SelectorErrors errors) {
            for (int i = 0; i < matchExpressions.size(); i++) {
                errors.addLabel(path + ".matchExpressions[" + i + "]", matchExpressions.get(i));
            }
            for (int i = 0; i < matchFields.size(); i++) {
                errors.addField(path + ".matchFields[" + i + "]", matchFields.get(i));
            }
        }

        /** Returns whether the term matches the node. */
        public boolean matches(Node node) {
            if (!matchesExpressions(node.labels())) {
                return false;
            }
            for (int i = 0; i < matchFields.size(); i++) {
                if (!matchesName(matchFields.get(i), node.name())) {
                    return false;
                }
            }
            return true;
        }

        /** Returns whether the expressions match the labels; fields are only checked for validity. */
        public boolean matchesLabels(Map<String, String> labels) {
            if (!matchesExpressions(labels)) {
                return false;
            }
            for (int i = 0; i < matchFields.size(); i++) {
                if (!isValid(matchFields.get(i))) {
                    return false;
                }
            }
            return true;
        }

        private boolean matchesExpressions(Map<String, String> labels) {
            if (isEmpty()) {
                return false;
            }
            for (int i = 0; i < matchExpressions.size(); i++) {
                Requirement requirement = matchExpressions.get(i);
                if (!requirement.matches(labels.get(requirement.key()))) {
                    return false;
                }
            }
            return true;
        }

        private static boolean isValid(Requirement field) {
            return field.values().size() == 1
                    && (field.operator().equals("In") || field.operator().equals("NotIn"));
        }

        private static boolean matchesName(Requirement requirement, String name) {
            if (requirement.values().size() != 1) {
                return false;
            }
            boolean same = requirement.key().equals(NAME_FIELD)
                    && requirement.values().get(0).equals(name);
            return switch (requirement.operator()) {
                case "In" -> same;
                case "NotIn" -> !same;
                default -> false;
            };
        }
    }

    /**
     * One requirement on a label or field.
     *
     * @param key the label, or the field
     * @param operator {@code In}, {@code NotIn}, {@code Exists}, {@code DoesNotExist}, {@code Gt} or {@code Lt}
     * @param values the values to compare with; for {@code Gt} and {@code Lt} one whole number
     */
    public record Requirement(String key, String operator, List<String> values) {
        public Requirement {
            values = List.copyOf(values);
        }

        private boolean matches(@Nullable String value) {
            return switch (operator) {
                case "In" -> value != null && values.contains(value);
                case "NotIn" -> !values.isEmpty() && (value == null || !values.contains(value));
                case "Exists" -> value != null && values.isEmpty();
                case "DoesNotExist" -> value == null && values.isEmpty();
                case "Gt" -> value != null && comparison(value) > 0;
                case "Lt" -> value != null && comparison(value) < 0;
                default -> false;
            };
        }

        // 0, which satisfies neither Gt nor Lt, if the values are not whole numbers.
        private int comparison(String value) {
            if (values.size() != 1 || !SelectorErrors.isAscii(value) || !SelectorErrors.isAscii(values.get(0))) {
                return 0;
            }
            try {
                return Long.compare(Long.parseLong(value), Long.parseLong(values.get(0)));
            } catch (NumberFormatException notANumber) {
                return 0;
            }
        }
    }
}
