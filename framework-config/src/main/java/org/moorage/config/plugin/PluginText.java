// SPDX-License-Identifier: Apache-2.0
package org.moorage.config.plugin;

import org.jspecify.annotations.Nullable;
import org.moorage.api.NodeInfo;
import org.moorage.api.model.ClusterObject;

/** Safe conversion of plugins' values to text: the text is cut to a maximum length, and exceptions are caught. */
public final class PluginText {
    /** The maximum number of characters of a text. */
    public static final int MOST = 4096;

    private static final String CUT = " ...";

    private PluginText() {}

    /**
     * Returns the text of a value, computed immediately on the calling thread: namespace and name of a cluster object,
     * the name of a node in a cycle, {@link Object#toString} of others. If that throws, the text describes the failure.
     */
    public static String of(@Nullable Object value) {
        try {
            if (value instanceof ClusterObject object) {
                return bounded(object.key());
            }
            return bounded(value instanceof NodeInfo node ? node.name() : String.valueOf(value));
        } catch (Throwable thrown) {
            Thrown.rethrowIfFatal(thrown);
            return "(its text cannot be made: " + thrown.getClass().getName() + ")";
        }
    }

    /** Returns the text, or its first {@value #MOST} characters. */
    public static String bounded(String text) {
        return bounded(text, MOST);
    }

    /** Returns the text, or as much of it as has that many characters. */
    public static String bounded(String text, int most) {
        if (text.length() <= most) {
            return text;
        }
        int end = Math.max(0, most - CUT.length());
        // Not within a character.
        boolean isHalf = end > 0 && Character.isHighSurrogate(text.charAt(end - 1));
        return text.substring(0, isHalf ? end - 1 : end) + CUT;
    }
}
