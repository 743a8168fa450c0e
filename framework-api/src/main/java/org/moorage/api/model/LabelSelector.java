// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

import java.util.List;
import java.util.Map;

/**
 * A selector of objects by their labels. All requirements must be satisfied; a selector without requirements selects
 * everything.
 *
 * @param matchLabels labels and their required values
 * @param matchExpressions further requirements
 */
public record LabelSelector(Map<String, String> matchLabels, List<Requirement> matchExpressions) {
    public LabelSelector {
        matchLabels = Map.copyOf(matchLabels);
        matchExpressions = List.copyOf(matchExpressions);
    }

    /**
     * One requirement on a label.
     *
     * @param key the label
     * @param operator {@code In}, {@code NotIn}, {@code Exists} or {@code DoesNotExist}
     * @param values the values for {@code In} and {@code NotIn}
     */
    public record Requirement(String key, String operator, List<String> values) {
        public Requirement {
            values = List.copyOf(values);
        }

        boolean matches(Map<String, String> labels) {
            String value = labels.get(key);
            return switch (operator) {
                case "In" -> value != null && values.contains(value);
                case "NotIn" -> value == null || !values.contains(value);
                case "Exists" -> value != null;
                case "DoesNotExist" -> value == null;
                default -> false;
            };
        }
    }

    /** Returns whether it has no requirements, so that it selects everything. */
    public boolean isEmpty() {
        return matchLabels.isEmpty() && matchExpressions.isEmpty();
    }

    /** Returns whether an object with these labels is selected. */
    public boolean matches(Map<String, String> labels) {
        if (!matchLabels.isEmpty()) {
            for (Map.Entry<String, String> required : matchLabels.entrySet()) {
                if (!required.getValue().equals(labels.get(required.getKey()))) {
                    return false;
                }
            }
        }
        for (int i = 0; i < matchExpressions.size(); i++) {
            if (!matchExpressions.get(i).matches(labels)) {
                return false;
            }
        }
        return true;
    }
}
