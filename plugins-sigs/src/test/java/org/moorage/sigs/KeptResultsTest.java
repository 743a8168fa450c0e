// SPDX-License-Identifier: Apache-2.0
package org.moorage.sigs;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.StringJoiner;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.Node;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.OtherObject;
import org.moorage.api.model.Pod;
import org.moorage.api.model.QosClass;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.Plugin;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.point.SignPlugin;
import org.moorage.builtin.dra.KubeSchedulerPlugins;
import org.moorage.config.ConfigLoader;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.runtime.Scheduler;
import org.moorage.runtime.decision.Decision;
import org.moorage.simulation.SteppingClock;
import org.moorage.simulation.cluster.InMemoryCluster;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.Pods;

/**
 * Tests that results that are kept for equivalent pods never differ from those that a plugin would return. Two schedulers
 * see the same random changes of nodes, pods, loads, topologies and other objects, one of them with a plugin that does
 * not sign pods, and must decide the same.
 */
class KeptResultsTest {
    private static final int STEPS = 600;
    private static final int NODES = 40;
    // Of bindings, among others, so that pods are assumed for some cycles.
    private static final Duration TASK_DELAY = Duration.ofSeconds(2);
    private static final Instant START = Instant.parse("2026-06-01T12:00:00Z");
    private static final Set<String> PER_NODE = Set.of("filter", "score");
    private static final Set<String> MANY_NODES = Set.of("nodeFilter", "nodeScorer");
    private static final String SECCOMP = "seccomp.security.alpha.kubernetes.io";
    private static final String FINGERPRINT = "nodeTopologyPodsFingerprint";

    /** A plugin with arguments; WATCHER is the address of the load watcher. */
    record Case(String plugin, String args, long seed) {
        @Override
        public String toString() {
            return plugin + " {" + args + "}, seed " + seed;
        }
    }

    static final List<Case> CASES = cases();

    private static List<Case> cases() {
        List<Case> cases = new ArrayList<>();
        for (long seed = 1; seed <= 2; seed++) {
            cases.add(new Case("TargetLoadPacking", "watcherAddress: 'WATCHER'", seed));
            cases.add(new Case("LoadVariationRiskBalancing", "watcherAddress: 'WATCHER'", seed));
            cases.add(new Case("LowRiskOverCommitment", "watcherAddress: 'WATCHER'", seed));
            cases.add(new Case("Peaks", "WatcherAddress: 'WATCHER', NodePowerModel: MODELS", seed));
            cases.add(new Case("NodeResourceTopologyMatch", "", seed));
            cases.add(new Case("NodeResourceTopologyMatch", "discardReservedNodes: true", seed));
            cases.add(new Case("NodeResourceTopologyMatch", "cacheResyncPeriodSeconds: 5", seed));
            cases.add(new Case("NetworkOverhead", "", seed));
            cases.add(new Case("SySched", "", seed));
            cases.add(new Case("PodState", "", seed));
            cases.add(new Case("NodeResourcesAllocatable", "", seed));
        }
        return cases;
    }

    @ParameterizedTest
    @FieldSource("CASES")
    void decidesAsIfEveryNodeWasEvaluated(Case given) {
        try (StubLoadWatcher watcher = StubLoadWatcher.of(Map.of());
                Side keeping = new Side(given, watcher.address(), true);
                Side evaluating = new Side(given, watcher.address(), false)) {
            Changes changes = new Changes(new Random(given.seed()), watcher, List.of(keeping, evaluating));
            for (int step = 0; step < STEPS; step++) {
                String change = changes.next();
                while (true) {
                    Optional<Decision> kept = keeping.scheduler.scheduleNext();
                    Optional<Decision> evaluated = evaluating.scheduler.scheduleNext();
                    assertThat(kept.map(KeptResultsTest::text))
                            .as("%s, step %d: after %s", given, step, change)
                            .isEqualTo(evaluated.map(KeptResultsTest::text));
                    if (kept.isEmpty()) {
                        break;
                    }
                    changes.decided(kept.get());
                }
            }
            assertThat(changes.scheduled).as("%s: scheduled pods", given).isGreaterThan(STEPS / 4);
            assertThat(keeping.calls.get())
                    .as("%s: calls of Filter and Score, of %d without kept results", given, evaluating.calls.get())
                    .isLessThan(evaluating.calls.get() * 3 / 4);
        }
    }

