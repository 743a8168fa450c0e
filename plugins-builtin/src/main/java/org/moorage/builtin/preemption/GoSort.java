// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.preemption;

/**
 * Sorts as Go's {@code sort.Slice} does, down to where it leaves elements of equal rank: a pattern-defeating quicksort, which
 * sorts up to twelve elements by insertion, and falls back to a heap when its pivots are bad. It is not stable, and with an
 * order that contradicts itself it still ends, where Java's sort may refuse.
 *
 * @param <T> what is sorted
 */
final class GoSort<T> {
    private static final int INSERTION_AT_MOST = 12;
    private static final int NINTHER_FROM = 50;
    private static final int SWAPS_OF_REVERSED = 12;
    private static final int REPAIRS_AT_MOST = 5;
    private static final int REPAIR_FROM = 50;

    /** Says which comes first. */
    @FunctionalInterface
    interface Order<T> {
        /** Whether the first has to come before the second. */
        boolean isBefore(T first, T second);
    }

    private final T[] items;
    private final Order<T> order;
    // How often choosing the last pivot found two elements in the wrong order.
    private int swaps;
    // Whether the last partitioning found anything on the wrong side of its pivot.
    private boolean moved;

    private GoSort(T[] items, Order<T> order) {
        this.items = items;
        this.order = order;
    }

    /** Sorts in place. */
    static <T> void sort(T[] items, Order<T> order) {
        new GoSort<>(items, order).sort(0, items.length, bitLength(items.length));
    }

    private static int bitLength(int value) {
        return Integer.SIZE - Integer.numberOfLeadingZeros(value);
    }

    private boolean less(int first, int second) {
        return order.isBefore(items[first], items[second]);
    }

    private void swap(int first, int second) {
        T kept = items[first];
        items[first] = items[second];
        items[second] = kept;
    }

    private void sort(int begin, int end, int badPivotsLeft) {
        int from = begin;
        int to = end;
        int limit = badPivotsLeft;
        boolean balanced = true;
        boolean partitioned = true;
        while (to - from > INSERTION_AT_MOST) {
            int length = to - from;
            if (limit == 0) {
                heapSort(from, to);
                return;
            }
            if (!balanced) {
                scatter(from, length);
                limit--;
            }
            int pivot = pivot(from, length);
            boolean looksSorted = swaps == 0;
            if (swaps == SWAPS_OF_REVERSED) {
                reverse(from, to);
                pivot = to - 1 - (pivot - from);
                looksSorted = true;
            }
            if (balanced && partitioned && looksSorted && repair(from, to)) {
                return;
            }
            if (from > 0 && !less(from - 1, pivot)) {
                // The pivot is as low as what lies before: split off all that equals it.
                from = partitionEqual(from, to, pivot);
                continue;
            }
            int middle = partition(from, to, pivot);
            partitioned = !moved;
            int left = middle - from;
            int right = to - middle;
            balanced = Math.min(left, right) >= length / 8;
            if (left < right) {
                sort(from, middle, limit);
                from = middle + 1;
            } else {
                sort(middle + 1, to, limit);
                to = middle;
            }
        }
        insertionSort(from, to);
    }

    private void insertionSort(int from, int to) {
        for (int i = from + 1; i < to; i++) {
            for (int j = i; j > from && less(j, j - 1); j--) {
                swap(j, j - 1);
            }
        }
    }

    private void heapSort(int from, int to) {
        int size = to - from;
        for (int i = (size - 1) / 2; i >= 0; i--) {
            sink(from, i, size);
        }
        for (int i = size - 1; i >= 0; i--) {
            swap(from, from + i);
            sink(from, 0, i);
        }
    }

    private void sink(int from, int start, int size) {
        int root = start;
        int child = 2 * root + 1;
        while (child < size) {
            if (child + 1 < size && less(from + child, from + child + 1)) {
                child++;
            }
            if (!less(from + root, from + child)) {
                return;
            }
            swap(from + root, from + child);
            root = child;
            child = 2 * root + 1;
        }
    }

    // Ends with what comes before the pivot, the pivot, and what does not; returns the pivot's place.
    private int partition(int from, int to, int pivot) {
        swap(from, pivot);
        moved = false;
        int low = from + 1;
        int high = to - 1;
        while (true) {
            while (low <= high && less(low, from)) {
                low++;
            }
            while (low <= high && !less(high, from)) {
                high--;
            }
            if (low > high) {
                swap(high, from);
                return high;
            }
            swap(low++, high--);
            moved = true;
        }
    }

    private int partitionEqual(int from, int to, int pivot) {
        swap(from, pivot);
        int low = from + 1;
        int high = to - 1;
        while (true) {
            while (low <= high && !less(from, low)) {
                low++;
            }
            while (low <= high && less(from, high)) {
                high--;
            }
            if (low > high) {
                return low;
            }
            swap(low++, high--);
        }
    }

    // Puts a few elements in order, and says whether that was all there was to do.
    private boolean repair(int from, int to) {
        int place = from + 1;
        for (int repairs = 0; repairs < REPAIRS_AT_MOST; repairs++) {
            while (place < to && !less(place, place - 1)) {
                place++;
            }
            if (place == to) {
                return true;
            }
            if (to - from < REPAIR_FROM) {
                return false;
            }
            swap(place, place - 1);
            if (place - from >= 2) {
                // Down to the very first element, also where only a part is sorted: what lies before is not greater.
                for (int i = place - 1; i >= 1 && less(i, i - 1); i--) {
                    swap(i, i - 1);
                }
            }
            if (to - place >= 2) {
                for (int i = place + 1; i < to && less(i, i - 1); i++) {
                    swap(i, i - 1);
                }
            }
        }
        return false;
    }

    private void reverse(int from, int to) {
        for (int i = from, j = to - 1; i < j; i++, j--) {
            swap(i, j);
        }
    }

    // Three elements in the middle change places with others that only depend on the length.
    private void scatter(int from, int length) {
        long random = length;
        int mask = (1 << bitLength(length)) - 1;
        int middle = from + length / 4 * 2;
        for (int place = middle - 1; place <= middle + 1; place++) {
            random ^= random << 13;
            random ^= random >>> 7;
            random ^= random << 17;
            int other = (int) (random & mask);
            swap(place, from + (other >= length ? other - length : other));
        }
    }

    private int pivot(int from, int length) {
        swaps = 0;
        int first = from + length / 4;
        int second = from + length / 4 * 2;
        int third = from + length / 4 * 3;
        if (length >= NINTHER_FROM) {
            first = median(first - 1, first, first + 1);
            second = median(second - 1, second, second + 1);
            third = median(third - 1, third, third + 1);
        }
        return median(first, second, third);
    }

    private int median(int first, int second, int third) {
        int low = first;
        int middle = second;
        if (less(middle, low)) {
            swaps++;
            low = second;
            middle = first;
        }
        if (less(third, middle)) {
            swaps++;
            middle = third;
        }
        if (less(middle, low)) {
            swaps++;
            middle = low;
        }
        return middle;
    }
}
