// SPDX-License-Identifier: Apache-2.0
package org.moorage.api;

import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Values of nodes, by the name of the node. Safe for use by several threads.
 *
 * <p>A hash table of two levels whose arrays are never changed: putting a value replaces the bucket and the two arrays
 * that lead to it, so a fork shares the whole table at no cost. With 5,000 nodes a bucket holds about twenty.
 */
final class NodeValues {
    private static final int BITS = 4;
    private static final int WIDTH = 1 << BITS;
    private static final Object[][][] EMPTY = new Object[WIDTH][WIDTH][0];

    // In a bucket, names are at even and values at odd indexes.
    private final AtomicReference<Object[][][]> table;

    NodeValues() {
        this(EMPTY);
    }

    private NodeValues(Object[][][] table) {
        this.table = new AtomicReference<>(table);
    }

    void put(String nodeName, Object value) {
        int hash = hash(nodeName);
        Object[][][] old;
        Object[][][] changed;
        do {
            old = buckets();
            changed = old.clone();
            Object[][] changedRow = old[hash >>> BITS].clone();
            changedRow[hash % WIDTH] = with(changedRow[hash % WIDTH], nodeName, value);
            changed[hash >>> BITS] = changedRow;
        } while (!table.compareAndSet(old, changed));
    }

    @Nullable
    Object find(String nodeName) {
        int hash = hash(nodeName);
        Object[] bucket = buckets()[hash >>> BITS][hash % WIDTH];
        int index = indexOf(bucket, nodeName);
        return index < 0 ? null : bucket[index + 1];
    }

    NodeValues fork() {
        return new NodeValues(buckets());
    }

    // Never null, but NullAway cannot prove it.
    private Object[][][] buckets() {
        return Objects.requireNonNull(table.get());
    }

    // All bits of the name's hash count, since names of nodes often differ in their last digits only.
    private static int hash(String nodeName) {
        int hash = nodeName.hashCode();
        return (hash ^ hash >>> 8 ^ hash >>> 16) & WIDTH * WIDTH - 1;
    }

    private static Object[] with(Object[] bucket, String nodeName, Object value) {
        int index = indexOf(bucket, nodeName);
        if (index >= 0) {
            Object[] copy = bucket.clone();
            copy[index + 1] = value;
            return copy;
        }
        Object[] copy = Arrays.copyOf(bucket, bucket.length + 2);
        copy[bucket.length] = nodeName;
        copy[bucket.length + 1] = value;
        return copy;
    }

    private static int indexOf(Object[] bucket, String nodeName) {
        for (int i = 0; i < bucket.length; i += 2) {
            if (bucket[i].equals(nodeName)) {
                return i;
            }
        }
        return -1;
    }
}
