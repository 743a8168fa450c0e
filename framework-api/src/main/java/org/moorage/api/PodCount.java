// SPDX-License-Identifier: Apache-2.0
package org.moorage.api;

import java.util.List;
import java.util.function.Predicate;
import org.moorage.api.model.Pod;

/** The number of pods that match a predicate, on the nodes of a snapshot, see {@link Snapshot#count}. */
public interface PodCount {
    /** Returns the number of matching pods on a node. */
    int on(NodeInfo node);

    /** Returns the number of matching pods per topology domain, by domain number. */
    int[] in(Topology topology);

    /**
     * Returns an uncached count, which evaluates the predicate on each call; {@code nodes} are those of the snapshot.
     */
    static PodCount of(List<NodeInfo> nodes, Predicate<Pod> which) {
        return new PodCount() {
            @Override
            public int on(NodeInfo node) {
                return PodCount.of(node, which);
            }

            @Override
            public int[] in(Topology topology) {
                int[] counts = new int[nodes.size()];
                for (int i = 0; i < counts.length; i++) {
                    counts[i] = on(nodes.get(i));
                }
                return topology.sums(counts);
            }
        };
    }

    /** Returns the number of pods on a node that match a predicate. */
    static int of(NodeInfo node, Predicate<Pod> which) {
        List<Pod> pods = node.pods();
        int count = 0;
        for (int i = 0; i < pods.size(); i++) {
            count += which.test(pods.get(i)) ? 1 : 0;
        }
        return count;
    }
}
