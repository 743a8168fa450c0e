// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

import java.util.List;

/**
 * The operators that tolerations may have. Depends on the feature gate {@code TaintTolerationComparisonOperators}, see
 * {@link org.moorage.api.feature.FeatureGates#tolerationOperators}.
 */
public enum TolerationOperators {
    /** {@code Equal} and {@code Exists}; tolerations with {@code Lt} and {@code Gt} match no taint. */
    EQUALITY,
    /** Also {@code Lt} and {@code Gt}: the taint's value is a whole number less or greater than the toleration's. */
    COMPARISON;

    /** Returns whether one of the tolerations matches the taint. */
    public boolean tolerate(List<Toleration> tolerations, Taint taint) {
        for (int i = 0; i < tolerations.size(); i++) {
            if (tolerations.get(i).tolerates(taint, this)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns whether there is a {@code NoSchedule} or {@code NoExecute} taint that none of the tolerations matches.
     */
    public boolean hasUntoleratedTaint(List<Toleration> tolerations, List<Taint> taints) {
        for (int i = 0; i < taints.size(); i++) {
            if (taints.get(i).blocks() && !tolerate(tolerations, taints.get(i))) {
                return true;
            }
        }
        return false;
    }
}
