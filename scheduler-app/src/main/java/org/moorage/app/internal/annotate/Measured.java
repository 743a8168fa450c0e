// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.annotate;

import java.util.OptionalDouble;

/**
 * The measurements of one resource over a time range; all fields are empty if there are none.
 *
 * @param mean the mean
 * @param deviation the standard deviation of a sample; 0 of one value
 * @param least the least value
 * @param latest the latest value
 * @param forecast the forecast; empty if it is not requested or unknown
 */
record Measured(
        OptionalDouble mean,
        OptionalDouble deviation,
        OptionalDouble least,
        OptionalDouble latest,
        OptionalDouble forecast) {
    private static final Measured NOTHING = new Measured(
            OptionalDouble.empty(),
            OptionalDouble.empty(),
            OptionalDouble.empty(),
            OptionalDouble.empty(),
            OptionalDouble.empty());

    static Measured of(double[] values, double latest, boolean forecast) {
        if (values.length == 0) {
            return NOTHING;
        }
        double sum = 0;
        double least = Double.POSITIVE_INFINITY;
        for (double value : values) {
            sum += value;
            least = Math.min(least, value);
        }
        double mean = sum / values.length;
        double squares = 0;
        for (double value : values) {
            squares += (value - mean) * (value - mean);
        }
        return new Measured(
                OptionalDouble.of(mean),
                OptionalDouble.of(values.length > 1 ? Math.sqrt(squares / (values.length - 1)) : 0),
                OptionalDouble.of(least),
                OptionalDouble.of(latest),
                forecast ? Forecast.next(values) : OptionalDouble.empty());
    }
}
