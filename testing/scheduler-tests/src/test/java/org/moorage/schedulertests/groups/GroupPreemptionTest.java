// SPDX-License-Identifier: Apache-2.0
package org.moorage.schedulertests.groups;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.CompositePodGroup;
import org.moorage.api.model.DisruptionMode;
import org.moorage.api.model.Node;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodCondition;
import org.moorage.api.model.PodGroup;
import org.moorage.api.model.Quantity;
import org.moorage.api.plugin.cluster.PodEvent;
import org.moorage.builtin.dra.KubeSchedulerPlugins;
import org.moorage.config.ConfigLoader;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.runtime.Scheduler;
import org.moorage.runtime.decision.Decision;
import org.moorage.runtime.metrics.SchedulerListener;
import org.moorage.simulation.cluster.InMemoryCluster;
import org.moorage.testkit.Pods;

/** Tests groups of pods that preempt others or are preempted, in the whole scheduler. */
@Timeout(60)
final class GroupPreemptionTest {
    private static final FeatureGates GROUPS = FeatureGates.DEFAULTS.with(FeatureGates.GENERIC_WORKLOAD, true);
    private static final FeatureGates COMPOSITES = GROUPS.with(FeatureGates.TOPOLOGY_AWARE_WORKLOAD_SCHEDULING, true)
            .with(FeatureGates.COMPOSITE_POD_GROUP, true);
    private static final String CONFIG = """
            apiVersion: kubescheduler.config.k8s.io/v1
            kind: KubeSchedulerConfiguration
            """;

    private final InMemoryCluster cluster = new InMemoryCluster();
    private final AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2026-01-01T00:00:00Z"));

    private final List<String> measured = new ArrayList<>();

    private Scheduler start(FeatureGates features) {
        PluginRegistry registry = PluginRegistry.of(KubeSchedulerPlugins.all());
        Scheduler scheduler = Scheduler.builder(
                        ConfigLoader.load(CONFIG, "test.yaml", registry, features), registry, cluster)
                .featureGates(features)
                .random(new Random(1))
                .bindingExecutor(Runnable::run)
                .clock(now::get)
                .listener(new SchedulerListener() {
                    @Override
                    public boolean takesMeasurements() {
                        return true;
                    }

                    @Override
                    public void preempted(
                            String plugin, String preemptor, int victims, int groupDisruptions, long pdbViolations) {
                        measured.add(preemptor + ": " + victims + " pods, " + groupDisruptions + " groups");
                    }

                    @Override
                    public void preemptionExecuted(String preemptor, String result, long nanos) {
                        measured.add(preemptor + " " + result);
                    }
                })
                .build();
        scheduler.start();
        return scheduler;
    }

    private static void drain(Scheduler running) {
        Optional<Decision> decision = running.scheduleNext();
        for (int i = 0; decision.isPresent() && i < 1_000; i++) {
            decision = running.scheduleNext();
        }
    }

    private void drainLater(Scheduler running) {
        now.updateAndGet(time -> time.plusSeconds(120));
        running.flushBackoff();
        drain(running);
    }

    private static ObjectMeta meta(String name) {
        return ObjectMeta.named(name).namespace("default").uid("uid-of-" + name).build();
    }

    private void node(String name) {
        cluster.apply(Node.of(ObjectMeta.named(name).uid("node-" + name).build())
                .allocatable(Map.of("cpu", Quantity.of(2), "memory", Quantity.of(64L << 30), "pods", Quantity.of(110)))
                .build());
    }

    private static Pods pod(String name, int priority, String group) {
        return Pods.named(name).priority(priority).podGroup(group).requests("cpu", "2");
    }

    private Set<String> names() {
        return cluster.all(ObjectKind.POD).stream().map(Pod::name).collect(Collectors.toCollection(TreeSet::new));
    }

