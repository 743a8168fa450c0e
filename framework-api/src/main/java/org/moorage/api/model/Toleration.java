// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

/**
 * A taint that a pod tolerates, or several such taints.
 *
 * @param key the taint's key; empty matches every key
 * @param operator {@code Exists}, {@code Equal} (also if empty), {@code Lt} or {@code Gt}
 * @param value the value to compare the taint's value with
 * @param effect the taint's effect; empty matches every effect
 */
public record Toleration(String key, String operator, String value, String effect) {
    /** Returns whether it matches the taint. An unknown operator matches no taint. */
    public boolean tolerates(Taint taint, TolerationOperators operators) {
        if (!matchesKeyAndEffect(taint)) {
            return false;
        }
        return switch (operator) {
            case "Exists" -> true;
            case "", "Equal" -> value.equals(taint.value());
            case "Lt" -> operators == TolerationOperators.COMPARISON && compare(taint) < 0;
            case "Gt" -> operators == TolerationOperators.COMPARISON && compare(taint) > 0;
            default -> false;
        };
    }

    private boolean matchesKeyAndEffect(Taint taint) {
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
