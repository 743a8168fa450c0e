// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.report;

import picocli.CommandLine.Option;

/** The options that select which pods and nodes of a simulation have a row. */
public final class SimulationRows {
    @Option(names = "--only-unplaced", description = "Leave out the pods that have a node.")
    private boolean onlyUnplaced;

    @Option(names = "--all-pods", description = "A row for every pod, however many there are.")
    private boolean allPods;

    @Option(names = "--all-nodes", description = "A row for every node, however many there are.")
    private boolean allNodes;

    boolean onlyUnplaced() {
        return onlyUnplaced;
    }

    boolean allPods() {
        return allPods;
    }

    boolean allNodes() {
        return allNodes;
    }
}
