// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.resources;

import java.util.List;
import org.moorage.api.plugin.Problems;
import org.moorage.builtin.resources.NodeResourcesFit.UtilizationShapePoint;

/** Scores a utilization by the points of a shape; between two points the score is interpolated. */
public final class FunctionShape {
    // Points score from 0 to 10, nodes from 0 to 100.
    private static final long SCALE = 10;

    private final long[] utilizations;
    private final long[] scores;

    /**
     * Creates a function through the points of a shape.
     *
     * @param shape the points, at least one, by increasing utilization
     */
    public FunctionShape(List<UtilizationShapePoint> shape) {
        utilizations =
                shape.stream().mapToLong(UtilizationShapePoint::utilization).toArray();
        scores = shape.stream().mapToLong(point -> point.score() * SCALE).toArray();
    }

    /** Reports the problems of a shape. */
    public static void validate(List<UtilizationShapePoint> shape, Problems problems) {
        if (shape.isEmpty()) {
            problems.missing("at least one point");
        }
        for (int i = 0; i < shape.size(); i++) {
            UtilizationShapePoint point = shape.get(i);
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

    /**
     * Returns the score, 0 to 100, of a request; without capacity, or with a request that exceeds it, that of 100
     * percent.
     */
    public long score(long requested, long capacity) {
        return scoreOf(capacity == 0 || requested > capacity ? 100 : requested * 100 / capacity);
    }

    private long scoreOf(long utilization) {
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
