// SPDX-License-Identifier: Apache-2.0
package org.moorage.safe;

import org.jspecify.annotations.Nullable;

/**
 * The free resources of a node over a period, by measured usage instead of requests.
 *
 * @param cpu in thousandths of a CPU; null if unknown
 * @param memory in bytes; null if unknown
 */
record FreeResources(@Nullable Free cpu, @Nullable Free memory) {
    /** The value for a node without statistics. */
    static final FreeResources UNKNOWN = new FreeResources(null, null);

    /** Returns whether the node has no statistics. */
    boolean isUnknown() {
        return cpu == null && memory == null;
    }

    /**
     * The free amount of one resource.
     *
     * @param mean the average
     * @param deviation the standard deviation; 0 if unknown
     * @param forecast the predicted next value; NaN if there is no forecast
     */
    record Free(double mean, double deviation, double forecast) {
        /** Returns the expected free amount, in which the forecast has a weight from 0 to 1. */
        double expected(double forecastWeight) {
            return Double.isNaN(forecast) ? mean : (1 - forecastWeight) * mean + forecastWeight * forecast;
        }
    }
}
