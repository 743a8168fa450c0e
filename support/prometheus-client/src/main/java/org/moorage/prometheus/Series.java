// SPDX-License-Identifier: Apache-2.0
package org.moorage.prometheus;

import java.util.List;
import java.util.Map;

/**
 * The values of a series over a range of time.
 *
 * @param labels the labels, including {@code __name__} if the query keeps it
 * @param points the values, oldest first; steps without a value are omitted
 */
public record Series(Map<String, String> labels, List<Point> points) {
    /** Copies the labels and points. */
    public Series {
        labels = Map.copyOf(labels);
        points = List.copyOf(points);
    }
}
