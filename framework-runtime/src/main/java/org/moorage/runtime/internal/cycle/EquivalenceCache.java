// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cycle;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.model.Pod;
import org.moorage.runtime.decision.PluginStatus;
import org.moorage.runtime.internal.plugin.PluginCaller;
import org.moorage.runtime.internal.plugin.PointRun;

/**
 * What is known of the answers of plugins that sign pods, by what each has signed: pods that are alike for one plugin need not be for
 * another. An answer about a node counts as long as the node has the generation that it was given at; no two states of nodes share a
 * generation, so that it does not matter which node had an index before. Used by one cycle at a time, whose threads may each use it for
 * other nodes.
 */
final class EquivalenceCache {
    private final Map<PluginCaller, Recurring<Object, Scores>> scores = new HashMap<>();
    private final Recurring<List<Scores>, Rejections> rejections = new Recurring<>(signed -> new Rejections());

    /** What is known for a pod; null if no plugin has signed one like it lately. */
    @Nullable
    Alike find(Profile profile, Pod pod) {
        List<Scores> known = new ArrayList<>();
        for (PluginCaller plugin : profile.signing()) {
            Optional<?> signed = plugin.sign(pod);
            if (signed.isPresent()) {
                Scores found = scores.computeIfAbsent(plugin, key -> new Recurring<>(part -> new Scores(plugin)))
                        .find(signed.get());
                if (found != null) {
                    known.add(found);
                }
            }
        }
        return known.isEmpty() ? null : new Alike(known);
    }

    /** What is known of the answers for the pod of one cycle, from pods before that were alike. */
    final class Alike {
        // Of the plugins that have signed the pod.
        private final List<Scores> signed;
        // The first filters, of which all have signed a pod like this one, and what is known of them.
        private PluginCaller[] filters = {};
        private int knownFilters;
        private @Nullable Rejections answers;
        // The generations of all nodes in this cycle.
        private long[] generations = {};

        private Alike(List<Scores> signed) {
            this.signed = signed;
        }

        /** Gets ready for a pass of these filters over nodes that have these generations. */
        void prepareFilters(PluginCaller[] active, long[] generationByNode) {
            generations = generationByNode;
            filters = active;
            List<Scores> first = new ArrayList<>(active.length);
            for (PluginCaller filter : active) {
                Scores known = of(filter);
                if (known == null) {
                    break;
                }
                first.add(known);
            }
            answers = first.isEmpty() ? null : rejections.find(first);
            knownFilters = answers == null ? 0 : first.size();
            if (answers != null) {
                answers.prepare(generations.length);
            }
        }

        /** How many of the filters of the pass {@link #filter} stands for. */
        int filters() {
            return knownFilters;
        }

        /** Runs the first filters for the nodes from one index to before another that are not rejected yet. */
        void filter(CycleState state, Pod pod, List<NodeInfo> nodes, int from, int to, FilterRun.Answers into) {
            Rejections known = answers;
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
                answer = filters[i].filter(PointRun.UNMEASURED, state, pod, node);
            }
            return answer;
        }

        /** Gets ready for the scores of these plugins, for nodes of which some were filtered. */
        void prepareScores(PluginCaller[] plugins) {
            for (PluginCaller plugin : plugins) {
                Scores known = of(plugin);
                if (known != null) {
                    known.prepare(generations.length);
                }
            }
        }

        /** As {@link PluginCaller#score}, with the scores that are known. The nodes are in the order of their indexes. */
        void score(
                PluginCaller plugin, CycleState state, Pod pod, List<NodeInfo> nodes, int from, int to, long[] into) {
            Scores known = of(plugin);
            if (known == null) {
                plugin.score(state, pod, nodes, from, to, into);
            } else {
                known.score(state, pod, nodes, generations, from, to, into);
            }
        }

