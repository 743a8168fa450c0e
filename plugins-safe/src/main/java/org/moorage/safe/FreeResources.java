// SPDX-License-Identifier: Apache-2.0
package org.moorage.safe;

import org.jspecify.annotations.Nullable;

/**
 * What is free on a node over some time, measured rather than requested.
 *
 * @param cpu in thousandths of a CPU; null if it is not known
 * @param memory in bytes; null if it is not known
 */
record FreeResources(@Nullable Free cpu, @Nullable Free memory) {
    /** Nothing is known of the node. */
    static final FreeResources UNKNOWN = new FreeResources(null, null);

    /** Whether nothing is known of the node. */
    boolean isUnknown() {
        return cpu == null && memory == null;
    }

    /**
     * How much of one resource is free.
     *
     * @param mean on average
     * @param deviation the standard deviation; 0 if it is not known
     * @param forecast what is expected next; NaN if there is no forecast
     */
    record Free(double mean, double deviation, double forecast) {
        /** What is free, with a forecast counting by its weight from 0 to 1. */
        double expected(double forecastWeight) {
            return Double.isNaN(forecast) ? mean : (1 - forecastWeight) * mean + forecastWeight * forecast;
        }
    }
}
