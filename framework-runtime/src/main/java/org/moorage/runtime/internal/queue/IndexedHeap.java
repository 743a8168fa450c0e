// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.queue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiPredicate;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * A binary heap whose items can also be looked up by key. Put, remove and removeFirst cost O(log n). Not safe for use
 * by several threads.
 *
 * @param <K> the keys' type
 * @param <T> the items' type
 */
final class IndexedHeap<K, T> {
    private final Function<? super T, ? extends K> key;
    private final BiPredicate<? super T, ? super T> before;
    private final Map<K, Slot<T>> slotByKey = new HashMap<>();
    private final List<Slot<T>> slots = new ArrayList<>();

    // The index is stored with the item, so that a lookup needs no search and no boxing.
    private static final class Slot<T> {
        T item;
        int index;

        Slot(T item, int index) {
            this.item = item;
            this.index = index;
        }
    }

    /**
     * Creates an empty heap.
     *
     * @param key returns an item's key; it must not change while the item is in the heap
     * @param before whether the first item comes before the second; a strict order
     */
    IndexedHeap(Function<? super T, ? extends K> key, BiPredicate<? super T, ? super T> before) {
        this.key = key;
        this.before = before;
    }

    int size() {
        return slots.size();
    }

    /** Returns the items, in no particular order. */
    List<T> values() {
        List<T> items = new ArrayList<>(slots.size());
        for (Slot<T> slot : slots) {
            items.add(slot.item);
        }
        return items;
    }

    Optional<T> find(K wanted) {
        Slot<T> slot = slotByKey.get(wanted);
        return slot == null ? Optional.empty() : Optional.of(slot.item);
    }

    /** Adds the item, or replaces the one with the same key. Must also be called when an item's order has changed. */
    void put(T item) {
        K itemKey = key.apply(item);
        Slot<T> slot = slotByKey.get(itemKey);
        if (slot == null) {
            slot = new Slot<>(item, slots.size());
            slots.add(slot);
            slotByKey.put(itemKey, slot);
        } else {
            slot.item = item;
        }
        restore(slot);
    }

    Optional<T> first() {
        return slots.isEmpty() ? Optional.empty() : Optional.of(slots.get(0).item);
    }

    Optional<T> removeFirst() {
        return slots.isEmpty() ? Optional.empty() : remove(key.apply(slots.get(0).item));
    }

    boolean hasAny(Predicate<? super T> which) {
        for (Slot<T> slot : slots) {
            if (which.test(slot.item)) {
                return true;
            }
        }
        return false;
    }

    /** Removes and returns the first item that matches; empty if none does. */
    Optional<T> removeFirst(Predicate<? super T> which) {
        List<T> skipped = new ArrayList<>();
        try {
            while (!slots.isEmpty() && !which.test(slots.get(0).item)) {
                removeFirst().ifPresent(skipped::add);
            }
            return removeFirst();
        } finally {
            skipped.forEach(this::put);
        }
    }

    Optional<T> remove(K wanted) {
        Slot<T> slot = slotByKey.remove(wanted);
        if (slot == null) {
            return Optional.empty();
        }
        Slot<T> last = slots.remove(slots.size() - 1);
        if (last == slot) {
            return Optional.of(slot.item);
        }
        moveTo(last, slot.index);
        boolean isRestored = false;
        try {
            restore(last);
            isRestored = true;
        } finally {
            if (!isRestored) {
                // The caller does not receive the item, so it stays in the heap.
                slot.index = slots.size();
                slots.add(slot);
                slotByKey.put(wanted, slot);
            }
        }
        return Optional.of(slot.item);
    }

    // If the comparison throws an exception, all items are still present, but may be out of order.
    private void restore(Slot<T> slot) {
        int index = slot.index;
        siftUp(slot);
        if (slot.index == index) {
            siftDown(slot);
        }
    }

    private void siftUp(Slot<T> slot) {
        int index = slot.index;
        try {
            while (index > 0) {
                Slot<T> parent = slots.get((index - 1) / 2);
                if (!before.test(slot.item, parent.item)) {
                    break;
                }
                int above = parent.index;
                moveTo(parent, index);
                index = above;
            }
        } finally {
            moveTo(slot, index);
        }
    }

    private void siftDown(Slot<T> slot) {
        int index = slot.index;
        try {
            while (2 * index + 1 < slots.size()) {
                Slot<T> child = slots.get(2 * index + 1);
                if (2 * index + 2 < slots.size()) {
                    Slot<T> other = slots.get(2 * index + 2);
                    child = before.test(other.item, child.item) ? other : child;
                }
                if (!before.test(child.item, slot.item)) {
                    break;
                }
                int below = child.index;
                moveTo(child, index);
                index = below;
            }
        } finally {
            moveTo(slot, index);
        }
    }

    private void moveTo(Slot<T> slot, int index) {
        slots.set(index, slot);
        slot.index = index;
    }
}
