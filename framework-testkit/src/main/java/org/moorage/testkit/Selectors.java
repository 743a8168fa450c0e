// SPDX-License-Identifier: Apache-2.0
package org.moorage.testkit;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.moorage.api.model.LabelSelector;
import org.moorage.api.model.NodeSelector;

/** Selectors of nodes and of labelled objects, in a line each. */
public final class Selectors {
    private static final String NAME_FIELD = "metadata.name";

    private Selectors() {}

    /** The label has one of these values. */
    public static NodeSelector.Requirement in(String key, String... values) {
        return requirement(key, "In", values);
    }

    /** The label has none of these values, or is not there. */
    public static NodeSelector.Requirement notIn(String key, String... values) {
        return requirement(key, "NotIn", values);
    }

    /** The label is there. */
    public static NodeSelector.Requirement exists(String key) {
        return requirement(key, "Exists");
    }

    /** The label is not there. */
    public static NodeSelector.Requirement absent(String key) {
        return requirement(key, "DoesNotExist");
    }

    /** The label is a greater number. */
    public static NodeSelector.Requirement greaterThan(String key, long bound) {
        return requirement(key, "Gt", Long.toString(bound));
    }

    /** The label is a smaller number. */
    public static NodeSelector.Requirement lessThan(String key, long bound) {
        return requirement(key, "Lt", Long.toString(bound));
    }

    /** Any requirement, sensible or not. */
    public static NodeSelector.Requirement requirement(String key, String operator, String... values) {
        return new NodeSelector.Requirement(key, operator, List.of(values));
    }

    /** All these requirements on the node's labels. */
    public static NodeSelector.Term labelled(NodeSelector.Requirement... requirements) {
        return new NodeSelector.Term(List.of(requirements), List.of());
    }

    /** The node has this name; with other than one name the requirement makes no sense and holds for no node. */
    public static NodeSelector.Term nodeNamed(String... names) {
        return new NodeSelector.Term(List.of(), List.of(requirement(NAME_FIELD, "In", names)));
    }

    /** All these requirements on the node's fields. */
    public static NodeSelector.Term withFields(NodeSelector.Requirement... requirements) {
        return new NodeSelector.Term(List.of(), List.of(requirements));
    }

    /** One of these terms. */
    public static NodeSelector anyOf(NodeSelector.Term... terms) {
        return new NodeSelector(List.of(terms));
    }

    /** Objects with these labels, given as key, value, key, value. */
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
