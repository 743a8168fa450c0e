// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class PodBackoffTest {
    private static final Instant NOON = Instant.parse("2026-01-02T12:00:00Z");
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final PodBackoff DEFAULT = new PodBackoff(SECOND, Duration.ofSeconds(10), ChronoUnit.SECONDS);

    @Test
    void doublesUpToTheLimit() {
        assertThat(IntStream.rangeClosed(1, 7)
                        .mapToObj(failures -> DEFAULT.after(failures, 1))
                        .map(Duration::toSeconds))
                .containsExactly(1L, 2L, 4L, 8L, 10L, 10L, 10L);
    }

    record Length(String name, Duration initial, Duration max, int failures, Duration expected) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Length> lengths() {
        Duration century = Duration.ofDays(36_500);
        return Stream.of(
                new Length(
                        "a limit below the first wait holds",
                        SECOND,
                        Duration.ofMillis(300),
                        1,
                        Duration.ofMillis(300)),
                new Length("many failures do not overflow", SECOND, century, 200, century),
                new Length("as many failures as bits do not wrap round", SECOND, century, 65, century),
                new Length(
                        "a limit that is met exactly is no limit",
                        SECOND,
                        Duration.ofSeconds(8),
                        4,
                        Duration.ofSeconds(8)),
                new Length("no first wait is no wait", Duration.ZERO, Duration.ofSeconds(10), 9, Duration.ZERO),
                new Length(
                        "a limit beyond all bounds is taken as it is",
                        SECOND,
                        Duration.ofSeconds(Long.MAX_VALUE),
                        3,
                        Duration.ofSeconds(4)));
    }

    @ParameterizedTest
    @MethodSource("lengths")
    void lastsFor(Length length) {
        assertThat(new PodBackoff(length.initial(), length.max(), ChronoUnit.SECONDS).after(length.failures(), 1))
                .isEqualTo(length.expected());
    }

    record Window(String name, Duration start, Duration asked, boolean lasts) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Window> windows() {
        return Stream.of(
                new Window("right after a failure", Duration.ZERO, Duration.ZERO, true),
                new Window("in the second of its end", Duration.ZERO, Duration.ofMillis(1999), true),
                new Window("in the second after its end", Duration.ZERO, Duration.ofSeconds(2), false),
                new Window(
                        "a failure late in a second counts from its start",
                        Duration.ofMillis(900),
                        Duration.ofMillis(1999),
                        true),
                new Window(
                        "and is over with that second's backoffs",
                        Duration.ofMillis(900),
                        Duration.ofSeconds(2),
                        false));
    }

    @ParameterizedTest
    @MethodSource("windows")
    void countsInWholeSeconds(Window window) {
        Instant end = DEFAULT.end(NOON.plus(window.start()), 1, 1);

        assertThat(end).isEqualTo(NOON.plusSeconds(1));
        assertThat(DEFAULT.lasts(end, NOON.plus(window.asked()))).isEqualTo(window.lasts());
    }

    @Test
    void isOverOneSecondAfterItsEnd() {
        Instant end = DEFAULT.end(NOON, 3, 1);

        assertThat(DEFAULT.lasts(end, end.plusSeconds(1).minusNanos(1))).isTrue();
        assertThat(DEFAULT.lasts(end, end.plusSeconds(1))).isFalse();
    }

    @Test
    void thereIsNoneWithoutFailuresOrWithALimitOfZero() {
        assertThat(DEFAULT.end(NOON, 0, 1)).isEqualTo(PodBackoff.NONE);
        assertThat(new PodBackoff(SECOND, Duration.ZERO, ChronoUnit.SECONDS).end(NOON, 4, 1))
                .isEqualTo(PodBackoff.NONE);
        assertThat(DEFAULT.lasts(PodBackoff.NONE, NOON)).isFalse();
    }

    @Test
    void canBeExact() {
        PodBackoff exact = new PodBackoff(SECOND, Duration.ofSeconds(10), ChronoUnit.NANOS);
        Instant failure = NOON.plusMillis(900);
        Instant end = exact.end(failure, 1, 1);

        assertThat(end).isEqualTo(failure.plusSeconds(1));
        assertThat(exact.lasts(end, end)).isTrue();
        assertThat(exact.lasts(end, end.plusNanos(1))).isFalse();
    }
}
