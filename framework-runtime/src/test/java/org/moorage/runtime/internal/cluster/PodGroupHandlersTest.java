// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.GroupKey;
import org.moorage.api.Status;
import org.moorage.api.event.ActionType;
import org.moorage.api.event.ClusterEvent;
import org.moorage.api.event.EventRegistration;
import org.moorage.api.event.EventResource;
import org.moorage.api.event.Hint;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.CompositePodGroup;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodCondition;
import org.moorage.api.model.PodGroup;
import org.moorage.api.model.PodSpec;
import org.moorage.api.plugin.point.PreEnqueuePlugin;
import org.moorage.api.plugin.point.QueueSortPlugin;
import org.moorage.api.plugin.point.QueuedPod;
import org.moorage.runtime.Samples;
import org.moorage.runtime.internal.binding.PodsInPreBind;
import org.moorage.runtime.internal.binding.WaitingPods;
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

/** Tests the handlers of groups and of the pods that name them. */
class PodGroupHandlersTest {
    private static final ScheduledExecutorService TIMERS = Executors.newSingleThreadScheduledExecutor();
    private static final FeatureGates OFF = FeatureGates.DEFAULTS;
    private static final FeatureGates ON = FeatureGates.of(Map.of(
            FeatureGates.GENERIC_WORKLOAD,
            true,
            FeatureGates.TOPOLOGY_AWARE_WORKLOAD_SCHEDULING,
            true,
            FeatureGates.COMPOSITE_POD_GROUP,
            true));

    @AfterAll
    static void close() {
        TIMERS.shutdownNow();
    }

    /** Says of each pod that it is asked about, and of each event, what is known of the groups at that moment. */
    private static final class Watcher implements PreEnqueuePlugin, QueueSortPlugin {
        private static final String NAME = "Watcher";

        private final SchedulerCache cache;
        private final List<String> seen = new ArrayList<>();

        Watcher(SchedulerCache cache) {
            this.cache = cache;
        }

        @Override
        public String name() {
            return NAME;
        }

        @Override
        public Status preEnqueue(Pod pod) {
            seen.add("PreEnqueue " + pod.name() + ": " + describe(cache));
            return Status.success();
        }

        @Override
        public boolean less(QueuedPod first, QueuedPod second) {
            return first.timestamp().isBefore(second.timestamp());
        }

        PluginEvents events() {
            List<EventRegistration> registrations = new ArrayList<>();
            for (EventResource resource : List.of(
                    EventResource.POD_GROUP, EventResource.COMPOSITE_POD_GROUP, EventResource.UNSCHEDULED_POD)) {
                for (Set<ActionType> actions :
                        List.of(Set.of(ActionType.ADD), ActionType.UPDATE, Set.of(ActionType.DELETE))) {
                    ClusterEvent event = ClusterEvent.of(resource, actions);
                    registrations.add(EventRegistration.of(
                            event,
                            Object.class,
                            PluginCaller.of(this).checked((Pod pod, ObjectChange<Object> change) -> {
                                seen.add(event.label() + " " + ((ClusterObject) change.latest()).name() + ": "
                                        + describe(cache));
                                return Hint.SKIP;
                            })));
                }
            }
            return new PluginEvents(NAME, registrations);
        }
    }

    /** A scheduler's store, cache and queue, with a rejected pod that receives events. */
    private static final class World {
        private final SchedulerCache cache;
        private final Watcher watcher;
        private final SchedulingQueue queue;
        private final ObjectStore store;

        World(FeatureGates features) {
            cache = new SchedulerCache(features);
            watcher = new Watcher(cache);
            Handlers handlers = new Handlers();
            store = new ObjectStore(new FeatureView(features), handlers);
            Nominator nominator = new Nominator(store.lister(ObjectKind.POD)::get);
            queue = new SchedulingQueue(
                    PluginCaller.of(watcher),
                    Map.of(
                            PodSpec.DEFAULT_SCHEDULER,
                            new QueueProfile(List.of(PluginCaller.of(watcher)), List.of(watcher.events()))),
                    QueueSettings.DEFAULTS,
                    InstantSource.fixed(Instant.EPOCH),
                    nominator,
                    Listeners.NONE,
                    (pod, failure) -> {});
            PodEventHandlers pods = new PodEventHandlers(
                    cache,
                    queue,
                    nominator,
                    new WaitingPods(TIMERS),
                    new PodsInPreBind(),
                    pod -> pod.spec().schedulerName().equals(PodSpec.DEFAULT_SCHEDULER),
                    features);
            handlers.target = Optional.of(new ObjectEventHandlers(pods, cache, queue, store, Listeners.NONE));
            Pod rejected = Samples.pod("rejected");
            queue.add(rejected);
            queue.addUnschedulable(
                    (QueuedPodInfo) queue.poll().orElseThrow(),
                    rejected,
                    new RejectorPlugins(Set.of(Watcher.NAME), Set.of()));
            watcher.seen.clear();
        }
    }

