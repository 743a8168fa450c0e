// SPDX-License-Identifier: Apache-2.0
package org.moorage.api;

import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The state that plugins pass from one extension point to a later one, for one pod and one scheduling cycle.
 *
 * <p>Values are immutable: to change one, put a new value. A key has one value for the whole cycle, which a plugin puts
 * in PreFilter or another extension point that runs once. It also has one value per node, for results of Filter that
 * Score, Reserve or PreBind read again:
 *
 * <pre>{@code
 * state.put(ALLOCATION, node.name(), allocation);           // in Filter
 * state.find(ALLOCATION, nodeName).orElseThrow();           // in Reserve
 * }</pre>
 *
 * <p>A state can be forked: a plugin that simulates the removal of a pod puts a new value into the fork. Values put
 * into the original or the fork afterwards are not visible in the other. Preemption forks once per node, so forking is
 * cheap: values are not copied, and the original and the fork share the values of nodes.
 *
 * <p>Thread-safe. A value for the whole cycle is read far more often than put. Threads can put values of different
 * nodes concurrently without blocking each other.
 */
public final class CycleState {
    private static final @Nullable Object[] EMPTY = new Object[16];

    // Hash tables with open addressing, at most half full: keys at even indexes, values at odd ones. Copied on write,
    // so that parallel passes read without a lock. Values for the whole cycle are stored as the Optional that find()
    // returns, since plugins read them for each node.
    private volatile @Nullable Object[] values;
    private volatile @Nullable Object[] nodeValues;

    private final @Nullable CycleState parent;

    /** Creates an empty state. */
    public CycleState() {
        this(EMPTY, EMPTY, null);
    }

    /** Creates an empty state within a parent state. */
    public CycleState(CycleState parent) {
        this(EMPTY, EMPTY, Objects.requireNonNull(parent, "parent"));
    }

    private CycleState(@Nullable Object[] values, @Nullable Object[] nodeValues, @Nullable CycleState parent) {
        this.values = values;
        this.nodeValues = nodeValues;
        this.parent = parent;
    }

    /**
     * Returns the state that this one is nested in. For a pod that is scheduled with its group, this is the state of
     * the placement that is tried. For a placement, it is the state of the group. For a group in a composite group, it
     * is the state of the composite group's placement. Empty for a pod that is scheduled alone, for a pod that is being
     * bound after its group was placed, and for a group without a parent.
     */
    public Optional<CycleState> parent() {
        return Optional.ofNullable(parent);
    }

    /** Stores a value for the whole cycle and replaces the key's former value. */
    public synchronized <T> void put(StateKey<T> key, T value) {
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(value, "value");
        values = with(values, key, Optional.of(value));
    }

    /**
     * Stores a value for one node and replaces the key's former value for that node.
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
     * Returns the value of a key for the whole cycle.
     *
     * @throws NoSuchElementException if no value was put. This is a bug in the plugin: it reads a value that it did not
     *     write at an earlier extension point
     */
    public <T> T get(StateKey<T> key) {
        Optional<T> value = find(key);
        if (value.isEmpty()) {
            throw new NoSuchElementException(
                    "cycle state: no value for " + key + " (expected: put at an earlier point)");
        }
        return value.get();
    }

    /** Returns the value of a key for the whole cycle, or empty if none was put. */
    @SuppressWarnings("unchecked") // put() stores under a key only what has the key's type
    public <T> Optional<T> find(StateKey<T> key) {
        Object value = lookup(values, key);
        return value == null ? Optional.empty() : (Optional<T>) value;
    }

    /**
     * Returns the value of a key for one node, or empty if none was put for that node.
     *
     * @param nodeName the name of the node
     */
    @SuppressWarnings("unchecked") // put() stores under a key only what has the key's type
    public <T> Optional<T> find(StateKey<T> key, String nodeName) {
        NodeValues known = (NodeValues) lookup(nodeValues, key);
        return known == null ? Optional.empty() : Optional.ofNullable((T) known.find(nodeName));
    }

    /**
     * Returns a copy of this state. Values put into the original or the copy afterwards are not visible in the other.
     */
    public CycleState fork() {
        return forked(parent);
    }

    /** Returns a fork of this state without a parent. */
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

    // Returns the index of the key, or of the free entry for it.
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
