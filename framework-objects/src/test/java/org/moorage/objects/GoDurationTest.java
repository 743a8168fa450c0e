// SPDX-License-Identifier: Apache-2.0
package org.moorage.objects;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class GoDurationTest {
    record Case(String text, Duration duration, String written) {}

    static Stream<Case> cases() {
        return Stream.of(
                new Case("0", Duration.ZERO, "0s"),
                new Case("0s", Duration.ZERO, "0s"),
                new Case("15s", Duration.ofSeconds(15), "15s"),
                new Case("+15s", Duration.ofSeconds(15), "15s"),
                new Case("10m", Duration.ofMinutes(10), "10m0s"),
                new Case("600s", Duration.ofMinutes(10), "10m0s"),
                new Case("1h30m", Duration.ofMinutes(90), "1h30m0s"),
                new Case("1h1.5s", Duration.ofMillis(3_601_500), "1h0m1.5s"),
                new Case("100h", Duration.ofHours(100), "100h0m0s"),
                new Case("100ms", Duration.ofMillis(100), "100ms"),
                new Case("1500us", Duration.ofNanos(1_500_000), "1.5ms"),
                new Case("1.5µs", Duration.ofNanos(1_500), "1.5µs"),
                new Case(".5s", Duration.ofMillis(500), "500ms"),
                new Case("1.s", Duration.ofSeconds(1), "1s"),
                new Case("7ns", Duration.ofNanos(7), "7ns"),
                new Case("0.4ns", Duration.ZERO, "0s"),
                new Case("-1s", Duration.ofSeconds(-1), "-1s"),
                new Case("-1h0m0.25s", Duration.ofMillis(-3_600_250), "-1h0m0.25s"),
                new Case("1s1s", Duration.ofSeconds(2), "2s"));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void readsAndWritesAsGoDoes(Case c) {
        assertThat(GoDuration.parse(c.text)).contains(c.duration);
        assertThat(GoDuration.format(c.duration)).isEqualTo(c.written);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "soon", "15", "15 s", "s", ".s", "1d", "1h-1s", "--1s", "1S", "PT15S", "9999999h", "1e3s"})
    void refusesWhatGoRefuses(String text) {
        assertThat(GoDuration.parse(text)).isEmpty();
    }
}
