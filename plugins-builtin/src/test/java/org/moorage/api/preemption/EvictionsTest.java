// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.preemption;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodGroup;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.WaitingPod;
import org.moorage.api.plugin.cluster.ClusterException;
import org.moorage.api.plugin.cluster.ClusterWriter;
import org.moorage.api.plugin.cluster.ObjectLister;
import org.moorage.testkit.Pods;

/** Evictions that do not go as expected: their preemptor is kept out no longer than they last. */
class EvictionsTest {
    private static final Pod PREEMPTOR = Pods.named("high").priority(100).build();
    private static final Pod OTHER = Pods.named("other").priority(100).build();
    private static final PodGroup GROUP = KnownGroups.podGroup("group", 100, more -> {});
    private static final Pod FIRST = Pods.named("first").on("n").build();
    private static final Pod LAST = Pods.named("last").on("n").build();

    /**
     * An eviction of two pods.
     *
     * @param given what is special
     * @param isGated whether the preemptor is kept out after it
     * @param activated the pods that are tried again by then, at once or after backoff
     * @param activatedLater and those that are later, if no news comes
     */
    private record Case(
            String name,
            Consumer<EvictionsTest> given,
            boolean isGated,
            List<String> activated,
            List<String> activatedLater) {
        @Override
        public String toString() {
            return name;
        }
    }

    static final List<Case> CASES = List.of(
            new Case(
                    "the news of the last one does not come",
                    test -> {},
                    true,
                    List.of(),
                    List.of("after backoff high")),
            new Case(
                    "the last one is deleted while the preemptor is gated, without an event",
                    test -> test.later.add(() -> test.listed.remove(LAST)),
                    true,
                    List.of(),
                    List.of("after backoff high")),
            new Case(
                    "the last one is seen to go",
                    test -> test.onDelete.put("last", () -> test.listed.remove(LAST)),
                    false,
                    List.of(),
                    List.of()),
            new Case(
                    "the last one is being deleted",
                    test -> test.onDelete.put("last", () -> test.deleting(LAST, false)),
                    false,
                    List.of(),
                    List.of()),
            new Case(
                    "the last one is being deleted at once, and is not seen to go",
                    test -> test.onDelete.put("last", () -> test.deleting(LAST, true)),
                    true,
                    List.of(),
                    List.of("after backoff high")),
            new Case(
                    "the last one has terminated, and no event reports its deletion",
                    test -> test.onDelete.put("last", () -> {
                        test.listed.remove(LAST);
                        test.listed.add(LAST.withStatus(
                                LAST.status().toBuilder().phase("Succeeded").build()));
                    }),
                    false,
                    List.of(),
                    List.of()),
            new Case(
                    "a deletion fails",
                    test -> test.onDelete.put("first", () -> {
                        throw new ClusterException("500", 500, null);
                    }),
                    false,
                    List.of("after backoff high"),
                    List.of()),
            new Case(
                    "a deletion ends with an error of the program",
                    test -> test.onDelete.put("first", () -> {
                        throw new AssertionError("no");
                    }),
                    false,
                    List.of("after backoff high"),
                    List.of()),
            new Case(
                    "the last deletion ends with an error of the program",
                    test -> test.onDelete.put("last", () -> {
                        throw new AssertionError("no");
                    }),
                    false,
                    List.of("after backoff high"),
                    List.of()),
            new Case(
                    "the last one is gone",
                    test -> test.onDelete.put("last", () -> {
                        test.listed.remove(LAST);
                        throw new ClusterException("gone", 404, null);
                    }),
                    false,
                    List.of("at once high"),
                    List.of()),
            new Case(
                    "the last one begins to wait for a permit meanwhile",
                    test -> test.looksUntilLastWaits = 1,
                    false,
                    List.of("at once high"),
                    List.of()),
            new Case(
                    "the last one waits for a permit",
                    test -> test.looksUntilLastWaits = 0,
                    false,
                    List.of(),
                    List.of()));

    private Executor background = EvictionsTest::runAtOnce;
    private final List<Pod> listed = new ArrayList<>(List.of(PREEMPTOR, FIRST, LAST));
    private final Map<String, Runnable> onDelete = new HashMap<>();
    private int looksUntilLastWaits = Integer.MAX_VALUE;
    private final List<String> activated = new ArrayList<>();
    private final Queue<Runnable> later = new ArrayDeque<>();
    private final List<Consumer<ObjectChange<Pod>>> onPodChange = new ArrayList<>();
    private final Evictions evictions = new Evictions(handle(), "DefaultPreemption");

    @ParameterizedTest
    @FieldSource("CASES")
    void keepThePreemptorOutNoLongerThanTheyLast(Case c) {
        keepsOut(c, Preemptor.of(PREEMPTOR));
    }

    @ParameterizedTest
    @FieldSource("CASES")
    void keepThePodsOfAGroupOutNoLongerThanTheyLast(Case c) {
        keepsOut(c, Preemptor.of(KnownGroups.waiting(GROUP, List.of(PREEMPTOR, OTHER))));
    }

    private void keepsOut(Case c, Preemptor preemptor) {
        c.given.accept(this);
        evictions.start(preemptor, "n", List.of(FIRST, LAST));
        assertThat(evictions.isRunningFor(PREEMPTOR, preemptor.uid())).isEqualTo(c.isGated);
        assertThat(activated).isEqualTo(forEach(preemptor, c.activated));

        activated.clear();
        for (Runnable task = later.poll(); task != null; task = later.poll()) {
            task.run();
        }
        assertThat(evictions.isRunningFor(PREEMPTOR, preemptor.uid())).isFalse();
        assertThat(activated).isEqualTo(forEach(preemptor, c.activatedLater));
        assertThat(evictions.keptOut()).isZero();
    }

