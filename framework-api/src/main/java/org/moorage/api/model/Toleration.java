// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

/**
 * A pod's leave to ignore certain taints.
 *
 * @param key the taint's key; empty matches every key
 * @param operator {@code Exists}, or {@code Equal} or empty to compare the values
 * @param value the taint's value, for {@code Equal}
 * @param effect the taint's effect; empty matches every effect
 */
public record Toleration(String key, String operator, String value, String effect) {
    /** Whether it matches this taint. An operator that is not known matches nothing. */
    public boolean tolerates(Taint taint) {
        if (!effect.isEmpty() && !effect.equals(taint.effect())) {
            return false;
        }
        if (!key.isEmpty() && !key.equals(taint.key())) {
            return false;
        }
        return switch (operator) {
            case "Exists" -> true;
            case "", "Equal" -> value.equals(taint.value());
            default -> false;
        };
    }
}
