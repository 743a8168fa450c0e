// SPDX-License-Identifier: Apache-2.0
package org.moorage.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

final class NodeScoresTest {
    // The operations look at no node.
    @SuppressWarnings("NullAway")
    private static List<NodeInfo> nodes(int count) {
        return Collections.nCopies(count, null);
    }

    /**
     * Scores, and the expected results.
     *
     * @param scaled scaled to 100
     * @param reversed 100 minus each
     */
    record Case(String name, long[] scores, long[] scaled, long[] reversed) {
        @Override
        public String toString() {
            return name;
        }
    }

    static final Case[] CASES = {
        new Case("different scores", new long[] {3, 0, 8}, new long[] {37, 0, 100}, new long[] {97, 100, 92}),
        new Case("no score above 0", new long[] {0, 0}, new long[] {0, 0}, new long[] {100, 100}),
        new Case("the same score", new long[] {7, 7}, new long[] {100, 100}, new long[] {93, 93}),
        new Case("scores below 0", new long[] {-2, -2}, new long[] {-2, -2}, new long[] {102, 102}),
        new Case("no nodes", new long[] {}, new long[] {}, new long[] {}),
    };

    @ParameterizedTest
    @FieldSource("CASES")
    void scalesAndReverses(Case example) {
        NodeScores scores = NodeScores.of(nodes(example.scores.length), example.scores.clone());
        assertThat(scores.scaledTo100().toArray()).isEqualTo(example.scaled);
        assertThat(scores.reversed().toArray()).isEqualTo(example.reversed);
        assertThat(scores.toArray()).isEqualTo(example.scores);
    }

    @ParameterizedTest
    @FieldSource("CASES")
    void doesTheSameWithUniformScores(Case example) {
        for (long score : example.scores) {
            long[] each = new long[example.scores.length];
            Arrays.fill(each, score);
            NodeScores separate = NodeScores.of(nodes(each.length), each);
            NodeScores uniform = NodeScores.uniform(nodes(each.length), score);
            assertThat(uniform.size()).isEqualTo(each.length);
            assertThat(uniform.isUniform()).isTrue();
            assertThat(uniform.reversed().scaledTo100().isUniform()).isTrue();
            assertThat(separate.isUniform()).isEqualTo(each.length == 1);
            assertThat(uniform.score(each.length - 1)).isEqualTo(score);
            assertThat(uniform.toArray()).isEqualTo(each);
            assertThat(uniform.scaledTo100().toArray())
                    .isEqualTo(separate.scaledTo100().toArray());
            assertThat(uniform.reversed().toArray())
                    .isEqualTo(separate.reversed().toArray());
        }
    }

    /** Scores, and what min-max normalization makes of them. */
    record MinMax(String name, long[] scores, long... scaled) {
        @Override
        public String toString() {
            return name;
        }
    }

    static final MinMax[] MIN_MAX = {
        new MinMax("different scores", new long[] {3, 0, 8}, 37, 0, 100),
        new MinMax("none is 0", new long[] {100, 101, 110}, 0, 10, 100),
        new MinMax("scores below 0", new long[] {-2_000_000, -1_000_000, -1_500_000}, 0, 100, 50),
        new MinMax("below and above 0", new long[] {-50, 50, 0}, 0, 100, 50),
        new MinMax("the same score", new long[] {7, 7}, 0, 0),
        new MinMax("a single node", new long[] {7}, 0),
        new MinMax("no nodes", new long[] {}),
        new MinMax("the product overflows", new long[] {0, Long.MAX_VALUE / 2, Long.MAX_VALUE}, 0, 49, 100),
        new MinMax("the range overflows", new long[] {Long.MIN_VALUE, Long.MAX_VALUE, 0}, 0, 100, 50),
    };

    @ParameterizedTest
    @FieldSource("MIN_MAX")
    void scalesBetweenTheLowestAndTheHighest(MinMax example) {
        NodeScores scores = NodeScores.of(nodes(example.scores.length), example.scores.clone());
        assertThat(scores.minMaxScaled().toArray()).isEqualTo(example.scaled);
        assertThat(scores.toArray()).isEqualTo(example.scores);
        NodeScores uniform = NodeScores.uniform(nodes(3), 7).minMaxScaled();
        assertThat(uniform.isUniform()).isTrue();
        assertThat(uniform.toArray()).containsExactly(0, 0, 0);
    }

    @Test
    void hasNoUniformScoreWithoutNodes() {
        assertThat(NodeScores.uniform(nodes(0), 7).reversed().toArray()).isEmpty();
    }

    @Test
    void refusesOtherNumbersAndIndexes() {
        assertThatThrownBy(() -> NodeScores.of(nodes(2), new long[] {1}))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("scores: 1 (expected: 2)");
        assertThatThrownBy(() -> NodeScores.uniform(nodes(2), 1).with(new long[3]))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("scores: 3 (expected: 2)");
        assertThatThrownBy(() -> NodeScores.uniform(nodes(2), 1).score(2))
                .isInstanceOf(IndexOutOfBoundsException.class);
    }
}
