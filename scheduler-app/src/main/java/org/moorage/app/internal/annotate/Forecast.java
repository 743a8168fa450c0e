// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.annotate;

import java.util.OptionalDouble;

/**
 * A forecast of the next value of a series, as kube-safe-scheduler's annotator made it: an ARIMA(5,1,0) model with a
 * constant, fitted to the means of 100 equal parts of the series. Such a model is a linear regression of each step on
 * the five before.
 */
final class Forecast {
    private static final int PARTS = 100;
    private static final int LAGS = 5;
    private static final double SINGULAR = 1e-12;

    private Forecast() {}

    /**
     * Returns the forecast mean of the next part; empty if the series is too short. A constant series is forecast to
     * stay constant.
     */
    static OptionalDouble next(double[] values) {
        if (values.length < PARTS) {
            return OptionalDouble.empty();
        }
        double[] parts = parts(values);
        double[] steps = new double[PARTS - 1];
        for (int i = 0; i < steps.length; i++) {
            steps[i] = parts[i + 1] - parts[i];
        }
        double scale = 0;
        for (double step : steps) {
            scale = Math.max(scale, Math.abs(step));
        }
        if (scale == 0) {
            return OptionalDouble.of(parts[PARTS - 1]);
        }
        for (int i = 0; i < steps.length; i++) {
            steps[i] /= scale;
        }
        double[] coefficients = regression(steps);
        double step = coefficients[LAGS];
        for (int lag = 0; lag < LAGS; lag++) {
            step += coefficients[lag] * steps[steps.length - 1 - lag];
        }
        return OptionalDouble.of(parts[PARTS - 1] + step * scale);
    }

    private static double[] parts(double[] values) {
        double[] means = new double[PARTS];
        for (int part = 0; part < PARTS; part++) {
            int from = (int) ((long) part * values.length / PARTS);
            int to = (int) ((long) (part + 1) * values.length / PARTS);
            for (int i = from; i < to; i++) {
                means[part] += values[i] / (to - from);
            }
        }
        return means;
    }

    // Least squares by the normal equations; the last coefficient is the constant.
    private static double[] regression(double[] steps) {
        int size = LAGS + 1;
        double[][] equations = new double[size][size + 1];
        double[] row = new double[size];
        for (int i = LAGS; i < steps.length; i++) {
            for (int lag = 0; lag < LAGS; lag++) {
                row[lag] = steps[i - 1 - lag];
            }
            row[LAGS] = 1;
            for (int j = 0; j < size; j++) {
                for (int k = 0; k < size; k++) {
                    equations[j][k] += row[j] * row[k];
                }
                equations[j][size] += row[j] * steps[i];
            }
        }
        return solve(equations);
    }

    // Gauss with pivots; a coefficient that nothing determines is 0.
    private static double[] solve(double[][] equations) {
        int size = equations.length;
        boolean[] isDetermined = new boolean[size];
        for (int column = 0; column < size; column++) {
            int pivot = column;
            for (int row = column + 1; row < size; row++) {
                if (Math.abs(equations[row][column]) > Math.abs(equations[pivot][column])) {
                    pivot = row;
                }
            }
            double[] swapped = equations[pivot];
            equations[pivot] = equations[column];
            equations[column] = swapped;
            isDetermined[column] = Math.abs(swapped[column]) > SINGULAR;
            if (isDetermined[column]) {
                for (int row = 0; row < size; row++) {
                    double factor = row == column ? 0 : equations[row][column] / swapped[column];
                    for (int k = column; k <= size; k++) {
                        equations[row][k] -= factor * swapped[k];
                    }
                }
            }
        }
        double[] solution = new double[size];
        for (int i = 0; i < size; i++) {
            solution[i] = isDetermined[i] ? equations[i][size] / equations[i][i] : 0;
        }
        return solution;
    }
}
