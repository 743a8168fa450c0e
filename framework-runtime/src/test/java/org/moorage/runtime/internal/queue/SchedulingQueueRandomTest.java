// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.moorage.api.Status;
import org.moorage.api.event.ActionType;
import org.moorage.api.event.ClusterEvent;
import org.moorage.api.event.EventResource;
import org.moorage.api.event.Hint;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodSpec;
import org.moorage.runtime.internal.queue.QueueState.In;

/** Does at random what a scheduler does, and checks after each step what must always hold. */
@Tag("any-jvm")
final class SchedulingQueueRandomTest {
    private static final List<ClusterEvent> EVENTS = List.of(
            WellKnownEvents.NODE_ADD,
            WellKnownEvents.NODE_DELETE,
            QueueFixture.on(EventResource.NODE, ActionType.UPDATE_NODE_LABEL));
    private static final List<String> PLUGINS = List.of("A", "B", "C", "Gate");

    private final QueueFixture fixture = new QueueFixture();
    // The pods of a cluster by key, and those of them that are being scheduled.
    private final Map<String, Pod> waiting = new LinkedHashMap<>();
    private final List<QueuedPodInfo> popped = new ArrayList<>();
    private int lastUid;

    static LongStream seeds() {
        return new Random().longs(20);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void keepsEachPodInOnePlace(long seed) {
        Random random = new Random(seed);
        SchedulingQueue queue = fixture.plugin("A", EVENTS.get(0), pod -> Hint.queueIf(random.nextBoolean()))
                .plugin("B", EVENTS.get(1), pod -> Hint.queueIf(random.nextBoolean()))
                .plugin("B", EVENTS.get(0), Hint.QUEUE)
                .plugin("C", QueueFixture.on(EventResource.POD, ActionType.UPDATE_POD_LABEL), Hint.QUEUE)
                .plugin("Gate", EVENTS.get(2), Hint.QUEUE)
                .gate("Gate", pod -> random.nextInt(4) == 0 ? Status.unresolvable("closed") : Status.success())
                .queue();
        for (int step = 0; step < 2_000; step++) {
            step(queue, random);
            check(queue, "step " + step);
        }

        for (QueuedPodInfo entry : popped) {
            queue.done(entry);
            waiting.values().removeIf(entry::isSamePod);
        }
        popped.clear();
        check(queue, "all done");
        assertThat(QueueState.counts(queue).inFlightEvents()).isZero();
        List.copyOf(waiting.values()).forEach(queue::delete);
        assertThat(QueueState.counts(queue)).isEqualTo(new QueueState.Counts(0, 0, 0, 0, 0, 0));
    }

    private void step(SchedulingQueue queue, Random random) {
        String key = "ns/pod" + random.nextInt(30);
        Pod known = waiting.get(key);
        switch (random.nextInt(11)) {
            case 0, 1 -> {
                if (known == null) {
                    Pod pod = create(key, random.nextInt(3));
                    waiting.put(key, pod);
                    queue.add(pod);
                }
            }
            case 2 -> {
                if (known != null) {
                    Pod changed = QueueFixture.labelled(known, "label" + random.nextInt(3));
                    waiting.put(key, changed);
                    queue.update(known, changed);
                }
            }
            case 3 -> {
                if (known != null && random.nextBoolean()) {
                    waiting.remove(key);
                    queue.delete(known);
                }
            }
            case 4, 5 -> {
                Optional<QueuedEntity> entry = random.nextBoolean() ? queue.poll() : queue.pop(Duration.ZERO);
                entry.ifPresent(next -> popped.add((QueuedPodInfo) next));
            }
            case 6, 7 -> {
                if (!popped.isEmpty()) {
                    giveBack(queue, popped.remove(random.nextInt(popped.size())), random);
                }
            }
            case 8 ->
                queue.moveAllToActiveOrBackoff(EVENTS.get(random.nextInt(EVENTS.size())), QueueFixture.NODE_ADDED);
            case 9 -> {
                fixture.pass(Duration.ofMillis(random.nextInt(5_000)));
                queue.flushBackoff();
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

    private Pod create(String key, int priority) {
        Pod pod = QueueFixture.pod(
                key.substring("ns/".length()),
                PodSpec.builder().priority(priority).build());
        return pod.withMetadata(
                pod.metadata().toBuilder().uid("uid" + ++lastUid).build());
    }

    private void giveBack(SchedulingQueue queue, QueuedPodInfo entry, Random random) {
        Pod current = waiting.get(entry.key());
        if (current == null || !current.uid().equals(entry.pod().uid())) {
            queue.done(entry);
            return;
        }
        String plugin = PLUGINS.get(random.nextInt(PLUGINS.size()));
        switch (random.nextInt(4)) {
            case 0 -> {
                waiting.remove(entry.key());
                queue.delete(current);
                queue.done(entry);
            }
            case 1 -> queue.addUnschedulable(entry, current, RejectorPlugins.NONE);
            case 2 -> queue.addUnschedulable(entry, current, QueueFixture.by(plugin));
            default -> queue.addUnschedulable(entry, current, new RejectorPlugins(Set.of("B"), Set.of(plugin)));
        }
    }

    private void check(SchedulingQueue queue, String when) {
        Map<String, In> placeByUid = new HashMap<>();
        Map<In, Integer> counted = new HashMap<>();
        List<QueueState> states = IntStream.range(0, 30)
                .mapToObj(i -> QueueState.all(queue, "ns/pod" + i))
                .flatMap(List::stream)
                .toList();
        for (QueueState state : states) {
            assertThat(placeByUid.put(state.pod().uid(), state.in()))
                    .as("%s: a second place of %s", when, state)
                    .isNull();
            counted.merge(state.in(), 1, Integer::sum);
            if (state.in() == In.UNSCHEDULABLE) {
                assertThat(state.rejectors().isEmpty())
                        .as("%s: %s", when, state)
                        .isFalse();
            }
            assertThat(state.gatedBy().isEmpty()).as("%s: %s", when, state).isEqualTo(state.in() != In.GATED);
        }
        for (Pod pod : waiting.values()) {
            assertThat(placeByUid).as("%s: %s", when, pod).containsKey(pod.uid());
        }
        for (QueuedPodInfo entry : popped) {
            assertThat(placeByUid.get(entry.pod().uid()))
                    .as("%s: %s", when, entry)
                    .isEqualTo(In.IN_FLIGHT);
        }
        assertThat(placeByUid.values().stream().filter(place -> place != In.IN_FLIGHT))
                .as(when)
                .hasSize(QueueState.counts(queue).queued());
        assertThat(QueueState.counts(queue))
                .as(when)
                .isEqualTo(new QueueState.Counts(
                        counted.getOrDefault(In.ACTIVE, 0),
                        counted.getOrDefault(In.BACKOFF, 0) + counted.getOrDefault(In.ERROR_BACKOFF, 0),
                        counted.getOrDefault(In.UNSCHEDULABLE, 0),
                        counted.getOrDefault(In.GATED, 0),
                        popped.size(),
                        QueueState.counts(queue).inFlightEvents()));
    }
}
