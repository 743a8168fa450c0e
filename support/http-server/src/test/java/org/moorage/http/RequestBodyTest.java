// SPDX-License-Identifier: Apache-2.0
package org.moorage.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class RequestBodyTest {
    private static final InstantSource CLOCK = InstantSource.fixed(Instant.EPOCH);

    private final AtomicInteger asked = new AtomicInteger();
    private final RequestBody body = new RequestBody(
            Long.MAX_VALUE, Instant.EPOCH.plusSeconds(60), CLOCK, new ClientWait(CLOCK), asked::incrementAndGet);

    @Test
    void asksForMoreAlthoughSomeCameWhileItWasPaused() throws IOException {
        assertThat(body.add(new byte[256 << 10])).isFalse();
        assertThat(body.readNBytes(100 << 10)).hasSize(100 << 10);
        assertThat(body.add(new byte[1 << 10])).isFalse();
        assertThat(asked).hasValue(0);

        assertThat(body.readNBytes(157 << 10)).hasSize(157 << 10);
        assertThat(asked).hasValue(1);
    }
}
