// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.event.ActionType;
import org.moorage.api.event.ClusterEvent;
import org.moorage.api.event.EventRegistration;
import org.moorage.api.event.EventResource;
import org.moorage.api.event.Hint;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.Node;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodCondition;
import org.moorage.api.model.PodSpec;
import org.moorage.api.model.PodStatus;
import org.moorage.api.model.Quantity;
import org.moorage.api.plugin.cluster.Nomination;
import org.moorage.api.plugin.point.QueueSortPlugin;
import org.moorage.api.plugin.point.QueuedPod;
import org.moorage.runtime.Samples;
import org.moorage.runtime.cluster.ClusterListener;
import org.moorage.runtime.debug.SchedulerDump;
import org.moorage.runtime.internal.binding.PodsInPreBind;
import org.moorage.runtime.internal.binding.WaitingPods;
import org.moorage.runtime.internal.cache.ClusterSnapshot;
import org.moorage.runtime.internal.cache.SchedulerCache;
import org.moorage.runtime.internal.log.Listeners;
import org.moorage.runtime.internal.plugin.PluginCaller;
import org.moorage.runtime.internal.queue.Nominator;
import org.moorage.runtime.internal.queue.PluginEvents;
import org.moorage.runtime.internal.queue.QueueProfile;
import org.moorage.runtime.internal.queue.QueueSettings;
import org.moorage.runtime.internal.queue.QueuedPodInfo;
import org.moorage.runtime.internal.queue.RejectorPlugins;
import org.moorage.runtime.internal.queue.SchedulingQueue;

/**
 * Cache, queue and nominator against the pods of a server of which the scheduler hears late, in part, or only by lists.
 */
class PodEventHandlersTest {
    private static final ScheduledExecutorService TIMERS = Executors.newSingleThreadScheduledExecutor();
    private static final String NODE = "n";
    private static final FeatureGates WITH_GROUPS = FeatureGates.of(Map.of(FeatureGates.GENERIC_WORKLOAD, true));

    @AfterAll
    static void close() {
        TIMERS.shutdownNow();
    }

    /** The steps in the life of the pods of one name. */
    private enum Step {
        CREATE,
        ASSUME,
        BIND,
        DELETE,
        /** The watch reports the next change. */
        TELL,
        /** The watch ends, and the changes that it did not report are visible only in a list. */
        RELIST
    }

    private static final class Order implements QueueSortPlugin {
        @Override
        public String name() {
            return "Order";
        }

        @Override
        public boolean less(QueuedPod first, QueuedPod second) {
            return first.timestamp().isBefore(second.timestamp());
        }
    }

    /** A server with pods of one name, and the scheduler's knowledge of them. */
    private static final class World {
        private final SchedulerCache cache = new SchedulerCache(WITH_GROUPS);
        private final Deque<Runnable> untold = new ArrayDeque<>();
        private Optional<ObjectEventHandlers> handlers = Optional.empty();
        private final ObjectStore store = new ObjectStore(new FeatureView(WITH_GROUPS), new ChangeHandler() {
            @Override
            public <T extends ClusterObject> void changed(ObjectKind<T> kind, ObjectChange<T> change) {
                handlers.orElseThrow().changed(kind, change);
            }

            @Override
            public void availabilityChanged() {}
        });
        private final Nominator nominator = new Nominator(store.lister(ObjectKind.POD)::get);
        private final SchedulingQueue queue = new SchedulingQueue(
                PluginCaller.of(new Order()),
                Map.of(PodSpec.DEFAULT_SCHEDULER, new QueueProfile(List.of(), List.of(departures()))),
                QueueSettings.DEFAULTS,
                InstantSource.system(),
                nominator,
                Listeners.NONE,
                (pod, failure) -> {});
        private final List<String> freed = new ArrayList<>();
        private Optional<Pod> onServer = Optional.empty();
        private Optional<Pod> assumed = Optional.empty();
        private Optional<QueuedPodInfo> inCycle = Optional.empty();
        private int version;
        private int uid;

        World() {
            this(WITH_GROUPS);
        }

