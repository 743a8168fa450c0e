// SPDX-License-Identifier: Apache-2.0
package org.moorage.schedulertests.cycle;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.moorage.api.model.Node;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.api.model.TopologySpreadConstraint;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.Plugin;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.point.FilterPlugin;
import org.moorage.api.plugin.point.ScorePlugin;
import org.moorage.api.plugin.point.SignPlugin;
import org.moorage.builtin.dra.KubeSchedulerPlugins;
import org.moorage.config.SchedulerConfig;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.runtime.Scheduler;
import org.moorage.runtime.decision.Decision;
import org.moorage.simulation.cluster.InMemoryCluster;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.Pods;
import org.moorage.testkit.Selectors;

/**
 * Tests that the results of plugins with pod signatures are reused for the next equivalent pod. Two schedulers see the
 * same random changes of a cluster, one of them with plugins that do not sign pods, and must decide the same.
 */
@Tag("any-jvm")
class LikePodsTest {
    private static final int STEPS = 1500;
    private static final int NODES = 130;
    private static final InstantSource CLOCK = InstantSource.fixed(Instant.parse("2026-01-01T00:00:00Z"));

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void decidesAsIfEachPodWereTheFirst(long seed) {
        try (Side signing = new Side(true);
                Side asking = new Side(false)) {
            Changes changes = new Changes(new Random(seed), signing, asking);
            for (int step = 0; step < STEPS; step++) {
                String change = changes.next();
                while (true) {
                    Optional<Decision> first = signing.scheduler.scheduleNext();
                    Optional<Decision> second = asking.scheduler.scheduleNext();
                    assertThat(first.map(LikePodsTest::text))
                            .as("seed %d, step %d: after %s", seed, step, change)
                            .isEqualTo(second.map(LikePodsTest::text));
                    if (first.isEmpty()) {
                        break;
                    }
                }
            }
            assertThat(signing.calls.get())
                    .as(
                            "seed %d: calls of Filter and Score of plugins that sign, of %d without",
                            seed, asking.calls.get())
                    .isLessThan(asking.calls.get() / 2);
        }
    }

    private static String text(Decision decision) {
        return decision.pod().key() + " " + decision.outcome() + " " + decision.nodeName() + " " + decision.score()
                + " " + decision.message();
    }

    /** The random changes, which are applied to all sides. */
    private static final class Changes {
        private final Random random;
        private final List<Side> sides;
        private final List<String> nodes = new ArrayList<>();
        private int made;

        Changes(Random random, Side... sides) {
            this.random = random;
            this.sides = List.of(sides);
            for (int i = 0; i < NODES; i++) {
                String name = "node-" + made++;
                nodes.add(name);
                apply(node(name));
            }
            for (Side side : sides) {
                side.scheduler.start();
            }
        }

        String next() {
            int kind = random.nextInt(100);
            if (kind < 80) {
                int template = random.nextInt(9);
                String name = "pod-" + made++;
                for (int i = 0; i < sides.size(); i++) {
                    sides.get(i).cluster.apply(pod(name, template));
                }
                return name + " of template " + template;
            }
            String name = nodes.get(random.nextInt(nodes.size()));
            if (kind < 90) {
                apply(node(name));
                return "change of " + name;
            }
            if (kind < 92 && nodes.size() > NODES - 10) {
                nodes.remove(name);
                sides.forEach(side ->
                        side.cluster.find(ObjectKind.NODE, "", name).ifPresent(node -> side.cluster.remove(node)));
                return "removal of " + name;
            }
            if (kind < 94) {
                String added = "node-" + made++;
                nodes.add(added);
                apply(node(added));
                return "addition of " + added;
            }
            List<Pod> pods = sides.get(0).cluster.all(ObjectKind.POD);
            if (pods.isEmpty()) {
                return "nothing";
            }
            Pod gone = pods.get(random.nextInt(pods.size()));
            sides.forEach(side -> side.cluster
                    .find(ObjectKind.POD, gone.namespace(), gone.name())
                    .ifPresent(pod -> side.cluster.remove(pod)));
            return "deletion of " + gone.name();
        }

        private void apply(Node node) {
            sides.forEach(side -> side.cluster.apply(node));
        }