    private static final class Handlers implements ChangeHandler {
        private Optional<ObjectEventHandlers> target = Optional.empty();

        @Override
        public <T extends ClusterObject> void changed(ObjectKind<T> kind, ObjectChange<T> change) {
            target.orElseThrow().changed(kind, change);
        }

        @Override
        public void availabilityChanged() {}
    }

    private static ObjectMeta meta(String name, int version) {
        return ObjectMeta.named(name)
                .namespace("default")
                .uid("uid-" + name)
                .resourceVersion(String.valueOf(version))
                .build();
    }

    private static Pod member(String name, int version) {
        return Pod.of(meta(name, version), PodSpec.builder().podGroupName("g").build());
    }

    private static PodGroup group(int version) {
        return PodGroup.of(meta("g", version)).parentName("c").build();
    }

    private static CompositePodGroup composite(int version) {
        return CompositePodGroup.of(meta("c", version)).build();
    }

    /** All groups with their members by state, and their children. */
    private static String describe(SchedulerCache cache) {
        Map<String, String> described = new TreeMap<>();
        cache.podGroups()
                .podGroups()
                .forEach((key, state) -> described.put(
                        key.name(),
                        mark(state.podGroup().isPresent())
                                + names(state.unscheduledPods())
                                + names(state.assumedPods())
                                + names(state.assignedPods())));
        cache.podGroups()
                .compositePodGroups()
                .forEach((key, state) -> described.put(
                        "*" + key.name(),
                        mark(state.compositePodGroup().isPresent())
                                + state.children().stream()
                                        .map(GroupKey::name)
                                        .sorted()
                                        .toList()));
        return described.toString();
    }

    private static String mark(boolean isKnown) {
        return isKnown ? "" : "?";
    }

    private static List<String> names(List<Pod> pods) {
        return pods.stream().map(Pod::name).sorted().toList();
    }

    private record Case(String name, Consumer<World> steps, List<String> seen) {
        @Override
        public String toString() {
            return name;
        }
    }

    static final List<Case> CASES = List.of(
            new Case(
                    "a member is counted before it is queued, and before others are notified",
                    world -> world.store.applied(ObjectKind.POD, member("p", 1)),
                    List.of("PreEnqueue p: {g=?[p][][]}", "UnscheduledPodAdd p: {g=?[p][][]}")),
            new Case(
                    "others are not notified of a changed member",
                    world -> {
                        world.store.applied(ObjectKind.POD, member("p", 1));
                        world.watcher.seen.clear();
                        world.store.applied(ObjectKind.POD, member("p", 2));
                    },
                    List.of()),
            new Case(
                    "others are not notified of a pending pod of another scheduler, which is not counted",
                    world -> world.store.applied(
                            ObjectKind.POD,
                            Pod.of(
                                    meta("p", 1),
                                    PodSpec.builder()
                                            .podGroupName("g")
                                            .schedulerName("other")
                                            .build())),
                    List.of()),
            new Case(
                    "a group is known before others are notified",
                    world -> world.store.applied(ObjectKind.POD_GROUP, group(1)),
                    List.of("scheduling.k8s.io/PodGroupAdd g: {*c=?[g], g=[][][]}")),
            new Case(
                    "a list with an unchanged group causes no events",
                    world -> {
                        world.store.applied(ObjectKind.POD_GROUP, group(1));
                        world.watcher.seen.clear();
                        world.store.replaced(ObjectKind.POD_GROUP, List.of(group(1)));
                        world.store.applied(ObjectKind.POD_GROUP, group(1));
                    },
                    List.of()),
            new Case(
                    "the scheduler's own change of a status is an update",
                    world -> {
                        world.store.applied(ObjectKind.POD_GROUP, group(1));
                        world.watcher.seen.clear();
                        world.store.applied(
                                ObjectKind.POD_GROUP,
                                group(2).toBuilder()
                                        .initiallyScheduled(new PodCondition(
                                                PodGroup.INITIALLY_SCHEDULED, "True", "Scheduled", "", 1))
                                        .build());
                    },
                    List.of("scheduling.k8s.io/PodGroupUpdate g: {*c=?[g], g=[][][]}")),
            new Case(
                    "a group is forgotten before others are notified of its deletion",
                    world -> {
                        world.store.applied(ObjectKind.POD_GROUP, group(1));
                        world.watcher.seen.clear();
                        world.store.deleted(ObjectKind.POD_GROUP, group(1));
                    },
                    List.of("scheduling.k8s.io/PodGroupDelete g: {}")),
            new Case(
                    "a composite group comes, changes and goes",
                    world -> {
                        world.store.applied(ObjectKind.COMPOSITE_POD_GROUP, composite(1));
                        world.store.applied(ObjectKind.COMPOSITE_POD_GROUP, composite(1));
                        world.store.applied(ObjectKind.COMPOSITE_POD_GROUP, composite(2));
                        world.store.deleted(ObjectKind.COMPOSITE_POD_GROUP, composite(2));
                    },
                    List.of(
                            "scheduling.k8s.io/CompositePodGroupAdd c: {*c=[]}",
                            "scheduling.k8s.io/CompositePodGroupUpdate c: {*c=[]}",
                            "scheduling.k8s.io/CompositePodGroupDelete c: {}")));

