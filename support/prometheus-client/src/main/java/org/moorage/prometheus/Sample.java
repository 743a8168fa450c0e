// SPDX-License-Identifier: Apache-2.0
package org.moorage.prometheus;

import java.time.Instant;
import java.util.Map;

/**
 * One value of an instant vector.
 *
 * @param labels the labels of its series, {@code __name__} among them where the query keeps it
 * @param time when the query was evaluated
 * @param value the value, which may be NaN or infinite
 */
public record Sample(Map<String, String> labels, Instant time, double value) {
    /** Keeps a copy of the labels. */
    public Sample {
        labels = Map.copyOf(labels);
    }
}
