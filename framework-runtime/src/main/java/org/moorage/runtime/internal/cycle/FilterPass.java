// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cycle;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.model.Pod;

/**
 * Filters nodes from a start on, until enough of them are feasible. After the last node comes the first. With several threads there
 * may be more feasible nodes among those that were filtered than are wanted.
 */
final class FilterPass implements Parallelism.Pass {
    // To read the clock before and after a filter takes longer than the filter.
    private static final int TIMED_NODES = 16;

    private final Profile profile;
    private final CycleState state;
    private final Pod pod;
    private final List<NodeInfo> nodes;
    private final @Nullable EquivalenceClass alike;
    private final FilterAnswers answers;
    private final int start;
    private final int wanted;
    private final ActiveFilters timed;
    private final ActiveFilters untimed;
    private final AtomicInteger found = new AtomicInteger();

    FilterPass(
            Profile profile,
            CycleState state,
            Pod pod,
            List<NodeInfo> nodes,
            @Nullable EquivalenceClass alike,
            FilterAnswers answers,
            int start,
            int wanted) {
        this.profile = profile;
        this.state = state;
        this.pod = pod;
        this.nodes = nodes;
        this.alike = alike;
        this.answers = answers;
        this.start = start;
        this.wanted = wanted;
        timed = state.get(ActiveFilters.KEY);
        untimed = timed.withoutTimes();
    }

    @Override
    public boolean run(int from, int to) {
        ActiveFilters active = from < TIMED_NODES ? timed : untimed;
        int count = nodes.size();
        int first = (start + from) % count;
        int end = Math.min(count, first + to - from);
        int wrapped = first + to - from - end;
        profile.filter(state, active, pod, nodes, first, end, alike, answers);
        profile.filter(state, active, pod, nodes, 0, wrapped, alike, answers);
        int successes = answers.successes(first, end) + answers.successes(0, wrapped);
        // One more than wanted: kube-scheduler notices that it has enough when one too many comes in.
        return (successes == 0 ? found.get() : found.addAndGet(successes)) <= wanted;
    }

    /** No node beyond what is wanted. */
    @Override
    public int most() {
        return Math.max(1, wanted + 1 - found.get());
    }

    /** How many are left if as many of them are feasible as of those before. */
    @Override
    public int left(int done, int count) {
        int feasible = found.get();
        return feasible == 0 ? count - done : (int) Math.min(count - done, (wanted + 1L - feasible) * done / feasible);
    }
}
