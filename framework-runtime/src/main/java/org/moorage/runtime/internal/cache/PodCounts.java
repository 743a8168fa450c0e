// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cache;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.moorage.api.NodeInfo;
import org.moorage.api.PodCount;
import org.moorage.api.Topology;
import org.moorage.api.model.Pod;

/**
 * How many pods of a snapshot's nodes there are that predicates hold for, those of the predicates that were asked for last. They are kept from cycle
 * to cycle: only a node of a later generation may have other pods. Safe for use by several threads while the snapshot stays as it is.
 */
final class PodCounts {
    // Of few nodes no more than of many, so that names of pods that are gone are forgotten.
    private static final int LEAST_COUNTS = 512;
    // The pods of a node belong to a few owners.
    private static final int COUNTS_OF_A_NODE = 2;
    // Some megabytes.
    private static final int MOST_NODES = 1_000_000;

    // The one that was used last stands at the end.
    @GuardedBy("this")
    private final Map<Predicate<Pod>, Kept> keptByPredicate = new LinkedHashMap<>(16, 0.75f, true);

    @GuardedBy("this")
    private long keptNodes;

    /** A count of pods that few nodes have. */
    private static final class Kept {
        // Of those that are equal, the first one that was asked for.
        private final Predicate<Pod> which;
        private final int[] indexes;
        private final int[] counts;
        private final long generation;
        private final long treeVersion;

        Kept(Predicate<Pod> which, int[] countByIndex, ClusterSnapshot snapshot) {
            this.which = which;
            int nodes = 0;
            for (int count : countByIndex) {
                nodes += count > 0 ? 1 : 0;
            }
            indexes = new int[nodes];
            counts = new int[nodes];
            int next = 0;
            for (int i = 0; next < nodes; i++) {
                if (countByIndex[i] > 0) {
                    indexes[next] = i;
                    counts[next++] = countByIndex[i];
                }
            }
            generation = snapshot.generation();
            treeVersion = snapshot.treeVersion();
        }

        boolean hasNodesOf(ClusterSnapshot snapshot) {
            return treeVersion == snapshot.treeVersion();
        }

        void addTo(int[] countByIndex) {
            for (int i = 0; i < indexes.length; i++) {
                countByIndex[indexes[i]] = counts[i];
            }
        }
    }

    /** A count by the nodes' indexes. */
    private record Counts(Predicate<Pod> which, List<NodeInfo> nodes, int[] countByIndex) implements PodCount {
        @Override
        public int on(NodeInfo node) {
            // One that something is tried on has other pods than the node of its index.
            int index = node.index();
            if (index < countByIndex.length && nodes.get(index) == node) {
                return countByIndex[index];
            }
            return node instanceof SnapshotNode tried ? tried.count(which) : PodCount.of(node, which);
        }

        @Override
        public int[] in(Topology topology) {
            return topology.sums(countByIndex);
        }
    }

    /** Counts the pods on the nodes of a snapshot, always the same one. */
    PodCount of(Predicate<Pod> which, ClusterSnapshot snapshot) {
        Kept kept = find(which);
        Predicate<Pod> first = kept == null ? which : kept.which;
        int[] counts = new int[snapshot.nodes().size()];
        if (kept == null || !kept.hasNodesOf(snapshot)) {
            count(counts, first, snapshot, Long.MIN_VALUE);
            keep(new Kept(first, counts, snapshot), counts.length);
        } else {
            kept.addTo(counts);
            if (kept.generation != snapshot.generation()) {
                count(counts, first, snapshot, kept.generation);
                keep(new Kept(first, counts, snapshot), counts.length);
            }
        }
        return new Counts(first, snapshot.nodes(), counts);
    }

    private static void count(int[] counts, Predicate<Pod> which, ClusterSnapshot snapshot, long known) {
        List<NodeInfo> nodes = snapshot.nodes();
        long[] generations = snapshot.generations();
        for (int i = 0; i < counts.length; i++) {
            if (generations[i] > known) {
                counts[i] = PodCount.of(nodes.get(i), which);
            }
        }
    }

    private synchronized @Nullable Kept find(Predicate<Pod> which) {
        return keptByPredicate.get(which);
    }

    private synchronized void keep(Kept count, int nodes) {
        Kept before = keptByPredicate.put(count.which, count);
        keptNodes += count.indexes.length - (before == null ? 0 : before.indexes.length);
        int most = Math.max(LEAST_COUNTS, COUNTS_OF_A_NODE * nodes);
        Iterator<Kept> eldest = keptByPredicate.values().iterator();
        while (keptByPredicate.size() > most || keptNodes > MOST_NODES) {
            keptNodes -= eldest.next().indexes.length;
            eldest.remove();
        }
    }
}
