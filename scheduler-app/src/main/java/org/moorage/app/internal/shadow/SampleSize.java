// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.shadow;

/** How many feasible nodes kube-scheduler looks for before it scores them. */
final class SampleSize {
    private static final int MIN_NODES = 100;
    private static final int MIN_PERCENTAGE = 5;

    private SampleSize() {}

    /**
     * That of a cluster.
     *
     * @param nodes how many nodes it has
     * @param percentageOfNodesToScore the setting; 0 for what kube-scheduler derives from the number of nodes
     */
    static int of(int nodes, int percentageOfNodesToScore) {
        int percentage =
                percentageOfNodesToScore == 0 ? Math.max(MIN_PERCENTAGE, 50 - nodes / 125) : percentageOfNodesToScore;
        return nodes < MIN_NODES ? nodes : Math.max(MIN_NODES, (int) ((long) nodes * percentage / 100));
    }
}
