// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.compare;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import java.util.List;
import java.util.Map;
import org.moorage.app.internal.answer.ClusterFigures;
import org.moorage.app.internal.answer.SchedulingFigures;
import org.moorage.app.internal.report.Answer;

/**
 * The results of a configuration with other weights of its plugins.
 *
 * @param pending the number of pending pods that are scheduled
 * @param rescheduled the number of pods that are taken off their nodes first
 * @param now the cluster as it is
 * @param unchanged the result of the weights of the configuration
 * @param combinations the results of other weights, in the order that was asked for
 */
record WeightsAnswer(
        int pending, int rescheduled, ClusterFigures now, Unchanged unchanged, List<Combination> combinations)
        implements Answer {
    /**
     * The result of the configuration.
     *
     * @param name the name of the configuration
     * @param figures the result in figures
     */
    record Unchanged(String name, @JsonUnwrapped SchedulingFigures figures) {}

    /**
     * The result of a combination of weights.
     *
     * @param weights the weights by plugin
     * @param moved the number of pods that go to other nodes than by the weights of the configuration
     * @param figures the result in figures
     */
    record Combination(
            Map<String, Integer> weights,
            int moved,
            @JsonUnwrapped SchedulingFigures figures) {
        /** Returns a text such as {@code NodeResourcesFit=2, ImageLocality=0}. */
        String text() {
            return text(weights);
        }

        /** Returns a text such as {@code NodeResourcesFit=2, ImageLocality=0}. */
        static String text(Map<String, Integer> weights) {
            return weights.entrySet().stream()
                    .map(weight -> weight.getKey() + "=" + weight.getValue())
                    .reduce((first, second) -> first + ", " + second)
                    .orElse("");
        }
    }
}
