// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class SignalsTest {
    @Test
    void areHandledEachTimeThatTheyCome() throws InterruptedException, IOException {
        CountDownLatch first = new CountDownLatch(1);
        CountDownLatch second = new CountDownLatch(2);
        assertThat(Signals.handle("USR2", () -> {
                    first.countDown();
                    second.countDown();
                }))
                .isTrue();

        send();
        assertThat(first.await(20, TimeUnit.SECONDS)).isTrue();
        send();
        assertThat(second.await(20, TimeUnit.SECONDS)).isTrue();
    }

    private static void send() throws InterruptedException, IOException {
        String pid = String.valueOf(ProcessHandle.current().pid());
        assertThat(new ProcessBuilder("kill", "-USR2", pid).start().waitFor()).isZero();
    }

    @Test
    void thatAreNoneAreRefused() {
        assertThat(Signals.handle("NONE", () -> {})).isFalse();
    }
}
