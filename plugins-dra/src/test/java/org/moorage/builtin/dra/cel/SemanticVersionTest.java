// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra.cel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.ValueSource;

class SemanticVersionTest {
    // The example of semver.org, and numbers that a comparison of texts would get wrong.
    static final List<String> RISING = List.of(
            "0.9.10",
            "1.0.0-alpha",
            "1.0.0-alpha.1",
            "1.0.0-alpha.beta",
            "1.0.0-beta",
            "1.0.0-beta.2",
            "1.0.0-beta.11",
            "1.0.0-rc.1",
            "1.0.0",
            "1.2.0",
            "1.10.0");

    @ParameterizedTest
    @FieldSource("RISING")
    void ordersVersions(String text) {
        SemanticVersion version = SemanticVersion.parse(text);
        for (String other : RISING) {
            assertThat(Integer.signum(version.compareTo(SemanticVersion.parse(other))))
                    .as(text + " and " + other)
                    .isEqualTo(Integer.compare(RISING.indexOf(text), RISING.indexOf(other)));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "1.2", "a.0.0", "1.02.0", "1.0.0-01", "1.0.0-a..b", "1.0.0+", "99999999999999999999.0.0"})
    void refusesWhatIsNoVersion(String text) {
        assertThatThrownBy(() -> SemanticVersion.parse(text)).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "v", "1.2-rc", "1+a", "1.a"})
    void completesNoOther(String text) {
        assertThatThrownBy(() -> SemanticVersion.parseTolerantly(text)).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @CsvSource({"v1.0.0, 1.0.0", "1.0, 1.0.0", "2, 2.0.0", "01.01.01, 1.1.1", "v1.2.3-rc.1, 1.2.3-rc.1"})
    void completesVersions(String text, String complete) {
        assertThat(SemanticVersion.parseTolerantly(text)).isEqualTo(SemanticVersion.parse(complete));
    }

    @ParameterizedTest
    @CsvSource({"1.0.0+a, 1.0.0+b"})
    void ignoresBuildMetadata(String one, String other) {
        assertThat(SemanticVersion.parse(one)).isEqualTo(SemanticVersion.parse(other));
    }
}
