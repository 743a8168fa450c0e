// SPDX-License-Identifier: Apache-2.0
package org.moorage.schedulertests.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.Status;
import org.moorage.api.event.EventRegistration;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.Plugin;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.cluster.ObjectLister;
import org.moorage.api.plugin.point.BindPlugin;
import org.moorage.api.plugin.point.EnqueueExtensions;
import org.moorage.api.plugin.point.FilterPlugin;
import org.moorage.api.plugin.point.NodeStatuses;
import org.moorage.api.plugin.point.PermitPlugin;
import org.moorage.api.plugin.point.PermitResult;
import org.moorage.api.plugin.point.PostFilterPlugin;
import org.moorage.api.plugin.point.PostFilterResult;
import org.moorage.api.plugin.point.PreEnqueuePlugin;
import org.moorage.builtin.dra.KubeSchedulerPlugins;
import org.moorage.config.ConfigLoader;
import org.moorage.config.LoadedConfig;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.simulation.SimulatedPod;
import org.moorage.simulation.SimulatedPod.State;
import org.moorage.simulation.Simulation;
import org.moorage.simulation.SimulationResult;
import org.moorage.simulation.StalledException;
import org.moorage.simulation.dump.ClusterDumpReader;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.Pods;

/** Tests time in a simulation: backoffs, evictions, the periodic flush, permits and timers of plugins. */
@Timeout(120)
@Tag("any-jvm")
class VirtualTimeTest {
    private static final String ZONE = "topology.kubernetes.io/zone";

    private static Simulation simulation(
            String config, List<? extends ClusterObject> objects, PluginFactory<?>... own) {
        PluginRegistry registry = PluginRegistry.of(KubeSchedulerPlugins.all()).with(List.of(own));
        LoadedConfig loaded = config.isEmpty()
                ? ConfigLoader.defaults(registry)
                : ConfigLoader.load(
                        "{apiVersion: kubescheduler.config.k8s.io/v1, kind: KubeSchedulerConfiguration, " + config
                                + "}",
                        "test",
                        registry);
        return Simulation.of(objects, loaded, registry);
    }

    /** Returns a simulation with a plugin at all its extension points, in addition to those of kube-scheduler. */
    private static Simulation with(Function<Handle, Plugin> plugin, List<? extends ClusterObject> objects) {
        return simulation(
                "profiles: [{plugins: {multiPoint: {enabled: [{name: Own}]}}}]",
                objects,
                new PluginFactory<PluginArgs.None>() {
                    @Override
                    public String name() {
                        return "Own";
                    }

                    @Override
                    public Class<PluginArgs.None> argsType() {
                        return PluginArgs.None.class;
                    }

                    @Override
                    public Plugin create(PluginArgs.None args, Handle handle) {
                        return plugin.apply(handle);
                    }
                });
    }

    private static List<ClusterObject> read(String yaml) {
        return new ClusterDumpReader()
                .read(List.of("-"), new ByteArrayInputStream(yaml.getBytes(StandardCharsets.UTF_8)))
                .objects();
    }

