// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cycle;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.Snapshot;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.point.NodeChanges;
import org.moorage.runtime.decision.PluginStatus;
import org.moorage.runtime.internal.plugin.PluginCaller;

/**
 * Caches the results of plugins that sign pods, keyed by each plugin's signature: pods that are equivalent for one
 * plugin may differ for another. The result for a node is valid as long as the node has the same generation and the
 * plugin reports no change of its data ({@link NodeChanges}). No two states of nodes share a generation, so it does not
 * matter which node had an index before. One cycle at a time uses the cache; its threads may use it concurrently for
 * different nodes.
 */
final class EquivalenceCache {
    private static final int LEAST_KEYS = 8;
    // They are compared in turn.
    private static final int MOST_KEYS = 128;
    // Of one plugin; 16 bytes each.
    private static final int MOST_RESULTS = 1 << 19;
    // No state of a node has this generation.
    private static final long NO_GENERATION = 0;

    private final Map<PluginCaller, OfPlugin> byPlugin = new HashMap<>();
    private final Recurring<List<Scores>, Rejections> rejections = new Recurring<>(Rejections::new);

    /** The cached results of one plugin, and the changes of its data. */
    private static final class OfPlugin {
        private final Recurring<Object, Scores> scores;
        private final @Nullable NodeChanges changes;
        // The number of changes after which the cached results were computed, or fewer.
        private long known;

        OfPlugin(PluginCaller plugin) {
            scores = new Recurring<>(signature -> new Scores(plugin));
            changes = plugin.nodeChanges().orElse(null);
        }

        long count() {
            return changes == null ? 0 : changes.count();
        }
    }

    /**
     * Returns the numbers of changes of the signing plugins' data, in their order. A cycle reads them before its plugins
     * read the data, since a change in the meantime invalidates what the cycle computes.
     */
    long[] countChanges(Profile profile) {
        List<PluginCaller> signing = profile.signing();
        long[] counts = new long[signing.size()];
        for (int i = 0; i < counts.length; i++) {
            counts[i] = of(signing.get(i)).count();
        }
        return counts;
    }

    /**
     * Returns the cached results of the plugins that have recently signed an equivalent pod.
     *
     * @param changesBefore the numbers of changes before the cycle's PreFilter
     * @param snapshot the nodes of the cycle
     */
    List<Scores> find(Profile profile, CycleState state, Pod pod, long[] changesBefore, Snapshot snapshot) {
        List<PluginCaller> signing = profile.signing();
        int most = mostKeys(snapshot.nodes().size());
        List<Scores> found = new ArrayList<>();
        for (int i = 0; i < signing.size(); i++) {
            PluginCaller plugin = signing.get(i);
            Optional<?> signed = plugin.sign(state, pod);
            OfPlugin results = of(plugin);
            if (results.changes != null) {
                forgetChanged(plugin, results, results.changes, snapshot);
                results.known = changesBefore[i];
            }
            if (signed.isPresent()) {
                Scores cached = results.scores.find(signed.get(), most);
                if (cached != null) {
                    found.add(cached);
                }
            }
        }
        return found;
    }

    private OfPlugin of(PluginCaller plugin) {
        return byPlugin.computeIfAbsent(plugin, OfPlugin::new);
    }

    private void forgetChanged(PluginCaller plugin, OfPlugin results, NodeChanges changes, Snapshot snapshot) {
        if (changes.count() == results.known) {
            return;
        }
        int[] indexes = indexes(changes.since(results.known), snapshot);
        results.scores.forEach(scores -> forget(scores.scoredAt, indexes));
        rejections.forEach(combined -> {
            if (combined.areOf(plugin)) {
                forget(combined.answeredAt, indexes);
            }
        });
    }

    // Returns null for all nodes: a node that is missing may return in the same state, as after a trial.
    private static int @Nullable [] indexes(Optional<Set<String>> names, Snapshot snapshot) {
        if (names.isEmpty()) {
            return null;
        }
        int[] indexes = new int[names.get().size()];
        int count = 0;
        for (String name : names.get()) {
            Optional<NodeInfo> node = snapshot.node(name);
            if (node.isEmpty()) {
                return null;
            }
            indexes[count++] = node.get().index();
        }
        return indexes;
    }

    private static void forget(long[] computedAt, int @Nullable [] indexes) {
        if (indexes == null) {
            Arrays.fill(computedAt, NO_GENERATION);
            return;
        }
        for (int index : indexes) {
            if (index < computedAt.length) {
                computedAt[index] = NO_GENERATION;
            }
        }
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
        private final List<Scores> filters;
        private long[] answeredAt = {};
        private PluginStatus[] answers = {};

        Rejections(List<Scores> filters) {
            this.filters = filters;
        }

        private boolean areOf(PluginCaller candidate) {
            for (int i = 0; i < filters.size(); i++) {
                if (filters.get(i).isOf(candidate)) {
                    return true;
                }
            }
            return false;
        }

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

        void forEach(Consumer<V> action) {
            for (int i = 0; i < entries.size(); i++) {
                action.accept(entries.get(i).value);
            }
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