    private static String text(Decision decision) {
        return decision.pod().key() + " " + decision.outcome() + " " + decision.nodeName() + " " + decision.score()
                + " " + decision.message();
    }

    /** The random changes, which are applied to all sides. */
    private static final class Changes {
        private final Random random;
        private final StubLoadWatcher watcher;
        private final List<Side> sides;
        private final List<String> nodes = new ArrayList<>();
        private Duration elapsed = Duration.ZERO;
        private int made;
        private int scheduled;

        Changes(Random random, StubLoadWatcher watcher, List<Side> sides) {
            this.random = random;
            this.watcher = watcher;
            this.sides = sides;
            for (int i = 0; i < NODES; i++) {
                addNode();
            }
            apply(appGroup());
            apply(networkTopology());
            for (int i = 0; i < 3; i++) {
                apply(seccompProfile(i));
            }
            measureLoads();
            sides.forEach(side -> side.scheduler.start());
            advance(TASK_DELAY);
        }

        void decided(Decision decision) {
            if (decision.outcome() == Decision.Outcome.SCHEDULED) {
                scheduled++;
            }
        }

        String next() {
            advance(Duration.ofMillis(random.nextInt(1500)));
            int kind = random.nextInt(100);
            if (kind < 55) {
                int template = random.nextInt(8);
                String name = "pod-" + made++;
                Pod pod = pod(name, template);
                apply(pod);
                return name + " of template " + template;
            }
            String node = nodes.get(random.nextInt(nodes.size()));
            if (kind < 58) {
                apply(node(node));
                return "change of " + node;
            }
            if (kind < 60) {
                if (nodes.size() > NODES - 5) {
                    removeNode(node);
                    return "removal of " + node;
                }
                return "addition of " + addNode();
            }
            if (kind < 67) {
                apply(topology(node));
                advance(Duration.ofSeconds(random.nextInt(3)));
                return "another topology of " + node;
            }
            if (kind < 69) {
                measureLoads();
                advance(Duration.ofSeconds(31));
                return "other loads";
            }
            if (kind < 70) {
                apply(random.nextBoolean() ? networkTopology() : appGroup());
                return "other costs or dependencies";
            }
            if (kind < 74) {
                apply(seccompProfile(random.nextInt(3)));
                return "another seccomp profile";
            }
            if (kind < 76) {
                apply(Pods.named("nominated-" + made++)
                        .schedulingGate("example.com/wait")
                        .nominatedTo(node)
                        .build());
                return "nomination to " + node;
            }
            if (kind < 80) {
                Pod foreign = Pods.named("foreign-" + made++)
                        .schedulerName("another")
                        .label("appgroup.diktyo.x-k8s.io", "shop")
                        .label("appgroup.diktyo.x-k8s.io.workload", "db")
                        .annotation(SECCOMP, "a/default/profile-" + random.nextInt(3) + ".json")
                        .requests("cpu", "500m")
                        .on(node)
                        .status(status -> status.phase("Running"))
                        .build();
                apply(foreign);
                return foreign.name() + " on " + node;
            }
            List<Pod> pods = sides.get(0).cluster.all(ObjectKind.POD);
            if (pods.isEmpty()) {
                return "nothing";
            }
            Pod pod = pods.get(random.nextInt(pods.size()));
            if (kind < 89 && pod.isBound()) {
                return nextPhase(pod);
            }
            if (kind < 91 && pod.isBound()) {
                forEach(
                        pod,
                        (side, same) -> side.cluster.apply(same.withMetadata(same.metadata().toBuilder(same.name())
                                .deletionTimestamp(START)
                                .build())));
                return "termination of " + pod.name();
            }
            forEach(pod, (side, same) -> side.cluster.remove(same));
            return "deletion of " + pod.name();
        }

