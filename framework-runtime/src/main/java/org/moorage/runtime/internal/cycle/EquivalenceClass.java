// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cycle;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.Plugin;
import org.moorage.api.plugin.ScorePlugin;
import org.moorage.runtime.decision.PluginStatus;
import org.moorage.runtime.internal.cache.ClusterSnapshot;
import org.moorage.runtime.internal.plugin.PluginCalls;

/**
 * What is known of the answers for the pod of one cycle, from pods before that were alike.
 *
 * <p>Several threads may use it, each for other nodes.
 */
final class EquivalenceClass {
    private final List<KnownScores> scores;
    private final Recurring<List<KnownScores>, KnownAnswers> answersOfFilters;

    // The first filters, of which all have signed a pod like this one, and what is known of them.
    private ProfileFilter[] filters = new ProfileFilter[0];
    private int knownFilters;
    private @Nullable KnownAnswers answers;
    // The generations of all nodes in this cycle.
    private long[] generations = new long[0];

    EquivalenceClass(List<KnownScores> scores, Recurring<List<KnownScores>, KnownAnswers> answersOfFilters) {
        this.scores = scores;
        this.answersOfFilters = answersOfFilters;
    }

    /** Gets ready for a pass of these filters over nodes of a snapshot. */
    void prepareFilters(ProfileFilter[] active, ClusterSnapshot snapshot) {
        generations = snapshot.generations();
        filters = active;
        List<KnownScores> first = new ArrayList<>(active.length);
        for (ProfileFilter filter : active) {
            KnownScores known = of(filter.plugin());
            if (known == null) {
                break;
            }
            first.add(known);
        }
        answers = first.isEmpty() ? null : answersOfFilters.find(first);
        knownFilters = answers == null ? 0 : first.size();
        if (answers != null) {
            answers.prepare(generations.length);
        }
    }

    /** How many of the filters of the pass {@link #filter} stands for. */
    int filters() {
        return knownFilters;
    }

    /**
     * Runs the first filters for the nodes from one index to before another that are not rejected yet. The nodes are of the snapshot.
     *
     * @param into where the rejections go
     */
    void filter(CycleState state, Pod pod, List<NodeInfo> nodes, int from, int to, FilterAnswers into) {
        KnownAnswers known = answers;
        if (known == null) {
            return;
        }
        // Mostly no node is rejected yet, and none has changed.
        if (into.firstRejected(from, to) == to && known.giveAll(nodes, generations, from, to, into)) {
            return;
        }
        for (int i = from; i < to; i++) {
            if (into.isSuccess(i)) {
                NodeInfo node = nodes.get(i);
                int index = node.index();
                PluginStatus answer = known.find(index, generations[index]);
                if (answer == null) {
                    answer = ask(state, pod, node);
                    known.put(index, generations[index], answer);
                }
                into.set(i, answer);
            }
        }
    }

    private PluginStatus ask(CycleState state, Pod pod, NodeInfo node) {
        PluginStatus answer = PluginStatus.SUCCESS;
        for (int i = 0; i < knownFilters && answer.isSuccess(); i++) {
            answer = filters[i].filter(state, pod, node);
        }
        return answer;
    }

    /** Gets ready for the scores of these plugins, for nodes of the snapshot whose nodes were filtered. */
    void prepareScores(ScorePlugin[] plugins) {
        for (ScorePlugin plugin : plugins) {
            KnownScores known = of(plugin);
            if (known != null) {
                known.prepare(generations.length);
            }
        }
    }

    /** As {@link PluginCalls#score}, with the scores that are known. The nodes are in the order of their indexes. */
    void score(ScorePlugin plugin, CycleState state, Pod pod, List<NodeInfo> nodes, int from, int to, long[] into) {
        KnownScores known = of(plugin);
        if (known == null) {
            PluginCalls.score(plugin, state, pod, nodes, from, to, into);
        } else {
            known.score(plugin, state, pod, nodes, generations, from, to, into);
        }
    }

    private @Nullable KnownScores of(Plugin plugin) {
        for (int i = 0; i < scores.size(); i++) {
            if (scores.get(i).isOf(plugin)) {
                return scores.get(i);
            }
        }
        return null;
    }
}
