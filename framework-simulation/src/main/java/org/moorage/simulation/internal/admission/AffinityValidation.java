// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.internal.admission;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import org.moorage.objects.tree.Fields;

/** Validates what a pod requires and prefers of nodes, and of the pods near it. */
final class AffinityValidation {
    private static final String REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution";
    private static final String PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution";
    private static final int HIGHEST_WEIGHT = 100;

    private AffinityValidation() {}

    /** Validates the affinity of a pod, if it has one. */
    static void check(Fields spec, String path, FieldErrors errors) {
        spec.pointer("affinity").ifPresent(affinity -> {
            String own = path + ".affinity";
            affinity.pointer("nodeAffinity").ifPresent(nodes -> nodeAffinity(nodes, own + ".nodeAffinity", errors));
            affinity.pointer("podAffinity").ifPresent(pods -> podAffinity(pods, own + ".podAffinity", errors));
            affinity.pointer("podAntiAffinity").ifPresent(pods -> podAffinity(pods, own + ".podAntiAffinity", errors));
        });
    }

    private static void nodeAffinity(Fields affinity, String path, FieldErrors errors) {
        affinity.pointer(REQUIRED).ifPresent(selector -> nodeSelector(selector, path + "." + REQUIRED, errors));
        List<Fields> preferred = affinity.each(PREFERRED);
        for (int i = 0; i < preferred.size(); i++) {
            String own = path + "." + PREFERRED + "[" + i + "]";
            weight(preferred.get(i), own, errors);
            // Any value is valid here, even one that no label can have.
            nodeTerm(preferred.get(i).struct("preference"), false, own + ".preference", errors);
        }
    }

    /** Validates a selector of nodes whose terms are required. */
    static void nodeSelector(Fields selector, String path, FieldErrors errors) {
        List<Fields> terms = selector.each("nodeSelectorTerms");
        String list = path + ".nodeSelectorTerms";
        if (terms.isEmpty()) {
            errors.required(list, "must have at least one node selector term");
        }
        for (int i = 0; i < terms.size(); i++) {
            nodeTerm(terms.get(i), true, list + "[" + i + "]", errors);
        }
    }

    private static void nodeTerm(Fields term, boolean checksValues, String path, FieldErrors errors) {
        List<Fields> expressions = term.each("matchExpressions");
        for (int i = 0; i < expressions.size(); i++) {
            expression(expressions.get(i), checksValues, path + ".matchExpressions[" + i + "]", errors);
        }
        List<Fields> fields = term.each("matchFields");
        for (int i = 0; i < fields.size(); i++) {
            field(fields.get(i), path + ".matchFields[" + i + "]", errors);
        }
    }

    private static void expression(Fields requirement, boolean checksValues, String path, FieldErrors errors) {
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
            case "Gt", "Lt" -> {
                if (values.size() != 1) {
                    errors.required(path + ".values", "must be specified single value when `operator` is 'Lt' or 'Gt'");
                }
            }
            default -> errors.invalid(path + ".operator", operator, "not a valid selector operator");
        }
        LabelValidation.key(requirement, "key", path + ".key", errors);
        if (checksValues) {
            LabelValidation.values(values, path + ".values", errors);
        }
    }

    private static void field(Fields requirement, String path, FieldErrors errors) {
        JsonNode values = requirement.node().path("values");
        String operator = requirement.text("operator");
        if (!operator.equals("In") && !operator.equals("NotIn")) {
            errors.invalid(path + ".operator", operator, "not a valid selector operator");
        } else if (values.size() != 1) {
            errors.required(
                    path + ".values",
                    "must be only one value when `operator` is 'In' or 'NotIn' for node field selector");
        }
        String key = requirement.text("key");
        if (!key.equals("metadata.name")) {
            errors.invalid(path + ".key", key, "not a valid field selector key");
            return;
        }
        for (int i = 0; i < values.size(); i++) {
            String value = values.path(i).asText("");
            errors.invalid(path + ".values[" + i + "]", value, NameRules.subdomain(value));
        }
    }

    private static void weight(Fields weighted, String path, FieldErrors errors) {
        int weight = weighted.number("weight", 0);
        if (weight <= 0 || weight > HIGHEST_WEIGHT) {
            errors.invalid(path + ".weight", weight, "must be in the range 1-100");
        }
    }

    private static void podAffinity(Fields affinity, String path, FieldErrors errors) {
        List<Fields> required = affinity.each(REQUIRED);
        for (int i = 0; i < required.size(); i++) {
            podTerm(required.get(i), path + "." + REQUIRED + "[" + i + "]", errors);
        }
        List<Fields> preferred = affinity.each(PREFERRED);
        for (int i = 0; i < preferred.size(); i++) {
            String own = path + "." + PREFERRED + "[" + i + "]";
            weight(preferred.get(i), own, errors);
            podTerm(preferred.get(i).struct("podAffinityTerm"), own + ".podAffinityTerm", errors);
        }
    }

    private static void podTerm(Fields term, String path, FieldErrors errors) {
        LabelValidation.selector(term, "labelSelector", path + ".labelSelector", errors);
        LabelValidation.selector(term, "namespaceSelector", path + ".namespaceSelector", errors);
        for (JsonNode namespace : term.node().path("namespaces")) {
            String name = namespace.asText("");
            errors.invalid(path + ".namespace", name, NameRules.label(name));
        }
        LabelValidation.mergedKeys(term, path, errors);
        if (term.isBlank("topologyKey")) {
            errors.required(path + ".topologyKey", "can not be empty");
        }
        LabelValidation.key(term, "topologyKey", path + ".topologyKey", errors);
    }
}