    private Set<String> bound() {
        return cluster.all(ObjectKind.POD).stream()
                .filter(Pod::isBound)
                .map(Pod::name)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /**
     * Three full nodes, and the result of a preemption.
     *
     * @param boundAfterwards the pods that are bound at the end
     * @param staying the number of original pods that stay
     * @param measured the preemptors, the number of evicted pods and groups, and the outcome
     */
    private record Case(
            String name,
            FeatureGates features,
            List<PodGroup> groups,
            List<CompositePodGroup> composites,
            List<Pod> running,
            List<Pod> coming,
            Set<String> boundAfterwards,
            int staying,
            List<String> measured) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static List<Pod> built(Pods... pods) {
        return List.of(pods).stream().map(Pods::build).toList();
    }

    private static final PodGroup GANG =
            PodGroup.of(meta("gang")).priority(100).gang(2).build();
    private static final PodGroup AS_ONE = PodGroup.of(meta("victims"))
            .priority(10)
            .disruptionMode(DisruptionMode.ALL)
            .build();

    static final List<Case> CASES = List.of(
            new Case(
                    "a gang takes the room of as many pods as it has to",
                    GROUPS,
                    List.of(GANG),
                    List.of(),
                    built(
                            pod("a", 10, "").on("n1"),
                            pod("b", 10, "").on("n2"),
                            pod("c", 10, "").on("n3")),
                    built(pod("g1", 100, "gang"), pod("g2", 100, "gang")),
                    Set.of("g1", "g2"),
                    1,
                    List.of("podgroup: 2 pods, 0 groups", "podgroup success")),
            new Case(
                    "a gang preempts a group that leaves as one",
                    GROUPS,
                    List.of(GANG, AS_ONE),
                    List.of(),
                    built(
                            pod("a", 10, "victims").on("n1"),
                            pod("b", 10, "victims").on("n2"),
                            pod("c", 100, "").on("n3")),
                    built(pod("g1", 100, "gang"), pod("g2", 100, "gang")),
                    Set.of("c", "g1", "g2"),
                    1,
                    List.of("podgroup: 2 pods, 1 groups", "podgroup success")),
            new Case(
                    "a gang that does not fit even then evicts no pod",
                    GROUPS,
                    List.of(GANG),
                    List.of(),
                    built(
                            pod("a", 10, "").on("n1"),
                            pod("b", 100, "").on("n2"),
                            pod("c", 100, "").on("n3")),
                    built(pod("g1", 100, "gang"), pod("g2", 100, "gang")),
                    Set.of("a", "b", "c"),
                    3,
                    List.of()),
            new Case(
                    "a pod that preempts one of a group that leaves as one preempts all",
                    GROUPS,
                    List.of(AS_ONE),
                    List.of(),
                    built(
                            pod("a", 10, "victims").on("n1"),
                            pod("b", 10, "victims").on("n2"),
                            pod("c", 100, "").on("n3")),
                    built(pod("p", 100, "")),
                    Set.of("c", "p"),
                    1,
                    List.of("pod: 2 pods, 0 groups", "pod success")),
            new Case(
                    "a composite gang preempts for all its groups",
                    COMPOSITES,
                    List.of(
                            PodGroup.of(meta("left"))
                                    .parentName("both")
                                    .priority(100)
                                    .build(),
                            PodGroup.of(meta("right"))
                                    .parentName("both")
                                    .priority(100)
                                    .build()),
                    List.of(CompositePodGroup.of(meta("both"))
                            .priority(100)
                            .gang(2)
                            .build()),
                    built(
                            pod("a", 10, "").on("n1"),
                            pod("b", 10, "").on("n2"),
                            pod("c", 100, "").on("n3")),
                    built(pod("l", 100, "left"), pod("r", 100, "right")),
                    Set.of("c", "l", "r"),
                    1,
                    List.of("compositepodgroup: 2 pods, 0 groups", "compositepodgroup success")));

    @ParameterizedTest
    @FieldSource("CASES")
    void makesRoom(Case c) {
        for (String name : List.of("n1", "n2", "n3")) {
            node(name);
        }
        c.composites.forEach(cluster::apply);
        c.groups.forEach(cluster::apply);
        c.running.forEach(cluster::apply);
        c.coming.forEach(cluster::apply);
        try (Scheduler running = start(c.features)) {
            drain(running);
            drainLater(running);
            assertThat(bound()).containsAll(c.boundAfterwards);
            assertThat(c.running)
                    .filteredOn(pod -> bound().contains(pod.name()))
                    .hasSize(c.staying);
        }
        assertThat(measured).isEqualTo(c.measured);
    }

    @Test
    void saysWhatItDoes() {
        node("n1");
        cluster.apply(PodGroup.of(meta("gang")).priority(100).gang(1).build());
        cluster.apply(pod("a", 10, "").on("n1").build());
        cluster.apply(pod("g", 100, "gang").build());
        try (Scheduler running = start(GROUPS)) {
            running.scheduleNext();

            assertThat(cluster.find(ObjectKind.POD_GROUP, "default", "gang").flatMap(PodGroup::initiallyScheduled))
                    .hasValueSatisfying(condition -> assertThat(condition.message())
                            .isEqualTo("minCount (1) cannot be satisfied: 0 scheduled, 0 remaining, pod group"
                                    + " preemption: found a placement for podgroup, preempting 1 victims"));
            assertThat(cluster.find(ObjectKind.POD, "default", "g")).hasValueSatisfying(pod -> {
                assertThat(pod.status().nominatedNodeName()).isEqualTo("n1");
                assertThat(pod.status().condition(PodCondition.POD_SCHEDULED))
                        .hasValueSatisfying(
                                condition -> assertThat(condition.message()).contains("1 Insufficient cpu"));
            });
            assertThat(cluster.events())
                    .filteredOn(event -> event.reason().equals("Preempted"))
                    .extracting(PodEvent::note)
                    .containsExactly("Preempted by podgroup uid-of-gang on node cluster");
            assertThat(names()).containsExactly("g");
        }
    }
}
