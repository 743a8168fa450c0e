// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cycle;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.moorage.runtime.decision.PluginStatus;

/**
 * What some filters answer together, by node, for pods that they have signed alike: the first rejection, or success. An answer counts as
 * long as the node has the generation that it was given at, see {@link KnownScores}.
 */
final class KnownAnswers {
    private long[] answeredAt = new long[0];
    private PluginStatus[] answers = new PluginStatus[0];

    /** Gets ready for so many nodes. */
    void prepare(int nodes) {
        if (answers.length < nodes) {
            answeredAt = Arrays.copyOf(answeredAt, nodes);
            answers = Arrays.copyOf(answers, nodes);
        }
    }

    /** The answer for the node of an index; null if it is not known. */
    @Nullable
    PluginStatus find(int index, long generation) {
        return answeredAt[index] == generation ? answers[index] : null;
    }

    void put(int index, long generation, PluginStatus answer) {
        answers[index] = answer;
        answeredAt[index] = generation;
    }
}
