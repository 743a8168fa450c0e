// SPDX-License-Identifier: Apache-2.0
package org.moorage.benchmarks;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.moorage.api.Code;
import org.moorage.api.CycleState;
import org.moorage.api.GroupKey;
import org.moorage.api.NodeInfo;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.Problems;
import org.moorage.benchmarks.Workload.Gang;
import org.moorage.config.ConfigLoader;
import org.moorage.config.SchedulerConfig;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.runtime.internal.cache.GroupTree;
import org.moorage.runtime.internal.cache.SchedulerCache;
import org.moorage.runtime.internal.cache.TrialSnapshot;
import org.moorage.runtime.internal.cycle.GroupResult;
import org.moorage.runtime.internal.cycle.MemberResult;
import org.moorage.runtime.internal.cycle.Parallelism;
import org.moorage.runtime.internal.cycle.PodGroupAlgorithm;
import org.moorage.runtime.internal.cycle.PodGroupPostFilterRun;
import org.moorage.runtime.internal.cycle.PostFilterRun;
import org.moorage.runtime.internal.cycle.Profile;
import org.moorage.runtime.internal.cycle.Reservation;
import org.moorage.runtime.internal.cycle.SchedulingAlgorithm;
import org.moorage.runtime.internal.extender.Extenders;
import org.moorage.runtime.internal.log.Listeners;
import org.moorage.runtime.internal.plugin.PluginCaller;
import org.moorage.runtime.internal.profile.ProfileBuilder;

/**
 * Measures the scheduling algorithm in process, as the oracle's {@code bench} does for kube-scheduler: update the
 * snapshot, filter, score, select a node and assume the pod, one pod after another, without a cluster. Prints one JSON
 * line. Pods in gangs are scheduled gang by gang, and the times are per gang.
 */
public final class AlgorithmBenchmark {
    private AlgorithmBenchmark() {}

    /** Runs the benchmark; for the arguments see {@code testing/benchmarks/run}. */
    public static void main(String[] args) {
        run(args, System.out);
    }

    static void run(String[] args, PrintStream out) {
        Arguments arguments = Arguments.parse(args);
        Workload workload = new Workload(arguments.kind);
        Run run = new Run(arguments, workload);
        for (int i = 0; i < arguments.nodes; i++) {
            run.cache.putNode(workload.node(i));
            workload.daemonPod(i).ifPresent(run.cache::putPod);
        }
        List<Gang> gangs = workload.hasGangs() ? workload.gangs("measure", arguments.pods) : List.of();
        List<Pod> pods = workload.hasGangs() ? List.of() : workload.pods("measure", arguments.pods);
        gangs.forEach(run::enqueue);
        if (workload.hasGangs() && !workload.preempts()) {
            List<Gang> existing = workload.gangs("init", arguments.existing);
            existing.forEach(run::enqueue);
            run.scheduleGangs(existing);
        } else {
            run.schedule(workload.pods("init", arguments.existing));
        }
        System.gc();
        long start = System.nanoTime();
        long[] nanos = workload.hasGangs() ? run.scheduleGangs(gangs) : run.schedule(pods);
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
        private final Workload workload;
        private final Profile profile;
        private final SchedulingAlgorithm algorithm;
        private final SchedulerCache cache;
        private final TrialSnapshot snapshot = new TrialSnapshot();

        Run(Arguments arguments, Workload workload) {
            this.workload = workload;
            cache = new SchedulerCache(workload.features());
            PluginRegistry registry = Workload.plugins();
            SchedulerConfig config =
                    ConfigLoader.defaults(registry, workload.features()).config();
            List<ClusterObject> objects = new ArrayList<>(workload.devices(arguments.nodes));
            objects.addAll(workload.claims("init", arguments.existing));
            objects.addAll(workload.claims("measure", arguments.pods));
            objects.addAll(workload.replicaSets("init", arguments.existing));
            objects.addAll(workload.replicaSets("measure", arguments.pods));
            Handle handle = IdleHandle.of(snapshot, objects, workload.features());
            profile = new ProfileBuilder(registry, PluginCaller::of, (name, plugin) -> handle, Map::of, Listeners.NONE)
                    .build(config, Problems.collector())
                    .byName()
                    .values()
                    .iterator()
                    .next();
            int workers = Math.min(config.parallelism(), Runtime.getRuntime().availableProcessors());
            algorithm = new SchedulingAlgorithm(
                    snapshot,
                    arguments.percent,
                    0,
                    new Parallelism(executor(workers - 1), workers),
                    Extenders.NONE,
                    new SplittableRandom(1),
                    false);
        }

        private static ExecutorService executor(int threads) {
            return Executors.newFixedThreadPool(Math.max(1, threads), task -> {
                Thread thread = new Thread(task, "worker");
                thread.setDaemon(true);
                return thread;
            });
        }

        /** Adds a gang to the pending pods. */
        void enqueue(Gang gang) {
            cache.putGroup(gang.group());
            gang.pods().forEach(cache::putWaitingPod);
        }

        /** Schedules gangs and returns the time of each in nanoseconds. */
        long[] scheduleGangs(List<Gang> gangs) {
            long[] nanos = new long[gangs.size()];
            for (int i = 0; i < nanos.length; i++) {
                long start = System.nanoTime();
                schedule(gangs.get(i));
                nanos[i] = System.nanoTime() - start;
            }
            return nanos;
        }

        private void schedule(Gang gang) {
            snapshot.update(cache);
            PodGroupAlgorithm groupAlgorithm =
                    new PodGroupAlgorithm(algorithm, profile, workload.features(), null, new Reservation.Held());
            GroupKey key =
                    GroupKey.podGroup(gang.group().namespace(), gang.group().name());
            GroupTree root = new GroupTree(key, gang.group(), gang.pods(), List.of());
            CycleState state = new CycleState();
            Map<GroupKey, GroupResult> results = groupAlgorithm.find(root, state);
            if (workload.preempts()) {
                new PodGroupPostFilterRun(groupAlgorithm, PostFilterRun.Execution.LEFT_OUT).run(root, state, results);
            } else {
                for (MemberResult member :
                        Objects.requireNonNull(results.get(key)).members()) {
                    if (member.isScheduled()) {
                        cache.assume(member.pod().withNode(member.nodeName()));
                    }
                }
            }
            GroupResult result = Objects.requireNonNull(results.get(key));
            boolean isDone = workload.preempts()
                    ? result.waitsOnPreemption()
                    : result.status().code() == Code.SUCCESS;
            if (!isDone) {
                throw new IllegalStateException("gang " + key + " is not placed: " + result.status());
            }
        }

        /** Schedules pods and returns the time of each in nanoseconds. */
        long[] schedule(List<Pod> pods) {
            long[] nanos = new long[pods.size()];
            for (int i = 0; i < nanos.length; i++) {
                Pod pod = pods.get(i);
                long start = System.nanoTime();
                snapshot.update(cache);
                NodeInfo node = algorithm.find(profile, new CycleState(), pod).node();
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
