// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.internal.admission;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntPredicate;

/**
 * The rules of Kubernetes for names, label keys and label values. Each method returns the rules that a text breaks, in
 * the API server's words. Texts may be as long as their file, so they are scanned once and not matched against regular
 * expressions.
 */
final class NameRules {
    private static final int LONGEST_LABEL = 63;
    private static final int LONGEST_SUBDOMAIN = 253;
    private static final int LONGEST_PORT_NAME = 15;

    private static final String LABEL_FORMAT = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
    private static final String KEY_FORMAT = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
    private static final String NOT_A_LABEL = "a lowercase RFC 1123 label must consist of lower case alphanumeric"
            + " characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc',"
            + " regex used for validation is '" + LABEL_FORMAT + "')";
    private static final String NOT_A_SUBDOMAIN = "a lowercase RFC 1123 subdomain must consist of lower case"
            + " alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g."
            + " 'example.com', regex used for validation is '" + LABEL_FORMAT + "(\\." + LABEL_FORMAT + ")*')";
    private static final String NOT_A_KEY = "must consist of alphanumeric characters, '-', '_' or '.', and must start"
            + " and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for"
            + " validation is '" + KEY_FORMAT + "')";
    private static final String NOT_A_VALUE = "a valid label must be an empty string or consist of alphanumeric"
            + " characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or"
            + " 'my_value',  or '12345', regex used for validation is '(" + KEY_FORMAT + ")?')";

    private NameRules() {}

    /** The rules for the name of a kind of objects. */
    @FunctionalInterface
    interface Rules {
        /** The rules that a name breaks. */
        List<String> broken(String name);
    }

    /** Returns the rules that a DNS label breaks, such as the name of a container. */
    static List<String> label(String text) {
        List<String> broken = new ArrayList<>(0);
        if (text.length() > LONGEST_LABEL) {
            broken.add("must be no more than " + LONGEST_LABEL + " characters");
        }
        if (!isLabel(text)) {
            broken.add(isSubdomain(text) ? "must not contain dots" : NOT_A_LABEL);
        }
        return broken;
    }

    /** Returns the rules that a DNS name breaks, such as the name of a pod. */
    static List<String> subdomain(String text) {
        return subdomain(text, "characters");
    }

    private static List<String> subdomain(String text, String unit) {
        List<String> broken = new ArrayList<>(0);
        if (text.length() > LONGEST_SUBDOMAIN) {
            broken.add("must be no more than " + LONGEST_SUBDOMAIN + " " + unit);
        }
        if (!isSubdomain(text)) {
            broken.add(NOT_A_SUBDOMAIN);
        }
        return broken;
    }

    private static boolean isSubdomain(String text) {
        for (String part : text.split("\\.", -1)) {
            if (!isLabel(part)) {
                return false;
            }
        }
        return true;
    }

    private static boolean isLabel(String text) {
        return isBetween(text, NameRules::isLowerCase, character -> isLowerCase(character) || character == '-');
    }

    private static boolean isBetween(String text, IntPredicate ends, IntPredicate middle) {
        return !text.isEmpty()
                && ends.test(text.charAt(0))
                && ends.test(text.charAt(text.length() - 1))
                && text.chars().allMatch(middle);
    }

    private static boolean isLowerCase(int character) {
        return character >= 'a' && character <= 'z' || character >= '0' && character <= '9';
    }

    private static boolean isAlphanumeric(int character) {
        return isLowerCase(character) || character >= 'A' && character <= 'Z';
    }

    private static boolean isKey(String text) {
        return isBetween(
                text,
                NameRules::isAlphanumeric,
                character -> isAlphanumeric(character) || character == '-' || character == '_' || character == '.');
    }

    /** Returns the rules that the key of a label, an annotation, a resource or a scheduling gate breaks. */
    static List<String> key(String text) {
        List<String> broken = new ArrayList<>(0);
        String[] parts = text.split("/", -1);
        if (parts.length > 2) {
            return List.of("a valid label key " + NOT_A_KEY
                    + " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')");
        }
        if (parts.length == 2) {
            if (parts[0].isEmpty()) {
                broken.add("prefix part must be non-empty");
            } else {
                subdomain(parts[0], "bytes").forEach(rule -> broken.add("prefix part " + rule));
            }
        }
        String name = parts[parts.length - 1];
        if (name.isEmpty()) {
            broken.add("name part must be non-empty");
        } else if (name.length() > LONGEST_LABEL) {
            broken.add("name part must be no more than " + LONGEST_LABEL + " bytes");
        }
        if (!isKey(name)) {
            broken.add("name part " + NOT_A_KEY);
        }
        return broken;
    }

    /** Returns the rules that the value of a label breaks. */
    static List<String> value(String text) {
        List<String> broken = new ArrayList<>(0);
        if (text.length() > LONGEST_LABEL) {
            broken.add("must be no more than " + LONGEST_LABEL + " bytes");
        }
        if (!text.isEmpty() && !isKey(text)) {
            broken.add(NOT_A_VALUE);
        }
        return broken;
    }

    /** Returns the rules that the name of a container's port breaks. */
    static List<String> port(String text) {
        List<String> broken = new ArrayList<>(0);
        if (text.length() > LONGEST_PORT_NAME) {
            broken.add("must be no more than " + LONGEST_PORT_NAME + " characters");
        }
        if (!text.chars().allMatch(character -> isLowerCase(character) || character == '-')) {
            broken.add("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
        }
        if (text.chars().noneMatch(character -> character >= 'a' && character <= 'z')) {
            broken.add("must contain at least one letter (a-z)");
        }
        if (text.contains("--")) {
            broken.add("must not contain consecutive hyphens");
        }
        if (text.startsWith("-") || text.endsWith("-")) {
            broken.add("must not begin or end with a hyphen");
        }
        return broken;
    }
}
