// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cache;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.moorage.api.NodeInfo;
import org.moorage.api.PodCount;
import org.moorage.api.TemplatePredicate;
import org.moorage.api.Topology;
import org.moorage.api.model.Pod;

/**
 * The pod counts of a snapshot, kept while its pods change: a count is updated by the pods that were added or removed since it was last requested,
 * instead of visiting all nodes. The least recently used counts are evicted.
 *
 * <p>Changes happen between requests of counts, never concurrently with them.
 */
final class KeptCounts {
    private static final int LEAST_CHANGES = 64;
    private static final int MOST_REQUESTED_ONCE = 64;
    // The limit also holds for few pods, so that names of deleted pods are evicted.
    private static final int MOST_COUNTS = 4096;
    private static final int MOST_SUMS = 256;
    // Some megabytes.
    private static final int MOST_CELLS = 1 << 20;

    private final IntFunction<NodeInfo> nodes;
    private final Function<Predicate<Pod>, NodeCounts> counter;
    private final int mostChanges;

    @GuardedBy("this")
    private final Map<Predicate<Pod>, KeptCount> counts = new HashMap<>();

    @GuardedBy("this")
    private final Set<Predicate<Pod>> requestedOnce = new LinkedHashSet<>();

    // A list by use, and so by position, too.
    @GuardedBy("this")
    private @Nullable KeptCount latest;

    @GuardedBy("this")
    private @Nullable KeptCount eldest;

    @GuardedBy("this")
    private int cells;

    // The changes: a pod, and the index of its node if the pod was added, or the complement of the index if it was
    // removed.
    private Pod[] pods = new Pod[LEAST_CHANGES];
    private int[] indexes = new int[LEAST_CHANGES];
    // The numbers of the first recorded change and of the next change.
    private long start;
    private long end;

    /**
     * Creates an instance without counts.
     *
     * @param nodes returns the present node of an index
     * @param counter counts all pods of the snapshot
     * @param mostChanges how many changes are recorded; counts that were last requested before these are counted anew
     */
    KeptCounts(IntFunction<NodeInfo> nodes, Function<Predicate<Pod>, NodeCounts> counter, int mostChanges) {
        this.nodes = nodes;
        this.counter = counter;
        this.mostChanges = mostChanges;
    }

    /**
     * Returns a count. A count of templates is kept, since it does not visit all pods. Another one is kept from the
     * first sum by topology on, or from the second request: predicates of custom plugins may never equal another one.
     */
    synchronized PodCount find(Predicate<Pod> which) {
        if (which instanceof TemplatePredicate || counts.containsKey(which) || requestedOnce.remove(which)) {
            return updated(which);
        }
        requestedOnce.add(which);
        if (requestedOnce.size() > MOST_REQUESTED_ONCE) {
            Iterator<Predicate<Pod>> first = requestedOnce.iterator();
            first.next();
            first.remove();
        }
        return new PodCount() {
            @Override
            public int on(NodeInfo node) {
                return PodCount.of(node, which);
            }

            @Override
            public int[] in(Topology topology) {
                synchronized (KeptCounts.this) {
                    return updated(which).in(topology);
                }
            }
        };
    }

    synchronized NodeCounts copy(Predicate<Pod> which) {
        return new NodeCounts(updated(which).counts);
    }

    @GuardedBy("this")
    private KeptCount updated(Predicate<Pod> which) {
        KeptCount kept = counts.get(which);
        if (kept != null && kept.position >= start) {
            unlink(kept);
            apply(kept, kept.position, end, 1);
        } else {
            if (kept != null) {
                unlink(kept);
            }
            kept = new KeptCount(which, counter.apply(which));
            counts.put(which, kept);
        }
        kept.position = end;
        link(kept);
        while (eldest != kept && eldest != null && (cells > MOST_CELLS || counts.size() > MOST_COUNTS)) {
            counts.remove(eldest.which);
            unlink(eldest);
        }
        return kept;
    }

    @GuardedBy("this")
    private void link(KeptCount kept) {
        cells += kept.counts.cells();
        kept.earlier = latest;
        if (latest == null) {
            eldest = kept;
        } else {
            latest.later = kept;
        }
        latest = kept;
    }

