// SPDX-License-Identifier: Apache-2.0
package org.moorage.api;

import java.util.List;
import java.util.function.Predicate;
import org.moorage.api.model.Pod;

/** How many pods of a kind there are on each node, see {@link Snapshot#count}. */
@FunctionalInterface
public interface PodCount {
    /** The number of such pods on a node. */
    int on(NodeInfo node);

    /** The number of pods on a node that a predicate holds for. */
    static int of(NodeInfo node, Predicate<Pod> which) {
        List<Pod> pods = node.pods();
        int count = 0;
        for (int i = 0; i < pods.size(); i++) {
            count += which.test(pods.get(i)) ? 1 : 0;
        }
        return count;
    }
}
