// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cycle;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

class RecurringTest {
    /** Keys that are asked for in turn, one character each, and whether each is answered with a value. */
    record Case(String name, String keys, String answered) {
        @Override
        public String toString() {
            return name;
        }
    }

    static final List<Case> CASES = List.of(
            new Case("a value from the second time on", "aaa", "-++"),
            new Case("other keys in between", "abab", "--++"),
            new Case("a key that came back too late", "abcdefghia", "----------"),
            new Case("the last eight that were asked for once", "abcdefgha", "--------+"),
            new Case("eight values", "aabbccddeeffgghha", "-+-+-+-+-+-+-+-++"),
            new Case("the one that was asked for longest ago goes", "aabbccddeeffgghhiiab", "-+-+-+-+-+-+-+-+-+-+"),
            new Case("what was asked for lately stays", "aabbccddeeffgghhaiiab", "-+-+-+-+-+-+-+-++-++-"));

    @ParameterizedTest
    @FieldSource("CASES")
    void remembersWhatComesBack(Case given) {
        EquivalenceCache.Recurring<Integer, String> recurring =
                new EquivalenceCache.Recurring<>(key -> "value of " + key);
        StringBuilder answered = new StringBuilder();
        given.keys().chars().forEach(key -> {
            String value = recurring.find(key, 8);
            assertThat(value).isIn(null, "value of " + key);
            answered.append(value == null ? '-' : '+');
        });

        assertThat(answered).hasToString(given.answered());
    }
}
