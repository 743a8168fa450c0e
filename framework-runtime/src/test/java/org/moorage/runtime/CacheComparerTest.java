// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodGroup;
import org.moorage.api.model.PodSpec;
import org.moorage.api.plugin.point.QueueSortPlugin;
import org.moorage.api.plugin.point.QueuedPod;
import org.moorage.runtime.debug.CacheComparison;
import org.moorage.runtime.debug.SchedulerDump;
import org.moorage.runtime.internal.cache.SchedulerCache;
import org.moorage.runtime.internal.cluster.ChangeHandler;
import org.moorage.runtime.internal.cluster.FeatureView;
import org.moorage.runtime.internal.cluster.ObjectStore;
import org.moorage.runtime.internal.log.Listeners;
import org.moorage.runtime.internal.plugin.PluginCaller;
import org.moorage.runtime.internal.queue.Nominator;
import org.moorage.runtime.internal.queue.QueueProfile;
import org.moorage.runtime.internal.queue.QueueSettings;
import org.moorage.runtime.internal.queue.SchedulingQueue;

/** Compares a store with a cache and a queue that received only some of its objects. */
class CacheComparerTest {
    private static final Pod WAITING = Samples.pod("waiting");
    private static final Pod BOUND = Samples.pod("bound").withNode("n");
    private static final Pod WAITING_MEMBER =
            Samples.pod("waiting-member", PodSpec.builder().podGroupName("g"));
    private static final Pod BOUND_MEMBER =
            Samples.pod("bound-member", PodSpec.builder().podGroupName("g")).withNode("n");
    private static final PodGroup GROUP = group("1");

    private static final FeatureGates WITH_GROUPS = FeatureGates.of(Map.of(FeatureGates.GENERIC_WORKLOAD, true));

    private final ObjectStore store = new ObjectStore(new FeatureView(WITH_GROUPS), new ChangeHandler() {
        @Override
        public <T extends ClusterObject> void changed(ObjectKind<T> kind, ObjectChange<T> change) {
            // The test updates the cache and the queue.
        }

        @Override
        public void availabilityChanged() {
            // All kinds are available.
        }
    });
    private final SchedulerCache cache = new SchedulerCache(WITH_GROUPS);
    private final SchedulingQueue queue = new SchedulingQueue(
            PluginCaller.of(new FirstCome()),
            Map.of(PodSpec.DEFAULT_SCHEDULER, new QueueProfile(List.of(), List.of())),
            QueueSettings.DEFAULTS,
            InstantSource.fixed(Instant.EPOCH),
            new Nominator((namespace, name) -> Optional.empty()),
            Listeners.NONE,
            (pod, failure) -> {});
    private final CacheComparer comparer = new CacheComparer(store, cache, queue, pod -> true, WITH_GROUPS);

    private static final class FirstCome implements QueueSortPlugin {
        @Override
        public String name() {
            return "FirstCome";
        }

        @Override
        public boolean less(QueuedPod first, QueuedPod second) {
            return first.timestamp().isBefore(second.timestamp());
        }
    }

    private static PodGroup group(String version) {
        return PodGroup.of(ObjectMeta.named("g")
                        .namespace("default")
                        .uid("g")
                        .resourceVersion(version)
                        .build())
                .build();
    }

    private void makeEqual() {
        store.applied(ObjectKind.NODE, Samples.node("n"));
        store.applied(ObjectKind.POD, WAITING);
        store.applied(ObjectKind.POD, BOUND);
        cache.putNode(Samples.node("n"));
        cache.putPod(BOUND);
        queue.add(WAITING);
        store.applied(ObjectKind.POD, WAITING_MEMBER);
        store.applied(ObjectKind.POD, BOUND_MEMBER);
        store.applied(ObjectKind.POD_GROUP, GROUP);
        cache.putWaitingPod(WAITING_MEMBER);
        cache.putPod(BOUND_MEMBER);
        cache.putGroup(GROUP);
        queue.add(WAITING_MEMBER);
    }

    /**
     * A difference, and the expected report.
     *
     * @param name a sentence
     * @param change what is changed of what was equal
     * @param expected the comparison
     */
    private record Case(String name, BiConsumer<CacheComparerTest, SchedulerCache> change, CacheComparison expected) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static CacheComparison comparison(
            List<String> missedNodes,
            List<String> redundantNodes,
            List<String> missedPods,
            List<String> redundantPods,
            List<String> lostPods) {
        return new CacheComparison(missedNodes, redundantNodes, missedPods, redundantPods, lostPods, List.of());
    }

    private static CacheComparison differentGroups(String... keys) {
        return new CacheComparison(List.of(), List.of(), List.of(), List.of(), List.of(), List.of(keys));
    }

