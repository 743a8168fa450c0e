// SPDX-License-Identifier: Apache-2.0
package org.moorage.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.Pod;
import org.moorage.config.SchedulerConfig;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.runtime.Scheduler;
import org.moorage.runtime.decision.Evaluation;
import org.moorage.simulation.cluster.InMemoryCluster;
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
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Measures evaluations of a pod per second, on the number of threads given by {@code -t}.
 *
 * <pre>java -jar testing/benchmarks/target/benchmarks.jar EvaluationBenchmark -t 2</pre>
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(1)
public class EvaluationBenchmark {
    /** The number of nodes. */
    @Param("1000")
    public int nodes = 1000;

    private @Nullable Scheduler scheduler;
    private @Nullable Pod pod;

    /** Creates the cluster and starts a scheduler for it. */
    @Setup(Level.Trial)
    public void setUp() {
        Workload workload = new Workload("basic");
        List<ClusterObject> objects = new ArrayList<>();
        for (int i = 0; i < nodes; i++) {
            objects.add(workload.node(i));
        }
        PluginRegistry registry = Workload.plugins();
        Scheduler made = Scheduler.builder(SchedulerConfig.defaults(registry), registry, InMemoryCluster.of(objects))
                .build();
        made.start();
        scheduler = made;
        pod = workload.pods("measure", 1).get(0);
    }

    /** Stops the scheduler. */
    @TearDown(Level.Trial)
    public void tearDown() {
        if (scheduler != null) {
            scheduler.close();
        }
    }

    /** Evaluates a pod that fits all nodes. */
    @Benchmark
    public @Nullable Evaluation evaluate() {
        return scheduler == null || pod == null ? null : scheduler.evaluate(pod);
    }
}
