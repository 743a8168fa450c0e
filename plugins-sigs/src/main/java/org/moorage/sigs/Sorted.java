// SPDX-License-Identifier: Apache-2.0
package org.moorage.sigs;

import java.util.List;
import java.util.function.Function;

/** The binary search of scheduler-plugins, whose steps matter for lists that are not sorted. */
final class Sorted {
    private Sorted() {}

    /** Returns the index of an element with a key; -1 if the search does not find one. */
    static <T> int indexOf(List<T> list, Function<T, String> keyOf, String key) {
        int low = 0;
        int high = list.size() - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            int order = keyOf.apply(list.get(middle)).compareTo(key);
            if (order == 0) {
                return middle;
            }
            if (order < 0) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return -1;
    }
}
