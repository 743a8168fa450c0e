// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cycle;

import org.moorage.api.Status;
import org.moorage.runtime.decision.PluginStatus;

/**
 * What the filters answer in a pass, by the index of the node among those that are filtered: its first rejection, or exactly
 * {@link PluginStatus#SUCCESS}. Working memory, kept from pass to pass. Several threads may use it, each for other nodes.
 */
final class FilterAnswers {
    private PluginStatus[] answers = new PluginStatus[0];
    // The statuses of the answers, which is what plugins are given.
    private Status[] statuses = new Status[0];

    /** Gets ready for so many nodes. */
    void prepare(int nodes) {
        if (answers.length < nodes) {
            answers = new PluginStatus[nodes];
            statuses = new Status[nodes];
        }
    }

    PluginStatus get(int index) {
        return answers[index];
    }

    void set(int index, PluginStatus answer) {
        answers[index] = answer;
        statuses[index] = answer.status();
    }

    /** Has none of the nodes from one index to before another rejected. */
    @SuppressWarnings(
            "ReferenceEquality") // nearly every status is that instance, and to compare is quicker than to write
    void clear(int from, int to) {
        for (int i = from; i < to; i++) {
            if (!isSuccess(i) || statuses[i] != Status.success()) {
                set(i, PluginStatus.SUCCESS);
            }
        }
    }

    /** The statuses of the answers, to be replaced where a plugin rejects a node; {@link #takeOver} makes answers of them. */
    Status[] statuses() {
        return statuses;
    }

    /** Takes over what a plugin has put into the statuses of the nodes from one index to before another. */
    @SuppressWarnings("ReferenceEquality") // nearly every status is that instance
    void takeOver(ProfileFilter filter, int from, int to) {
        for (int i = from; i < to; i++) {
            if (statuses[i] != Status.success() && isSuccess(i)) {
                set(i, filter.answer(statuses[i]));
            }
        }
    }

    /** Whether any of the nodes from one index to before another is not rejected. */
    boolean isAnyLeft(int from, int to) {
        for (int i = from; i < to; i++) {
            if (isSuccess(i)) {
                return true;
            }
        }
        return false;
    }

    @SuppressWarnings("ReferenceEquality") // the answer of a node that is not rejected is always that instance
    boolean isSuccess(int index) {
        return answers[index] == PluginStatus.SUCCESS;
    }

    /** How many of the nodes from one index to before another are not rejected. */
    int successes(int from, int to) {
        int successes = 0;
        for (int i = from; i < to; i++) {
            successes += isSuccess(i) ? 1 : 0;
        }
        return successes;
    }

    /** The index of the first node that is rejected, or the end. */
    int firstRejected(int from, int end) {
        int index = from;
        while (index < end && isSuccess(index)) {
            index++;
        }
        return index;
    }
}