    @ParameterizedTest
    @FieldSource("CASES")
    void tellInTheOrderCacheQueueOthers(Case c) {
        World world = new World(ON);
        c.steps.accept(world);
        assertThat(world.watcher.seen).isEqualTo(c.seen);
    }

    @Test
    void notifyNoGroupOfNewPodsWithoutTheFeature() {
        World world = new World(OFF);
        world.store.applied(ObjectKind.POD, member("p", 1));
        assertThat(world.watcher.seen).containsExactly("PreEnqueue p: {}");
    }

    /** A server with groups and pods, which the scheduler sees through a watch, or later through a list. */
    private static final class Server {
        private final World world = new World(ON);
        private final Random random;
        private final Map<String, Pod> pods = new LinkedHashMap<>();
        private final Map<String, PodGroup> groups = new LinkedHashMap<>();
        private final Map<String, CompositePodGroup> composites = new LinkedHashMap<>();
        private final Map<String, Pod> assumed = new HashMap<>();
        private boolean isWatched = true;
        private int version;

        Server(Random random) {
            this.random = random;
        }

        private ObjectMeta metadata(String name, String uid) {
            return ObjectMeta.named(name)
                    .namespace("default")
                    .uid(uid)
                    .resourceVersion(String.valueOf(++version))
                    .creationTimestamp(Instant.ofEpochSecond(random.nextInt(3)))
                    .build();
        }

        private static <T> Optional<T> any(Collection<T> from, Random random) {
            return from.isEmpty()
                    ? Optional.empty()
                    : Optional.of(List.copyOf(from).get(random.nextInt(from.size())));
        }

        private <T extends ClusterObject> void put(ObjectKind<T> kind, Map<String, T> all, T object) {
            all.put(object.name(), object);
            if (isWatched) {
                world.store.applied(kind, object);
            }
        }

        private <T extends ClusterObject> void remove(ObjectKind<T> kind, Map<String, T> all, T object) {
            all.remove(object.name());
            if (isWatched) {
                world.store.deleted(kind, object);
            }
        }

        private void put(Pod pod) {
            put(ObjectKind.POD, pods, pod.withMetadata(pod.metadata().withResourceVersion(String.valueOf(++version))));
        }

        void step() {
            String name = "x" + random.nextInt(5);
            String parent = random.nextBoolean() ? "" : "x" + random.nextInt(5);
            Optional<Pod> pod = any(pods.values(), random);
            switch (random.nextInt(13)) {
                case 0, 1, 2 -> {
                    PodSpec spec = PodSpec.builder()
                            .podGroupName(random.nextInt(8) == 0 ? "" : name)
                            .schedulerName(random.nextInt(4) == 0 ? "other" : PodSpec.DEFAULT_SCHEDULER)
                            .build();
                    String podName = "p" + random.nextInt(12);
                    if (!pods.containsKey(podName)) {
                        put(Pod.of(metadata(podName, "uid-" + version), spec));
                    }
                }
                case 3 -> pod.ifPresent(this::put);
                case 4 ->
                    pod.filter(it -> !it.isBound() && !it.status().isTerminal())
                            .ifPresent(it -> put(it.withNode("n" + random.nextInt(3))));
                case 5 ->
                    pod.ifPresent(it -> put(it.withStatus(it.status().toBuilder()
                            .phase(random.nextBoolean() ? "Succeeded" : "Failed")
                            .build())));
                case 6 -> pod.ifPresent(it -> remove(ObjectKind.POD, pods, it));
                case 7 -> assume();
                case 8 -> any(assumed.values(), random).ifPresent(this::finish);
                case 9 ->
                    put(
                            ObjectKind.POD_GROUP,
                            groups,
                            PodGroup.of(metadata(
                                            name,
                                            groups.containsKey(name)
                                                    ? groups.get(name)
                                                            .metadata()
                                                            .uid()
                                                    : "uid-" + version))
                                    .parentName(
                                            groups.containsKey(name)
                                                    ? groups.get(name).parentName()
                                                    : parent)
                                    .gang(random.nextInt(5))
                                    .build());
                case 10 ->
                    put(
                            ObjectKind.COMPOSITE_POD_GROUP,
                            composites,
                            CompositePodGroup.of(metadata(
                                            name,
                                            composites.containsKey(name)
                                                    ? composites
                                                            .get(name)
                                                            .metadata()
                                                            .uid()
                                                    : "uid-" + version))
                                    .parentName(
                                            composites.containsKey(name)
                                                    ? composites.get(name).parentName()
                                                    : parent)
                                    .build());
                case 11 -> {
                    any(groups.values(), random).ifPresent(it -> remove(ObjectKind.POD_GROUP, groups, it));
                    any(composites.values(), random)
                            .filter(it -> random.nextBoolean())
                            .ifPresent(it -> remove(ObjectKind.COMPOSITE_POD_GROUP, composites, it));
                }
                default -> isWatched = random.nextInt(3) > 0;
            }
            if (isWatched) {
                world.store.replaced(ObjectKind.POD, List.copyOf(pods.values()));
                world.store.replaced(ObjectKind.POD_GROUP, List.copyOf(groups.values()));
                world.store.replaced(ObjectKind.COMPOSITE_POD_GROUP, List.copyOf(composites.values()));
            }
        }

