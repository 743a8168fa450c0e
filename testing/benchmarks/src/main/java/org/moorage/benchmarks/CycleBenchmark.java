// SPDX-License-Identifier: Apache-2.0
package org.moorage.benchmarks;

import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.Snapshot;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.Problems;
import org.moorage.config.SchedulerConfig;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.runtime.internal.cache.SchedulerCache;
import org.moorage.runtime.internal.cache.TrialSnapshot;
import org.moorage.runtime.internal.cycle.Parallelism;
import org.moorage.runtime.internal.cycle.Profile;
import org.moorage.runtime.internal.cycle.SchedulingAlgorithm;
import org.moorage.runtime.internal.extender.Extenders;
import org.moorage.runtime.internal.log.Listeners;
import org.moorage.runtime.internal.plugin.PluginCaller;
import org.moorage.runtime.internal.profile.ProfileBuilder;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Measures a scheduling cycle of one pod on one thread, in which Filter visits all nodes. {@code -prof gc} shows the
 * allocations.
 *
 * <pre>java -jar testing/benchmarks/target/benchmarks.jar CycleBenchmark -prof gc</pre>
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
@Fork(1)
public class CycleBenchmark {
    /** The number of nodes. */
    @Param({"1000", "5000"})
    public int nodes;

    /** The kind of workload, as for {@code testing/benchmarks/run}. */
    @Param({"basic", "taints", "nodeaffinity"})
    public String kind = "basic";

    private @Nullable Cycle cycle;

    /** Creates the cluster. */
    @Setup(Level.Trial)
    public void setUp() {
        cycle = new Cycle(new Workload(kind), nodes);
    }

    /** Runs a cycle from PreFilter to the selection of a node. */
    @Benchmark
    public @Nullable NodeInfo findNode() {
        return cycle == null ? null : cycle.run();
    }

    /** Returns the default profile, whose plugins read that snapshot and no other objects. */
    static Profile profile(Snapshot snapshot) {
        PluginRegistry registry = Workload.plugins();
        return new ProfileBuilder(
                        registry,
                        PluginCaller::of,
                        (name, plugin) -> IdleHandle.of(snapshot, List.of(), FeatureGates.DEFAULTS),
                        Map::of,
                        Listeners.NONE)
                .build(SchedulerConfig.defaults(registry), Problems.collector())
                .byName()
                .values()
                .iterator()
                .next();
    }

    private static final class Cycle {
        private final Profile profile;
        private final TrialSnapshot snapshot = new TrialSnapshot();
        private final SchedulingAlgorithm algorithm = new SchedulingAlgorithm(
                snapshot, 100, 0, Parallelism.none(), Extenders.NONE, new SplittableRandom(1), false);
        private final Pod pod;

        Cycle(Workload workload, int nodes) {
            profile = profile(snapshot);
            SchedulerCache cache = new SchedulerCache();
            for (int i = 0; i < nodes; i++) {
                cache.putNode(workload.node(i));
            }
            snapshot.update(cache);
            pod = workload.pods("measure", 1).get(0);
        }

        @Nullable
        NodeInfo run() {
            return algorithm.find(profile, new CycleState(), pod).node();
        }
    }
}
