// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.internal.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.moorage.objects.tree.Fields;

/**
 * The merging of the {@code matchLabelKeys} and {@code mismatchLabelKeys} of pods into selectors. The keys name labels
 * of the pod; kube-scheduler reads only the selectors.
 */
final class LabelKeys {
    private LabelKeys() {}

    /** Merges the keys of spread constraints. */
    static void mergeOfSpread(Fields spec, ObjectNode labels) {
        for (Fields constraint : spec.each("topologySpreadConstraints")) {
            merge(constraint, "matchLabelKeys", "In", labels);
        }
    }

    /** Merges the keys of terms of pod affinity and anti-affinity. */
    static void mergeOfAffinity(Fields spec, ObjectNode labels) {
        spec.pointer("affinity").ifPresent(affinity -> {
            affinity.pointer("podAffinity").ifPresent(terms -> mergeOfTerms(terms, labels));
            affinity.pointer("podAntiAffinity").ifPresent(terms -> mergeOfTerms(terms, labels));
        });
    }

    private static void mergeOfTerms(Fields podAffinity, ObjectNode labels) {
        List<Fields> terms = new ArrayList<>(podAffinity.each("requiredDuringSchedulingIgnoredDuringExecution"));
        for (Fields preferred : podAffinity.each("preferredDuringSchedulingIgnoredDuringExecution")) {
            terms.add(preferred.struct("podAffinityTerm"));
        }
        for (Fields term : terms) {
            merge(term, "matchLabelKeys", "In", labels);
            merge(term, "mismatchLabelKeys", "NotIn", labels);
        }
    }

    private static void merge(Fields term, String keys, String operator, ObjectNode labels) {
        Optional<Fields> selector = term.pointer("labelSelector");
        if (selector.isEmpty()) {
            return;
        }
        for (JsonNode key : term.node().path(keys)) {
            JsonNode value = labels.path(key.asText());
            if (!Fields.isAbsent(value)) {
                ObjectNode requirement = JsonNodeFactory.instance.objectNode();
                requirement
                        .put("key", key.asText())
                        .put("operator", operator)
                        .putArray("values")
                        .add(value);
                ArrayNode requirements = selector.get().list("matchExpressions");
                // A pod of a running cluster already has it.
                if (!contains(requirements, requirement)) {
                    requirements.add(requirement);
                }
            }
        }
    }

    private static boolean contains(ArrayNode list, ObjectNode wanted) {
        for (JsonNode item : list) {
            if (item.equals(wanted)) {
                return true;
            }
        }
        return false;
    }
}
