// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cache;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class SharedTreeTest {
    private static Map<Integer, String> entries(SharedTree<Integer, String> tree) {
        Map<Integer, String> entries = new TreeMap<>();
        List<Integer> keys = new ArrayList<>();
        tree.forEach((key, value) -> {
            keys.add(key);
            entries.put(key, value);
        });
        assertThat(keys).isSorted().doesNotHaveDuplicates();
        return entries;
    }

    @Test
    void isAMapOfWhichEveryVersionStaysAsItIs() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int run = 0; run < 50; run++) {
            SharedTree<Integer, String> tree = SharedTree.empty(Comparator.<Integer>naturalOrder());
            Map<Integer, String> expected = new TreeMap<>();
            List<SharedTree<Integer, String>> versions = new ArrayList<>();
            List<Map<Integer, String>> expectedVersions = new ArrayList<>();
            for (int step = 0; step < 200; step++) {
                int key = random.nextInt(60);
                if (random.nextBoolean()) {
                    tree = tree.with(key, "v" + step);
                    expected.put(key, "v" + step);
                } else {
                    tree = tree.without(key);
                    expected.remove(key);
                }
                assertThat(tree.get(key)).as("seed %d", seed).isEqualTo(expected.get(key));
                assertThat(tree.isEmpty()).as("seed %d", seed).isEqualTo(expected.isEmpty());
                versions.add(tree);
                expectedVersions.add(Map.copyOf(expected));
            }
            for (int i = 0; i < versions.size(); i++) {
                assertThat(entries(versions.get(i)))
                        .as("seed %d, version %d", seed, i)
                        .isEqualTo(expectedVersions.get(i));
            }
        }
    }

    @Test
    void findsAKeyInFewStepsAlsoIfKeysComeAndGoInOrder() {
        AtomicInteger steps = new AtomicInteger();
        SharedTree<Integer, String> tree = SharedTree.empty((first, second) -> {
            steps.incrementAndGet();
            return Integer.compare(first, second);
        });
        for (int key = 0; key < 100_000; key++) {
            tree = tree.with(key, "");
        }
        for (int key = 0; key < 50_000; key++) {
            tree = tree.without(key);
        }
        for (int key = 50_000; key < 100_000; key++) {
            steps.set(0);
            assertThat(tree.get(key)).isNotNull();
            // An AVL tree of n entries is no deeper than 1.44 log2(n + 2).
            assertThat(steps).hasValueLessThanOrEqualTo(22);
        }
    }
}
