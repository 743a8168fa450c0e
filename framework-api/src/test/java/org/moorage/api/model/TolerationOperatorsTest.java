// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.moorage.api.model.TolerationOperators.COMPARISON;
import static org.moorage.api.model.TolerationOperators.EQUALITY;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TolerationOperatorsTest {
    @ParameterizedTest
    @CsvSource(textBlock = """
        # operator, value, taint's value, by equality, by number
        '',         5,     5,             true,        true
        Equal,      5,     6,             false,       false
        Exists,     '',    6,             true,        true
        Lt,         5,     4,             false,       true
        Lt,         5,     5,             false,       false
        Gt,         5,     6,             false,       true
        Gt,         5,     -6,            false,       false
        Gt,         5,     +6,            false,       false
        Gt,         5,     06,            false,       false
        Lt,         05,    4,             false,       false
        Lt,         5,     '',            false,       false
        Nearly,     5,     5,             false,       false
        """)
    void comparesValues(String operator, String value, String taintValue, boolean byEquality, boolean byNumber) {
        List<Toleration> tolerations =
                List.of(new Toleration("other", "Exists", "", ""), new Toleration("key", operator, value, ""));
        Taint taint = new Taint("key", taintValue, Taint.NO_SCHEDULE);
        assertThat(EQUALITY.tolerate(tolerations, taint)).isEqualTo(byEquality);
        assertThat(COMPARISON.tolerate(tolerations, taint)).isEqualTo(byNumber);
        assertThat(COMPARISON.hasUntoleratedTaint(tolerations, List.of(taint))).isEqualTo(!byNumber);
    }

    @Test
    void looksAtKeyAndEffect() {
        List<Toleration> tolerations = List.of(new Toleration("key", "Gt", "5", Taint.NO_EXECUTE));
        assertThat(COMPARISON.tolerate(tolerations, new Taint("key", "6", Taint.NO_EXECUTE)))
                .isTrue();
        assertThat(COMPARISON.tolerate(tolerations, new Taint("key", "6", Taint.NO_SCHEDULE)))
                .isFalse();
        assertThat(COMPARISON.tolerate(tolerations, new Taint("other", "6", Taint.NO_EXECUTE)))
                .isFalse();
    }

    @Test
    void isNotKeptOffByPreferences() {
        assertThat(EQUALITY.hasUntoleratedTaint(List.of(), List.of(new Taint("key", "", Taint.PREFER_NO_SCHEDULE))))
                .isFalse();
    }
}
