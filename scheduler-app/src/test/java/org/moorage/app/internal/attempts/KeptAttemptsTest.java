// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.attempts;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.moorage.api.GroupKey;
import org.moorage.api.Status;
import org.moorage.api.model.Pod;
import org.moorage.runtime.decision.AttemptDetails;
import org.moorage.runtime.decision.Decision;
import org.moorage.runtime.decision.PluginStatus;
import org.moorage.simulation.SteppingClock;
import org.moorage.testkit.Pods;

final class KeptAttemptsTest {
    private static final Pod WEB = Pods.named("web").build();

    private final SteppingClock clock = SteppingClock.startingAfter(List.of());
    private final KeptAttempts kept = new KeptAttempts(2, clock);

    private static Decision unschedulable(Pod pod, String message, int attempts) {
        return new Decision(pod, Decision.Outcome.UNSCHEDULABLE, "", 0, message, Optional.empty(), 3, 0, attempts);
    }

    private static Decision scheduled(Pod pod, int attempts) {
        return new Decision(pod, Decision.Outcome.SCHEDULED, "node-a", 5, "", Optional.empty(), 3, 2, attempts);
    }

    @Test
    void foldAttemptsThatComeToTheSame() {
        kept.decided(unschedulable(WEB, "0/3 nodes", 1));
        Instant first = kept.of(WEB.key()).get(0).first();
        kept.decided(unschedulable(WEB, "0/3 nodes", 2));

        assertThat(kept.of(WEB.key())).singleElement().satisfies(attempt -> {
            assertThat(attempt.times()).isEqualTo(2);
            assertThat(attempt.number()).isEqualTo(2);
            assertThat(attempt.first()).isEqualTo(first);
        });
    }

    @Test
    void areNoMoreThanWanted() {
        kept.decided(unschedulable(WEB, "one", 1));
        kept.decided(unschedulable(WEB, "two", 2));
        kept.decided(unschedulable(WEB, "three", 3));

        assertThat(kept.of(WEB.key())).extracting(Attempt::message).containsExactly("three", "two");
    }

    @Test
    void containTheReportedValues() {
        AttemptDetails.NodeReason reason =
                new AttemptDetails.NodeReason("Fit", "Insufficient cpu", 3, List.of("node-a"));
        kept.explained(
                WEB,
                new AttemptDetails(
                        List.of(reason),
                        List.of(),
                        Optional.of(new PluginStatus("DefaultPreemption", Status.success())),
                        "node-a"));
        kept.decided(unschedulable(WEB, "0/3 nodes", 1));

        assertThat(kept.of(WEB.key())).singleElement().satisfies(attempt -> {
            assertThat(attempt.result()).isEqualTo(Attempt.Result.NOMINATED);
            assertThat(attempt.reasons()).containsExactly(reason);
            assertThat(attempt.postFilter()).contains("DefaultPreemption makes room");
        });
    }

    @Test
    void containTheResultOfTheBinding() {
        kept.decided(scheduled(WEB, 1));
        kept.bindingFailed(WEB, "node-a", "conflict");
        kept.decided(scheduled(WEB, 2));

        assertThat(kept.of(WEB.key()))
                .extracting(Attempt::result)
                .containsExactly(Attempt.Result.SCHEDULED, Attempt.Result.BINDING_FAILED);
    }

    @Test
    void areThoseOfThePodThatIsThereNow() {
        kept.decided(unschedulable(WEB, "of the first one", 1));
        kept.decided(unschedulable(Pods.named("web").uid("other").build(), "of the second one", 1));

        assertThat(kept.of(WEB.key())).extracting(Attempt::message).containsExactly("of the second one");
    }

    @Test
    void giveUpThePodThatWasNotTriedForTheLongestTime() {
        KeptAttempts few = new KeptAttempts(2, 2, 1L << 20, clock);
        few.decided(unschedulable(Pods.named("a").build(), "", 1));
        few.decided(unschedulable(Pods.named("b").build(), "", 1));
        few.decided(unschedulable(Pods.named("a").build(), "", 2));
        few.decided(unschedulable(Pods.named("c").build(), "", 1));

        assertThat(few.of("default/b")).isEmpty();
        assertThat(few.of("default/a")).isNotEmpty();
    }

    @Test
    void takeNoMoreMemoryThanTheyMay() {
        KeptAttempts small = new KeptAttempts(2, 1_000, 2_000, clock);
        for (int i = 0; i < 100; i++) {
            small.decided(unschedulable(Pods.named("pod-" + i).build(), "x".repeat(100_000), 1));
        }

        assertThat(small.size()).isEqualTo("1 pods and groups, 2249 bytes");
    }

    @Test
    void areAlsoThoseOfGroups() {
        kept.groupDecided(GroupKey.podGroup("default", "training"), "unschedulable", "1/3 pods");

        assertThat(kept.of("podgroup/default/training"))
                .extracting(Attempt::message)
                .containsExactly("1/3 pods");
    }
}
