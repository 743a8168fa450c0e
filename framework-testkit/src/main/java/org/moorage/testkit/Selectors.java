// SPDX-License-Identifier: Apache-2.0
package org.moorage.testkit;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.moorage.api.model.LabelSelector;
import org.moorage.api.model.NodeSelector;

/** Concise factory methods for node selectors and label selectors. */
public final class Selectors {
    private static final String NAME_FIELD = "metadata.name";

    private Selectors() {}

    /** Returns a requirement that the label has one of these values. */
    public static NodeSelector.Requirement in(String key, String... values) {
        return requirement(key, "In", values);
    }

    /** Returns a requirement that the label has none of these values, or does not exist. */
    public static NodeSelector.Requirement notIn(String key, String... values) {
        return requirement(key, "NotIn", values);
    }

    /** Returns a requirement that the label exists. */
    public static NodeSelector.Requirement exists(String key) {
        return requirement(key, "Exists");
    }

    /** Returns a requirement that the label does not exist. */
    public static NodeSelector.Requirement absent(String key) {
        return requirement(key, "DoesNotExist");
    }

    /** Returns a requirement that the label is a number greater than the bound. */
    public static NodeSelector.Requirement greaterThan(String key, long bound) {
        return requirement(key, "Gt", Long.toString(bound));
    }

    /** Returns a requirement that the label is a number less than the bound. */
    public static NodeSelector.Requirement lessThan(String key, long bound) {
        return requirement(key, "Lt", Long.toString(bound));
    }

    /** Returns any requirement, valid or not. */
    public static NodeSelector.Requirement requirement(String key, String operator, String... values) {
        return new NodeSelector.Requirement(key, operator, List.of(values));
    }

    /** Returns a term with all these requirements on the node's labels. */
    public static NodeSelector.Term labelled(NodeSelector.Requirement... requirements) {
        return new NodeSelector.Term(List.of(requirements), List.of());
    }

    /**
     * Returns a term that the node has this name; with any number of names other than one, the requirement is invalid
     * and matches no node.
     */
    public static NodeSelector.Term nodeNamed(String... names) {
        return new NodeSelector.Term(List.of(), List.of(requirement(NAME_FIELD, "In", names)));
    }

    /** Returns a term with all these requirements on the node's fields. */
    public static NodeSelector.Term withFields(NodeSelector.Requirement... requirements) {
        return new NodeSelector.Term(List.of(), List.of(requirements));
    }

    /** Returns a selector with these terms, one of which must match. */
    public static NodeSelector anyOf(NodeSelector.Term... terms) {
        return new NodeSelector(List.of(terms));
    }

    /** Returns a selector of objects with these labels, given as key, value, key, value. */
    public static LabelSelector labels(String... keysAndValues) {
        return new LabelSelector(pairs(keysAndValues), List.of());
    }

    static Map<String, String> pairs(String... keysAndValues) {
        if (keysAndValues.length % 2 != 0) {
            throw new IllegalArgumentException(
                    "keysAndValues: " + keysAndValues.length + " strings (expected: a value for each key)");
        }
        Map<String, String> pairs = new TreeMap<>();
        for (int i = 0; i < keysAndValues.length; i += 2) {
            pairs.put(keysAndValues[i], keysAndValues[i + 1]);
        }
        return pairs;
    }
}