        // As a cycle does it, which is over at some later time, when the pod may be gone.
        private void assume() {
            world.store.lister(ObjectKind.POD).all().stream()
                    .filter(pod -> isWaiting(pod) && !world.cache.isAssumed(pod.uid()))
                    .findFirst()
                    .ifPresent(pod -> {
                        assumed.put(pod.uid(), pod.withNode("n0"));
                        world.cache.assume(pod.withNode("n0"));
                    });
        }

        // The API server has bound the pod, or has not.
        private void finish(Pod pod) {
            assumed.remove(pod.uid());
            Pod known = pods.get(pod.name());
            if (known != null && known.uid().equals(pod.uid()) && isWaiting(known) && random.nextBoolean()) {
                put(known.withNode(pod.nodeName()));
            } else {
                world.cache.forget(pod);
            }
        }

        private static boolean isWaiting(Pod pod) {
            return !pod.isBound()
                    && !pod.status().isTerminal()
                    && pod.spec().schedulerName().equals(PodSpec.DEFAULT_SCHEDULER);
        }

        /** What {@link #describe} is to say, made of the objects alone. */
        String expected() {
            Map<String, List<List<String>>> members = new TreeMap<>();
            groups.keySet().forEach(name -> members.put(name, places()));
            for (Pod pod : pods.values()) {
                String group = pod.spec().podGroupName();
                if (group.isEmpty() || pod.status().isTerminal() || !pod.isBound() && !isWaiting(pod)) {
                    continue;
                }
                int place = pod.isBound() ? 2 : world.cache.isAssumed(pod.uid()) ? 1 : 0;
                members.computeIfAbsent(group, any -> places()).get(place).add(pod.name());
            }
            Map<String, List<String>> children = new TreeMap<>();
            composites.keySet().forEach(name -> children.put(name, new ArrayList<>()));
            composites.values().forEach(group -> addChild(children, group.parentName(), group.name()));
            groups.values().forEach(group -> addChild(children, group.parentName(), group.name()));
            Map<String, String> described = new TreeMap<>();
            members.forEach((name, places) -> {
                places.forEach(pods -> pods.sort(null));
                described.put(name, mark(groups.containsKey(name)) + places.get(0) + places.get(1) + places.get(2));
            });
            children.forEach((name, all) -> {
                all.sort(null);
                described.put("*" + name, mark(composites.containsKey(name)) + all);
            });
            return described.toString();
        }

        private static List<List<String>> places() {
            return List.of(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
        }

        private static void addChild(Map<String, List<String>> children, String parent, String child) {
            if (!parent.isEmpty()) {
                children.computeIfAbsent(parent, any -> new ArrayList<>()).add(child);
            }
        }
    }

    @Test
    void keepTheGroupsEqualToThoseOfTheObjects() {
        long seed = System.nanoTime();
        for (int run = 0; run < 200; run++) {
            Server server = new Server(new Random(seed + run));
            for (int step = 0; step < 150; step++) {
                server.step();
                if (server.isWatched) {
                    assertThat(describe(server.world.cache))
                            .as("seed %d, step %d", seed + run, step)
                            .isEqualTo(server.expected());
                }
            }
        }
    }
}
