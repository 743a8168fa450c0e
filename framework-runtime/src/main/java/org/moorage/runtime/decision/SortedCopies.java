// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.decision;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/** Copies maps whose values are collections, so that neither can be changed. */
final class SortedCopies {
    private SortedCopies() {}

    static <V> Map<String, V> of(Map<String, V> original, UnaryOperator<V> copyOfValue) {
        Map<String, V> copy = new TreeMap<>();
        original.forEach((key, value) -> copy.put(key, copyOfValue.apply(value)));
        return Collections.unmodifiableMap(copy);
    }
}
