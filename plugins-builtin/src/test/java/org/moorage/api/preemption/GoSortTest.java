// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.preemption;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntBinaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** Where elements end up is compared with what {@code sort.Slice} of Go 1.26 did with the same ones. */
class GoSortTest {
    private static final int[] LENGTHS = {12, 13, 49, 50, 200, 3000};

    /**
     * Elements of one shape.
     *
     * @param key an element's rank by its place and their number
     * @param hashes for each length the hash of a list of the places from which the elements came
     */
    record Case(String name, IntBinaryOperator key, int... hashes) {
        @Override
        public String toString() {
            return name;
        }
    }

    record Item(int key, int place) {}

    static final Case[] CASES = {
        new Case("one key", (i, n) -> 0, -613465465, -1837560219, 236411191, -1261187622, -1836830875, 601753309),
        new Case(
                "three keys",
                (i, n) -> i * i / 3 % 3,
                103817347,
                -1376405109,
                -541441901,
                159513210,
                -1983764897,
                1742088711),
        new Case("ascending", (i, n) -> i, -613465465, -1837560219, 236411191, -1261187622, -1836830875, 601753309),
        new Case(
                "descending",
                (i, n) -> n - i,
                1780230843,
                -1952760859,
                -1102355657,
                1369810632,
                1717659165,
                -2129132635),
        new Case(
                "up and down",
                (i, n) -> Math.min(i, n - i),
                -399599543,
                -2080046927,
                -964778457,
                -2084526798,
                -1994582483,
                -1530711171),
        new Case(
                "nearly sorted",
                (i, n) -> i % 17 == 16 ? i - 5 : i,
                -613465465,
                -1837560219,
                -1598650185,
                1981451866,
                1410394785,
                753723121),
        new Case(
                "mixed",
                (i, n) -> (i * 7919 + 13) % 101,
                -1653610361,
                -1091634767,
                -1488410651,
                1006709536,
                -619878887,
                -727223327),
        new Case(
                "zigzag",
                (i, n) -> i % 2 == 0 ? i : n - i * i % 97,
                -645337951,
                1469360011,
                -644622237,
                1068717826,
                60514805,
                1211658703),
    };

    @ParameterizedTest
    @FieldSource("CASES")
    void sortsAsGoDoes(Case example) {
        List<Integer> hashes = new ArrayList<>();
        for (int length : LENGTHS) {
            hashes.add(hash(length, example.key, (first, second) -> first.key < second.key));
        }
        assertThat(hashes).containsExactly(box(example.hashes));
    }

    @Test
    void endsAsGoDoesWithAnOrderThatContradictsItself() {
        List<Integer> hashes = new ArrayList<>();
        for (int length : LENGTHS) {
            hashes.add(hash(length, (i, n) -> 0, (first, second) -> true));
        }
        assertThat(hashes).containsExactly(1780230843, 1780621541, -546470783, 670438972, 833279403, -2017933919);
    }

    private static int hash(int length, IntBinaryOperator key, GoSort.Order<Item> order) {
        Item[] items = new Item[length];
        for (int i = 0; i < length; i++) {
            items[i] = new Item(key.applyAsInt(i, length), i);
        }
        GoSort.sort(items, order);
        List<Integer> places = new ArrayList<>();
        for (Item item : items) {
            places.add(item.place);
        }
        return places.hashCode();
    }

    private static Integer[] box(int[] values) {
        Integer[] boxed = new Integer[values.length];
        for (int i = 0; i < values.length; i++) {
            boxed[i] = values[i];
        }
        return boxed;
    }
}
