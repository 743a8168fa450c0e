// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.metrics;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The series of a metric, by label values. The library allocates an array and a list to look up a series; this cache
 * finds a known series without allocation, which matters for the metrics that are updated for each node and plugin in a
 * cycle.
 */
final class LabeledSeries<T> {
    private final Function<String[], T> find;
    private final Branch<T> root = new Branch<>();

    private static final class Branch<T> {
        private final Map<String, Branch<T>> next = new ConcurrentHashMap<>();
        private volatile @Nullable T series;

        Branch<T> at(String value) {
            Branch<T> branch = next.get(value);
            return branch == null ? next.computeIfAbsent(value, any -> new Branch<>()) : branch;
        }
    }

    /** The series that the metric finds for values of its labels. */
    LabeledSeries(Function<String[], T> find) {
        this.find = find;
    }

    T of(String label) {
        Branch<T> branch = root.at(label);
        T known = branch.series;
        return known == null ? found(branch, label) : known;
    }

    T of(String first, String second) {
        Branch<T> branch = root.at(first).at(second);
        T known = branch.series;
        return known == null ? found(branch, first, second) : known;
    }

    T of(String first, String second, String third) {
        Branch<T> branch = root.at(first).at(second).at(third);
        T known = branch.series;
        return known == null ? found(branch, first, second, third) : known;
    }

    T of(String first, String second, String third, String fourth) {
        Branch<T> branch = root.at(first).at(second).at(third).at(fourth);
        T known = branch.series;
        return known == null ? found(branch, first, second, third, fourth) : known;
    }

    // The metric returns the same series to every thread.
    private T found(Branch<T> branch, String... labels) {
        T series = find.apply(labels);
        branch.series = series;
        return series;
    }
}
