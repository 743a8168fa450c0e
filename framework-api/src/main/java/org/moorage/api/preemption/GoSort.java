// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.preemption;

/**
 * The algorithm of Go's {@code sort.Slice}, a pattern-defeating quicksort. It is not stable, so equal elements get the
 * order that they have in kube-scheduler only with the same algorithm; and with an inconsistent order it ends, where
 * Java's sort may throw. The methods have the names of Go's package {@code sort}.
 *
 * @param <T> the type of the elements
 */
final class GoSort<T> {
    private static final int MAX_INSERTION = 12;
    private static final int MIN_NINTHER = 50;
    private static final int MAX_SWAPS = 12;
    private static final int MAX_STEPS = 5;
    private static final int MIN_SHIFTING = 50;

    /** The order of the elements. */
    @FunctionalInterface
    interface Order<T> {
        /** Returns whether the first element comes before the second. */
        boolean isBefore(T first, T second);
    }

    private final T[] items;
    private final Order<T> order;
    // The number of swaps in the choice of the last pivot.
    private int swaps;
    // Whether the last partitioning moved an element.
    private boolean moved;

    private GoSort(T[] items, Order<T> order) {
        this.items = items;
        this.order = order;
    }

    /** Sorts in index. */
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
        while (to - from > MAX_INSERTION) {
            int length = to - from;
            if (limit == 0) {
                heapSort(from, to);
                return;
            }
            if (!balanced) {
                breakPatterns(from, length);
                limit--;
            }
            int pivot = choosePivot(from, length);
            boolean looksSorted = swaps == 0;
            if (swaps == MAX_SWAPS) {
                reverseRange(from, to);
                pivot = to - 1 - (pivot - from);
                looksSorted = true;
            }
            if (balanced && partitioned && looksSorted && partialInsertionSort(from, to)) {
                return;
            }
            if (from > 0 && !less(from - 1, pivot)) {
                // The pivot equals the element before the range: elements that equal it need no further sorting.
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
            siftDown(from, i, size);
        }
        for (int i = size - 1; i >= 0; i--) {
            swap(from, from + i);
            siftDown(from, 0, i);
        }
    }

    private void siftDown(int from, int start, int size) {
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

    // Moves the elements before the pivot to its left, the others to its right; returns the pivot's new index.
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

    // Moves the elements that equal the pivot to the left; returns the index of the first that does not.
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

    // Sorts by shifting a few elements; returns whether the range is sorted then.
    private boolean partialInsertionSort(int from, int to) {
        int index = from + 1;
        for (int step = 0; step < MAX_STEPS; step++) {
            while (index < to && !less(index, index - 1)) {
                index++;
            }
            if (index == to) {
                return true;
            }
            if (to - from < MIN_SHIFTING) {
                return false;
            }
            swap(index, index - 1);
            if (index - from >= 2) {
                // Like Go's code to index 1, not only to the start of the range; elements before it are not greater.
                for (int i = index - 1; i >= 1 && less(i, i - 1); i--) {
                    swap(i, i - 1);
                }
            }
            if (to - index >= 2) {
                for (int i = index + 1; i < to && less(i, i - 1); i++) {
                    swap(i, i - 1);
                }
            }
        }
        return false;
    }

    private void reverseRange(int from, int to) {
        for (int i = from, j = to - 1; i < j; i++, j--) {
            swap(i, j);
        }
    }

    // Swaps three elements in the middle with others, chosen by a random sequence that depends on the length only.
    private void breakPatterns(int from, int length) {
        long random = length;
        int mask = (1 << bitLength(length)) - 1;
        int middle = from + length / 4 * 2;
        for (int index = middle - 1; index <= middle + 1; index++) {
            random ^= random << 13;
            random ^= random >>> 7;
            random ^= random << 17;
            int other = (int) (random & mask);
            swap(index, from + (other >= length ? other - length : other));
        }
    }

    private int choosePivot(int from, int length) {
        swaps = 0;
        int first = from + length / 4;
        int second = from + length / 4 * 2;
        int third = from + length / 4 * 3;
        if (length >= MIN_NINTHER) {
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
