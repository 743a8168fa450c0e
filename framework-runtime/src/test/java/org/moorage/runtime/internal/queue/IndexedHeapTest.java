// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class IndexedHeapTest {
    private record Item(String key, int rank) {}

    private final IndexedHeap<String, Item> heap = new IndexedHeap<>(Item::key, (a, b) -> a.rank() < b.rank());

    private List<Integer> ranks() {
        List<Integer> ranks = new ArrayList<>();
        for (Optional<Item> first = heap.removeFirst(); first.isPresent(); first = heap.removeFirst()) {
            ranks.add(first.get().rank());
        }
        return ranks;
    }

    @Test
    void givesItemsInOrder() {
        for (int rank : new int[] {5, 3, 8, 1, 9, 2, 2}) {
            heap.put(new Item("item" + heap.size(), rank));
        }

        assertThat(heap.first()).map(Item::rank).contains(1);
        assertThat(ranks()).containsExactly(1, 2, 2, 3, 5, 8, 9);
        assertThat(heap.size()).isZero();
        assertThat(heap.first()).isEmpty();
        assertThat(heap.removeFirst()).isEmpty();
    }

    @Test
    void putsAnItemInPlaceOfTheOneWithItsKey() {
        heap.put(new Item("a", 1));
        heap.put(new Item("b", 2));
        heap.put(new Item("a", 3));

        assertThat(heap.size()).isEqualTo(2);
        assertThat(heap.find("a")).contains(new Item("a", 3));
        assertThat(ranks()).containsExactly(2, 3);
    }

    @Test
    void removesByKey() {
        heap.put(new Item("a", 1));

        assertThat(heap.remove("b")).isEmpty();
        assertThat(heap.remove("a")).contains(new Item("a", 1));
        assertThat(heap.find("a")).isEmpty();
        assertThat(heap.size()).isZero();
    }

    static LongStream seeds() {
        return new Random().longs(3);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void agreesWithSortingAfterRandomChanges(long seed) {
        Random random = new Random(seed);
        Map<String, Item> expected = new HashMap<>();
        for (int step = 0; step < 20_000; step++) {
            String key = "key" + random.nextInt(200);
            switch (random.nextInt(4)) {
                case 0 ->
                    assertThat(heap.remove(key))
                            .as("step %d", step)
                            .isEqualTo(Optional.ofNullable(expected.remove(key)));
                case 1 -> {
                    Optional<Item> first = heap.removeFirst();
                    Optional<Integer> lowest =
                            expected.values().stream().map(Item::rank).min(Comparator.naturalOrder());
                    assertThat(first.map(Item::rank)).as("step %d", step).isEqualTo(lowest);
                    first.ifPresent(item -> expected.remove(item.key()));
                }
                default -> {
                    Item item = new Item(key, random.nextInt(50));
                    heap.put(item);
                    expected.put(key, item);
                }
            }
        }
        assertThat(ranks())
                .isEqualTo(expected.values().stream().map(Item::rank).sorted().toList());
    }
}