        private void advance(Duration time) {
            elapsed = elapsed.plus(time);
            sides.forEach(side -> side.clock.advance(time));
        }

        private interface Change {
            void of(Side side, Pod pod);
        }

        private void forEach(Pod pod, Change change) {
            for (Side side : sides) {
                side.cluster.find(ObjectKind.POD, pod.namespace(), pod.name()).ifPresent(same -> change.of(side, same));
            }
        }

        private void apply(ClusterObject object) {
            sides.forEach(side -> side.cluster.apply(object));
        }

        // As the kubelet does: first an address, and then another phase.
        private String nextPhase(Pod pod) {
            boolean isAcknowledged = !pod.status().hostIp().isEmpty();
            forEach(
                    pod,
                    (side, same) -> side.cluster.apply(same.withStatus(
                            isAcknowledged
                                    ? same.status().toBuilder().phase("Running").build()
                                    : same.status().toBuilder()
                                            .phase("Pending")
                                            .hostIp("10.0.0.1")
                                            .build())));
            return (isAcknowledged ? "start of " : "acknowledgement of ") + pod.name();
        }

        private String addNode() {
            String name = "node-" + made++;
            nodes.add(name);
            apply(node(name));
            if (random.nextInt(5) > 0) {
                apply(topology(name));
            }
            return name;
        }

        private void removeNode(String name) {
            nodes.remove(name);
            for (Side side : sides) {
                for (Pod pod : side.cluster.all(ObjectKind.POD)) {
                    if (pod.nodeName().equals(name)) {
                        side.cluster.remove(pod);
                    }
                }
                side.cluster.find(ObjectKind.NODE, "", name).ifPresent(side.cluster::remove);
            }
        }

        private Node node(String name) {
            int cores = 4 + 2 * random.nextInt(3);
            return Nodes.named(name)
                    .label("topology.kubernetes.io/region", "region-" + random.nextInt(2))
                    .label("topology.kubernetes.io/zone", "zone-" + random.nextInt(4))
                    .capacity("cpu", String.valueOf(cores))
                    .capacity("memory", "16Gi")
                    .allocatable("cpu", String.valueOf(cores))
                    .allocatable("memory", (8 + random.nextInt(8)) + "Gi")
                    .allocatable("pods", String.valueOf(10 + random.nextInt(10)))
                    .build();
        }

        private OtherObject topology(String node) {
            List<Pod> on = new ArrayList<>();
            for (Pod pod : sides.get(0).cluster.all(ObjectKind.POD)) {
                if (pod.nodeName().equals(node) && !pod.status().phase().equals("Pending")) {
                    on.add(pod);
                }
            }
            String policy = random.nextInt(6) == 0 ? "none" : "single-numa-node";
            return other(NodeTopology.KIND, node, """
                    {"attributes": [{"name": "topologyManagerPolicy", "value": "%s"}, {"name": "%s", "value": "%s"}],
                     "zones": [%s, %s]}\
                    """.formatted(
                            policy, FINGERPRINT, PodFingerprint.of(on), cell(0), cell(1)));
        }

        private String cell(int number) {
            return """
                    {"name": "node-%d", "type": "Node", "resources": [{"name": "cpu", "available": "%d"},
                     {"name": "memory", "available": "%dGi"}]}\
                    """.formatted(number, 1 + random.nextInt(4), 1 + random.nextInt(6));
        }

        private OtherObject appGroup() {
            return other(
                    ObjectKind.other("appgroup.diktyo.x-k8s.io/v1alpha1", "AppGroup", "appgroups", true),
                    "shop",
                    """
                    {"spec": {"workloads": [{"workload": {"selector": "web"}, "dependencies":
                     [{"workload": {"selector": "db"}, "maxNetworkCost": %d}]}]}}\
                    """.formatted(5 + random.nextInt(10)));
        }

