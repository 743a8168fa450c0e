// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

import java.util.List;

/**
 * How tolerations are held against taints. Which of the two counts is a matter of the feature gate {@code
 * TaintTolerationComparisonOperators}, see {@link org.moorage.api.plugin.FeatureGates#tolerance}.
 */
public enum Tolerance {
    /** A toleration's value is the taint's, or is not looked at; the operators {@code Lt} and {@code Gt} match nothing. */
    BY_EQUALITY,
    /** Besides, the taint's value may be a whole number less ({@code Lt}) or greater ({@code Gt}) than the toleration's. */
    BY_NUMBER;

    /** Whether one of these tolerations matches the taint. */
    public boolean covers(List<Toleration> tolerations, Taint taint) {
        for (int i = 0; i < tolerations.size(); i++) {
            if (tolerations.get(i).tolerates(taint, this)) {
                return true;
            }
        }
        return false;
    }

    /** Whether one of these taints keeps a pod with these tolerations off its node. */
    public boolean keepsOff(List<Toleration> tolerations, List<Taint> taints) {
        for (int i = 0; i < taints.size(); i++) {
            if (taints.get(i).blocks() && !covers(tolerations, taints.get(i))) {
                return true;
            }
        }
        return false;
    }
}
