// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

/**
 * A mark on a node that keeps off the pods that do not tolerate it.
 *
 * @param key its name
 * @param value its value, may be empty
 * @param effect what it does: {@link #NO_SCHEDULE}, {@link #PREFER_NO_SCHEDULE} or {@link #NO_EXECUTE}
 */
public record Taint(String key, String value, String effect) {
    /** New pods must not come to the node. */
    public static final String NO_SCHEDULE = "NoSchedule";
    /** New pods had better not come to the node. */
    public static final String PREFER_NO_SCHEDULE = "PreferNoSchedule";
    /** New pods must not come to the node, and running ones must leave. */
    public static final String NO_EXECUTE = "NoExecute";

    /** Whether it keeps a pod that does not tolerate it off the node, rather than merely counting against the node. */
    public boolean blocks() {
        return effect.equals(NO_SCHEDULE) || effect.equals(NO_EXECUTE);
    }
}
