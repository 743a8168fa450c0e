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

/**
 * Caches the results of plugins that sign pods, keyed by each plugin's signature: pods that are equivalent for one
 * plugin may differ for another. The result for a node is valid as long as the node has the same generation. No two
 * states of nodes share a generation, so it does not matter which node had an index before. One cycle at a time uses
 * the cache; its threads may use it concurrently for different nodes.
 */
final class EquivalenceCache {
    private static final int LEAST_KEYS = 8;
    // They are compared in turn.
    private static final int MOST_KEYS = 128;
    // Of one plugin; 16 bytes each.
    private static final int MOST_RESULTS = 1 << 19;

    private final Map<PluginCaller, Recurring<Object, Scores>> scores = new HashMap<>();
    private final Recurring<List<Scores>, Rejections> rejections = new Recurring<>(signed -> new Rejections());

    /** Returns the cached results, for that many nodes, of the plugins that have recently signed an equivalent pod. */
    List<Scores> find(Profile profile, Pod pod, int nodes) {
        int most = mostKeys(nodes);
        List<Scores> found = new ArrayList<>();
        for (PluginCaller plugin : profile.signing()) {
            Optional<?> signed = plugin.sign(pod);
            if (signed.isPresent()) {
                Scores cached = scores.computeIfAbsent(plugin, key -> new Recurring<>(part -> new Scores(plugin)))
                        .find(signed.get(), most);
                if (cached != null) {
                    found.add(cached);
                }
            }
        }
        return found;
    }

    /**
     * Returns the cached combined result of some filters, for that many nodes; null if they have not run together
     * recently.
     */
    @Nullable
    Rejections find(List<Scores> filters, int nodes) {
        Rejections found = rejections.find(filters, mostKeys(nodes));
        if (found != null) {
            found.prepare(nodes);
        }
        return found;
    }

    private static int mostKeys(int nodes) {
        return Math.max(LEAST_KEYS, Math.min(MOST_KEYS, MOST_RESULTS / Math.max(1, nodes)));
    }

    /** The combined result of some filters by node, for equivalent pods: the first rejection, or success. */
    static final class Rejections {
        private long[] answeredAt = {};
        private PluginStatus[] answers = {};

        private void prepare(int nodes) {
            if (answers.length < nodes) {
                answeredAt = Arrays.copyOf(answeredAt, nodes);
                answers = Arrays.copyOf(answers, nodes);
            }
        }

        @Nullable
        PluginStatus find(int index, long generation) {
            return answeredAt[index] == generation ? answers[index] : null;
        }

        /**
         * Sets the rejections of nodes and returns true, if the results for all of them are cached and their indexes
         * have no gaps.
         */
        @SuppressWarnings("ReferenceEquality") // the answer of a node that is not rejected is always that instance
        boolean giveAll(List<NodeInfo> nodes, long[] generations, int from, int to, NodePass into) {
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
     * The scores of one plugin by node, for equivalent pods, if it scores. An instance equals only itself, so a list of
     * instances represents the signatures of their plugins.
     */
    static final class Scores {
        private final PluginCaller plugin;
        private long[] scoredAt = {};
        private long[] scores = {};

        Scores(PluginCaller plugin) {
            this.plugin = plugin;
        }

        /** Returns whether these are the scores of a plugin. */
        boolean isOf(PluginCaller candidate) {
            return plugin == candidate;
        }

        /** Ensures capacity for that many nodes. */
        void prepare(int nodes) {
            if (scores.length < nodes) {
                scoredAt = Arrays.copyOf(scoredAt, nodes);
                scores = Arrays.copyOf(scores, nodes);
            }
        }

        /** Like {@link PluginCaller#score}, with the cached scores. The nodes must be in the order of their indexes. */
        void score(CycleState state, Pod pod, List<NodeInfo> nodes, long[] generations, int from, int to, long[] into) {
            int first = nodes.get(from).index();
            int end = nodes.get(to - 1).index() + 1;
            // Most often the indexes have no gaps, and no node has changed.
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
     * The values of the most recently used keys. A value is created when its key is used a second time, because a key
     * that does not recur needs none. The keys are few and compared in turn, so {@code hashCode} may be slow.
     */
    static final class Recurring<K, V> {
        private final Function<K, V> make;
        // The most recently used first.
        private final List<Entry<K, V>> entries = new ArrayList<>();
        private final List<K> askedOnce = new ArrayList<>();

        private record Entry<K, V>(K key, V value) {}

        Recurring(Function<K, V> make) {
            this.make = make;
        }

        /**
         * Returns the value of a key; null if the key was not used before, or not recently.
         *
         * @param most how many keys are kept
         */
        @Nullable
        V find(K key, int most) {
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
                if (askedOnce.size() > most) {
                    askedOnce.subList(most, askedOnce.size()).clear();
                }
                return null;
            }
            if (entries.size() >= most) {
                entries.subList(most - 1, entries.size()).clear();
            }
            V made = make.apply(key);
            entries.add(0, new Entry<>(key, made));
            return made;
        }
    }
}
