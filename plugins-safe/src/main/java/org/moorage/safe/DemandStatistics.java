// SPDX-License-Identifier: Apache-2.0
package org.moorage.safe;

import java.util.LinkedHashSet;
import java.util.Set;

/**
 * What pods want on average, and how that varies: running means of each resource and of the products of two. A pod counts once,
 * however often it is tried. Safe for use by several threads.
 */
final class DemandStatistics {
    // A pod that is tried again after so many others counts a second time.
    private static final int REMEMBERED = 10_000;

    private final Set<String> counted = new LinkedHashSet<>();
    private final int most;
    private int count;
    private Moments moments;

    /**
     * Statistics of no pod.
     *
     * @param resources how many resources there are
     * @param smoothing how much a pod counts once there were so many that it would count less
     */
    DemandStatistics(int resources, double smoothing) {
        this(0, new Moments(new double[resources], new double[resources][resources]), smoothing);
    }

    DemandStatistics(int count, Moments moments, double smoothing) {
        this.count = count;
        this.moments = moments;
        most = Math.max((int) Math.round(1 / smoothing), 1);
    }

    /** Means of amounts and of products of two amounts. Immutable: its arrays are never changed. */
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

    /** The statistics with how many pods they are of, up to where each counts the same. */
    record Saved(int count, Moments moments) {}

    /** Counts a pod, unless it has been, and returns the statistics with it. */
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
