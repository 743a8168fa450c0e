// SPDX-License-Identifier: Apache-2.0
package org.moorage.extender;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests the memory limit of requests. */
@Timeout(30)
class RequestMemoryTest {
    private final AtomicReference<Instant> now = new AtomicReference<>(Instant.EPOCH);
    private final RequestMemory memory = RequestMemory.of(100, now::get);

    private RequestMemory.Use use() {
        return memory.use(Duration.ofSeconds(20));
    }

    @Test
    void refusesWhatWouldNeverFit() {
        try (RequestMemory.Use use = use()) {
            use.take(60);

            assertThatThrownBy(() -> use.take(41))
                    .isInstanceOfSatisfying(
                            RequestMemory.RefusedException.class,
                            refused -> assertThat(refused.status()).isEqualTo(413));
            assertThatThrownBy(() -> use.expect(101)).isInstanceOf(RequestMemory.RefusedException.class);
        }
        assertThat(memory.taken()).isZero();
    }

    @Test
    void refusesAtLastWhatOthersLeaveNoRoomFor() {
        RequestMemory.Use first = use();
        first.take(60);
        try (RequestMemory.Use second = memory.use(Duration.ofSeconds(20))) {
            now.set(Instant.EPOCH.plusSeconds(20));

            assertThatThrownBy(() -> second.take(41))
                    .isInstanceOfSatisfying(
                            RequestMemory.RefusedException.class,
                            refused -> assertThat(refused.status()).isEqualTo(503));
            first.close();
            second.take(41);
            assertThat(memory.taken()).isEqualTo(41);
        }
    }

    @Test
    void isTakenUntilAllWhoUseItHaveClosedIt() {
        RequestMemory.Use use = use();
        use.take(60);
        RequestMemory.Use shared = use.shared();

        use.close();
        assertThat(memory.taken()).isEqualTo(60);
        shared.close();
        assertThat(memory.taken()).isZero();
    }
}
