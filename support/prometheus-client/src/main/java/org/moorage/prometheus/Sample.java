// SPDX-License-Identifier: Apache-2.0
package org.moorage.prometheus;

import java.time.Instant;
import java.util.Map;

/**
 * One value of an instant vector.
 *
 * @param labels the labels of its series, including {@code __name__} if the query keeps it
 * @param time the evaluation time of the query
 * @param value the value, which may be NaN or infinite
 */
public record Sample(Map<String, String> labels, Instant time, double value) {
    /** Copies the labels. */
    public Sample {
        labels = Map.copyOf(labels);
    }
}