        private @Nullable Scores of(PluginCaller plugin) {
            for (int i = 0; i < signed.size(); i++) {
                if (signed.get(i).plugin == plugin) {
                    return signed.get(i);
                }
            }
            return null;
        }
    }

    /** What some filters answer together, by node, for pods that they have signed alike: the first rejection, or success. */
    private static final class Rejections {
        private long[] answeredAt = {};
        private PluginStatus[] answers = {};

        void prepare(int nodes) {
            if (answers.length < nodes) {
                answeredAt = Arrays.copyOf(answeredAt, nodes);
                answers = Arrays.copyOf(answers, nodes);
            }
        }

        @Nullable
        PluginStatus find(int index, long generation) {
            return answeredAt[index] == generation ? answers[index] : null;
        }

        // Gives the rejections of the nodes if the answers for all of them are known and none is left out in between.
        @SuppressWarnings("ReferenceEquality") // the answer of a node that is not rejected is always that instance
        boolean giveAll(List<NodeInfo> nodes, long[] generations, int from, int to, FilterRun.Answers into) {
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

    /**
     * The scores of one plugin for pods that it has signed alike, by node, if it scores. One equals itself alone, so that some of them can
     * stand for what those plugins have signed.
     */
    private static final class Scores {
        private final PluginCaller plugin;
        private long[] scoredAt = {};
        private long[] scores = {};

        Scores(PluginCaller plugin) {
            this.plugin = plugin;
        }

        void prepare(int nodes) {
            if (scores.length < nodes) {
                scoredAt = Arrays.copyOf(scoredAt, nodes);
                scores = Arrays.copyOf(scores, nodes);
            }
        }

        void score(CycleState state, Pod pod, List<NodeInfo> nodes, long[] generations, int from, int to, long[] into) {
            int first = nodes.get(from).index();
            int end = nodes.get(to - 1).index() + 1;
            // Mostly no node is left out, and none has changed.
            if (end - first == to - from && Arrays.equals(scoredAt, first, end, generations, first, end)) {
                System.arraycopy(scores, first, into, from, to - from);
                return;
            }
            int unknown = from;
            for (int i = from; i < to; i++) {
                int index = nodes.get(i).index();
                if (scoredAt[index] == generations[index]) {
                    ask(state, pod, nodes, generations, unknown, i, into);
                    unknown = i + 1;
                    into[i] = scores[index];
                }
            }
            ask(state, pod, nodes, generations, unknown, to, into);
        }

        private void ask(
                CycleState state, Pod pod, List<NodeInfo> nodes, long[] generations, int from, int to, long[] into) {
            if (from == to) {
                return;
            }
            plugin.score(state, pod, nodes, from, to, into);
            for (int i = from; i < to; i++) {
                int index = nodes.get(i).index();
                scores[index] = into[i];
                scoredAt[index] = generations[index];
            }
        }
    }

    /**
     * Values of the keys that were asked for last. A value is made when a key is asked for again, since what does not come back needs none.
     * The keys are few and compared in turn, so that they need no quick {@code hashCode}.
     */
    static final class Recurring<K, V> {
        private static final int MOST = 8;

        private final Function<K, V> make;
        // The one that was asked for last stands first.
        private final List<Entry<K, V>> entries = new ArrayList<>(MOST);
        private final List<K> askedOnce = new ArrayList<>(MOST + 1);

        private record Entry<K, V>(K key, V value) {}

        Recurring(Function<K, V> make) {
            this.make = make;
        }

        /** The value of a key; null if it was not asked for before, or not lately. */
        @Nullable
        V find(K key) {
            for (int i = 0; i < entries.size(); i++) {
                Entry<K, V> entry = entries.get(i);
                if (entry.key.equals(key)) {
                    if (i > 0) {
                        entries.remove(i);
                        entries.add(0, entry);
                    }
                    return entry.value;
                }
            }
            if (!askedOnce.remove(key)) {
                askedOnce.add(0, key);
                if (askedOnce.size() > MOST) {
                    askedOnce.remove(MOST);
                }
                return null;
            }
            if (entries.size() == MOST) {
                entries.remove(MOST - 1);
            }
            V made = make.apply(key);
            entries.add(0, new Entry<>(key, made));
            return made;
        }
    }
}
