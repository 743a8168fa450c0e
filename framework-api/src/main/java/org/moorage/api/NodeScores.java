// SPDX-License-Identifier: Apache-2.0
package org.moorage.api;

import java.math.BigInteger;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * The scores of the feasible nodes by one plugin, in the order of the nodes. Immutable: each operation returns new scores.
 */
public final class NodeScores {
    /** The best score that a plugin may end with; 0 is the worst. */
    public static final long MAX = 100;

    private final List<NodeInfo> nodes;
    // One for each node, or a single one that all have, as they mostly do: then nothing is made for each of them.
    private final long[] scores;
    // Read once: a plugin may give a list of its own class, and the scheduler reads the scores outside the plugin's
    // call.
    private final int size;

    private NodeScores(List<NodeInfo> nodes, long[] scores) {
        this.nodes = nodes;
        size = nodes.size();
        this.scores = scores;
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
        return new NodeScores(nodes, scores);
    }

    /** The same score for each of these nodes. */
    public static NodeScores uniform(List<NodeInfo> nodes, long score) {
        return new NodeScores(Objects.requireNonNull(nodes, "nodes"), new long[] {score});
    }

    /** How many nodes are scored. */
    public int size() {
        return size;
    }

    /** Whether these are {@link #uniform} scores, or what became of such: then one of them tells all. */
    public boolean isUniform() {
        return scores.length == 1;
    }

    /** The node at an index. */
    public NodeInfo node(int index) {
        return nodes.get(index);
    }

    /** The score at an index. */
    public long score(int index) {
        if (scores.length != 1) {
            return scores[index];
        }
        Objects.checkIndex(index, size());
        return scores[0];
    }

    /** A copy of the scores. */
    public long[] toArray() {
        if (scores.length == size()) {
            return scores.clone();
        }
        long[] array = new long[size()];
        Arrays.fill(array, scores[0]);
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
        long highest = 0;
        for (long score : scores) {
            highest = Math.max(highest, score);
        }
        if (highest == 0) {
            return this;
        }
        long[] scaled = new long[scores.length];
        for (int i = 0; i < scaled.length; i++) {
            scaled[i] = MAX * scores[i] / highest;
        }
        return new NodeScores(nodes, scaled);
    }

    /**
     * Scaled so that the lowest becomes 0 and the highest 100 (min-max normalization), dividing as integers. If all are equal, each becomes
     * 0, which leaves the choice to other plugins. Takes any scores, also negative ones.
     */
    public NodeScores minMaxScaled() {
        long lowest = Long.MAX_VALUE;
        long highest = Long.MIN_VALUE;
        for (long score : scores) {
            lowest = Math.min(lowest, score);
            highest = Math.max(highest, score);
        }
        long[] scaled = new long[scores.length];
        if (lowest < highest) {
            for (int i = 0; i < scaled.length; i++) {
                scaled[i] = share(scores[i], lowest, highest);
            }
        }
        return new NodeScores(nodes, scaled);
    }

    // From 0 for the lowest to 100 for the highest.
    private static long share(long score, long lowest, long highest) {
        long range = highest - lowest;
        if (range > 0 && range <= Long.MAX_VALUE / MAX) {
            return MAX * (score - lowest) / range;
        }
        // The product, or even the range, is larger than a long.
        BigInteger least = BigInteger.valueOf(lowest);
        return BigInteger.valueOf(score)
                .subtract(least)
                .multiply(BigInteger.valueOf(MAX))
                .divide(BigInteger.valueOf(highest).subtract(least))
                .longValueExact();
    }

    /** 100 minus each score. */
    public NodeScores reversed() {
        long[] reversed = new long[scores.length];
        for (int i = 0; i < reversed.length; i++) {
            reversed[i] = MAX - scores[i];
        }
        return new NodeScores(nodes, reversed);
    }
}
