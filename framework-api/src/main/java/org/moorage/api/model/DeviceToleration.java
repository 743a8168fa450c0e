// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

/**
 * A device taint that a request tolerates, or several such taints.
 *
 * @param key the taint's key; empty matches every key
 * @param operator {@code Exists} or {@code Equal} (also if empty)
 * @param value the taint's value, for {@code Equal}
 * @param effect the taint's effect; empty matches every effect
 * @param json the toleration as JSON text, to be copied into allocations
 */
public record DeviceToleration(String key, String operator, String value, String effect, String json) {
    /** Returns whether it matches the taint. An unknown operator matches no taint. */
    public boolean tolerates(DeviceTaint taint) {
        return new Toleration(key, operator, value, effect)
                .tolerates(new Taint(taint.key(), taint.value(), taint.effect()), TolerationOperators.EQUALITY);
    }
}