    private static SimulatedPod pod(SimulationResult result, String name) {
        return result.pods().stream()
                .filter(pod -> pod.pod().name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static Nodes node(String name, String cpu) {
        return Nodes.named(name)
                .label("kubernetes.io/hostname", name)
                .allocatable("cpu", cpu)
                .allocatable("pods", "10");
    }

    // A preemptor and the successors of its victims

    private static final String NODES = """
        apiVersion: v1
        kind: Node
        metadata: {name: a, labels: {kubernetes.io/hostname: a, topology.kubernetes.io/zone: z}}
        status: {allocatable: {cpu: "4", memory: 8Gi, pods: "20"}}
        ---
        apiVersion: v1
        kind: Node
        metadata: {name: b, labels: {kubernetes.io/hostname: b, topology.kubernetes.io/zone: z}}
        status: {allocatable: {cpu: "4", memory: 8Gi, pods: "20"}}
        ---
        apiVersion: v1
        kind: Pod
        metadata:
          name: holder
          namespace: default
          uid: holder
          labels: {app: one}
          ownerReferences: [{apiVersion: apps/v1, kind: KIND, name: set, uid: set, controller: true}]
        spec:
          nodeName: a
          priority: 10
          containers: [{name: c, resources: {requests: {cpu: "1"}}}]
          NEEDS
        status: {phase: Running, startTime: "2026-01-01T00:00:00Z", conditions: [{type: Ready, status: "True"}]}
        ---
        apiVersion: v1
        kind: Pod
        metadata: {name: urgent, namespace: default, uid: urgent, labels: {app: one}}
        spec:
          priority: 100
          containers: [{name: c, resources: {requests: {cpu: "1"}}}]
          NEEDS
        """;

    /** A requirement that only one pod of the cluster can meet, regardless of the nodes. */
    record Single(String name, String needs, String objects) {
        @Override
        public String toString() {
            return name;
        }
    }

    static final List<Single> SINGLES = List.of(
            new Single("a claim for one pod", "volumes: [{name: d, persistentVolumeClaim: {claimName: single}}]", """
                ---
                apiVersion: v1
                kind: PersistentVolume
                metadata: {name: v1}
                spec:
                  capacity: {storage: 1Gi}
                  accessModes: [ReadWriteOncePod]
                  claimRef: {namespace: default, name: single}
                  csi: {driver: disk.example.com, volumeHandle: v1}
                status: {phase: Bound}
                ---
                apiVersion: v1
                kind: PersistentVolumeClaim
                metadata: {name: single, namespace: default, annotations: {pv.kubernetes.io/bind-completed: "yes"}}
                spec: {accessModes: [ReadWriteOncePod], volumeName: v1, resources: {requests: {storage: 1Gi}}}
                status: {phase: Bound}
                """),
            new Single(
                    "a zone without others",
                    "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey:"
                            + " topology.kubernetes.io/zone, labelSelector: {matchLabels: {app: one}}}]}}",
                    ""),
            new Single(
                    "spreading over zones",
                    "topologySpreadConstraints: [{maxSkew: 1, topologyKey: topology.kubernetes.io/zone, minDomains: 2,"
                            + " whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: one}}}]",
                    ""));

    record Preemption(Single single, String controller, boolean popsEarly) {}

    static List<Preemption> preemptions() {
        List<Preemption> all = new ArrayList<>();
        for (Single single : SINGLES) {
            for (String controller : List.of("ReplicaSet", "StatefulSet", "DaemonSet")) {
                all.add(new Preemption(single, controller, true));
                all.add(new Preemption(single, controller, false));
            }
        }
        return all;
    }

    private static Simulation simulation(List<ClusterObject> objects, boolean popsEarly) {
        PluginRegistry registry = PluginRegistry.of(KubeSchedulerPlugins.all());
        LoadedConfig config = ConfigLoader.load(
                "{apiVersion: kubescheduler.config.k8s.io/v1, kind: KubeSchedulerConfiguration}",
                "test",
                registry,
                FeatureGates.DEFAULTS.with(FeatureGates.SCHEDULER_POP_FROM_BACKOFF_Q, popsEarly));
        return Simulation.of(objects, config, registry);
    }

    @ParameterizedTest
    @MethodSource("preemptions")
    void preemptorGetsWhatItsVictimHadAndTheSuccessorStaysPending(Preemption given) {
        List<ClusterObject> objects =
                read(NODES.replace("NEEDS", given.single().needs()).replace("KIND", given.controller())
                        + given.single().objects());

        SimulationResult result =
                simulation(objects, given.popsEarly()).creatingPreemptedAgain().run();

        assertThat(result.count(State.PREEMPTED)).as("%s", result.pods()).isEqualTo(1);
        assertThat(pod(result, "urgent").state()).isEqualTo(State.SCHEDULED);
        assertThat(pod(result, "urgent").attempts()).isEqualTo(2);
        SimulatedPod successor = result.pods().stream()
                .filter(pod -> pod.pod().metadata().controller().isPresent()
                        && pod.createdAgainAs().isEmpty())
                .findFirst()
                .orElseThrow();
        assertThat(successor.state()).isEqualTo(State.UNSCHEDULABLE);
    }

    static LongStream seeds() {
        return LongStream.range(0, 20);
    }

    /** Tests random clusters whose pods preempt others; a seed identifies a cluster. */
    @ParameterizedTest
    @MethodSource("seeds")
    void drawnPreemptionsComeToRest(long seed) {
        RandomGenerator random = new SplittableRandom(seed);
        List<ClusterObject> objects = new ArrayList<>();
        int nodes = random.nextInt(2, 6);
        for (int i = 0; i < nodes; i++) {
            objects.add(node("n" + i, Integer.toString(random.nextInt(2, 6)))
                    .label(ZONE, "z" + i % 2)
                    .build());
        }
        int pods = random.nextInt(6, 24);
        Map<String, Integer> freeByNode = new HashMap<>();
        objects.forEach(node -> freeByNode.put(node.metadata().name(), 2));
        for (int i = 0; i < pods; i++) {
            String app = "app-" + random.nextInt(3);
            Pods pod = Pods.named("p" + i)
                    .label("app", app)
                    .priority(10 * random.nextInt(4))
                    .requests("cpu", Integer.toString(random.nextInt(1, 3)));
            if (random.nextInt(4) > 0) {
                pod.controlledBy("apps/v1", random.nextInt(3) > 0 ? "ReplicaSet" : "StatefulSet", app);
            }
            if (random.nextInt(3) == 0) {
                pod.requiresPodAntiAffinity(random.nextBoolean() ? ZONE : "kubernetes.io/hostname", "app", app);
            }
            String node = "n" + random.nextInt(nodes);
            boolean isBound = random.nextInt(3) > 0 && freeByNode.merge(node, -1, Integer::sum) >= 0;
            objects.add(isBound ? pod.started(Instant.EPOCH).on(node).build() : pod.build());
        }
        Simulation simulation = simulation("", objects).creatingPreemptedAgain();

        SimulationResult result = simulation.run();

        // Preempted pods are not recreated forever, and no pod that is pending at the end has a feasible node.
        Map<String, Integer> generations = new HashMap<>();
        result.pods().stream()
                .filter(pod -> !pod.createdAgainAs().isEmpty())
                .forEach(pod -> generations.merge(
                        pod.pod().metadata().controller().orElseThrow().name(), 1, Integer::sum));
        assertThat(generations.values()).as("seed %d", seed).allMatch(times -> times <= 3 * pods);
        for (SimulatedPod pod : result.pods()) {
            if (pod.state() == State.UNSCHEDULABLE) {
                assertThat(simulation.explain(pod.pod()).evaluation().feasible())
                        .as("seed %d, pod %s", seed, pod.pod())
                        .isEmpty();
            }
        }
        assertThat(simulation.run().pods())
                .asString()
                .as("seed %d", seed)
                .isEqualTo(result.pods().toString());
    }

    // Backoffs and the periodic flush

    @Test
    void preemptorIsScheduledAfterItsBackoffIfNoneIsPoppedEarly() {
        List<ClusterObject> objects = List.of(
                node("a", "1").build(),
                Pods.named("low").requests("cpu", "1").on("a").build(),
                Pods.named("high").priority(10).requests("cpu", "1").build());

        SimulationResult result = simulation(objects, false).run();

        assertThat(pod(result, "high").nodeName()).isEqualTo("a");
        assertThat(pod(result, "high").scheduledAfterFlush()).isFalse();
    }

    /** A plugin that fails to bind each pod a few times. */
    private record FailingBinder(Map<String, Integer> failures, int times) implements BindPlugin {
        @Override
        public String name() {
            return "Own";
        }

        @Override
        public Status bind(CycleState state, Pod pod, String nodeName) {
            if (failures.merge(pod.name(), 1, Integer::sum) <= times) {
                throw new IllegalStateException("not now");
            }
            return Status.skip();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 5})
    void retriesPodsWhoseBindingFails(int failures) {
        List<ClusterObject> objects = List.of(
                node("a", "4").build(),
                Pods.named("first").build(),
                Pods.named("second").build());
        PluginRegistry registry = PluginRegistry.of(KubeSchedulerPlugins.all())
                .with(List.of(PluginFactory.of(
                        "Own", FailingBinder.class, handle -> new FailingBinder(new HashMap<>(), failures))));
        LoadedConfig config = ConfigLoader.load(
                "{apiVersion: kubescheduler.config.k8s.io/v1, kind: KubeSchedulerConfiguration, profiles: [{plugins:"
                        + " {bind: {enabled: [{name: Own}, {name: DefaultBinder}], disabled: [{name: '*'}]}}}]}",
                "test",
                registry);

        SimulationResult result = Simulation.of(objects, config, registry).run();

        assertThat(result.count(State.SCHEDULED)).isEqualTo(2);
        assertThat(pod(result, "first").attempts()).isEqualTo(failures + 1);
    }

    /** A plugin that rejects pods named late as long as no other pod exists, and registers no event. */
    private record Unhinted(Handle handle) implements FilterPlugin, EnqueueExtensions {
        @Override
        public String name() {
            return "Own";
        }

        @Override
        public Status filter(CycleState state, Pod pod, NodeInfo node) {
            return pod.name().startsWith("late") && node.pods().isEmpty()
                    ? Status.unschedulable("too early")
                    : Status.success();
        }

        @Override
        public List<EventRegistration> eventsToRegister() {
            return List.of();
        }
    }

    @Test
    void marksPodsThatOnlyThePeriodicFlushPlaces() {
        SimulationResult result = with(
                        Unhinted::new,
                        List.of(
                                node("a", "4").build(),
                                Pods.named("late").priority(5).build(),
                                Pods.named("never").requests("cpu", "9").build(),
                                Pods.named("soon").build()))
                .run();

        assertThat(pod(result, "late").state()).isEqualTo(State.SCHEDULED);
        assertThat(pod(result, "late").scheduledAfterFlush()).isTrue();
        assertThat(pod(result, "soon").scheduledAfterFlush()).isFalse();
        // An attempt that is known to fail is skipped.
        assertThat(pod(result, "never").attempts()).isEqualTo(1);
    }

    /** A plugin that gates pods until a time. */
    private record Gate(Handle handle, Instant opens) implements PreEnqueuePlugin, EnqueueExtensions {
        @Override
        public String name() {
            return "Own";
        }

        @Override
        public Status preEnqueue(Pod pod) {
            return handle.clock().instant().isBefore(opens) ? Status.unresolvable("closed") : Status.success();
        }

        @Override
        public List<EventRegistration> eventsToRegister() {
            return List.of();
        }
    }

    @Test
    void asksPreEnqueuePluginsAgainAtTheFlush() {
        SimulationResult result = with(
                        handle -> new Gate(handle, Instant.EPOCH.plus(Duration.ofMinutes(4))),
                        List.of(node("a", "4").build(), Pods.named("gated").build()))
                .run();

        assertThat(pod(result, "gated").scheduledAfterFlush()).isTrue();
    }

    // Permits and timers

    /** A plugin that makes pods named asking wait for a permit that they never get. */
    private record Waiting(Duration time) implements PermitPlugin {
        @Override
        public String name() {
            return "Own";
        }

        @Override
        public PermitResult permit(CycleState state, Pod pod, String nodeName) {
            return pod.name().equals("asking") ? PermitResult.waitAtMost(time) : PermitResult.allow();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 60, 840})
    void permitsRunOutIfOtherPodsArePending(int seconds) {
        SimulationResult result = with(
                        handle -> new Waiting(Duration.ofSeconds(seconds)),
                        List.of(
                                node("a", "1").build(),
                                Pods.named("asking").requests("cpu", "1").build(),
                                Pods.named("other").requests("cpu", "1").build()))
                .run();

        assertThat(pod(result, "other").nodeName()).as("%s", result.pods()).isEqualTo("a");
        assertThat(pod(result, "asking").state()).isEqualTo(State.UNSCHEDULABLE);
    }

    /** A plugin that activates a rejected pod after some time, once. */
    private record Alarm(Handle handle, Duration time, Set<String> armed) implements PostFilterPlugin, FilterPlugin {
        @Override
        public String name() {
            return "Own";
        }

        @Override
        public Status filter(CycleState state, Pod pod, NodeInfo node) {
            return handle.clock().instant().isBefore(Instant.EPOCH.plus(time))
                    ? Status.unschedulable("too early")
                    : Status.success();
        }

        @Override
        public PostFilterResult postFilter(CycleState state, Pod pod, NodeStatuses statuses) {
            if (armed.add(pod.uid())) {
                handle.tasks().backgroundAfter(time, () -> handle.queue().activate(List.of(pod)));
            }
            return PostFilterResult.rejected(Status.unschedulable("wait"));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 100, 299, 900})
    void runsTasksThatPluginsSchedule(int seconds) {
        SimulationResult result = with(
                        handle -> new Alarm(handle, Duration.ofSeconds(seconds), new HashSet<>()),
                        List.of(node("a", "1").build(), Pods.named("late").build()))
                .run();

        assertThat(pod(result, "late").state()).isEqualTo(State.SCHEDULED);
        assertThat(pod(result, "late").scheduledAfterFlush()).isFalse();
    }

    // Runs without progress

    /** A plugin that activates pods each time it sees a rejected one: that pod, or all others that were rejected. */
    private record Pusher(Handle handle, boolean isSelfish, Map<String, Pod> rejected) implements PostFilterPlugin {
        @Override
        public String name() {
            return "Own";
        }

        @Override
        public PostFilterResult postFilter(CycleState state, Pod pod, NodeStatuses statuses) {
            rejected.put(pod.uid(), pod);
            List<Pod> activated = new ArrayList<>(rejected.values());
            activated.removeIf(other -> other.uid().equals(pod.uid()) != isSelfish);
            handle.queue().activate(activated);
            return PostFilterResult.rejected(Status.unschedulable("again"));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void comesToRestAlthoughAPluginActivatesRejectedPodsAfterEachAttempt(boolean isSelfish) {
        List<ClusterObject> objects = new ArrayList<>();
        objects.add(node("a", "1").build());
        for (int i = 0; i < 5; i++) {
            objects.add(Pods.named("big-" + i).priority(10).requests("cpu", "2").build());
        }
        objects.add(Pods.named("small").requests("cpu", "1").build());
        Simulation simulation = with(handle -> new Pusher(handle, isSelfish, new ConcurrentHashMap<>()), objects);

        SimulationResult result = simulation.run();

        assertThat(pod(result, "small").state()).isEqualTo(State.SCHEDULED);
        assertThat(result.count(State.UNSCHEDULABLE)).isEqualTo(5);
        for (SimulatedPod pod : result.pods()) {
            if (pod.state() == State.UNSCHEDULABLE) {
                assertThat(pod.message()).contains("Insufficient cpu").contains("again");
            }
        }
        assertThat(simulation.explain(pod(result, "big-3").pod()).evaluation().feasible())
                .isEmpty();
    }

    /** A plugin that lets each pod wait for the permit until half of the pods wait, and activates the others. */
    private record Half(Handle handle, int needed, Map<String, Pod> pods) implements PermitPlugin, PreEnqueuePlugin {
        @Override
        public String name() {
            return "Own";
        }

        @Override
        public Status preEnqueue(Pod pod) {
            pods.put(pod.uid(), pod);
            return Status.success();
        }

        @Override
        public PermitResult permit(CycleState state, Pod pod, String nodeName) {
            handle.queue().activate(List.copyOf(pods.values()));
            if (handle.binding().waitingPods().size() + 1 < needed) {
                return PermitResult.waitAtMost(Duration.ofSeconds(5));
            }
            handle.binding().waitingPods().forEach(waiting -> waiting.allow("Own"));
            return PermitResult.allow();
        }
    }

    @Test
    void permitsThatRunOutAgainAndAgainComeToRest() {
        List<ClusterObject> objects = new ArrayList<>();
        objects.add(node("a", "3").build());
        for (int i = 0; i < 8; i++) {
            objects.add(Pods.named("p" + i).requests("cpu", "1").build());
        }

        SimulationResult four = with(handle -> new Half(handle, 4, new ConcurrentHashMap<>()), objects)
                .run();
        SimulationResult three = with(handle -> new Half(handle, 3, new ConcurrentHashMap<>()), objects)
                .run();

        assertThat(four.count(State.SCHEDULED)).isZero();
        assertThat(four.pods()).allMatch(pod -> !pod.message().isEmpty());
        assertThat(three.count(State.SCHEDULED)).isEqualTo(3);
        assertThat(three.count(State.UNSCHEDULABLE)).isEqualTo(5);
    }

    /** A plugin that evicts a pod after each rejection, so that pods take the place of one another. */
    private record Evictor(Handle handle, ObjectLister<Pod> pods) implements PostFilterPlugin {
        Evictor(Handle handle) {
            this(handle, handle.cluster().lister(ObjectKind.POD));
        }

        @Override
        public String name() {
            return "Own";
        }

        @Override
        public PostFilterResult postFilter(CycleState state, Pod pod, NodeStatuses statuses) {
            return PostFilterResult.rejected(Status.unschedulable("evicts"));
        }

        @Override
        public CompletionStage<?> execute(CycleState state, Pod pod, PostFilterResult result) {
            pods.all().stream()
                    .filter(Pod::isBound)
                    .findFirst()
                    .ifPresent(handle.cluster().writer()::delete);
            return CompletableFuture.completedStage(null);
        }
    }

    @Test
    void runEndsWithAnErrorIfAPluginEvictsForEver() {
        List<ClusterObject> objects = new ArrayList<>();
        objects.add(node("a", "1").build());
        for (String name : List.of("first", "second")) {
            objects.add(Pods.named(name)
                    .requests("cpu", "1")
                    .controlledBy("apps/v1", "ReplicaSet", name)
                    .build());
        }

        Simulation simulation = with(Evictor::new, objects).creatingPreemptedAgain();

        assertThatThrownBy(simulation::run)
                .isInstanceOf(StalledException.class)
                .hasMessageStartingWith("no progress: pod default/")
                .hasMessageContaining("evicted");
    }

    /** A plugin that schedules its task repeatedly. */
    private record Poller(Handle handle, Duration period) implements PreEnqueuePlugin {
        Poller {
            poll(handle, period);
        }

        private static void poll(Handle handle, Duration period) {
            handle.tasks().backgroundAfter(period, () -> poll(handle, period));
        }

        @Override
        public String name() {
            return "Own";
        }

        @Override
        public Status preEnqueue(Pod pod) {
            return Status.success();
        }
    }

    static final List<Duration> PERIODS = List.of(Duration.ZERO, Duration.ofMillis(1), Duration.ofSeconds(2));

    @ParameterizedTest
    @FieldSource("PERIODS")
    void runEndsAlthoughAPluginPollsForEver(Duration period) {
        SimulationResult result = with(
                        handle -> new Poller(handle, period),
                        List.of(
                                node("a", "1").build(),
                                Pods.named("p").requests("cpu", "2").build(),
                                Pods.named("q").requests("cpu", "1").build()))
                .run();

        assertThat(result.count(State.SCHEDULED)).isEqualTo(1);
        assertThat(result.count(State.UNSCHEDULABLE)).isEqualTo(1);
    }

    @Test
    void manyPreemptionsAreProgress() {
        List<ClusterObject> objects = new ArrayList<>();
        for (int i = 0; i < 150; i++) {
            objects.add(node("n" + i, "1").build());
            objects.add(Pods.named("low" + i)
                    .requests("cpu", "1")
                    .controlledBy("apps/v1", "ReplicaSet", "low")
                    .started(Instant.EPOCH)
                    .on("n" + i)
                    .build());
            objects.add(Pods.named("high" + i).priority(10).requests("cpu", "1").build());
        }

        SimulationResult result =
                simulation("", objects).creatingPreemptedAgain().run();

        assertThat(result.count(State.SCHEDULED)).isEqualTo(150);
        assertThat(result.count(State.PREEMPTED)).isEqualTo(150);
    }

    // Ties

    @Test
    void seedsChooseAmongEquallyGoodNodes() {
        List<ClusterObject> objects = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            objects.add(node("n" + i, "8").build());
        }
        objects.add(Pods.named("p").requests("cpu", "1").build());
        Set<String> chosen = new HashSet<>();
        for (long seed = 1; seed <= 100; seed++) {
            String node = pod(
                            simulation("", objects)
                                    .seed(seed)
                                    .breakingTiesAtRandom()
                                    .run(),
                            "p")
                    .nodeName();
            chosen.add(node);
            assertThat(pod(
                                    simulation("", objects)
                                            .seed(seed)
                                            .breakingTiesAtRandom()
                                            .run(),
                                    "p")
                            .nodeName())
                    .isEqualTo(node);
        }

        assertThat(chosen).containsExactlyInAnyOrder("n0", "n1", "n2", "n3", "n4", "n5");
        assertThat(pod(simulation("", objects).seed(0).run(), "p").nodeName())
                .isEqualTo(pod(simulation("", objects).run(), "p").nodeName());
    }
}
