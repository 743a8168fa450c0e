// SPDX-License-Identifier: Apache-2.0
package org.moorage.objects;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class SuggestionsTest {
    record Case(String name, String wanted, List<String> candidates, String hint) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Case> cases() {
        return Stream.of(
                new Case("one letter is missing", "simlate", List.of("simulate", "explain"), " Did you mean simulate?"),
                new Case("the closest comes first", "web-2", List.of("web-33", "web-1"), " Did you mean web-1?"),
                new Case("a part of longer names", "web", List.of("web-1", "web-2"), " Did you mean web-1 or web-2?"),
                new Case("a part within a longer name", "shop", List.of("my-shop-1"), " Did you mean my-shop-1?"),
                new Case("upper case", "-V", List.of("-v", "-h"), " Did you mean -v?"),
                new Case("short names are not all alike", "-x", List.of("-v", "-h"), ""),
                new Case("nothing is close", "zebra", List.of("web-1"), ""),
                new Case(
                        "three at most",
                        "pod-0",
                        List.of("pod-4", "pod-3", "pod-2", "pod-1"),
                        " Did you mean pod-1 or pod-2 or pod-3?"));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void areThoseThatAPersonMayHaveMeant(Case given) {
        assertThat(Suggestions.hint(given.wanted, given.candidates)).isEqualTo(given.hint);
    }
}
