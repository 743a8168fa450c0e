// SPDX-License-Identifier: Apache-2.0
package org.moorage.api;

import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What plugins keep from one extension point to a later one, for one pod and one scheduling cycle.
 *
 * <p>Values are immutable: what changes in the course of a cycle is put anew. A key has one value for the whole cycle, which
 * PreFilter or another point that runs once puts there, and one value for each node, for what Filter works out on
 * a node and Score, Reserve or PreBind need again:
 *
 * <pre>{@code
 * state.put(ALLOCATION, node.name(), allocation);           // in Filter
 * state.find(ALLOCATION, nodeName).orElseThrow();           // in Reserve
 * }</pre>
 *
 * <p>A state can be forked: a plugin that must account for "what if this pod were gone" puts a new value into the fork. What is
 * put into one of the two afterwards is not seen in the other. Preemption forks once per node, so forking is cheap: values are
 * not copied, and values of nodes only refer to what both share.
 *
 * <p>Safe for use by several threads. A value for the whole cycle is read far more often than put; values of different nodes may
 * be put at once without waiting for each other.
 */
public final class CycleState {
    private static final @Nullable Object[] EMPTY = new Object[16];

    // Hash tables with open addressing, half full at most: keys at even, values at odd indexes. Copied on write so that
    // the parallel passes read without a lock. Values of the whole cycle are there as the Optional that find() answers,
    // since plugins ask for them on each node.
    private volatile @Nullable Object[] values;
    private volatile @Nullable Object[] nodeValues;

    private final @Nullable CycleState parent;

    /** An empty state. */
    public CycleState() {
        this(EMPTY, EMPTY, null);
    }

    /** An empty state within another. */
    public CycleState(CycleState parent) {
        this(EMPTY, EMPTY, Objects.requireNonNull(parent, "parent"));
    }

    private CycleState(@Nullable Object[] values, @Nullable Object[] nodeValues, @Nullable CycleState parent) {
        this.values = values;
        this.nodeValues = nodeValues;
        this.parent = parent;
    }

    /**
     * The state that this one is within: of a pod that is scheduled with its group, the state of the placement that is tried; of a
     * placement, that of the group; of a group, that of the placement of the composite group that it is part of. Empty for a pod that
     * is scheduled alone, or whose group has been placed and that is being bound, and for a group without a parent.
     */
    public Optional<CycleState> parent() {
        return Optional.ofNullable(parent);
    }

    /** Stores a value for the whole cycle, in place of the one that the key had. */
    public synchronized <T> void put(StateKey<T> key, T value) {
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(value, "value");
        values = with(values, key, Optional.of(value));
    }

    /**
     * Stores a value for one node, in place of the one that the key had for that node.
     *
     * @param nodeName the name of the node
     */
    public <T> void put(StateKey<T> key, String nodeName, T value) {
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(nodeName, "nodeName");
        Objects.requireNonNull(value, "value");
        NodeValues known = (NodeValues) lookup(nodeValues, key);
        (known == null ? addNodeValues(key) : known).put(nodeName, value);
    }

    private synchronized NodeValues addNodeValues(StateKey<?> key) {
        NodeValues known = (NodeValues) lookup(nodeValues, key);
        if (known == null) {
            known = new NodeValues();
            nodeValues = with(nodeValues, key, known);
        }
        return known;
    }

    /**
     * The value of a key for the whole cycle.
     *
     * @throws NoSuchElementException if nothing was put, which is a mistake in the plugin: it reads at one extension
     *     point what it did not write at an earlier one
     */
    public <T> T get(StateKey<T> key) {
        Optional<T> value = find(key);
        if (value.isEmpty()) {
            throw new NoSuchElementException(
                    "cycle state: no value for " + key + " (expected: put at an earlier point)");
        }
        return value.get();
    }

    /** The value of a key for the whole cycle, or empty if nothing was put. */
    @SuppressWarnings("unchecked") // put() stores under a key only what has the key's type
    public <T> Optional<T> find(StateKey<T> key) {
        Object value = lookup(values, key);
        return value == null ? Optional.empty() : (Optional<T>) value;
    }

    /**
     * The value of a key for one node, or empty if nothing was put for that node.
     *
     * @param nodeName the name of the node
     */
    @SuppressWarnings("unchecked") // put() stores under a key only what has the key's type
    public <T> Optional<T> find(StateKey<T> key, String nodeName) {
        NodeValues known = (NodeValues) lookup(nodeValues, key);
        return known == null ? Optional.empty() : Optional.ofNullable((T) known.find(nodeName));
    }

    /** A state with the same values. What is put into one of the two from now on is not seen in the other. */
    public CycleState fork() {
        return forked(parent);
    }

    /** A fork of this state that is within no other. */
    public CycleState withoutParent() {
        return forked(null);
    }

    private synchronized CycleState forked(@Nullable CycleState within) {
        @Nullable Object[] forked = nodeValues;
        if (forked != EMPTY) {
            forked = forked.clone();
            for (int i = 1; i < forked.length; i += 2) {
                NodeValues known = (NodeValues) forked[i];
                forked[i] = known == null ? null : known.fork();
            }
        }
        return new CycleState(values, forked, within);
    }

    private static @Nullable Object lookup(@Nullable Object[] entries, StateKey<?> key) {
        return entries[indexOf(entries, key) + 1];
    }

    // The index of the key, or of the free entry for it.
    private static int indexOf(@Nullable Object[] entries, StateKey<?> key) {
        int mask = entries.length - 2;
        int i = 2 * key.number & mask;
        while (entries[i] != key && entries[i] != null) {
            i = i + 2 & mask;
        }
        return i;
    }

    private static @Nullable Object[] with(@Nullable Object[] entries, StateKey<?> key, Object value) {
        int index = indexOf(entries, key);
        if (entries[index] == key) {
            @Nullable Object[] copy = entries.clone();
            copy[index + 1] = value;
            return copy;
        }
        int keys = 1;
        for (int i = 0; i < entries.length; i += 2) {
            keys += entries[i] == null ? 0 : 1;
        }
        @Nullable Object[] copy = new Object[4 * keys > entries.length ? 2 * entries.length : entries.length];
        for (int i = 0; i < entries.length; i += 2) {
            if (entries[i] != null) {
                add(copy, (StateKey<?>) entries[i], entries[i + 1]);
            }
        }
        add(copy, key, value);
        return copy;
    }

    private static void add(@Nullable Object[] entries, StateKey<?> key, @Nullable Object value) {
        int index = indexOf(entries, key);
        entries[index] = key;
        entries[index + 1] = value;
    }
}
