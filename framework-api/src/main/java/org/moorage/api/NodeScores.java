// SPDX-License-Identifier: Apache-2.0
package org.moorage.api;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The scores of the feasible nodes by one plugin, in the order of the nodes. Immutable: each operation returns new scores.
 */
public final class NodeScores {
    /** The best score that a plugin may end with; 0 is the worst. */
    public static final long MAX = 100;

    private final List<NodeInfo> nodes;
    // Null if all nodes have the same score, as they mostly have: then nothing is made or read for each of them.
    private final long @Nullable [] scores;
    private final long same;

    private NodeScores(List<NodeInfo> nodes, long @Nullable [] scores, long same) {
        this.nodes = nodes;
        this.scores = scores;
        this.same = same;
    }

    /**
     * Scores of these nodes. Takes ownership of the array: the caller must not change it.
     *
     * @throws IllegalArgumentException if there are not as many scores as nodes
     */
    public static NodeScores of(List<NodeInfo> nodes, long[] scores) {
        Objects.requireNonNull(nodes, "nodes");
        if (nodes.size() != scores.length) {
            throw new IllegalArgumentException("scores: " + scores.length + " (expected: " + nodes.size() + ")");
        }
        return new NodeScores(nodes, scores, 0);
    }

    /** The same score for each of these nodes. */
    public static NodeScores uniform(List<NodeInfo> nodes, long score) {
        return new NodeScores(Objects.requireNonNull(nodes, "nodes"), null, score);
    }

    /** How many nodes are scored. */
    public int size() {
        return nodes.size();
    }

    /** The node at an index. */
    public NodeInfo node(int index) {
        return nodes.get(index);
    }

    /** The score at an index. */
    public long score(int index) {
        long[] known = scores;
        if (known != null) {
            return known[index];
        }
        Objects.checkIndex(index, size());
        return same;
    }

    /** A copy of the scores. */
    public long[] toArray() {
        if (scores != null) {
            return scores.clone();
        }
        long[] array = new long[size()];
        Arrays.fill(array, same);
        return array;
    }

    /** Other scores of the same nodes. Takes ownership of the array. */
    public NodeScores with(long[] changed) {
        return of(nodes, changed);
    }

    /**
     * Scaled so that the highest becomes 100, dividing as integers; unchanged if the highest is 0.
     */
    public NodeScores scaledTo100() {
        long[] known = scores;
        if (known == null) {
            return same > 0 ? uniform(nodes, MAX) : this;
        }
        long highest = 0;
        for (long score : known) {
            highest = Math.max(highest, score);
        }
        if (highest == 0) {
            return this;
        }
        long[] scaled = new long[known.length];
        for (int i = 0; i < scaled.length; i++) {
            scaled[i] = MAX * known[i] / highest;
        }
        return with(scaled);
    }

    /** 100 minus each score. */
    public NodeScores reversed() {
        long[] known = scores;
        if (known == null) {
            return uniform(nodes, MAX - same);
        }
        long[] reversed = new long[known.length];
        for (int i = 0; i < reversed.length; i++) {
            reversed[i] = MAX - known[i];
        }
        return with(reversed);
    }
}