        private Node node(String name) {
            Nodes node = Nodes.named(name)
                    .zone("zone-" + random.nextInt(4))
                    .label("disk", random.nextBoolean() ? "ssd" : "hdd")
                    .allocatable("cpu", String.valueOf(2 + random.nextInt(4)))
                    .allocatable("memory", (2 + random.nextInt(6)) + "Gi")
                    .allocatable("pods", String.valueOf(5 + random.nextInt(10)));
            if (random.nextInt(4) == 0) {
                node = node.taint("dedicated", "batch", random.nextBoolean() ? "NoSchedule" : "PreferNoSchedule");
            }
            return random.nextInt(15) == 0 ? node.unschedulable().build() : node.build();
        }

        private static Pod pod(String name, int template) {
            Pods pod = Pods.named(name).label("app", "app-" + template).requests("cpu", (template + 1) + "00m");
            return switch (template) {
                case 0 -> pod.build();
                case 1 -> pod.toleratesAll("dedicated").build();
                case 2 ->
                    pod.nodeSelector("disk", "ssd").requests("memory", "256Mi").build();
                case 3 ->
                    pod.prefersNode(5, Selectors.labelled(Selectors.in("disk", "hdd")))
                            .build();
                case 4 -> pod.hostPort(8080).build();
                case 5 ->
                    pod.spread(new TopologySpreadConstraint(
                                    2,
                                    "topology.kubernetes.io/zone",
                                    "DoNotSchedule",
                                    Optional.of(Selectors.labels("app", "app-5")),
                                    OptionalInt.empty(),
                                    "",
                                    "",
                                    List.of()))
                            .build();
                case 6 ->
                    pod.requiresPodAntiAffinity("kubernetes.io/hostname", "app", "app-6")
                            .build();
                // Equivalent except for their requests.
                case 7 ->
                    pod.toleratesAll("dedicated")
                            .requests("memory", 64 + Math.floorMod(name.hashCode(), 200) + "Mi")
                            .build();
                // Preempts others, so that nodes have nominated pods; no two of these pods are equivalent.
                default ->
                    pod.priority(10)
                            .label("name", name)
                            .requests("memory", name.length() + "Mi")
                            .build();
            };
        }
    }

    /** A scheduler with a separate cluster. */
    private static final class Side implements AutoCloseable {
        private final AtomicLong calls = new AtomicLong();
        private final InMemoryCluster cluster = new InMemoryCluster();
        private final Scheduler scheduler;

        Side(boolean signs) {
            List<PluginFactory<?>> factories = new ArrayList<>();
            KubeSchedulerPlugins.all().forEach(factory -> factories.add(counted(factory, signs)));
            PluginRegistry registry = PluginRegistry.of(factories);
            scheduler = Scheduler.builder(SchedulerConfig.defaults(registry), registry, cluster)
                    .clock(CLOCK)
                    .random(new Random(1))
                    .bindingExecutor(Runnable::run)
                    .build();
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
                public Plugin create(A args, Handle handle) {
                    Plugin plugin = factory.create(args, handle);
                    return plugin instanceof SignPlugin ? counted(plugin, signs) : plugin;
                }
            };
        }

        private Plugin counted(Plugin plugin, boolean signs) {
            Set<Class<?>> interfaces =
                    new LinkedHashSet<>(List.of(plugin.getClass().getInterfaces()));
            if (!signs) {
                interfaces.remove(SignPlugin.class);
            }
            return (Plugin) Proxy.newProxyInstance(
                    LikePodsTest.class.getClassLoader(), interfaces.toArray(Class<?>[]::new), (proxy, method, args) -> {
                        boolean isPerNode = method.getDeclaringClass() == FilterPlugin.class
                                || method.getDeclaringClass() == ScorePlugin.class
                                        && method.getName().equals("score");
                        if (isPerNode && method.isDefault()) {
                            // A method for many nodes calls the method for each node, which is counted.
                            return InvocationHandler.invokeDefault(proxy, method, args);
                        }
                        if (isPerNode) {
                            calls.incrementAndGet();
                        }
                        return call(plugin, method, args);
                    });
        }

        private static Object call(Plugin plugin, Method method, Object[] args) throws Throwable {
            try {
                return method.invoke(plugin, args);
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
