// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cycle;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.moorage.api.NodeInfo;
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

    /**
     * Gives the rejections of the nodes from one index to before another, if the answers for all of them are known and none is left out in
     * between.
     *
     * @return whether it did
     */
    @SuppressWarnings("ReferenceEquality") // the answer of a node that is not rejected is always that instance
    boolean giveAll(List<NodeInfo> nodes, long[] generations, int from, int to, FilterAnswers into) {
        int first = nodes.get(from).index();
        int end = nodes.get(to - 1).index() + 1;
        if (end - first != to - from || !Arrays.equals(answeredAt, first, end, generations, first, end)) {
            return false;
        }
        for (int i = from; i < to; i++) {
            PluginStatus answer = answers[first + i - from];
            if (answer != PluginStatus.SUCCESS) {
                into.set(i, answer);
            }
        }
        return true;
    }

    void put(int index, long generation, PluginStatus answer) {
        answers[index] = answer;
        answeredAt[index] = generation;
    }
}
