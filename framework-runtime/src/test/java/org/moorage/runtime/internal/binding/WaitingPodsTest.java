// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.binding;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.WaitingPod;
import org.moorage.runtime.Samples;
import org.moorage.runtime.decision.PluginStatus;

final class WaitingPodsTest {
    private final Pod pod = Samples.pod("p");
    private Optional<WaitingPod> seenWhenTimersStart = Optional.empty();
    private final Timers timers = new Timers();
    private final WaitingPods pods = new WaitingPods(timers);

    /** Looks whether the pod can be seen already when its timer is started. */
    private final class Timers extends ScheduledThreadPoolExecutor {
        Timers() {
            super(1);
        }

        @Override
        public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
            seenWhenTimersStart = pods.find(pod.uid());
            return super.schedule(task, delay, unit);
        }
    }

    @Test
    void returnTheirLongestWait() {
        CompletableFuture<PluginStatus> ignored =
                pods.add(pod, Map.of("A", Duration.ofMinutes(1), "B", Duration.ofHours(1)));
        WaitingPod waiting = pods.find(pod.uid()).orElseThrow();

        assertThat(waiting.timeLeft().get("A")).isBetween(Duration.ofSeconds(30), Duration.ofMinutes(1));
        assertThat(waiting.timeLeft().get("B")).isBetween(Duration.ofMinutes(14), Duration.ofMinutes(15));
        waiting.allow("A");
        assertThat(waiting.timeLeft()).containsOnlyKeys("B");
    }

    @AfterEach
    void close() {
        timers.shutdownNow();
    }

    @Test
    void canOnlyBeSeenWithTheirTimersSoThatNoPermissionIsLost() {
        CompletableFuture<PluginStatus> result = pods.add(pod, Map.of("A", Duration.ofMinutes(1)));

        assertThat(seenWhenTimersStart).isEmpty();
        pods.find(pod.uid()).orElseThrow().allow("A");
        assertThat(result).isCompletedWithValue(PluginStatus.SUCCESS);
        assertThat(pods.all()).isEmpty();
    }
}
