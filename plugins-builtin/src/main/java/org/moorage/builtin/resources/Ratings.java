// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.resources;

import java.util.List;
import org.moorage.api.plugin.Problems;
import org.moorage.builtin.resources.NodeResourcesFit.ShapePoint;

/** Rates how much of something is used, as the points of a shape say; between two points the rating changes evenly. */
public final class Ratings {
    // The configuration rates a utilization from 0 to 10.
    private static final long SCORE_OF_POINT = 10;

    private final long[] utilizations;
    private final long[] scores;

    /**
     * The ratings of a shape.
     *
     * @param shape its points, at least one, in increasing order
     */
    public Ratings(List<ShapePoint> shape) {
        utilizations = shape.stream().mapToLong(ShapePoint::utilization).toArray();
        scores = shape.stream()
                .mapToLong(point -> point.score() * SCORE_OF_POINT)
                .toArray();
    }

    /** Reports what is wrong with a shape. */
    public static void validate(List<ShapePoint> shape, Problems problems) {
        if (shape.isEmpty()) {
            problems.missing("at least one point");
        }
        for (int i = 0; i < shape.size(); i++) {
            ShapePoint point = shape.get(i);
            if (i > 0 && point.utilization() <= shape.get(i - 1).utilization()) {
                problems.at(i).at("utilization").invalid(point.utilization(), "more than in the point before");
            }
            if (point.utilization() < 0 || point.utilization() > 100) {
                problems.at(i).at("utilization").invalid(point.utilization(), "0 to 100");
            }
            if (point.score() < 0 || point.score() > 10) {
                problems.at(i).at("score").invalid(point.score(), "0 to 10");
            }
        }
    }

    /** The rating, 0 to 100, of a use of so much of a capacity; what is too much, or nothing is there for, is all used. */
    public long of(long requested, long capacity) {
        return at(capacity == 0 || requested > capacity ? 100 : requested * 100 / capacity);
    }

    private long at(long utilization) {
        for (int i = 0; i < utilizations.length; i++) {
            if (utilization <= utilizations[i]) {
                if (i == 0) {
                    return scores[0];
                }
                long rise = scores[i] - scores[i - 1];
                long run = utilizations[i] - utilizations[i - 1];
                return scores[i - 1] + rise * (utilization - utilizations[i - 1]) / run;
            }
        }
        return scores[scores.length - 1];
    }
}