        World(FeatureGates features) {
            PodEventHandlers pods = new PodEventHandlers(
                    cache,
                    queue,
                    nominator,
                    new WaitingPods(TIMERS),
                    new PodsInPreBind(),
                    pod -> pod.spec().schedulerName().equals(PodSpec.DEFAULT_SCHEDULER),
                    features);
            handlers = Optional.of(new ObjectEventHandlers(pods, cache, queue, store, Listeners.NONE));
            store.applied(ObjectKind.NODE, Samples.node(NODE));
        }

        // Hears which nodes pods leave.
        private PluginEvents departures() {
            return new PluginEvents(
                    "Fit",
                    List.of(EventRegistration.of(
                            ClusterEvent.of(EventResource.ASSIGNED_POD, ActionType.DELETE),
                            Pod.class,
                            (pod, change) -> {
                                freed.add(change.latest().nodeName());
                                return Hint.SKIP;
                            })));
        }

        private Pod versioned(Pod pod) {
            return pod.withMetadata(pod.metadata().withResourceVersion(String.valueOf(++version)));
        }

        boolean isPossible(Step step) {
            return switch (step) {
                case CREATE -> onServer.isEmpty();
                case ASSUME -> inCycle.isEmpty();
                case BIND -> assumed.isPresent();
                case DELETE -> onServer.isPresent();
                case TELL, RELIST -> !untold.isEmpty();
            };
        }

        void take(Step step) {
            switch (step) {
                case CREATE -> create();
                case ASSUME -> assume();
                case BIND -> bind();
                case DELETE -> delete();
                case TELL -> untold.remove().run();
                case RELIST -> relist();
            }
        }

        private void create() {
            Pod pod = Samples.pod("p", Samples.requesting(100, 1_000).podGroupName("g"));
            pod = versioned(pod.withMetadata(
                    pod.metadata().toBuilder().uid("uid-" + ++uid).build()));
            onServer = Optional.of(pod);
            tellLater(pod);
        }

        private void tellLater(Pod pod) {
            untold.add(() -> store.applied(ObjectKind.POD, pod));
        }

        /** The server has another version of a running pod, or none any more. */
        void tell(Optional<Pod> version) {
            if (version.isEmpty()) {
                delete();
            } else {
                Pod pod = versioned(version.get());
                onServer = Optional.of(pod);
                tellLater(pod);
            }
            untold.remove().run();
        }

        List<Pod> queued() {
            return queue.dump().pendingPods().stream()
                    .map(SchedulerDump.PendingPod::pod)
                    .toList();
        }

        void reject(QueuedPodInfo tried) {
            queue.addUnschedulable(tried, tried.pod(), new RejectorPlugins(Set.of("Fit"), Set.of()));
        }

        private void assume() {
            inCycle = queue.poll().map(QueuedPodInfo.class::cast);
            assumed = inCycle.map(queued -> queued.pod().withNode(NODE));
            assumed.ifPresent(cache::assume);
        }

        private void bind() {
            Pod pod = assumed.orElseThrow();
            if (onServer.filter(known -> known.uid().equals(pod.uid()) && !known.isBound())
                    .isPresent()) {
                Pod bound = versioned(onServer.get().withNode(NODE));
                onServer = Optional.of(bound);
                tellLater(bound);
            } else {
                cache.forget(pod);
            }
            queue.done(inCycle.orElseThrow());
            inCycle = Optional.empty();
            assumed = Optional.empty();
        }

        private void delete() {
            Pod deleted = versioned(onServer.orElseThrow());
            onServer = Optional.empty();
            untold.add(() -> store.deleted(ObjectKind.POD, deleted));
        }

        private void relist() {
            untold.clear();
            store.replaced(ObjectKind.POD, onServer.stream().toList());
            // The cache counts the server's pods and the scheduler's bindings in progress.
            int bound = onServer.filter(Pod::isBound).isPresent() ? 1 : 0;
            int beingBound =
                    assumed.filter(pod -> onServer.filter(known -> known.uid().equals(pod.uid()))
                                            .isPresent())
                                    .isPresent()
                            ? 1
                            : 0;
            assertThat(cache.counts()).isEqualTo(new SchedulerCache.Counts(1, bound + beingBound, beingBound));
            int waiting = onServer.isPresent() ? 1 - bound - beingBound : 0;
            assertThat(members()).isEqualTo(List.of(waiting, beingBound, bound));
        }