    @GuardedBy("this")
    private void unlink(KeptCount kept) {
        cells -= kept.counts.cells();
        if (kept.later == null) {
            latest = kept.earlier;
        } else {
            kept.later.earlier = kept.earlier;
        }
        if (kept.earlier == null) {
            eldest = kept.later;
        } else {
            kept.earlier.later = kept.later;
        }
        kept.earlier = null;
        kept.later = null;
    }

    private void apply(KeptCount kept, long from, long to, int sign) {
        for (int i = (int) (from - start); i < to - start; i++) {
            if (kept.which.test(pods[i])) {
                int index = indexes[i];
                kept.add(index < 0 ? ~index : index, index < 0 ? -sign : sign);
            }
        }
    }

    /**
     * Records that the pods on a node have changed.
     *
     * @return the number of the change, for {@link #revertTo}
     */
    @SuppressWarnings("ReferenceEquality") // another version of a pod is another pod
    synchronized long changed(int index, List<Pod> before, List<Pod> after) {
        long number = end;
        int most = Math.max(before.size(), after.size());
        for (int i = 0; i < most; i++) {
            Pod old = i < before.size() ? before.get(i) : null;
            Pod now = i < after.size() ? after.get(i) : null;
            if (old != now) {
                record(old, ~index);
                record(now, index);
            }
        }
        return number;
    }

    @GuardedBy("this")
    private void record(@Nullable Pod pod, int index) {
        if (pod == null) {
            return;
        }
        int next = (int) (end - start);
        if (next == mostChanges) {
            int dropped = next / 2;
            System.arraycopy(pods, dropped, pods, 0, next - dropped);
            System.arraycopy(indexes, dropped, indexes, 0, next - dropped);
            Arrays.fill(pods, next - dropped, next, null);
            start += dropped;
            next -= dropped;
        } else if (next == pods.length) {
            pods = Arrays.copyOf(pods, 2 * next);
            indexes = Arrays.copyOf(indexes, 2 * next);
        }
        pods[next] = pod;
        indexes[next] = index;
        end++;
    }

    /** Reverts the changes from that number on. */
    synchronized void revertTo(long number) {
        if (number < start) {
            clear();
            return;
        }
        for (KeptCount kept = latest; kept != null && kept.position > number; kept = kept.earlier) {
            cells -= kept.counts.cells();
            apply(kept, number, kept.position, -1);
            kept.position = number;
            cells += kept.counts.cells();
        }
        Arrays.fill(pods, (int) (number - start), (int) (end - start), null);
        end = number;
    }

    /** Returns whether there are counts to be updated. */
    synchronized boolean isEmpty() {
        return counts.isEmpty();
    }

    synchronized void clear() {
        counts.clear();
        latest = null;
        eldest = null;
        cells = 0;
        pods = new Pod[LEAST_CHANGES];
        indexes = new int[LEAST_CHANGES];
        // No later change has the number of an earlier one.
        end++;
        start = end;
    }

    /** A count at the state of its position among the changes. */
    private final class KeptCount implements PodCount {
        private final Predicate<Pod> which;
        private final NodeCounts counts;
        private long position;
        private @Nullable KeptCount earlier;
        private @Nullable KeptCount later;
        // The sums by domain of the topology that was last requested, if it has few domains.
        private @Nullable Topology summed;
        private int[] sums = {};

        KeptCount(Predicate<Pod> which, NodeCounts counts) {
            this.which = which;
            this.counts = counts;
        }

        @Override
        @SuppressWarnings("ReferenceEquality") // each state of a node is a separate object
        public int on(NodeInfo node) {
            // A node with a simulated change has other pods than the node of its index.
            return position == end && nodes.apply(node.index()) == node
                    ? counts.get(node.index())
                    : PodCount.of(node, which);
        }

        void add(int index, int amount) {
            counts.add(index, amount);
            int domain = summed == null ? Topology.NONE : summed.domain(nodes.apply(index));
            if (domain != Topology.NONE) {
                sums[domain] += amount;
            }
        }

        @Override
        @SuppressWarnings("ReferenceEquality") // a snapshot keeps its topologies
        public int[] in(Topology topology) {
            if (topology.size() > MOST_SUMS) {
                return counts.in(topology, nodes);
            }
            synchronized (KeptCounts.this) {
                if (summed != topology) {
                    sums = counts.in(topology, nodes);
                    summed = topology;
                }
                return sums.clone();
            }
        }
    }
}
