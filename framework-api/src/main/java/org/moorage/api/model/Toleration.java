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
    public boolean tolerates(Taint taint) {
        if (!isAbout(taint)) {
            return false;
        }
        return switch (operator) {
            case "Exists" -> true;
            case "", "Equal" -> value.equals(taint.value());
            default -> false;
        };
    }

    /**
     * As {@link #tolerates}, and with the operators {@code Lt} and {@code Gt} the taint's value must be a whole number less
     * or greater than this one. kube-scheduler has them behind the feature gate
     * {@code TaintTolerationComparisonOperators}.
     */
    public boolean toleratesByNumber(Taint taint) {
        return switch (operator) {
            case "Lt" -> isAbout(taint) && compare(taint) < 0;
            case "Gt" -> isAbout(taint) && compare(taint) > 0;
            default -> tolerates(taint);
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
