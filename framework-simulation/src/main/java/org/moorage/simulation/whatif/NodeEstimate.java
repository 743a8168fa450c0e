// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.whatif;

import java.util.List;
import java.util.Objects;
import org.moorage.simulation.whatif.RescheduledPods.RescheduledPod;

/**
 * How many nodes of a type the pods that wait need. Immutable.
 *
 * @param type the type
 * @param waiting how many pods wait, without those of DaemonSets that find no place on the node that they are for
 * @param placedBefore how many of them find a place on the nodes that are there
 * @param nodes how many nodes of the type place as many of the others as can be; 0 if they place none
 * @param pods what becomes of these others with so many nodes
 * @param tried what was tried, by number of nodes
 */
public record NodeEstimate(
        NodeTemplate type, int waiting, int placedBefore, int nodes, RescheduledPods pods, List<Attempt> tried) {
    public NodeEstimate {
        Objects.requireNonNull(type, "type");
        Objects.requireNonNull(pods, "pods");
        tried = List.copyOf(tried);
    }

    /**
     * What was tried.
     *
     * @param nodes so many nodes more
     * @param left how many pods found no place then
     */
    public record Attempt(int nodes, int left) {}

    /** Those that find no place with these nodes. */
    public List<RescheduledPod> left() {
        return pods.unplaced();
    }

    /** How many find a place with these nodes, and none without. */
    public int placed() {
        return pods.pods().size() - left().size();
    }

    /** Whether all pods find a place. */
    public boolean isComplete() {
        return left().isEmpty();
    }
}
