// SPDX-License-Identifier: Apache-2.0
package org.moorage.safe;

import java.util.Locale;
import org.apache.commons.numbers.gamma.Erfc;
import org.apache.commons.numbers.gamma.RegularizedBeta;
import org.moorage.safe.FreeResources.Free;

/**
 * The utilization of one resource of a node that includes the pod.
 *
 * @param mu the average utilization, 0 to 1
 * @param sigma its standard deviation, 0 to 1
 */
record Load(double mu, double sigma) {
    private static final double PRECISION = 1e-12;
    // Enough for deviations down to about 1e-4.
    private static final int MAX_ITERATIONS = 20_000;

    /**
     * Returns the load of a node.
     *
     * @param capacity the node's allocatable amount; a node that has none is full
     * @param free the free amount
     * @param demand the pod's request, in the unit of the other two
     * @param forecastWeight the weight of a forecast, 0 to 1
     */
    static Load of(long capacity, Free free, long demand, double forecastWeight) {
        if (capacity <= 0) {
            return new Load(1, 1);
        }
        double used = Math.max(capacity - free.expected(forecastWeight), 0);
        return new Load(fraction((used + demand) / capacity), fraction(free.deviation() / capacity));
    }

    private static double fraction(double value) {
        return Math.min(Math.max(value, 0), 1);
    }

    /**
     * Returns the probability that the utilization is above a limit, in the Beta distribution with this average and
     * deviation. The risk is 1 if no Beta distribution has this average and deviation.
     */
    double risk(double limit) {
        if (mu <= 0) {
            return 0;
        }
        if (sigma <= 0) {
            return mu <= limit ? 0 : 1;
        }
        double sum = mu * (1 - mu) / (sigma * sigma) - 1;
        if (!(sum > 0)) {
            return 1;
        }
        if (limit <= 0) {
            return 1;
        }
        if (limit >= 1) {
            return 0;
        }
        return 1 - probability(limit, mu * sum, (1 - mu) * sum);
    }

    private double probability(double limit, double alpha, double beta) {
        try {
            double value = RegularizedBeta.value(limit, alpha, beta, PRECISION, MAX_ITERATIONS);
            return Double.isNaN(value) ? 1 : value;
        } catch (ArithmeticException tooNarrow) {
            // A Beta distribution this narrow differs from a normal distribution by at most 1e-5.
            return 0.5 * Erfc.value((mu - limit) / (sigma * Math.sqrt(2)));
        }
    }

    /**
     * Returns a table of the distribution: value, density, cumulative probability, and the mean excess of larger values
     * over the value.
     */
    String table() {
        double[] shape = shape();
        double alpha = shape[0];
        double beta = shape[1];
        StringBuilder table = new StringBuilder(
                String.format(Locale.ROOT, "mu=%.4f sigma=%.4f alpha=%.4f beta=%.4f\n", mu, sigma, alpha, beta));
        table.append("     x       pdf       CDF  residual\n");
        for (int i = 0; i <= 20; i++) {
            double x = i / 20.0;
            double below = RegularizedBeta.value(x, alpha, beta);
            double residual = below < 1
                    ? mu * RegularizedBeta.complement(x, alpha + 1, beta) / RegularizedBeta.complement(x, alpha, beta)
                            - x
                    : 0;
            double density = RegularizedBeta.derivative(x, alpha, beta);
            table.append(String.format(Locale.ROOT, "%.4f  %.6f  %.6f  %.6f\n", x, density, below, residual));
        }
        return table.toString();
    }

    /** Returns the parameters of the Beta distribution, {@code alpha} and {@code beta}; NaN if there is none. */
    double[] shape() {
        double sum = mu * (1 - mu) / (sigma * sigma) - 1;
        return sum > 0 ? new double[] {mu * sum, (1 - mu) * sum} : new double[] {Double.NaN, Double.NaN};
    }
}
