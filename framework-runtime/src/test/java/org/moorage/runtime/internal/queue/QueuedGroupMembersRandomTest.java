// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.moorage.api.GroupKey;
import org.moorage.api.Status;
import org.moorage.api.event.Hint;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodSpec;
import org.moorage.api.model.SchedulingGroup;
import org.moorage.runtime.internal.cache.PodGroups;
import org.moorage.runtime.internal.cache.SchedulerCache;
import org.moorage.runtime.internal.queue.QueueState.In;

/**
 * Does at random what a cluster and a scheduler do with pod groups, and checks after each step that each waiting member
 * is where it belongs: incomplete if its root is not known, pending while that is in flight, and otherwise in the
 * root's entry.
 */
final class QueuedGroupMembersRandomTest {
    private static final int PODS = 25;
    private static final int POD_GROUPS = 6;
    private static final int COMPOSITES = 4;

    private final QueueFixture fixture = new QueueFixture().grouped();
    private final Map<String, Pod> podByKey = new LinkedHashMap<>();
    private final Map<GroupKey, SchedulingGroup> groupByKey = new HashMap<>();
    private final List<QueuedPodInfo> inFlight = new ArrayList<>();
    private final List<QueuedPodGroupInfo> inCycle = new ArrayList<>();
    private int lastUid;

