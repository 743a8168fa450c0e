// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cycle;

import java.util.ArrayList;
import java.util.Arrays;
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
 * Answers of plugins for pods that are alike, by node. An answer counts as long as the node has the generation that it was given at;
 * no two states of nodes share a generation, so that it does not matter which node had an index before.
 *
 * <p>Several threads may use it, each for other nodes.
 */
final class EquivalenceClass {
    private final EquivalenceCache.Signature signature;
    private final List<Plugin> signing = new ArrayList<>();

    // The first filters, of which all sign the pod.
    private ProfileFilter[] filters = new ProfileFilter[0];
    private long[] filteredAt = new long[0];
    private PluginStatus[] answers = new PluginStatus[0];
    private final List<Scores> scores = new ArrayList<>();
    // The generations of all nodes in this cycle.
    private long[] generations = new long[0];

    /** The scores of one plugin. */
    private static final class Scores {
        private final ScorePlugin plugin;
        private long[] scoredAt = new long[0];
        private long[] scores = new long[0];

        Scores(ScorePlugin plugin) {
            this.plugin = plugin;
        }
    }

    EquivalenceClass(EquivalenceCache.Signature signature) {
        this.signature = signature;
        List<? extends Plugin> plugins = signature.profile().signPlugins();
        for (int i = 0; i < plugins.size(); i++) {
            if (signature.parts().get(i).isPresent()) {
                signing.add(plugins.get(i));
            }
        }
    }

    EquivalenceCache.Signature signature() {
        return signature;
    }

    /** Gets ready for a pass of these filters over nodes of a snapshot. */
    void prepareFilters(ProfileFilter[] active, ClusterSnapshot snapshot) {
        generations = snapshot.generations();
        int nodes = generations.length;
        int count = 0;
        while (count < active.length && active[count].isOneOf(signing)) {
            count++;
        }
        if (!Arrays.equals(filters, 0, filters.length, active, 0, count)) {
            filters = Arrays.copyOf(active, count);
            Arrays.fill(filteredAt, 0);
        }
        if (filteredAt.length < nodes) {
            filteredAt = Arrays.copyOf(filteredAt, nodes);
            answers = Arrays.copyOf(answers, nodes);
        }
    }

    /** How many of the filters of the pass {@link #filter} stands for. */
    int filters() {
        return filters.length;
    }

    /** Whether {@link #filter} stands for all of these filters, and these nodes are all of the snapshot, so that a node's place is its index. */
    boolean isWholePass(ProfileFilter[] active, List<NodeInfo> nodes) {
        return filters.length == active.length && generations.length == nodes.size();
    }

    /** What is known that {@link #filter} answers for the node of an index; null if it is to be asked. */
    @Nullable
    PluginStatus known(int index) {
        return filteredAt[index] == generations[index] ? answers[index] : null;
    }

    /** What the first filters answer for a node of the snapshot: the first rejection, or {@link PluginStatus#SUCCESS}. */
    PluginStatus filter(CycleState state, Pod pod, NodeInfo node) {
        int index = node.index();
        PluginStatus known = known(index);
        if (known != null) {
            return known;
        }
        PluginStatus answer = PluginStatus.SUCCESS;
        for (int i = 0; i < filters.length && answer.isSuccess(); i++) {
            answer = filters[i].filter(state, pod, node);
        }
        answers[index] = answer;
        filteredAt[index] = generations[index];
        return answer;
    }

    /** Gets ready for the scores of these plugins, for nodes of the snapshot whose nodes were filtered. */
    void prepareScores(ScorePlugin[] plugins) {
        int nodes = generations.length;
        for (ScorePlugin plugin : plugins) {
            Scores known = scoresOf(plugin);
            if (known == null && isOneOf(signing, plugin)) {
                known = new Scores(plugin);
                scores.add(known);
            }
            if (known != null && known.scores.length < nodes) {
                known.scoredAt = Arrays.copyOf(known.scoredAt, nodes);
                known.scores = Arrays.copyOf(known.scores, nodes);
            }
        }
    }

    /** As {@link PluginCalls#score}, with the scores that are known. The nodes are in the order of their indexes. */
    void score(
            ScorePlugin plugin,
            CycleState state,
            Pod pod,
            List<NodeInfo> nodes,
            int from,
            int to,
            long[] into,
            int offset) {
        Scores known = scoresOf(plugin);
        if (known == null) {
            PluginCalls.score(plugin, state, pod, nodes, from, to, into, offset);
            return;
        }
        int first = nodes.get(from).index();
        int end = nodes.get(to - 1).index() + 1;
        // Mostly no node is left out, and none has changed.
        if (end - first == to - from && Arrays.equals(known.scoredAt, first, end, generations, first, end)) {
            System.arraycopy(known.scores, first, into, offset + from, to - from);
            return;
        }
        int asked = from;
        for (int i = from; i < to; i++) {
            int index = nodes.get(i).index();
            if (known.scoredAt[index] == generations[index]) {
                ask(known, state, pod, nodes, asked, i, into, offset);
                asked = i + 1;
                into[offset + i] = known.scores[index];
            }
        }
        ask(known, state, pod, nodes, asked, to, into, offset);
    }

    private void ask(
            Scores known, CycleState state, Pod pod, List<NodeInfo> nodes, int from, int to, long[] into, int offset) {
        if (from == to) {
            return;
        }
        PluginCalls.score(known.plugin, state, pod, nodes, from, to, into, offset);
        for (int i = from; i < to; i++) {
            int index = nodes.get(i).index();
            known.scores[index] = into[offset + i];
            known.scoredAt[index] = generations[index];
        }
    }

    @SuppressWarnings("ReferenceEquality") // plugins are compared by what they are
    private @Nullable Scores scoresOf(ScorePlugin plugin) {
        for (int i = 0; i < scores.size(); i++) {
            if (scores.get(i).plugin == plugin) {
                return scores.get(i);
            }
        }
        return null;
    }

    /** Whether a plugin is among these. */
    @SuppressWarnings("ReferenceEquality")
    static boolean isOneOf(List<Plugin> plugins, Plugin plugin) {
        for (Plugin one : plugins) {
            if (one == plugin) {
                return true;
            }
        }
        return false;
    }
}
