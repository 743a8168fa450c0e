// SPDX-License-Identifier: Apache-2.0
package org.moorage.safe;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.Plugin;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.point.FilterPlugin;
import org.moorage.api.plugin.point.PreScorePlugin;
import org.moorage.api.plugin.point.ScorePlugin;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.PluginTester;
import org.moorage.testkit.Pods;
import org.moorage.testkit.TestScheduler;

/**
 * Measures what each plugin adds to a decision: Filter of all nodes, PreScore, and Score of all nodes, on one thread,
 * in the middle of a real cycle. No test; the README says how to run it.
 */
final class TimePerDecision {
    // Time of the processor, so that a busy machine does not count.
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final int WARM_UP = 60;
    private static final int MEASURED = 101;

    private TimePerDecision() {}

    public static void main(String[] args) {
        Environment nothing = new Environment(Map.of());
        for (String size : args.length == 0 ? new String[] {"1000", "5000"} : args) {
            int nodes = Integer.parseInt(size);
            List<ClusterObject> cluster = cluster(nodes);
            measure(new SafeOverload.Factory(nothing), SafeArgs.DEFAULTS, "", cluster, nodes);
            measure(new SafeBalance.Factory(nothing), SafeArgs.DEFAULTS, "", cluster, nodes);
            measure(new Congestion.Factory(nothing), Congestion.Args.DEFAULTS, "", cluster, nodes);
            for (Objective objective : Objective.values()) {
                PigeonHoling.Args pigeon = new PigeonHoling.Args(
                        Optional.of(objective.name()), List.of(), Optional.empty(), 0.01, Optional.empty(), "", false);
                measure(new PigeonHoling.Factory(nothing), pigeon, " " + objective, cluster, nodes);
            }
            measure(new RewardBias.Factory(), RewardBias.Args.DEFAULTS, "", cluster, nodes);
            measure(new Foo.Factory(), Foo.Args.DEFAULTS, "", cluster, nodes);
        }
    }

    private static List<ClusterObject> cluster(int nodes) {
        SplittableRandom random = new SplittableRandom(1);
        List<ClusterObject> cluster = new ArrayList<>();
        for (int i = 0; i < nodes; i++) {
            cluster.add(Nodes.named("n" + i)
                    .allocatable("cpu", "8")
                    .allocatable("memory", "16Gi")
                    .annotation("mean-free-cpu", "" + (1000 + random.nextInt(7000)))
                    .annotation("std-free-cpu", "" + random.nextInt(1500))
                    .annotation("mean-free-memory", "" + ((1L << 30) + random.nextLong(15L << 30)))
                    .annotation("std-free-memory", "" + random.nextLong(2L << 30))
                    .annotation("congestion-factor", "" + random.nextInt(100))
                    .build());
            cluster.add(Pods.named("on-n" + i)
                    .requests("cpu", random.nextInt(6000) + "m")
                    .requests("memory", random.nextInt(12) + "Gi")
                    .on("n" + i)
                    .build());
        }
        return cluster;
    }

    private static <A extends PluginArgs> void measure(
            PluginFactory<A> factory, A args, String variant, List<ClusterObject> cluster, int nodes) {
        try (TestScheduler scheduler =
                PluginTester.of(factory, args).cluster(cluster).start()) {
            Plugin plugin = scheduler.plugin(Plugin.class);
            long[] times = new long[MEASURED];
            for (int i = 0; i < WARM_UP + MEASURED; i++) {
                Pod pod = Pods.named("p" + i)
                        .label("app", "web")
                        .requests("cpu", 100 + i + "m")
                        .requests("memory", "1Gi")
                        .build();
                int round = i - WARM_UP;
                scheduler.inCycle(pod, (state, snapshot) -> {
                    long start = THREADS.getCurrentThreadCpuTime();
                    decide(plugin, state, pod, snapshot.nodes());
                    if (round >= 0) {
                        times[round] = THREADS.getCurrentThreadCpuTime() - start;
                    }
                });
            }
            Arrays.sort(times);
            System.out.printf(
                    Locale.ROOT,
                    "%d nodes  %-28s  median %.2f ms  90th percentile %.2f ms%n",
                    nodes,
                    factory.name() + variant,
                    times[MEASURED / 2] / 1e6,
                    times[MEASURED * 9 / 10] / 1e6);
        }
    }

    private static void decide(Plugin plugin, CycleState state, Pod pod, List<NodeInfo> nodes) {
        List<NodeInfo> feasible = new ArrayList<>(nodes.size());
        for (NodeInfo node : nodes) {
            if (!(plugin instanceof FilterPlugin filter)
                    || filter.filter(state, pod, node).isSuccess()) {
                feasible.add(node);
            }
        }
        boolean ignored = plugin instanceof PreScorePlugin preScore
                && preScore.preScore(state, pod, feasible).isSuccess();
        if (plugin instanceof ScorePlugin score) {
            long sum = 0;
            for (NodeInfo node : feasible) {
                sum += score.score(state, pod, node);
            }
            if (sum < 0) {
                throw new AssertionError("score below 0");
            }
        }
    }
}
