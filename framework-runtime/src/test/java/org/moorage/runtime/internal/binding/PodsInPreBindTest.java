// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.binding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodSpec;

final class PodsInPreBindTest {
    private static final Duration HOUR = Duration.ofHours(1);

    private final Pod pod = Pod.of(
            ObjectMeta.named("p").namespace("default").uid("p").build(),
            PodSpec.builder().build());
    private final PodsInPreBind pods = new PodsInPreBind();
    private final PodsInPreBind.BindingAttempt attempt = new PodsInPreBind.BindingAttempt(pod);

    @Test
    void aPauseEndsWhenThePodIsCalledBack() {
        pods.add(attempt);
        CompletableFuture<Void> pause = CompletableFuture.runAsync(() -> pods.pause(pod, HOUR));

        assertThat(pods.find("p").orElseThrow().cancel("preempted")).isTrue();

        assertThatThrownBy(() -> pause.get(10, TimeUnit.SECONDS))
                .hasRootCauseInstanceOf(CancellationException.class)
                .hasRootCauseMessage("preempted");
    }

    @Test
    void aPauseEndsWhenTheSchedulerStops() {
        pods.add(attempt);
        CompletableFuture<Void> pause = CompletableFuture.runAsync(() -> pods.pause(pod, HOUR));

        pods.close();

        assertThatThrownBy(() -> pause.get(10, TimeUnit.SECONDS)).hasRootCauseMessage("the scheduler stops");
    }

    @Test
    void aPauseThatIsNotCancelledEndsNormally() {
        pods.add(attempt);
        pods.pause(pod, Duration.ZERO);

        assertThat(attempt.cause()).isEmpty();
    }

    @Test
    void onlyAPodInItsPreBindPauses() {
        assertThatThrownBy(() -> pods.pause(pod, HOUR)).hasMessageContaining("expected: only in its PreBind");
    }

    @Test
    void theFirstCauseStands() {
        assertThat(attempt.cancel("first")).isTrue();
        assertThat(attempt.cancel("second")).isTrue();

        assertThat(attempt.cause()).contains("first");
        assertThat(attempt.markPrebound()).isFalse();
    }

    @Test
    void aPodThatIsReadyIsNotCalledBack() {
        pods.add(attempt);

        assertThat(attempt.markPrebound()).isTrue();
        assertThat(attempt.cancel("too late")).isFalse();
        pods.remove(attempt);
        assertThat(pods.find("p")).isEmpty();
    }
}
