// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests.groups;

import static org.assertj.core.api.Assertions.assertThat;
import static org.moorage.livetests.groups.GroupScene.GROUPS;
import static org.moorage.livetests.groups.GroupScene.PODS;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.moorage.livetests.scene.Scene;
import org.moorage.livetests.scene.Waiting;

/**
 * Tests groups of pods on a real control plane, while other pods compete for their nodes, their pods are created and
 * deleted, and the scheduler is killed. The order of events is random, so each test has rounds. All rounds use the same
 * nodes, with room for one gang: capacity that a round loses is missing in the next.
 */
@Tag("live")
class LivePodGroupRacesTest {
    @RegisterExtension
    static final GroupScene scene = GroupScene.open();

    @Test
    void ofTwoGangsWithRoomForOneExactlyOneStarts() {
        Random random = new Random(Scene.seed("two gangs"));
        scene.nodes("n", 4, 2);
        Gang loser = null;
        for (int round = 0; round < 50; round++) {
            Gang first = Gang.of("first-" + round, 8);
            Gang second = Gang.of("second-" + round, 8);
            CompletableFuture.allOf(createSlowly(first, random), createSlowly(second, random))
                    .join();
            scene.await(
                    "one of two gangs is bound in round " + round,
                    () -> scene.bound(first) == first.size() || scene.bound(second) == second.size());
            loser = scene.bound(first) == 0 ? first : second;
            Gang winner = loser.equals(first) ? second : first;
            scene.awaitScheduled(winner.name());
            scene.awaitCondition(loser.name(), "False Unschedulable: ");
            assertThat(scene.bound(loser))
                    .as("bound of the other in round %d", round)
                    .isZero();
            scene.remove(winner);
            if (round < 49) {
                scene.remove(loser);
            }
        }
        scene.awaitBound(loser);
    }

    // Creates the group and its pods in any order, with pauses.
    private static CompletableFuture<Void> createSlowly(Gang gang, Random random) {
        List<Runnable> steps = new ArrayList<>();
        steps.add(() -> scene.api().create(GROUPS, gang.group()));
        gang.pods().forEach(pod -> steps.add(() -> scene.api().create(PODS, pod)));
        Collections.shuffle(steps, random);
        long[] pauses = random.longs(steps.size(), 0, 5_000_000).toArray();
        return CompletableFuture.runAsync(
                () -> {
                    for (int i = 0; i < pauses.length; i++) {
                        Waiting.pause(Duration.ofNanos(pauses[i]));
                        steps.get(i).run();
                    }
                },
                task -> new Thread(task, gang.name()).start());
    }

    @Test
    void aPodIsDeletedAndAnotherAddedWhileTheirGangIsScheduled() {
        Random random = new Random(Scene.seed("deleted and added"));
        scene.nodes("n", 10, 2);
        for (int round = 0; round < 10; round++) {
            Gang gang = Gang.of("gang-" + round, 20);
            List<Runnable> changes = new ArrayList<>();
            String deleted = PODS + "/" + gang.prefix() + random.nextInt(gang.size());
            changes.add(() -> scene.api().delete(deleted));
            changes.add(() -> scene.api().create(PODS, gang.pod(gang.size())));
            Collections.shuffle(changes, random);
            scene.create(gang);
            Waiting.pause(Duration.ofMillis(random.nextInt(60)));
            changes.forEach(Runnable::run);
            scene.awaitBound(gang);
            scene.awaitScheduled(gang.name());
            scene.remove(gang);
        }
    }

    @Test
    void aKilledSchedulersGangIsCompletedByTheNext() {
        scene.nodes("n", 20, 5);
        for (int before : List.of(1, 15, 40, 70)) {
            Gang gang = Gang.of("before-" + before, 100);
            scene.killSchedulerAfter(before, gang);
            scene.startScheduler();
            scene.awaitBound(gang);
            scene.awaitScheduled(gang.name());
            scene.remove(gang);
        }
    }
}
