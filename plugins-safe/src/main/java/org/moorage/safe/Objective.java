// SPDX-License-Identifier: Apache-2.0
package org.moorage.safe;

import java.util.Arrays;
import java.util.Optional;

/**
 * An objective for the cluster as a whole. The value of a node is computed over all candidates as if the pod ran on
 * that node; lower is better. One pass over the candidates suffices: the sums over all nodes are adjusted for the one
 * node that the pod changes.
 */
enum Objective {
    /** The standard deviation of the utilization of the prime resource. */
    LOAD_BALANCE {
        @Override
        double[] values(Candidates candidates, DemandStatistics.Moments demand) {
            int n = candidates.size();
            double[] loads = loads(candidates);
            double mean = sum(loads) / n;
            double squares = 0;
            for (double load : loads) {
                squares += (load - mean) * (load - mean);
            }
            double[] values = new double[n];
            for (int i = 0; i < n; i++) {
                double rise = candidates.rise(i);
                double before = loads[i] - mean;
                double after = before + rise;
                double shift = rise / n;
                double variance = (squares - before * before + after * after) / n - shift * shift;
                values[i] = candidates.fits(i) ? Math.sqrt(Math.max(variance, 0)) : Double.NaN;
            }
            return values;
        }
    },

    /**
     * 1 minus the root mean square of the nodes' distances from the average utilization of the prime resource, each as
     * a fraction of the largest possible distance: 0 if each node is full or empty.
     */
    CONSOLIDATE {
        @Override
        double[] values(Candidates candidates, DemandStatistics.Moments demand) {
            int n = candidates.size();
            double[] loads = loads(candidates);
            double[] sorted = loads.clone();
            Arrays.sort(sorted);
            // The sums of the k smallest loads, and of their squares.
            double[] sums = new double[n + 1];
            double[] squares = new double[n + 1];
            for (int k = 0; k < n; k++) {
                sums[k + 1] = sums[k] + sorted[k];
                squares[k + 1] = squares[k] + sorted[k] * sorted[k];
            }
            double[] values = new double[n];
            for (int i = 0; i < n; i++) {
                double after = loads[i] + candidates.rise(i);
                double mean = (sums[n] + candidates.rise(i)) / n;
                if (!candidates.fits(i)) {
                    values[i] = Double.NaN;
                } else if (mean > 0 && mean < 1) {
                    int below = below(sorted, mean);
                    double lower = below * mean * mean - 2 * mean * sums[below] + squares[below];
                    double upper = (n - below) * mean * mean
                            - 2 * mean * (sums[n] - sums[below])
                            + squares[n]
                            - squares[below];
                    double all = lower / (mean * mean) + upper / ((1 - mean) * (1 - mean));
                    double meanSquare = (all - square(loads[i], mean) + square(after, mean)) / n;
                    values[i] = 1 - Math.sqrt(Math.max(meanSquare, 0));
                }
            }
            return values;
        }

        private static int below(double[] sorted, double limit) {
            int low = 0;
            int high = sorted.length;
            while (low < high) {
                int middle = (low + high) >>> 1;
                if (sorted[middle] < limit) {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            return low;
        }

        private static double square(double load, double mean) {
            double distance = load < mean ? (mean - load) / mean : (load - mean) / (1 - mean);
            return distance * distance;
        }
    },

    /**
     * Adaptive bin packing (Tantawi and Steinder, Autonomic Bin Packing): the difference between the variability of the
     * nodes' utilization and the variability of the pods' demand. If pods have similar demands, it spreads the load
     * evenly; if their demands differ, it fills some nodes and keeps others free for large pods.
     */
    A_BINPACK {
        @Override
        double[] values(Candidates candidates, DemandStatistics.Moments demand) {
            int n = candidates.size();
            int[] columns = columns(candidates);
            double ofDemand = ofDemand(candidates, demand, columns);
            double[] mean = new double[columns.length];
            double[][] use = new double[n][columns.length];
            for (int i = 0; i < n; i++) {
                for (int j = 0; j < columns.length; j++) {
                    use[i][j] = candidates.utilization(i, columns[j], 0);
                    mean[j] += use[i][j] / n;
                }
            }
            double[][] products = new double[columns.length][columns.length];
            for (double[] node : use) {
                for (int j = 0; j < columns.length; j++) {
                    node[j] -= mean[j];
                }
                add(products, node);
            }
            double[] values = new double[n];
            double[] after = new double[columns.length];
            double[] shifted = new double[columns.length];
            double[] shift = new double[columns.length];
            for (int i = 0; i < n; i++) {
                if (!candidates.fits(i)) {
                    values[i] = Double.NaN;
                    continue;
                }
                for (int j = 0; j < columns.length; j++) {
                    after[j] = candidates.utilization(i, columns[j], candidates.demand()[columns[j]]) - mean[j];
                    shift[j] = (after[j] - use[i][j]) / n;
                    shifted[j] = mean[j] + shift[j];
                }
                // The quadratic form of the covariance with the mean, derived from that of the products about the
                // previous mean.
                double form = form(products, shifted) - square(dot(use[i], shifted)) + square(dot(after, shifted));
                double spread = form / n - square(dot(shift, shifted));
                values[i] = Math.abs(variation(spread, shifted) - ofDemand);
            }
            return values;
        }

        // Ignores resources that no node has.
        private static int[] columns(Candidates candidates) {
            int[] columns = new int[candidates.demand().length];
            int count = 0;
            for (int j = 0; j < columns.length; j++) {
                if (candidates.averageCapacity(j) > 0) {
                    columns[count] = j;
                    count++;
                }
            }
            return Arrays.copyOf(columns, count);
        }

        private static double ofDemand(Candidates candidates, DemandStatistics.Moments demand, int[] columns) {
            double[] mean = new double[columns.length];
            double[][] covariance = new double[columns.length][columns.length];
            for (int j = 0; j < columns.length; j++) {
                mean[j] = demand.mean(columns[j]) / candidates.averageCapacity(columns[j]);
            }
            for (int j = 0; j < columns.length; j++) {
                for (int k = 0; k < columns.length; k++) {
                    covariance[j][k] = demand.product(columns[j], columns[k])
                                    / candidates.averageCapacity(columns[j])
                                    / candidates.averageCapacity(columns[k])
                            - mean[j] * mean[k];
                }
            }
            return variation(form(covariance, mean), mean);
        }

        // Albert and Zhang's multivariate coefficient of variation; 0 if all means are 0.
        private static double variation(double spread, double[] mean) {
            double length = dot(mean, mean);
            return length > 0 ? Math.sqrt(Math.max(spread, 0)) / length : 0;
        }

        private static void add(double[][] products, double[] vector) {
            for (int j = 0; j < vector.length; j++) {
                for (int k = 0; k < vector.length; k++) {
                    products[j][k] += vector[j] * vector[k];
                }
            }
        }

        private static double form(double[][] matrix, double[] vector) {
            double sum = 0;
            for (int j = 0; j < vector.length; j++) {
                sum += vector[j] * dot(matrix[j], vector);
            }
            return sum;
        }

        private static double dot(double[] first, double[] second) {
            double sum = 0;
            for (int j = 0; j < first.length; j++) {
                sum += first[j] * second[j];
            }
            return sum;
        }

        private static double square(double value) {
            return value * value;
        }
    };

    static final String NAMES = "LOAD_BALANCE, CONSOLIDATE or A_BINPACK";

    /** Returns the objective with that name. */
    static Optional<Objective> named(String name) {
        for (Objective objective : values()) {
            if (objective.name().equals(name)) {
                return Optional.of(objective);
            }
        }
        return Optional.empty();
    }

    /** Returns the value of each candidate, NaN where the pod does not fit. */
    abstract double[] values(Candidates candidates, DemandStatistics.Moments demand);

    private static double[] loads(Candidates candidates) {
        double[] loads = new double[candidates.size()];
        for (int i = 0; i < loads.length; i++) {
            loads[i] = candidates.load(i);
        }
        return loads;
    }

    private static double sum(double[] values) {
        double sum = 0;
        for (double value : values) {
            sum += value;
        }
        return sum;
    }
}
