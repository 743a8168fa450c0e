// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.labels;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LabelSyntaxTest {
    private static final String NAME_OF_63 = "a".repeat(63);

    @ParameterizedTest
    @ValueSource(strings = {"a", "A-b_c.9", "example.com/x", "a.b-c.d/X"})
    void takesKeys(String key) {
        assertThat(LabelSyntax.isKey(key)).isTrue();
        assertThat(LabelSyntax.isKey(NAME_OF_63)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "-a", "a-", "a b", "/x", "x/", "A.com/x", "a/b/c", "a..b/x", "ä"})
    void refusesOtherKeys(String key) {
        assertThat(LabelSyntax.isKey(key)).isFalse();
        assertThat(LabelSyntax.isKey(NAME_OF_63 + "a")).isFalse();
        assertThat(LabelSyntax.isKey("a".repeat(254) + "/x")).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a", "1.0_x"})
    void takesValues(String value) {
        assertThat(LabelSyntax.isValue(value)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"-", "x y", "a/b"})
    void refusesOtherValues(String value) {
        assertThat(LabelSyntax.isValue(value)).isFalse();
        assertThat(LabelSyntax.isValue(NAME_OF_63 + "a")).isFalse();
    }
}