        // How many pods of the group are unscheduled, assumed and assigned.
        private List<Integer> members() {
            return cache.podGroups()
                    .podGroup("default", "g")
                    .map(group -> List.of(
                            group.unscheduledPods().size(),
                            group.assumedPods().size(),
                            group.assignedPods().size()))
                    .orElse(List.of(0, 0, 0));
        }

        /** Brings everything to rest; then nothing is kept without a reason. */
        void rest() {
            if (assumed.isPresent()) {
                bind();
            }
            relist();
            int bound = onServer.filter(Pod::isBound).isPresent() ? 1 : 0;
            assertThat(cache.counts()).isEqualTo(new SchedulerCache.Counts(1, bound, 0));
            assertThat(members()).isEqualTo(List.of(onServer.isPresent() ? 1 - bound : 0, 0, bound));
            assertThat(cache.podGroups().podGroup("default", "g").isPresent()).isEqualTo(onServer.isPresent());
            ClusterSnapshot snapshot = new ClusterSnapshot();
            cache.updateSnapshot(snapshot);
            assertThat(snapshot.node(NODE).orElseThrow().podCount()).isEqualTo(bound);
            List<String> queued = new ArrayList<>();
            queue.poll().ifPresent(entry -> queued.add(entry.pod().uid()));
            assertThat(queued)
                    .isEqualTo(onServer.filter(pod -> !pod.isBound()).map(Pod::uid).stream()
                            .toList());
            assertThat(nominator.nominatedPodsFor(NODE)).isEmpty();
        }
    }

    @Test
    void keepTheCacheEqualToTheServerInEveryOrderOfUpToTenSteps() {
        // A pod has come and is known; what follows may come in any order.
        int checked = 0;
        Deque<List<Step>> sequences = new ArrayDeque<>();
        sequences.add(List.of(Step.CREATE, Step.TELL));
        while (!sequences.isEmpty()) {
            List<Step> steps = sequences.poll();
            World world = new World();
            try {
                steps.forEach(world::take);
                if (steps.size() < 10) {
                    for (Step next : Step.values()) {
                        if (world.isPossible(next)) {
                            List<Step> longer = new ArrayList<>(steps);
                            longer.add(next);
                            sequences.add(longer);
                        }
                    }
                }
                world.rest();
            } catch (AssertionError | RuntimeException failed) {
                throw new AssertionError("after " + steps, failed);
            }
            checked++;
        }
        assertThat(checked).isGreaterThan(5_000);
    }

    private record Case(String name, List<Step> steps, int pods, int assumedPods) {
        @Override
        public String toString() {
            return name;
        }
    }

    static final List<Case> CASES = List.of(
            new Case(
                    "a bound pod is deleted, and a list reports both changes together",
                    List.of(Step.CREATE, Step.TELL, Step.ASSUME, Step.BIND, Step.DELETE, Step.RELIST),
                    0,
                    0),
            new Case(
                    "a bound pod is replaced by another of its name, and a list reports all changes together",
                    List.of(Step.CREATE, Step.TELL, Step.ASSUME, Step.BIND, Step.DELETE, Step.CREATE, Step.RELIST),
                    0,
                    0),
            new Case(
                    "the watch reports the deletion of an assumed pod",
                    List.of(Step.CREATE, Step.TELL, Step.ASSUME, Step.DELETE, Step.TELL),
                    0,
                    0),
            new Case(
                    "the watch reports the binding",
                    List.of(Step.CREATE, Step.TELL, Step.ASSUME, Step.BIND, Step.TELL),
                    1,
                    0),
            new Case(
                    "nothing was heard of the binding yet",
                    List.of(Step.CREATE, Step.TELL, Step.ASSUME, Step.BIND),
                    1,
                    1),
            new Case(
                    "a list reports the binding",
                    List.of(Step.CREATE, Step.TELL, Step.ASSUME, Step.BIND, Step.RELIST),
                    1,
                    0));

    @ParameterizedTest
    @FieldSource("CASES")
    void countThePodsOnTheirNodes(Case c) {
        World world = new World();
        c.steps.forEach(world::take);
        assertThat(world.cache.counts()).isEqualTo(new SchedulerCache.Counts(1, c.pods, c.assumedPods));
    }

    static final List<List<Step>> DEPARTURES = List.of(
            List.of(Step.CREATE, Step.TELL, Step.ASSUME, Step.BIND, Step.DELETE, Step.RELIST),
            List.of(Step.CREATE, Step.TELL, Step.ASSUME, Step.DELETE, Step.TELL),
            List.of(Step.CREATE, Step.TELL, Step.ASSUME, Step.BIND, Step.TELL, Step.DELETE, Step.TELL));