    static Stream<Case> cases() {
        List<String> none = List.of();
        CacheComparison equal = comparison(none, none, none, none, none);
        return Stream.of(
                new Case("all is as it should be", (test, cache) -> {}, equal),
                new Case(
                        "a pod is being scheduled",
                        (test, cache) -> assertThat(test.queue.poll()).isPresent(),
                        equal),
                new Case(
                        "a pod is assumed",
                        (test, cache) -> {
                            assertThat(test.queue.poll()).isPresent();
                            cache.assume(WAITING.withNode("n"));
                        },
                        equal),
                new Case(
                        "a node is missed",
                        (test, cache) -> test.store.applied(ObjectKind.NODE, Samples.node("m")),
                        comparison(List.of("m"), none, none, none, none)),
                new Case(
                        "a node is redundant",
                        (test, cache) -> cache.putNode(Samples.node("m")),
                        comparison(none, List.of("m"), none, none, none)),
                new Case(
                        "a pod is missed",
                        (test, cache) -> cache.removePod(BOUND),
                        comparison(none, none, List.of("default/bound"), none, none)),
                new Case(
                        "a pod is redundant",
                        (test, cache) -> test.store.deleted(ObjectKind.POD, BOUND),
                        comparison(none, none, none, List.of("default/bound"), none)),
                new Case(
                        "a pod is lost",
                        (test, cache) -> test.queue.delete(WAITING),
                        comparison(none, none, none, none, List.of("default/waiting"))),
                new Case("a member is assumed", (test, cache) -> cache.assume(WAITING_MEMBER.withNode("n")), equal),
                new Case(
                        "a waiting member is not counted",
                        (test, cache) -> cache.removeWaitingPod(WAITING_MEMBER),
                        differentGroups("podgroup/default/g")),
                new Case(
                        "a member with a node counts as waiting",
                        (test, cache) -> cache.putWaitingPod(BOUND_MEMBER.withoutNode()),
                        differentGroups("podgroup/default/g")),
                new Case(
                        "a group is missed",
                        (test, cache) -> cache.removeGroup(GROUP),
                        differentGroups("podgroup/default/g")),
                new Case(
                        "a group has changed",
                        (test, cache) -> test.store.applied(ObjectKind.POD_GROUP, group("2")),
                        differentGroups("podgroup/default/g")),
                new Case(
                        "a group that is gone is still known",
                        (test, cache) -> cache.putWaitingPod(
                                Samples.pod("p", PodSpec.builder().podGroupName("gone"))),
                        differentGroups("podgroup/default/gone")));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void findsWhatDiffers(Case test) {
        makeEqual();
        test.change().accept(this, cache);

        assertThat(comparer.compare()).isEqualTo(test.expected());
        assertThat(comparer.compare().isEqual())
                .isEqualTo(test.expected().toString().matches("(\\w+: \\[]\n)+"));
    }

    @Test
    void dumpsInTheFormOfKubeScheduler() {
        makeEqual();
        cache.assume(Samples.pod("assumed").withNode("n"));

        SchedulerDump dump = new SchedulerDump(
                cache.dump(),
                queue.dump(),
                Map.of("n", List.of(WAITING)),
                List.of(new SchedulerDump.WaitingForPermit(BOUND, Map.of("Gang", Duration.ofMillis(90_900)))),
                List.of(),
                List.of(),
                List.of("pod-bound"),
                Map.of("v1 Pod", 2),
                cache.podGroups().podGroups(),
                cache.podGroups().compositePodGroups());

        assertThat(dump.toString())
                .contains("Node name: n\nDeleted: false\n")
                .contains("Scheduled Pods(number: 3):\n"
                        + "name: bound, namespace: default, uid: pod-bound, nominated node: \n"
                        + "name: bound-member, namespace: default, uid: pod-bound-member, nominated node: \n"
                        + "name: assumed, namespace: default, uid: pod-assumed, nominated node: , assumed\n")
                .endsWith("""
                        Dump of pod groups
                        podgroup/default/g, unscheduled: [default/waiting-member], assumed: [], assigned: [default/bound-member]

                        Dump of scheduling queue
                        activeQ:2; backoffQ:0; unschedulableEntities:0
                        """
                        + "name: waiting, namespace: default, uid: pod-waiting, nominated node: \n"
                        + "name: waiting-member, namespace: default, uid: pod-waiting-member, nominated node: \n"
                        + """

                        Dump of pods being scheduled
                        inFlightPods: []
                        inFlightEvents: {PodPopped=0}
                        waitingPods: [default/bound (Gang: at most 1m30s)]
                        podsInPreBind: []
                        uncertainBindings: []
                        statusPatches: [pod-bound]
                        nominatedPods: {n=[default/waiting]}

                        Dump of known objects
                        {v1 Pod=2}
                        """);
    }
}
