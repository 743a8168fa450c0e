// SPDX-License-Identifier: Apache-2.0
package org.moorage.benchmarks;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.Problems;
import org.moorage.config.SchedulerConfig;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.runtime.internal.cache.SchedulerCache;
import org.moorage.runtime.internal.cache.TrialSnapshot;
import org.moorage.runtime.internal.cycle.Parallelism;
import org.moorage.runtime.internal.cycle.Profile;
import org.moorage.runtime.internal.cycle.SchedulingAlgorithm;
import org.moorage.runtime.internal.extender.Extenders;
import org.moorage.runtime.internal.plugin.PluginCaller;
import org.moorage.runtime.internal.profile.ProfileBuilder;
import org.moorage.runtime.metrics.SchedulerMetrics;

/**
 * Times the scheduling algorithm in process, as the oracle's {@code bench} does for kube-scheduler: bring the snapshot up to
 * date, filter, score, choose and assume, pod after pod, with no cluster in between. Prints one JSON line.
 */
public final class AlgorithmBenchmark {
    private AlgorithmBenchmark() {}

    /** Runs the benchmark; {@code benchmarks/run} tells the arguments. */
    public static void main(String[] args) {
        run(args, System.out);
    }

    static void run(String[] args, PrintStream out) {
        Arguments arguments = Arguments.parse(args);
        Workload workload = new Workload(arguments.kind);
        PluginRegistry registry = Workload.plugins();
        SchedulerConfig config = SchedulerConfig.defaults(registry);
        int workers = Math.min(config.parallelism(), Runtime.getRuntime().availableProcessors());
        ExecutorService executor = Executors.newFixedThreadPool(Math.max(1, workers - 1), task -> {
            Thread thread = new Thread(task, "worker");
            thread.setDaemon(true);
            return thread;
        });
        TrialSnapshot snapshot = new TrialSnapshot();
        List<ClusterObject> objects = new ArrayList<>(workload.devices(arguments.nodes));
        objects.addAll(workload.claims("init", arguments.existing));
        objects.addAll(workload.claims("measure", arguments.pods));
        Handle handle = IdleHandle.of(snapshot, objects);
        Run run = new Run(
                new ProfileBuilder(
                                registry, PluginCaller::of, (profile, plugin) -> handle, Map::of, SchedulerMetrics.NONE)
                        .build(config, Problems.collector())
                        .byName()
                        .values()
                        .iterator()
                        .next(),
                new SchedulingAlgorithm(
                        arguments.percent,
                        0,
                        new Parallelism(executor, workers),
                        Extenders.NONE,
                        new SplittableRandom(1),
                        false),
                snapshot);
        for (int i = 0; i < arguments.nodes; i++) {
            run.cache.putNode(workload.node(i));
        }
        run.schedule(workload.pods("init", arguments.existing));
        List<Pod> measured = workload.pods("measure", arguments.pods);
        System.gc();
        long start = System.nanoTime();
        long[] nanos = run.schedule(measured);
        double seconds = (System.nanoTime() - start) / 1e9;
        Arrays.sort(nanos);
        out.println(String.format(
                Locale.ROOT,
                "{\"scheduler\":\"moorage\",\"kind\":\"%s\",\"nodes\":%d,\"pods\":%d,\"percent\":%d,"
                        + "\"podsPerSecond\":%.1f,\"p50ms\":%.3f,\"p99ms\":%.3f}",
                arguments.kind,
                arguments.nodes,
                arguments.pods,
                arguments.percent,
                arguments.pods / seconds,
                millis(nanos, 0.5),
                millis(nanos, 0.99)));
    }

    private static double millis(long[] sorted, double share) {
        return sorted[(int) (share * (sorted.length - 1))] / 1e6;
    }

    private static final class Run {
        private final Profile profile;
        private final SchedulingAlgorithm algorithm;
        private final SchedulerCache cache = new SchedulerCache();
        private final TrialSnapshot snapshot;

        Run(Profile profile, SchedulingAlgorithm algorithm, TrialSnapshot snapshot) {
            this.profile = profile;
            this.algorithm = algorithm;
            this.snapshot = snapshot;
        }

        long[] schedule(List<Pod> pods) {
            long[] nanos = new long[pods.size()];
            for (int i = 0; i < nanos.length; i++) {
                Pod pod = pods.get(i);
                long start = System.nanoTime();
                snapshot.update(cache);
                NodeInfo node =
                        algorithm.find(profile, new CycleState(), pod, snapshot).node();
                if (node == null) {
                    throw new IllegalStateException("pod " + pod.key() + " fits nowhere (expected: room for all)");
                }
                cache.assume(pod.withNode(node.name()));
                nanos[i] = System.nanoTime() - start;
            }
            return nanos;
        }
    }

    private record Arguments(String kind, int nodes, int pods, int existing, int percent) {
        static Arguments parse(String[] args) {
            String kind = "basic";
            int nodes = 5_000;
            int pods = 1_000;
            int existing = 1_000;
            int percent = 0;
            for (int i = 0; i + 1 < args.length; i += 2) {
                String value = args[i + 1];
                switch (args[i]) {
                    case "--kind" -> kind = value;
                    case "--nodes" -> nodes = Integer.parseInt(value);
                    case "--pods" -> pods = Integer.parseInt(value);
                    case "--existing" -> existing = Integer.parseInt(value);
                    case "--percent" -> percent = Integer.parseInt(value);
                    default ->
                        throw new IllegalArgumentException(
                                args[i] + " (expected: --kind, --nodes, --pods, --existing or --percent)");
                }
            }
            return new Arguments(kind, nodes, pods, existing, percent);
        }
    }
}
