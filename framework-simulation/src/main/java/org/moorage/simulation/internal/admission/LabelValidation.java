// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.internal.admission;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.moorage.objects.tree.Fields;

/** The validation of labels, annotations and label selectors. */
final class LabelValidation {
    private static final int LONGEST_ANNOTATIONS = 256 * 1024;

    private LabelValidation() {}

    /** Validates the labels in a field. */
    static void labels(Fields parent, String field, String path, FieldErrors errors) {
        parent.node().path(field).properties().forEach(label -> {
            errors.invalid(path, label.getKey(), NameRules.key(label.getKey()));
            String value = label.getValue().asText("");
            errors.invalid(path, value, NameRules.value(value));
        });
    }

    /** Validates the annotations of metadata. */
    static void annotations(Fields metadata, String path, FieldErrors errors) {
        long size = 0;
        for (Map.Entry<String, JsonNode> entry :
                metadata.node().path("annotations").properties()) {
            String key = entry.getKey();
            errors.invalid(path, key, NameRules.key(key.toLowerCase(Locale.ROOT)));
            size += key.length() + entry.getValue().asText("").length();
        }
        if (size > LONGEST_ANNOTATIONS) {
            errors.tooLong(path, LONGEST_ANNOTATIONS);
        }
    }

    /** Validates the selector in a field, if there is one. */
    static void selector(Fields parent, String field, String path, FieldErrors errors) {
        parent.pointer(field).ifPresent(selector -> {
            labels(selector, "matchLabels", path + ".matchLabels", errors);
            List<Fields> expressions = selector.each("matchExpressions");
            for (int i = 0; i < expressions.size(); i++) {
                requirement(expressions.get(i), path + ".matchExpressions[" + i + "]", errors);
            }
        });
    }

    private static void requirement(Fields requirement, String path, FieldErrors errors) {
        JsonNode values = requirement.node().path("values");
        String operator = requirement.text("operator");
        switch (operator) {
            case "In", "NotIn" -> {
                if (values.isEmpty()) {
                    errors.required(path + ".values", "must be specified when `operator` is 'In' or 'NotIn'");
                }
            }
            case "Exists", "DoesNotExist" -> {
                if (!values.isEmpty()) {
                    errors.forbidden(
                            path + ".values", "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
                }
            }
            default -> errors.invalid(path + ".operator", operator, "not a valid selector operator");
        }
        key(requirement, "key", path + ".key", errors);
        values(values, path + ".values", errors);
    }

    /** Validates the values that labels are compared with. */
    static void values(JsonNode values, String path, FieldErrors errors) {
        for (int i = 0; i < values.size(); i++) {
            String value = values.path(i).asText("");
            errors.invalid(path + "[" + i + "]", value, NameRules.value(value));
        }
    }

    /** Validates the key of a label in a field. */
    static void key(Fields parent, String field, String path, FieldErrors errors) {
        errors.invalid(path, parent.text(field), NameRules.key(parent.text(field)));
    }

    /**
     * Validates {@code matchLabelKeys} and {@code mismatchLabelKeys}.
     *
     * @param term has them and the selector, into which the values of the pod's labels have been merged
     */
    static void mergedKeys(Fields term, String path, FieldErrors errors) {
        Optional<Fields> selector = term.pointer("labelSelector");
        keys(term, "matchLabelKeys", selector, path, errors);
        keys(term, "mismatchLabelKeys", selector, path, errors);
        JsonNode matched = term.node().path("matchLabelKeys");
        Map<String, Integer> places = new HashMap<>();
        for (int i = 0; i < matched.size(); i++) {
            places.put(matched.path(i).asText(""), i);
        }
        selector.ifPresent(selected -> {
            Set<String> selectedKeys = new HashSet<>();
            selected.node().path("matchLabels").fieldNames().forEachRemaining(selectedKeys::add);
            for (JsonNode expression : selected.node().path("matchExpressions")) {
                String key = expression.path("key").asText("");
                if (!selectedKeys.add(key) && places.containsKey(key)) {
                    errors.invalid(
                            path + "[" + places.get(key) + "]", key, "exists in both matchLabelKeys and labelSelector");
                }
            }
        });
        Set<String> mismatched = new HashSet<>();
        term.node().path("mismatchLabelKeys").forEach(key -> mismatched.add(key.asText("")));
        for (int i = 0; i < matched.size(); i++) {
            String key = matched.path(i).asText("");
            if (mismatched.contains(key)) {
                errors.invalid(
                        path + ".matchLabelKeys[" + i + "]",
                        key,
                        "exists in both matchLabelKeys and mismatchLabelKeys");
            }
        }
    }

    private static void keys(Fields term, String field, Optional<Fields> selector, String path, FieldErrors errors) {
        JsonNode keys = term.node().path(field);
        if (!keys.isEmpty() && selector.isEmpty()) {
            errors.forbidden(path + "." + field, "must not be specified when labelSelector is not set");
            return;
        }
        for (int i = 0; i < keys.size(); i++) {
            String key = keys.path(i).asText("");
            errors.invalid(path + "." + field + "[" + i + "]", key, NameRules.key(key));
        }
    }

    /** Validates {@code matchLabelKeys} of a spread constraint into whose selector they are not merged. */
    static void separateKeys(Fields constraint, String path, FieldErrors errors) {
        JsonNode keys = constraint.node().path("matchLabelKeys");
        if (keys.isEmpty()) {
            return;
        }
        Optional<Fields> selector = constraint.pointer("labelSelector");
        Set<String> selected = new HashSet<>();
        if (selector.isEmpty()) {
            errors.forbidden(path, "must not be specified when labelSelector is not set");
        } else {
            selector.get().node().path("matchLabels").fieldNames().forEachRemaining(selected::add);
            selector.get()
                    .node()
                    .path("matchExpressions")
                    .forEach(expression -> selected.add(expression.path("key").asText("")));
        }
        for (int i = 0; i < keys.size(); i++) {
            String key = keys.path(i).asText("");
            errors.invalid(path + "[" + i + "]", key, NameRules.key(key));
            if (selected.contains(key)) {
                errors.invalid(path + "[" + i + "]", key, "exists in both matchLabelKeys and labelSelector");
            }
        }
    }
}
