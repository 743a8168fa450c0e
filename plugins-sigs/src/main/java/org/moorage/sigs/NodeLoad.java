// SPDX-License-Identifier: Apache-2.0
package org.moorage.sigs;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The measured load of a node, in percent of its capacity.
 *
 * @param firstCpu the first average or latest value of cpu; null if there is none
 * @param lastCpu the last average or latest value of cpu; null if there is none
 * @param cpu the usage of cpu; null if it is not measured
 * @param memory the usage of memory; null if it is not measured
 */
record NodeLoad(
        @Nullable Double firstCpu,
        @Nullable Double lastCpu,
        @Nullable Usage cpu,
        @Nullable Usage memory) {
    private static final String AVERAGE = "AVG";
    private static final String LATEST = "Latest";
    private static final String DEVIATION = "STD";

    /**
     * A measured value.
     *
     * @param type {@code CPU}, {@code Memory} or another one, which does not count
     * @param operator {@code AVG}, {@code STD}, {@code Latest} or empty; others do not count
     * @param value the value in percent
     */
    record Metric(String type, String operator, double value) {
        static Metric average(String type, double value) {
            return new Metric(type, AVERAGE, value);
        }

        static Metric deviation(String type, double value) {
            return new Metric(type, DEVIATION, value);
        }

        static Metric latest(String type, double value) {
            return new Metric(type, LATEST, value);
        }
    }

    /**
     * The usage of a resource over the measured time.
     *
     * @param average the average
     * @param deviation the standard deviation
     */
    record Usage(double average, double deviation) {
        // An average replaces what was seen before and after it, apart from other averages.
        static @Nullable Usage of(String type, List<Metric> metrics) {
            boolean isMeasured = false;
            boolean hasAverage = false;
            double average = 0;
            double deviation = 0;
            for (Metric metric : metrics) {
                if (!metric.type().equals(type)) {
                    continue;
                }
                isMeasured = true;
                switch (metric.operator()) {
                    case AVERAGE -> {
                        average = metric.value();
                        hasAverage = true;
                    }
                    case DEVIATION -> deviation = metric.value();
                    case "", LATEST -> average = hasAverage ? average : metric.value();
                    default -> {
                        // The resource is measured, but nothing is known.
                    }
                }
            }
            return isMeasured ? new Usage(average, deviation) : null;
        }

        /** Returns the mean of the used share of a capacity, from 0 to 1. */
        double mean(double capacity) {
            return capacity <= 0 ? 0 : ratio(average * capacity / 100, capacity);
        }

        /** Returns the standard deviation of the used share of a capacity, from 0 to 1. */
        double deviation(double capacity) {
            return capacity <= 0 ? 0 : ratio(deviation * capacity / 100, capacity);
        }

        private static double ratio(double amount, double capacity) {
            return Math.max(Math.min(amount / capacity, 1), 0);
        }
    }

    /** Returns the load by metrics, of which there is at least one. */
    static NodeLoad of(List<Metric> metrics) {
        Double first = null;
        Double last = null;
        for (Metric metric : metrics) {
            if (metric.type().equals("CPU")
                    && (metric.operator().equals(AVERAGE) || metric.operator().equals(LATEST))) {
                first = first == null ? Double.valueOf(metric.value()) : first;
                last = metric.value();
            }
        }
        return new NodeLoad(first, last, Usage.of("CPU", metrics), Usage.of("Memory", metrics));
    }
}
