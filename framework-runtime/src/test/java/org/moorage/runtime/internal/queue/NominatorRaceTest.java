// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodStatus;
import org.moorage.api.plugin.cluster.Nomination;

/** Readers of nominations while these are changed: a pod that keeps a nomination is never without one. */
@Timeout(60)
final class NominatorRaceTest {
    private static final int CHANGES = 100_000;

    private final Pod onA = nominatedTo("a");
    private final Pod onB = nominatedTo("b");
    private final Nominator nominator = new Nominator((namespace, name) -> Optional.of(onA));

    private static Pod nominatedTo(String nodeName) {
        return QueueFixture.pod("pod")
                .withStatus(PodStatus.builder().nominatedNodeName(nodeName).build());
    }

    private boolean isNominated(Map<String, List<Pod>> nominated, String nodeName) {
        return nominated.getOrDefault(nodeName, List.of()).stream()
                .anyMatch(pod -> pod.uid().equals(onA.uid()));
    }

    @Test
    void showsPodThatIsUpdatedAllTheTime() throws InterruptedException {
        nominator.add(onA, Nomination.keep());

        assertThat(missesDuring(
                        () -> nominator.update(onA, onA),
                        () -> nominator.nominatedPodsFor("a").isEmpty()))
                .isZero();
    }

    @Test
    void showsPodThatIsNominatedAgainAllTheTime() throws InterruptedException {
        nominator.add(onA, Nomination.keep());

        assertThat(missesDuring(
                        () -> nominator.add(onA, Nomination.to("a")),
                        () -> nominator.nominatedPodsFor("a").isEmpty()))
                .isZero();
    }

    @Test
    void showsPodWhoseNominationMovesOnOneNodeAtATime() throws InterruptedException {
        nominator.add(onA, Nomination.keep());

        assertThat(missesDuring(
                        () -> {
                            nominator.update(onA, onB);
                            nominator.update(onB, onA);
                        },
                        () -> {
                            Map<String, List<Pod>> seen = nominator.nominatedPods();
                            return isNominated(seen, "b") == isNominated(seen, "a");
                        }))
                .isZero();
    }

    // How often another thread finds the fault while this one makes the changes.
    private static long missesDuring(Runnable change, BooleanSupplier fault) throws InterruptedException {
        AtomicLong misses = new AtomicLong();
        Thread reader = new Thread(
                () -> {
                    while (!Thread.currentThread().isInterrupted()) {
                        if (fault.getAsBoolean()) {
                            misses.incrementAndGet();
                        }
                    }
                },
                "reader");
        reader.start();
        try {
            for (int i = 0; i < CHANGES; i++) {
                change.run();
            }
        } finally {
            reader.interrupt();
            reader.join(TimeUnit.SECONDS.toMillis(10));
        }
        return misses.get();
    }
}