        private OtherObject networkTopology() {
            StringJoiner levels = new StringJoiner(",");
            for (String level : List.of("region", "zone")) {
                StringJoiner origins = new StringJoiner(",");
                for (int from = 0; from < 4; from++) {
                    StringJoiner costs = new StringJoiner(",");
                    for (int to = 0; to < 4; to++) {
                        costs.add("{\"destination\": \"" + level + "-" + to + "\", \"networkCost\": "
                                + random.nextInt(20) + "}");
                    }
                    origins.add("{\"origin\": \"" + level + "-" + from + "\", \"costList\": [" + costs + "]}");
                }
                levels.add("{\"topologyKey\": \"topology.kubernetes.io/" + level + "\", \"originList\": [" + origins
                        + "]}");
            }
            return other(
                    ObjectKind.other(
                            "networktopology.diktyo.x-k8s.io/v1alpha1", "NetworkTopology", "networktopologies", true),
                    "nt-default",
                    "{\"spec\": {\"weights\": [{\"name\": \"UserDefined\", \"topologyList\": [" + levels + "]}]}}");
        }

        private OtherObject seccompProfile(int number) {
            StringJoiner calls = new StringJoiner("\", \"", "\"", "\"");
            for (int i = 0; i < 20; i++) {
                if (random.nextBoolean()) {
                    calls.add("call" + i);
                }
            }
            return other(
                    ObjectKind.other(
                            "security-profiles-operator.x-k8s.io/v1beta1", "SeccompProfile", "seccompprofiles", true),
                    number == 0 ? "all-syscalls" : "profile-" + number,
                    "{\"spec\": {\"syscalls\": [{\"action\": \"SCMP_ACT_ALLOW\", \"names\": [" + calls + "]}]}}");
        }

        private static OtherObject other(ObjectKind<OtherObject> kind, String name, String json) {
            ObjectMeta.Builder metadata = ObjectMeta.named(name);
            return new OtherObject(
                    kind, (!kind.equals(NodeTopology.KIND) ? metadata.namespace("default") : metadata).build(), json);
        }

        private void measureLoads() {
            StringJoiner loads = new StringJoiner(",");
            for (String node : nodes) {
                if (random.nextInt(8) > 0) {
                    loads.add(String.format(
                            Locale.ROOT,
                            "\"%s\":{\"metrics\":[%s,%s,%s,%s]}",
                            node,
                            StubLoadWatcher.metric("CPU", "AVG", random.nextInt(90)),
                            StubLoadWatcher.metric("CPU", "STD", random.nextInt(30)),
                            StubLoadWatcher.metric("Memory", "AVG", random.nextInt(90)),
                            StubLoadWatcher.metric("Memory", "STD", random.nextInt(30))));
                }
            }
            watcher.answer(
                    200,
                    "{\"window\":{\"end\":" + START.plus(elapsed).getEpochSecond() + "},\"data\":{\"NodeMetricsMap\":{"
                            + loads + "}}}");
        }

        private static Pod pod(String name, int template) {
            Pods pod = Pods.named(name)
                    .label("appgroup.diktyo.x-k8s.io", "shop")
                    .label("appgroup.diktyo.x-k8s.io.workload", template == 7 ? "db" : "web");
            return switch (template) {
                case 0, 7 -> guaranteed(pod, "500m", "512Mi");
                case 1 -> guaranteed(pod, "1", "1Gi");
                case 2 -> guaranteed(pod.annotation(SECCOMP, "a/default/profile-1.json"), "1", "1Gi");
                case 3 -> pod.requests("cpu", "300m").build();
                case 4 ->
                    pod.requests("cpu", "100m")
                            .limits("cpu", "2")
                            .requests("memory", "1Gi")
                            .build();
                case 5 -> pod.build();
                // Preempts others, so that nodes have nominated pods.
                case 6 -> pod.priority(10).requests("cpu", "3").build();
                default -> throw new IllegalArgumentException("template " + template);
            };
        }

        private static Pod guaranteed(Pods pod, String cpu, String memory) {
            return pod.requests("cpu", cpu)
                    .limits("cpu", cpu)
                    .requests("memory", memory)
                    .limits("memory", memory)
                    .status(status -> status.qosClass(QosClass.GUARANTEED))
                    .build();
        }
    }