    @ParameterizedTest
    @FieldSource("DEPARTURES")
    void tellWaitingPodsWhichNodeAPodLeaves(List<Step> steps) {
        World world = new World();
        world.queue.add(Samples.pod("waiting", Samples.requesting(100, 1_000)));
        world.reject((QueuedPodInfo) world.queue.poll().orElseThrow());
        steps.forEach(world::take);
        assertThat(world.freed).containsExactly(NODE);
    }

    @Test
    void giveTheNominationOfAPodThatIsGoneToNobodyOfItsName() {
        World world = new World();
        List.of(Step.CREATE, Step.TELL).forEach(world::take);
        Pod first = world.onServer.orElseThrow();
        List.of(Step.DELETE, Step.CREATE, Step.RELIST).forEach(world::take);
        world.nominator.add(first, Nomination.to(NODE));
        assertThat(world.nominator.nominatedPodsFor(NODE)).isEmpty();
    }

    private static final FeatureGates RESIZES_TRIED =
            FeatureGates.DEFAULTS.with("InPlacePodVerticalScalingSchedulerPreemption", true);

    private static final Pod RUNNING = running(100);
    private static final Pod DEFERRED = pending(running(200), "Deferred");
    private static final Pod DEFERRED_OTHERWISE = pending(running(300), "Deferred");
    private static final Pod INFEASIBLE = pending(running(200), "Infeasible");

    private static Pod running(long milliCpu) {
        return Samples.pod("p", Samples.requesting(milliCpu, 1_000)).withNode(NODE);
    }

    private static Pod pending(Pod pod, String reason) {
        return pod.withStatus(pod.status().toBuilder()
                .conditions(List.of(new PodCondition("PodResizePending", "True", reason, "", 0)))
                .build());
    }

    private static Pod allocated(Pod pod, String cpu) {
        Map<String, Quantity> allocated = Map.of("cpu", Quantity.parse(cpu));
        return pod.withStatus(pod.status().toBuilder()
                .podResources(new PodStatus.ContainerResources("", Optional.empty(), Optional.of(allocated)))
                .build());
    }

    private static Pod ended(Pod pod) {
        return pod.withStatus(pod.status().toBuilder().phase("Succeeded").build());
    }

    /**
     * Versions of a running pod and the expected state.
     *
     * @param versions the reported versions of the pod, in order; deleted at the end if the last one is empty
     * @param isQueued whether it is queued then, as it is now
     */
    private record Resized(String name, FeatureGates features, List<Optional<Pod>> versions, boolean isQueued) {
        static Resized tried(String name, boolean isQueued, Pod... versions) {
            return new Resized(
                    name, RESIZES_TRIED, Stream.of(versions).map(Optional::of).toList(), isQueued);
        }

        @Override
        public String toString() {
            return name;
        }
    }

    static final List<Resized> RESIZED = List.of(
            Resized.tried("a running pod is not queued", false, RUNNING),
            Resized.tried("one whose resize is deferred when it is first seen is queued", true, DEFERRED),
            Resized.tried("one whose resize becomes deferred is queued", true, RUNNING, DEFERRED),
            Resized.tried(
                    "one whose deferred resize changes is queued as it is now", true, DEFERRED, DEFERRED_OTHERWISE),
            Resized.tried(
                    "one whose status changes is queued as it is now", true, DEFERRED, allocated(DEFERRED, "150m")),
            Resized.tried("one whose resize is made leaves", false, DEFERRED, running(200)),
            Resized.tried("one whose resize is taken back leaves", false, DEFERRED, RUNNING),
            Resized.tried("one whose resize turns out to be infeasible leaves", false, DEFERRED, INFEASIBLE),
            Resized.tried("one whose resize is deferred again comes back", true, DEFERRED, INFEASIBLE, DEFERRED),
            Resized.tried("one that ends leaves", false, DEFERRED, ended(DEFERRED)),
            Resized.tried("one of another scheduler is not queued", false, ofAnotherScheduler(DEFERRED)),
            new Resized(
                    "one that is deleted leaves",
                    RESIZES_TRIED,
                    List.of(Optional.of(DEFERRED), Optional.empty()),
                    false),
            new Resized(
                    "while the gate is off nothing is queued",
                    FeatureGates.DEFAULTS,
                    List.of(Optional.of(RUNNING), Optional.of(DEFERRED)),
                    false));

