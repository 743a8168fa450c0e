// SPDX-License-Identifier: Apache-2.0
package org.moorage.schedulertests.cycle;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.moorage.api.model.Node;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.api.model.TopologySpreadConstraint;
import org.moorage.builtin.BuiltinPlugins;
import org.moorage.config.SchedulerConfig;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.runtime.Scheduler;
import org.moorage.runtime.decision.Decision;
import org.moorage.simulation.cluster.InMemoryCluster;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.Pods;
import org.moorage.testkit.Selectors;

/**
 * Tests that the nodes that count for a spread constraint may be kept for the next pod of a template. Two schedulers see
 * the same random changes of a cluster. The pods of one honor taints, which are not kept, but tolerate all of them, so
 * that both must decide the same.
 */
class SpreadPodsTest {
    private static final int STEPS = 400;
    private static final int NODES = 40;
    private static final InstantSource CLOCK = InstantSource.fixed(Instant.parse("2026-01-01T00:00:00Z"));
    private static final List<String> KEYS = List.of("topology.kubernetes.io/zone", "rack", "kubernetes.io/hostname");

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void decidesAsIfNodesWereNotKept(long seed) {
        try (Side keeping = new Side("Ignore");
                Side visiting = new Side("Honor")) {
            List<Side> sides = List.of(keeping, visiting);
            Random random = new Random(seed);
            List<String> pods = new ArrayList<>();
            for (int i = 0; i < NODES; i++) {
                Node node = node("node-" + i, random);
                sides.forEach(side -> side.cluster.apply(node));
            }
            sides.forEach(side -> side.scheduler.start());
            for (int step = 0; step < STEPS; step++) {
                int kind = random.nextInt(10);
                if (kind < 7) {
                    String name = "pod-" + step;
                    pods.add(name);
                    int template = random.nextInt(8);
                    sides.forEach(side -> side.cluster.apply(pod(name, template, side.taintsPolicy)));
                } else if (kind < 9 || pods.isEmpty()) {
                    Node node = node("node-" + random.nextInt(NODES), random);
                    sides.forEach(side -> side.cluster.apply(node));
                } else {
                    String name = pods.remove(random.nextInt(pods.size()));
                    sides.forEach(side ->
                            side.cluster.find(ObjectKind.POD, "default", name).ifPresent(side.cluster::remove));
                }
                Optional<String> decided = keeping.decide();
                assertThat(decided).as("seed %d, step %d", seed, step).isEqualTo(visiting.decide());
                while (decided.isPresent()) {
                    decided = keeping.decide();
                    assertThat(decided).as("seed %d, step %d", seed, step).isEqualTo(visiting.decide());
                }
            }
        }
    }

    private static Node node(String name, Random random) {
        Nodes node = Nodes.named(name)
                .label("disk", random.nextBoolean() ? "ssd" : "hdd")
                .allocatable("cpu", "4")
                .allocatable("memory", "8Gi")
                .allocatable("pods", "20");
        if (random.nextInt(10) > 0) {
            node = node.zone("zone-" + random.nextInt(3));
        }
        if (random.nextInt(10) > 0) {
            node = node.label("rack", random.nextInt(8) == 0 ? "" : "rack-" + random.nextInt(5));
        }
        return random.nextInt(3) == 0
                ? node.taint("dedicated", "batch", "NoSchedule").build()
                : node.build();
    }

    // The bits of the template: which nodes it selects, and which constraints it has.
    private static Pod pod(String name, int template, String taintsPolicy) {
        Pods pod = Pods.named(name)
                .label("app", "app-" + template)
                .requests("cpu", "100m")
                .toleratesAll("dedicated");
        if ((template & 1) != 0) {
            pod = pod.nodeSelector("disk", "ssd");
        }
        String action = (template & 2) == 0 ? "DoNotSchedule" : "ScheduleAnyway";
        for (String key : (template & 4) == 0 ? KEYS.subList(0, 2) : KEYS.subList(1, 3)) {
            pod = pod.spread(new TopologySpreadConstraint(
                    2,
                    key,
                    action,
                    Optional.of(Selectors.labels("app", "app-" + template)),
                    OptionalInt.empty(),
                    "",
                    taintsPolicy,
                    List.of()));
        }
        return pod.build();
    }

    /** A scheduler with a separate cluster. */
    private static final class Side implements AutoCloseable {
        private final String taintsPolicy;
        private final InMemoryCluster cluster = new InMemoryCluster();
        private final Scheduler scheduler;

        Side(String taintsPolicy) {
            this.taintsPolicy = taintsPolicy;
            PluginRegistry registry = PluginRegistry.of(BuiltinPlugins.all());
            scheduler = Scheduler.builder(SchedulerConfig.defaults(registry), registry, cluster)
                    .clock(CLOCK)
                    .random(new Random(1))
                    .bindingExecutor(Runnable::run)
                    .build();
        }

        Optional<String> decide() {
            return scheduler.scheduleNext().map(Side::text);
        }

        private static String text(Decision decision) {
            return decision.pod().key() + " " + decision.outcome() + " " + decision.nodeName() + " " + decision.score()
                    + " " + decision.message();
        }

        @Override
        public void close() {
            scheduler.close();
        }
    }
}
