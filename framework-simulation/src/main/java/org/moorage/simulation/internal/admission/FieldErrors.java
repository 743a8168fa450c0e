// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.internal.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.util.ArrayList;
import java.util.List;

/** The validation errors of an object, in the API server's words. */
final class FieldErrors {
    private final List<String> errors = new ArrayList<>(0);

    /** Returns the errors, in the order in which they were found. */
    List<String> all() {
        return List.copyOf(errors);
    }

    /** The number of errors so far. */
    int count() {
        return errors.size();
    }

    /** Adds a value that breaks a rule. */
    void invalid(String path, JsonNode value, String rule) {
        add(path, "Invalid value: " + (value.isMissingNode() ? "null" : value), rule);
    }

    /** As {@link #invalid(String, JsonNode, String)}. */
    void invalid(String path, String value, String rule) {
        add(path, "Invalid value: " + quoted(value), rule);
    }

    /** As {@link #invalid(String, JsonNode, String)}. */
    void invalid(String path, long value, String rule) {
        add(path, "Invalid value: " + value, rule);
    }

    /** Adds a text that breaks several rules, see {@link NameRules}. */
    void invalid(String path, String value, List<String> rules) {
        rules.forEach(rule -> invalid(path, value, rule));
    }

    /** Adds a number that is below zero, if it is. */
    void nonNegative(String path, long value) {
        if (value < 0) {
            invalid(path, value, "must be greater than or equal to 0");
        }
    }

    /** Adds a field that is missing. */
    void required(String path, String rule) {
        add(path, "Required value", rule);
    }

    /** Adds a field that may not be set here. */
    void forbidden(String path, String rule) {
        add(path, "Forbidden", rule);
    }

    /** Adds an unsupported value; the caller passes the supported values in sorted order. */
    void notSupported(String path, String value, List<String> supported) {
        add(path, "Unsupported value: " + quoted(value), supported(supported));
    }

    /** As {@link #notSupported(String, String, List)}, for a value that is not a string. */
    void notSupported(String path, JsonNode value, List<String> supported) {
        add(path, "Unsupported value: " + value, supported(supported));
    }

    private static String supported(List<String> values) {
        return "supported values: "
                + String.join(", ", values.stream().map(FieldErrors::quoted).toList());
    }

    /** Adds a value that is too long. */
    void tooLong(String path, int longest) {
        add(path, "Too long", "may not be more than " + longest + " bytes");
    }

    /** Adds a text that occurs twice. */
    void duplicate(String path, String value) {
        add(path, "Duplicate value: " + quoted(value), "");
    }

    /** As {@link #duplicate(String, String)}, for a value that is not a string. */
    void duplicate(String path, JsonNode value) {
        duplicate(path, value, "");
    }

    /** As {@link #duplicate(String, JsonNode)}, with the rule. */
    void duplicate(String path, JsonNode value, String rule) {
        add(path, "Duplicate value: " + value, rule);
    }

    /** Adds the name of an object that does not exist. */
    void notFound(String path, String value, String rule) {
        add(path, "Not found: " + quoted(value), rule);
    }

    private void add(String path, String problem, String rule) {
        errors.add(path + ": " + problem + (rule.isEmpty() ? "" : ": " + rule));
    }

    private static String quoted(String value) {
        return JsonNodeFactory.instance.textNode(value).toString();
    }
}
