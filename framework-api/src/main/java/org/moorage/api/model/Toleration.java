// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

/**
 * A pod's leave to ignore certain taints.
 *
 * @param key the taint's key; empty matches every key
 * @param operator {@code Exists}, {@code Equal} or empty to have the values equal, {@code Lt} or {@code Gt}
 * @param value the taint's value, for {@code Equal}
 * @param effect the taint's effect; empty matches every effect
 */
public record Toleration(String key, String operator, String value, String effect) {
    /** Whether it matches this taint. An operator that is not known matches nothing. */
    public boolean tolerates(Taint taint, Tolerance tolerance) {
        if (!isAbout(taint)) {
            return false;
        }
        return switch (operator) {
            case "Exists" -> true;
            case "", "Equal" -> value.equals(taint.value());
            case "Lt" -> tolerance == Tolerance.BY_NUMBER && compare(taint) < 0;
            case "Gt" -> tolerance == Tolerance.BY_NUMBER && compare(taint) > 0;
            default -> false;
        };
    }

    private boolean isAbout(Taint taint) {
        return (effect.isEmpty() || effect.equals(taint.effect())) && (key.isEmpty() || key.equals(taint.key()));
    }

    private int compare(Taint taint) {
        try {
            return Long.compare(number(taint.value()), number(value));
        } catch (NumberFormatException notNumbers) {
            return 0;
        }
    }

    private static long number(String text) {
        long number = Long.parseLong(text);
        if (!Long.toString(number).equals(text)) {
            throw new NumberFormatException(text);
        }
        return number;
    }
}
