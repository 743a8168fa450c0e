// SPDX-License-Identifier: Apache-2.0
package org.moorage.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class RequestPaceTest {
    @Nested
    class OfATokenBucket {
        private final AtomicReference<Instant> time = new AtomicReference<>(Instant.EPOCH);

        @Test
        void allowsABurstAndThenItsRate() {
            TokenBucket bucket = new TokenBucket(50, 3, time::get);

            assertThat(bucket.take()).isZero();
            assertThat(bucket.take()).isZero();
            assertThat(bucket.take()).isZero();
            assertThat(bucket.take()).isEqualTo(Duration.ofMillis(20));
            assertThat(bucket.take()).isEqualTo(Duration.ofMillis(40));
            time.set(Instant.EPOCH.plusMillis(40));
            assertThat(bucket.take()).isEqualTo(Duration.ofMillis(20));
        }

        @Test
        void fillsUpToTheBurstAndNoFurther() {
            TokenBucket bucket = new TokenBucket(1000, 2, time::get);
            time.set(Instant.EPOCH.plusSeconds(3600));

            assertThat(bucket.take()).isZero();
            assertThat(bucket.take()).isZero();
            assertThat(bucket.take()).isPositive();
        }

        @Test
        void isNoLimitWithoutARate() {
            TokenBucket bucket = new TokenBucket(0, 1, time::get);

            for (int i = 0; i < 1000; i++) {
                assertThat(bucket.take()).isZero();
            }
        }
    }

    @Nested
    class OfARetryBackoff {
        private final RetryBackoff backoff = new RetryBackoff(Duration.ofMillis(800), Duration.ofSeconds(30));

        @Test
        void doublesWithSomeChanceUpToTheLongest() {
            Random random = new Random(1);

            assertThat(backoff.after(1, random)).isBetween(Duration.ofMillis(800), Duration.ofMillis(1600));
            assertThat(backoff.after(2, random)).isBetween(Duration.ofMillis(1600), Duration.ofMillis(3200));
            assertThat(backoff.after(5, random)).isBetween(Duration.ofMillis(12800), Duration.ofMillis(25600));
            assertThat(backoff.after(7, random)).isBetween(Duration.ofMillis(22500), Duration.ofSeconds(30));
            assertThat(backoff.after(Integer.MAX_VALUE, random))
                    .isBetween(Duration.ofMillis(22500), Duration.ofSeconds(30));
        }

        @Test
        void needsSensibleDurations() {
            assertThatThrownBy(() -> new RetryBackoff(Duration.ZERO, Duration.ofSeconds(1)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("backoff: PT0S to PT1S (expected: above 0, and initial no longer than max)");
        }
    }
}
