// SPDX-License-Identifier: Apache-2.0
package org.moorage.api;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.moorage.api.annotation.Experimental;

/**
 * The scores that one plugin gives the placements that a group fits in. Immutable: each operation returns new scores.
 */
@Experimental
public final class PlacementScores {
    private final List<Placement> placements;
    private final long[] scores;

    private PlacementScores(List<Placement> placements, long[] scores) {
        this.placements = placements;
        this.scores = scores;
    }

    /**
     * Returns scores of these placements. Takes ownership of the array: the caller must not change it.
     *
     * @throws IllegalArgumentException if the number of scores differs from the number of placements
     */
    public static PlacementScores of(List<Placement> placements, long[] scores) {
        Objects.requireNonNull(placements, "placements");
        if (placements.size() != scores.length) {
            throw new IllegalArgumentException("scores: " + scores.length + " (expected: " + placements.size() + ")");
        }
        return new PlacementScores(placements, scores);
    }

    /** Returns the number of placements. */
    public int size() {
        return scores.length;
    }

    /** Returns the placement at an index. */
    public Placement placement(int index) {
        return placements.get(index);
    }

    /** Returns the score at an index. */
    public long score(int index) {
        return scores[index];
    }

    /** Returns a copy of the scores. */
    public long[] toArray() {
        return scores.clone();
    }

    /** Returns other scores of the same placements. Takes ownership of the array. */
    public PlacementScores with(long[] changed) {
        return of(placements, changed);
    }

    /** Returns the scores scaled as {@link NodeScores#scaledTo100}. */
    public PlacementScores scaledTo100() {
        return with(NodeScores.scaledTo100(scores));
    }

    /** Returns the scores scaled as {@link NodeScores#minMaxScaled}. */
    public PlacementScores minMaxScaled() {
        return with(NodeScores.minMaxScaled(scores));
    }

    /** Returns 100 minus each score. */
    public PlacementScores reversed() {
        return with(NodeScores.reversed(scores));
    }

    /** Returns the scores in brackets, in the order of the placements. */
    @Override
    public String toString() {
        return Arrays.toString(scores);
    }
}