    private static Pod ofAnotherScheduler(Pod pod) {
        return pod.withSpec(pod.spec().toBuilder().schedulerName("another").build());
    }

    @ParameterizedTest
    @FieldSource("RESIZED")
    void queueARunningPodWhileItsResizeIsDeferred(Resized c) {
        World world = new World(c.features);
        c.versions.forEach(world::tell);

        assertThat(world.queued())
                .isEqualTo(c.isQueued ? world.onServer.stream().toList() : List.of());
        boolean runs = world.onServer.filter(pod -> !pod.status().isTerminal()).isPresent();
        assertThat(world.cache.counts()).isEqualTo(new SchedulerCache.Counts(1, runs ? 1 : 0, 0));
    }

    @ParameterizedTest
    @FieldSource("RESIZED")
    void treatARunningPodThatWasRejectedAlike(Resized c) {
        World world = new World(c.features);
        for (Optional<Pod> version : c.versions) {
            world.tell(version);
            world.queue.poll().map(QueuedPodInfo.class::cast).ifPresent(world::reject);
        }

        assertThat(world.queued())
                .isEqualTo(c.isQueued ? world.onServer.stream().toList() : List.of());
    }

    /** A handler that fails a configured number of times, and then records the changes. */
    private static final class FailingHandler implements ChangeHandler {
        private int failures;
        private final List<String> changes = new ArrayList<>();

        @Override
        public <T extends ClusterObject> void changed(ObjectKind<T> kind, ObjectChange<T> change) {
            if (failures-- > 0) {
                throw new IllegalStateException("failed");
            }
            String what = change.before().isEmpty() ? "added" : change.after().isEmpty() ? "deleted" : "updated";
            changes.add(what + " " + change.latest().name());
        }

        @Override
        public void availabilityChanged() {}
    }

    private record Retold(String name, List<Node> known, List<Node> listed, List<String> changes) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static Node node(String name, String version) {
        Node node = Samples.node(name);
        return Node.of(node.metadata().withResourceVersion(version)).build();
    }

    static final List<Retold> RETOLD = List.of(
            new Retold("a new object", List.of(), List.of(node("a", "1")), List.of("added a")),
            new Retold("a changed object", List.of(node("a", "1")), List.of(node("a", "2")), List.of("updated a")),
            new Retold("an object that is gone", List.of(node("a", "1")), List.of(), List.of("deleted a")));

    @ParameterizedTest
    @FieldSource("RETOLD")
    void areToldAgainByTheNextListOfAChangeAtWhichTheyFailed(Retold c) {
        FailingHandler handler = new FailingHandler();
        ClusterListener store = new ObjectStore(new FeatureView(FeatureGates.DEFAULTS), handler);
        store.replaced(ObjectKind.NODE, c.known);
        handler.changes.clear();
        handler.failures = 1;
        Collection<Node> listed = c.listed;
        assertThatThrownBy(() -> store.replaced(ObjectKind.NODE, listed)).hasMessage("failed");
        store.replaced(ObjectKind.NODE, listed);
        assertThat(handler.changes).isEqualTo(c.changes);
    }

    @Test
    void areToldOfTheRestOfAListInWhichOneChangeFails() {
        List<String> told = new ArrayList<>();
        ClusterListener store = new ObjectStore(new FeatureView(FeatureGates.DEFAULTS), new ChangeHandler() {
            @Override
            public <T extends ClusterObject> void changed(ObjectKind<T> kind, ObjectChange<T> change) {
                if (change.latest().name().equals("b")) {
                    throw new IllegalStateException("failed at b");
                }
                told.add(change.latest().name());
            }

            @Override
            public void availabilityChanged() {}
        });
        Collection<Node> listed = List.of(node("a", "1"), node("b", "1"), node("c", "1"), node("d", "1"));
        for (int list = 0; list < 2; list++) {
            assertThatThrownBy(() -> store.replaced(ObjectKind.NODE, listed)).hasMessage("failed at b");
        }
        assertThat(told).containsExactly("a", "c", "d");
    }
}
