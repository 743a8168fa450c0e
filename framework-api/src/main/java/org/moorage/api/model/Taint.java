// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

/**
 * A mark on a node that repels pods that do not tolerate it.
 *
 * @param key its name
 * @param value its value, may be empty
 * @param effect its effect: {@link #NO_SCHEDULE}, {@link #PREFER_NO_SCHEDULE} or {@link #NO_EXECUTE}
 */
public record Taint(String key, String value, String effect) {
    /** Pods that do not tolerate the taint are not scheduled to the node. */
    public static final String NO_SCHEDULE = "NoSchedule";
    /** The scheduler prefers other nodes for pods that do not tolerate the taint. */
    public static final String PREFER_NO_SCHEDULE = "PreferNoSchedule";
    /** Pods that do not tolerate the taint are not scheduled to the node, and are evicted from it. */
    public static final String NO_EXECUTE = "NoExecute";

    /** Returns whether pods that do not tolerate the taint must not be scheduled to the node. */
    public boolean blocks() {
        return effect.equals(NO_SCHEDULE) || effect.equals(NO_EXECUTE);
    }
}
