// SPDX-License-Identifier: Apache-2.0
package org.moorage.api;

import java.math.BigInteger;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * The scores that one plugin gives the feasible nodes, in the order of the nodes. Immutable: each operation returns new
 * scores.
 */
public final class NodeScores {
    /** The best score after normalization; the worst is 0. */
    public static final long MAX = 100;

    private final List<NodeInfo> nodes;
    // One score per node, or a single score that all nodes share, which is the usual case and avoids an entry per node.
    private final long[] scores;
    // Read once: a plugin may pass its own List implementation, and the scheduler reads the scores outside the call to
    // the plugin.
    private final int size;

    private NodeScores(List<NodeInfo> nodes, long[] scores) {
        this.nodes = nodes;
        size = nodes.size();
        this.scores = scores;
    }

    /**
     * Returns scores of these nodes. Takes ownership of the array: the caller must not change it.
     *
     * @throws IllegalArgumentException if the number of scores differs from the number of nodes
     */
    public static NodeScores of(List<NodeInfo> nodes, long[] scores) {
        Objects.requireNonNull(nodes, "nodes");
        if (nodes.size() != scores.length) {
            throw new IllegalArgumentException("scores: " + scores.length + " (expected: " + nodes.size() + ")");
        }
        return new NodeScores(nodes, scores);
    }

    /** Returns the same score for each of these nodes. */
    public static NodeScores uniform(List<NodeInfo> nodes, long score) {
        return new NodeScores(Objects.requireNonNull(nodes, "nodes"), new long[] {score});
    }

    /** Returns the number of nodes. */
    public int size() {
        return size;
    }

    /**
     * Returns whether all nodes share one stored score: these are {@link #uniform} scores or were derived from such.
     */
    public boolean isUniform() {
        return scores.length == 1;
    }

    /** Returns the node at an index. */
    public NodeInfo node(int index) {
        return nodes.get(index);
    }

    /** Returns the score at an index. */
    public long score(int index) {
        if (scores.length != 1) {
            return scores[index];
        }
        Objects.checkIndex(index, size());
        return scores[0];
    }

    /** Returns a copy of the scores. */
    public long[] toArray() {
        if (scores.length == size()) {
            return scores.clone();
        }
        long[] array = new long[size()];
        Arrays.fill(array, scores[0]);
        return array;
    }

    /** Returns other scores of the same nodes. Takes ownership of the array. */
    public NodeScores with(long[] changed) {
        return of(nodes, changed);
    }

    /**
     * Returns the scores scaled so that the highest becomes 100, with integer division; unchanged if the highest is 0.
     */
    public NodeScores scaledTo100() {
        return new NodeScores(nodes, scaledTo100(scores));
    }

    static long[] scaledTo100(long[] scores) {
        long highest = 0;
        for (long score : scores) {
            highest = Math.max(highest, score);
        }
        if (highest == 0) {
            return scores;
        }
        long[] scaled = new long[scores.length];
        for (int i = 0; i < scaled.length; i++) {
            scaled[i] = MAX * scores[i] / highest;
        }
        return scaled;
    }

    /**
     * Returns the scores scaled so that the lowest becomes 0 and the highest 100 (min-max normalization), with integer
     * division. If all scores are equal, each becomes 0, which leaves the choice to other plugins. Scores may be
     * negative.
     */
    public NodeScores minMaxScaled() {
        return new NodeScores(nodes, minMaxScaled(scores));
    }

    static long[] minMaxScaled(long[] scores) {
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
        return scaled;
    }

    // Returns 0 for the lowest score, up to 100 for the highest.
    private static long share(long score, long lowest, long highest) {
        long range = highest - lowest;
        if (range > 0 && range <= Long.MAX_VALUE / MAX) {
            return MAX * (score - lowest) / range;
        }
        // The product, or even the range, overflows a long.
        BigInteger least = BigInteger.valueOf(lowest);
        return BigInteger.valueOf(score)
                .subtract(least)
                .multiply(BigInteger.valueOf(MAX))
                .divide(BigInteger.valueOf(highest).subtract(least))
                .longValueExact();
    }

    /** Returns 100 minus each score. */
    public NodeScores reversed() {
        return new NodeScores(nodes, reversed(scores));
    }

    static long[] reversed(long[] scores) {
        long[] reversed = new long[scores.length];
        for (int i = 0; i < reversed.length; i++) {
            reversed[i] = MAX - scores[i];
        }
        return reversed;
    }
}
