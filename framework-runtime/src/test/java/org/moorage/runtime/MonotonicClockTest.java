// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class MonotonicClockTest {
    private static final Instant START = Instant.parse("2026-01-02T03:04:05Z");

    @Test
    void continuesFromItsStart() {
        AtomicLong nanos = new AtomicLong(-5);
        InstantSource clock = new MonotonicClock(START, nanos::get);
        assertThat(clock.instant()).isEqualTo(START);
        nanos.addAndGet(1_500_000_000);
        assertThat(clock.instant()).isEqualTo(START.plusMillis(1500));
    }

    @Test
    void continuesWhenTheCounterWraps() {
        AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 1);
        InstantSource clock = new MonotonicClock(START, nanos::get);
        nanos.addAndGet(3);
        assertThat(clock.instant()).isEqualTo(START.plusNanos(3));
    }
}