    static LongStream seeds() {
        return new Random().longs(20);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void areWhereTheyBelong(long seed) {
        Random random = new Random(seed);
        SchedulingQueue queue = fixture.plugin("Fit", QueueFixture.NODE_ADD, pod -> Hint.queueIf(random.nextBoolean()))
                .plugin("Gate", QueueFixture.NODE_ADD, pod -> Hint.queueIf(random.nextBoolean()))
                .gate("Gate", pod -> random.nextInt(10) == 0 ? Status.unresolvable("closed") : Status.success())
                .queue();
        for (int step = 0; step < 2_000; step++) {
            step(queue, random);
            check(queue, "step " + step);
        }

        inFlight.forEach(queue::done);
        inFlight.clear();
        List.copyOf(inCycle).forEach(group -> finish(queue, group, PodGroupOutcome.SUCCESS));
        List.copyOf(podByKey.values()).forEach(queue::delete);
        List.copyOf(groupByKey.values()).forEach(queue::deleteGroup);
        assertThat(QueueState.counts(queue)).isEqualTo(new QueueState.Counts(0, 0, 0, 0, 0, 0));
        assertThat(queue.dump().pendingPods()).isEmpty();
    }

    private void step(SchedulingQueue queue, Random random) {
        String key = "ns/pod" + random.nextInt(PODS);
        Pod known = podByKey.get(key);
        switch (random.nextInt(16)) {
            case 0, 1, 2 -> {
                if (known == null) {
                    Pod pod = create(key, random);
                    podByKey.put(key, pod);
                    queue.add(pod);
                }
            }
            case 3 -> {
                if (known != null) {
                    Pod changed = QueueFixture.labelled(known, "label" + random.nextInt(3));
                    podByKey.put(key, changed);
                    queue.update(known, changed);
                }
            }
            case 4 -> {
                if (known != null) {
                    podByKey.remove(key);
                    queue.delete(known);
                }
            }
            case 5 -> {
                if (known != null) {
                    Pod successor = create(key, random);
                    podByKey.put(key, successor);
                    queue.update(known, successor);
                }
            }
            case 6, 7, 8 -> putGroup(queue, random);
            case 9 -> {
                List<SchedulingGroup> groups = new ArrayList<>(groupByKey.values());
                if (!groups.isEmpty()) {
                    SchedulingGroup group = groups.get(random.nextInt(groups.size()));
                    groupByKey.remove(PodGroups.keyOf(group));
                    queue.deleteGroup(group);
                }
            }
            case 10, 11 -> pop(queue);
            case 12 -> {
                if (!inFlight.isEmpty()) {
                    giveBack(queue, inFlight.remove(random.nextInt(inFlight.size())), random);
                }
            }
            case 13 -> {
                if (!inCycle.isEmpty()) {
                    PodGroupOutcome[] outcomes = PodGroupOutcome.values();
                    finish(
                            queue,
                            inCycle.get(random.nextInt(inCycle.size())),
                            outcomes[random.nextInt(outcomes.length)]);
                }
            }
            case 14 -> {
                fixture.pass(Duration.ofMillis(random.nextInt(10_000)));
                queue.flushBackoff();
                queue.moveAllToActiveOrBackoff(QueueFixture.NODE_ADD, QueueFixture.NODE_ADDED);
                if (random.nextInt(20) == 0) {
                    fixture.passSeconds(400);
                    queue.flushUnschedulable();
                }
            }
            default -> {
                if (known != null) {
                    queue.activate(List.of(known));
                }
            }
        }
    }

    private Pod create(String key, Random random) {
        PodSpec.Builder spec = PodSpec.builder().priority(random.nextInt(3));
        if (random.nextInt(5) != 0) {
            spec.podGroupName("g" + random.nextInt(POD_GROUPS));
        }
        Pod pod = QueueFixture.pod(key.substring("ns/".length()), spec.build());
        return pod.withMetadata(
                pod.metadata().toBuilder().uid("uid" + ++lastUid).build());
    }

    // Of any parent, also itself or a group below it, and of another one than before.
    private void putGroup(SchedulingQueue queue, Random random) {
        String parent = random.nextInt(3) == 0 ? "" : "c" + random.nextInt(COMPOSITES);
        SchedulingGroup group = random.nextBoolean()
                ? QueueFixture.podGroup("g" + random.nextInt(POD_GROUPS), parent)
                : QueueFixture.composite("c" + random.nextInt(COMPOSITES), parent);
        groupByKey.put(PodGroups.keyOf(group), group);
        queue.putGroup(group);
    }

    private void pop(SchedulingQueue queue) {
        Optional<QueuedEntity> next = queue.poll();
        if (next.isPresent() && next.get() instanceof QueuedPodGroupInfo group) {
            Set<String> expected = new HashSet<>();
            for (Pod pod : podByKey.values()) {
                if (!isInFlight(pod) && root(pod).equals(Optional.of(group.root()))) {
                    expected.add(pod.key());
                }
            }
            assertThat(group.members())
                    .extracting(QueuedEntity::key)
                    .containsExactlyInAnyOrderElementsOf(expected)
                    .isNotEmpty();
            assertThat(group.group()).isSameAs(groupByKey.get(group.root()));
            inFlight.addAll(group.members());
            inCycle.add(group);
        } else {
            next.ifPresent(pod -> inFlight.add((QueuedPodInfo) pod));
        }
    }

    private void giveBack(SchedulingQueue queue, QueuedPodInfo entry, Random random) {
        Pod current = podByKey.get(entry.key());
        if (current == null || !current.uid().equals(entry.pod().uid())) {
            queue.done(entry);
        } else if (random.nextInt(4) == 0) {
            podByKey.remove(entry.key());
            queue.delete(current);
            queue.done(entry);
        } else {
            queue.addUnschedulable(
                    entry, current, random.nextBoolean() ? RejectorPlugins.NONE : QueueFixture.by("Fit"));
        }
    }

    private void finish(SchedulingQueue queue, QueuedPodGroupInfo group, PodGroupOutcome outcome) {
        inCycle.remove(group);
        queue.addAttemptedPodGroup(group, outcome);
    }

    private boolean isInFlight(Pod pod) {
        return inFlight.stream().anyMatch(entry -> entry.isSamePod(pod));
    }

    // Returns the root of a member, or empty; walks through the existing groups independently of the code under test.
    private Optional<GroupKey> root(Pod pod) {
        if (pod.spec().podGroupName().isEmpty()) {
            return Optional.empty();
        }
        GroupKey current = GroupKey.podGroup("ns", pod.spec().podGroupName());
        Set<GroupKey> seen = new HashSet<>();
        while (seen.add(current)) {
            SchedulingGroup group = groupByKey.get(current);
            if (group == null) {
                return Optional.empty();
            }
            if (group.parentName().isEmpty()) {
                return Optional.of(current);
            }
            current = GroupKey.compositePodGroup("ns", group.parentName());
        }
        return Optional.empty();
    }

    private void check(SchedulingQueue queue, String when) {
        int queued = 0;
        for (Pod pod : podByKey.values()) {
            List<QueueState> states = QueueState.all(queue, pod.key()).stream()
                    .filter(state -> state.pod().uid().equals(pod.uid()))
                    .toList();
            assertThat(states).as("%s: places of %s", when, pod).hasSize(1);
            In in = states.get(0).in();
            boolean isMember = !pod.spec().podGroupName().isEmpty();
            Optional<GroupKey> root = root(pod);
            if (isInFlight(pod)) {
                assertThat(in).as("%s: %s", when, pod).isEqualTo(In.IN_FLIGHT);
            } else if (isMember && root.isEmpty()) {
                assertThat(in).as("%s: %s", when, pod).isEqualTo(In.INCOMPLETE);
            } else if (isMember
                    && inCycle.stream().anyMatch(group -> group.root().equals(root.get()))) {
                assertThat(in).as("%s: %s", when, pod).isEqualTo(In.PENDING);
            } else {
                queued++;
                String entry = isMember ? root.get().toString() : pod.key();
                QueueState state = QueueState.ofGroup(queue, entry).orElseThrow();
                assertThat(in)
                        .as("%s: %s", when, pod)
                        .isNotIn(In.IN_FLIGHT, In.PENDING, In.INCOMPLETE)
                        .isEqualTo(state.in());
                assertThat(state.gatedBy().isEmpty()).as("%s: %s", when, state).isEqualTo(in != In.GATED);
                if (isMember) {
                    assertThat(in).as("%s: %s", when, pod).isNotEqualTo(In.UNSCHEDULABLE);
                }
            }
        }
        // Nothing else is queued, and nothing twice.
        List<QueuedEntity> entities = QueueState.entities(queue);
        assertThat(entities).as(when).extracting(QueuedEntity::key).doesNotHaveDuplicates();
        assertThat(entities.stream().mapToInt(QueuedEntity::size).sum())
                .as(when)
                .isEqualTo(queued);
        assertThat(queue.gauges(new SchedulerCache.Counts(0, 0, 0)).pendingPods().values().stream()
                        .mapToInt(Integer::intValue)
                        .sum())
                .as(when)
                .isEqualTo(queue.dump().pendingPods().size());
    }
}
