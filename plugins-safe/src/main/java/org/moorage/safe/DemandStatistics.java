// SPDX-License-Identifier: Apache-2.0
package org.moorage.safe;

import java.util.LinkedHashSet;
import java.util.Set;

/**
 * The average demand of pods and its variability: running means of each resource and of the product of each two
 * resources. A pod counts once, regardless of its number of scheduling attempts. Safe for use by several threads.
 */
final class DemandStatistics {
    // A pod that is retried after this many other pods counts a second time.
    private static final int REMEMBERED = 10_000;

    private final Set<String> counted = new LinkedHashSet<>();
    private final int most;
    private int count;
    private Moments moments;

    /**
     * Creates statistics without pods.
     *
     * @param resources the number of resources
     * @param smoothing the minimum weight of a pod, which applies once its share of all pods would be smaller
     */
    DemandStatistics(int resources, double smoothing) {
        this(0, new Moments(new double[resources], new double[resources][resources]), smoothing);
    }

    DemandStatistics(int count, Moments moments, double smoothing) {
        this.count = count;
        this.moments = moments;
        most = Math.max((int) Math.round(1 / smoothing), 1);
    }

    /** Means of amounts and of products of two amounts. Immutable: the arrays are never modified. */
    record Moments(double[] means, double[][] products) {
        double mean(int resource) {
            return means[resource];
        }

        double product(int first, int second) {
            return products[first][second];
        }

        private Moments with(double[] demand, double factor) {
            double[] nextMeans = new double[demand.length];
            double[][] nextProducts = new double[demand.length][demand.length];
            for (int j = 0; j < demand.length; j++) {
                nextMeans[j] = (1 - factor) * means[j] + factor * demand[j];
                for (int k = 0; k < demand.length; k++) {
                    nextProducts[j][k] = (1 - factor) * products[j][k] + factor * demand[j] * demand[k];
                }
            }
            return new Moments(nextMeans, nextProducts);
        }
    }

    /**
     * The statistics with the number of pods in them, which stops at the number from which on all pods have the same
     * weight.
     */
    record Saved(int count, Moments moments) {}

    /** Counts a pod unless it is already counted, and returns the statistics that include it. */
    synchronized Moments add(String uid, double[] demand) {
        if (counted.add(uid)) {
            if (counted.size() > REMEMBERED) {
                counted.remove(counted.iterator().next());
            }
            count = Math.min(count + 1, most);
            moments = moments.with(demand, 1.0 / count);
        }
        return moments;
    }

    synchronized Saved saved() {
        return new Saved(count, moments);
    }
}