    private static List<String> forEach(Preemptor preemptor, List<String> ofOne) {
        return ofOne.stream()
                .flatMap(text -> preemptor.pods().stream().map(pod -> text.replace(PREEMPTOR.name(), pod.name())))
                .toList();
    }

    /** A pod other than the original preemptor is gated, and no event reports the last victim's deletion. */
    @Test
    void haveAGroupTriedAgainOfWhichOnlyANewPodWasKeptOut() {
        Preemptor preemptor = Preemptor.of(KnownGroups.waiting(GROUP, List.of(PREEMPTOR)));
        listed.add(OTHER);
        background = later::add;
        evictions.start(preemptor, "n", List.of(LAST));
        assertThat(evictions.isRunningFor(OTHER, preemptor.uid())).isTrue();
        Runnable evicting = later.remove();
        background = EvictionsTest::runAtOnce;
        evicting.run();
        listed.remove(LAST);

        later.remove().run();

        assertThat(activated).containsExactly("after backoff high");
        assertThat(evictions.keptOut()).isZero();
    }

    @Test
    void forgetPreemptorThatGoesWhileItIsKeptOut() {
        Queue<Runnable> evicting = new ArrayDeque<>();
        background = evicting::add;
        evictions.start(Preemptor.of(PREEMPTOR), "n", List.of(FIRST, LAST));
        assertThat(evictions.isRunningFor(PREEMPTOR, PREEMPTOR.uid())).isTrue();
        assertThat(evictions.keptOut()).isEqualTo(1);

        listed.remove(PREEMPTOR);
        onPodChange.forEach(listener -> listener.accept(ObjectChange.deleted(PREEMPTOR)));

        assertThat(evictions.keptOut()).isZero();
    }

    @Test
    void forgetPreemptorThatIsAskedAboutAfterItHasGone() {
        Queue<Runnable> evicting = new ArrayDeque<>();
        background = evicting::add;
        evictions.start(Preemptor.of(PREEMPTOR), "n", List.of(FIRST, LAST));
        listed.remove(PREEMPTOR);
        onPodChange.forEach(listener -> listener.accept(ObjectChange.deleted(PREEMPTOR)));

        assertThat(evictions.isRunningFor(PREEMPTOR, PREEMPTOR.uid())).isTrue();
        assertThat(evictions.keptOut()).isZero();
    }

    @Test
    void lastUntilTheLastVictimIsSeenToGoThoughTheCallHasReturned() {
        evictions.run(Preemptor.of(PREEMPTOR), "n", List.of(FIRST, LAST));
        assertThat(evictions.isRunningFor(PREEMPTOR.uid())).isTrue();
        assertThat(evictions.isRunningFor(OTHER.uid())).isFalse();

        listed.remove(FIRST);
        assertThat(evictions.isRunningFor(PREEMPTOR.uid())).isTrue();
        listed.remove(LAST);

        assertThat(evictions.isRunningFor(PREEMPTOR.uid())).isFalse();
    }

    @SuppressWarnings("unchecked") // only pods are listened to
    private static Consumer<ObjectChange<Pod>> podListener(Object listener) {
        return (Consumer<ObjectChange<Pod>>) listener;
    }

    private void deleting(Pod pod, boolean atOnce) {
        listed.remove(pod);
        listed.add(pod.withMetadata(pod.metadata().toBuilder()
                .deletionTimestamp(Instant.EPOCH)
                .deletedAtOnce(atOnce)
                .build()));
    }

    private static void runAtOnce(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException | AssertionError failed) {
            // The scheduler logs it.
        }
    }

    private Handle handle() {
        return (Handle) Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {
                    Handle.class,
                    Handle.Cluster.class,
                    Handle.Queue.class,
                    Handle.Binding.class,
                    Handle.Preemption.class,
                    Handle.Tasks.class
                },
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "cluster", "queue", "binding", "preemption", "tasks" -> proxy;
                    case "lister" -> lister();
                    case "onChange" -> onPodChange.add(podListener(arguments[1]));
                    case "writer" -> writer();
                    case "background" -> background;
                    case "backgroundAfter" -> later.add((Runnable) arguments[1]);
                    case "nominatedPods" -> arguments == null ? Map.of() : List.of();
                    case "podInPreBind" -> Optional.empty();
                    case "waitingPod" -> waitingPod((String) arguments[0]);
                    case "activate" -> activate("at once", arguments[0]);
                    case "activateAfterBackoff" -> activate("after backoff", arguments[0]);
                    default -> throw new UnsupportedOperationException(method.getName());
                });
    }

    private Object activate(String when, Object pods) {
        ((Collection<?>) pods).forEach(pod -> activated.add(when + " " + ((Pod) pod).name()));
        return 0;
    }

    private Optional<WaitingPod> waitingPod(String uid) {
        if (!uid.equals(LAST.uid()) || looksUntilLastWaits-- > 0) {
            return Optional.empty();
        }
        return Optional.of((WaitingPod) Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {WaitingPod.class},
                (proxy, method, arguments) -> method.getName().equals("preempt")));
    }

    private ClusterWriter writer() {
        return (ClusterWriter) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {ClusterWriter.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("delete")) {
                        onDelete.getOrDefault(((Pod) arguments[0]).name(), () -> {})
                                .run();
                    }
                    return null;
                });
    }

    private ObjectLister<Pod> lister() {
        return new ObjectLister<>() {
            @Override
            public Optional<Pod> get(String namespace, String name) {
                return listed.stream().filter(pod -> pod.name().equals(name)).findFirst();
            }

            @Override
            public Collection<Pod> all() {
                return listed;
            }

            @Override
            public Collection<Pod> in(String namespace) {
                return listed;
            }
        };
    }
}
