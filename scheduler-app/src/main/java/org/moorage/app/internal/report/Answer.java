// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.report;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.moorage.simulation.whatif.DisruptedPod;

/** The answer to a question about a cluster, for people, programs and scripts. */
public interface Answer extends Report {
    /** The exit code: 0 for yes, such as that every pod is scheduled, and 1 for no. A command ends with 2 if there is no answer. */
    int exitCode();

    /** The {@link #tree} for one of many answers: without what it has of each pod and node, where that would be too much. The same in each run. */
    default ObjectNode summaryTree() {
        return tree();
    }

    /** Three to six figures that a page shows next to the headline, by their names; none if the headline has them all. */
    default Map<String, String> figures() {
        return Map.of();
    }

    /** The outcomes of pods that have to leave their nodes, in order; none if the question has no such pods. */
    default List<DisruptedPod> disruptedPods() {
        return List.of();
    }

    /** The names of the nodes that are gone in the end. */
    default Set<String> lostNodes() {
        return Set.of();
    }
}
