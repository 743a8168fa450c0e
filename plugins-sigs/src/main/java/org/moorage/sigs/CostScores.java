// SPDX-License-Identifier: Apache-2.0
package org.moorage.sigs;

import org.moorage.api.NodeScores;

/** Converts costs to scores as scheduler-plugins does, in floating point. */
final class CostScores {
    private CostScores() {}

    /** Returns 100 for the lowest cost and 0 for the highest; 100 if all are equal, but 0 if all are 0. */
    static NodeScores normalized(NodeScores costs) {
        long lowest = Long.MAX_VALUE;
        long highest = Long.MIN_VALUE;
        for (int i = 0; i < costs.size(); i++) {
            lowest = Math.min(lowest, costs.score(i));
            highest = Math.max(highest, costs.score(i));
        }
        if (lowest == 0 && highest == 0) {
            return costs;
        }
        long[] scores = new long[costs.size()];
        for (int i = 0; i < scores.length; i++) {
            // Differences wrap around, as in scheduler-plugins, whose scores are then out of range and fail the pod.
            long share = lowest == highest
                    ? 0
                    : GoMath.truncate(100.0 * (double) (costs.score(i) - lowest) / (double) (highest - lowest));
            scores[i] = Math.max(0, Math.min(NodeScores.MAX, NodeScores.MAX - share));
        }
        return costs.with(scores);
    }
}
