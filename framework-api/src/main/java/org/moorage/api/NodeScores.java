// SPDX-License-Identifier: Apache-2.0
package org.moorage.api;

import java.util.List;
import java.util.Objects;

/**
 * One plugin's scores of the feasible nodes, in their order. Immutable: each operation returns new scores.
 */
public final class NodeScores {
    /** The best score that a plugin may end with; 0 is the worst. */
    public static final long MAX = 100;

    private final List<NodeInfo> nodes;
    private final long[] scores;

    private NodeScores(List<NodeInfo> nodes, long[] scores) {
        this.nodes = nodes;
        this.scores = scores;
    }

    /**
     * Scores of these nodes. Takes the array over: the caller does not change it any more.
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

    /** How many nodes are scored. */
    public int size() {
        return scores.length;
    }

    /** The node at a place. */
    public NodeInfo node(int place) {
        return nodes.get(place);
    }

    /** The score at a place. */
    public long score(int place) {
        return scores[place];
    }

    /** A copy of the scores, to work on. */
    public long[] toArray() {
        return scores.clone();
    }

    /** Other scores of the same nodes. Takes the array over. */
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

    /** 100 minus each score: what counted against a node now counts for the others. */
    public NodeScores reversed() {
        long[] reversed = new long[scores.length];
        for (int i = 0; i < reversed.length; i++) {
            reversed[i] = MAX - scores[i];
        }
        return new NodeScores(nodes, reversed);
    }
}
