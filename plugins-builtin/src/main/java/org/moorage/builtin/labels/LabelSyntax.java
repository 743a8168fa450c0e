// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.labels;

import java.util.regex.Pattern;

/** The syntax of label keys and values in Kubernetes. Names of resources and taints follow the rules of keys. */
public final class LabelSyntax {
    /** A description of the texts that {@link #isKey} accepts. */
    public static final String KEY =
            "letters, digits, '-', '_' and '.', at most 63, with an optional prefix such as example.com/";
    /** A description of the texts that {@link #isValue} accepts. */
    public static final String VALUE = "empty, or letters, digits, '-', '_' and '.', at most 63";

    private static final int MAX_NAME = 63;
    private static final int MAX_PREFIX = 253;
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?");
    private static final Pattern PREFIX =
            Pattern.compile("[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*");

    private LabelSyntax() {}

    /** Returns whether it can be the key of a label. */
    public static boolean isKey(String text) {
        int slash = text.indexOf('/');
        return slash < 0 ? isName(text) : isPrefix(text.substring(0, slash)) && isName(text.substring(slash + 1));
    }

    /** Returns whether it can be the value of a label. */
    public static boolean isValue(String text) {
        return text.isEmpty() || isName(text);
    }

    private static boolean isName(String text) {
        return text.length() <= MAX_NAME && NAME.matcher(text).matches();
    }

    private static boolean isPrefix(String text) {
        return text.length() <= MAX_PREFIX && PREFIX.matcher(text).matches();
    }
}
