// SPDX-License-Identifier: Apache-2.0
package org.moorage.objects.tree;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.DateTimeException;
import java.time.Instant;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ApiTimeTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "2026-11-21T09:30:00Z",
                "0000-01-01T00:00:00Z",
                "9999-12-31T23:59:59Z",
                "2024-02-29T00:00:00Z",
                "1969-12-31T23:59:59Z",
                "2026-11-21T24:00:00Z",
                "2026-11-21T09:30:00.123456Z",
                "2026-11-21T09:30:00+01:00",
            })
    void readsWhatTheJdkReads(String text) {
        assertThat(ApiTime.parse(text)).isEqualTo(Instant.parse(text));
    }

    @Test
    void readsYearsAsGoWritesThem() {
        assertThat(ApiTime.parse("10000-01-01T13:59:59Z")).isEqualTo(Instant.parse("+10000-01-01T13:59:59Z"));
        assertThat(ApiTime.parse("-0001-12-31T10:00:00Z")).isEqualTo(Instant.parse("-0001-12-31T10:00:00Z"));
    }

    @Test
    void readsWhatTheJdkWrites() {
        long seed = 11;
        SplittableRandom random = new SplittableRandom(seed);
        for (int i = 0; i < 10_000; i++) {
            Instant time = Instant.ofEpochSecond(random.nextLong(
                    Instant.parse("0000-01-01T00:00:00Z").getEpochSecond(),
                    Instant.parse("9999-12-31T23:59:59Z").getEpochSecond()));
            assertThat(ApiTime.parse(time.toString())).as("seed %d", seed).isEqualTo(time);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "now",
                "2026-02-29T00:00:00Z",
                "2026-13-01T00:00:00Z",
                "2026-00-01T00:00:00Z",
                "2026-11-21T25:00:00Z",
                "2026-11-21T09:60:00Z",
                "2026-11-21 09:30:00Z",
                "2026-11-21T09:30:0xZ",
            })
    void refusesWhatTheJdkRefuses(String text) {
        assertThatThrownBy(() -> Instant.parse(text)).isInstanceOf(DateTimeException.class);
        assertThatThrownBy(() -> ApiTime.parse(text)).isInstanceOf(DateTimeException.class);
    }
}