    /** A scheduler with a separate cluster. */
    private static final class Side implements AutoCloseable {
        private final AtomicLong calls = new AtomicLong();
        private final InMemoryCluster cluster = new InMemoryCluster();
        private final SteppingClock clock = SteppingClock.startingAt(START);
        private final Scheduler scheduler;

        Side(Case given, String watcher, boolean signs) {
            List<PluginFactory<?>> factories = new ArrayList<>();
            PluginRegistry sigs =
                    PluginRegistry.of(KubeSchedulerPlugins.all()).withServices(KeptResultsTest.class.getClassLoader());
            PluginFactory<?> factory = sigs.find(given.plugin()).orElseThrow();
            factories.add(counted(factory, signs));
            PluginRegistry registry =
                    PluginRegistry.of(KubeSchedulerPlugins.all()).with(factories);
            StringJoiner models = new StringJoiner(", ", "{", "}");
            for (int i = 0; i < NODES; i++) {
                models.add("node-" + i + ": {k0: 1, k1: 1, k2: 0.01}");
            }
            String config = """
                    apiVersion: kubescheduler.config.k8s.io/v1
                    kind: KubeSchedulerConfiguration
                    percentageOfNodesToScore: 100
                    profiles:
                    - plugins: {multiPoint: {enabled: [{name: %s, weight: 10}]}}
                      pluginConfig: [{name: %s, args: {%s}}]
                    """.formatted(
                            given.plugin(),
                            given.plugin(),
                            given.args().replace("WATCHER", watcher).replace("MODELS", models.toString()));
            if (given.args().isEmpty()) {
                config = config.substring(0, config.indexOf("  pluginConfig"));
            }
            scheduler = Scheduler.builder(ConfigLoader.load(config, "test", registry), registry, cluster)
                    .clock(clock)
                    .random(new Random(1))
                    .executor(delayed(clock.timers()), pause -> {})
                    .build();
        }

        private static ScheduledExecutorService delayed(ScheduledExecutorService timers) {
            return (ScheduledExecutorService) Proxy.newProxyInstance(
                    KeptResultsTest.class.getClassLoader(),
                    new Class<?>[] {ScheduledExecutorService.class},
                    (proxy, method, args) -> method.getName().equals("execute")
                            ? timers.schedule((Runnable) args[0], TASK_DELAY.toMillis(), TimeUnit.MILLISECONDS)
                            : call(timers, method, args));
        }

        private <A extends PluginArgs> PluginFactory<A> counted(PluginFactory<A> factory, boolean signs) {
            return new PluginFactory<>() {
                @Override
                public String name() {
                    return factory.name();
                }

                @Override
                public Class<A> argsType() {
                    return factory.argsType();
                }

                @Override
                public Optional<String> argsKind() {
                    return factory.argsKind();
                }

                @Override
                public boolean ignoresArgs() {
                    return factory.ignoresArgs();
                }

                @Override
                public Plugin create(A args, Handle handle) {
                    return counted(factory.create(args, handle), signs);
                }
            };
        }

        private Plugin counted(Plugin plugin, boolean signs) {
            Set<Class<?>> interfaces =
                    new LinkedHashSet<>(List.of(plugin.getClass().getInterfaces()));
            assertThat(interfaces).contains(SignPlugin.class);
            if (!signs) {
                interfaces.remove(SignPlugin.class);
            }
            return (Plugin) Proxy.newProxyInstance(
                    KeptResultsTest.class.getClassLoader(),
                    interfaces.toArray(Class<?>[]::new),
                    (proxy, method, args) -> {
                        if (MANY_NODES.contains(method.getName())) {
                            // Each node is then a call, which is counted.
                            return Optional.empty();
                        }
                        if (PER_NODE.contains(method.getName())) {
                            calls.incrementAndGet();
                        }
                        return call(plugin, method, args);
                    });
        }

        private static Object call(Object target, Method method, Object[] args) throws Throwable {
            try {
                return method.invoke(target, args);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        }

        @Override
        public void close() {
            scheduler.close();
        }
    }
}
