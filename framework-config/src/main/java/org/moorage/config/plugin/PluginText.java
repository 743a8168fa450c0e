// SPDX-License-Identifier: Apache-2.0
package org.moorage.config.plugin;

import org.jspecify.annotations.Nullable;
import org.moorage.api.NodeInfo;
import org.moorage.api.model.ClusterObject;

/** Texts that come from plugins, however long they are and whatever making them throws. */
public final class PluginText {
    /** How many characters a text has at most. */
    public static final int MOST = 4096;

    private static final String CUT = " ...";

    private PluginText() {}

    /**
     * The text of a value, made at once and on the calling thread: of an object of the cluster namespace and name, of a node in a cycle
     * the name, of others {@link Object#toString}. If that throws, the text says so.
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

    /** The text, or its first {@value #MOST} characters. */
    public static String bounded(String text) {
        return bounded(text, MOST);
    }

    /** The text, or as much of it as has that many characters. */
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
