// SPDX-License-Identifier: Apache-2.0
package org.moorage.benchmarks;

import java.util.concurrent.TimeUnit;
import org.moorage.api.NodeInfo;
import org.moorage.api.model.Pod;
import org.moorage.runtime.internal.cache.SchedulerCache;
import org.moorage.runtime.internal.cache.TrialSnapshot;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** Measures assuming a pod on a node, reading the nodes, and reverting the change. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class TrialBenchmark {
    private static final int PODS_PER_NODE = 30;

    /** The number of nodes. */
    @Param("5000")
    public int nodes;

    private final TrialSnapshot snapshot = new TrialSnapshot();
    private final Workload workload = new Workload("basic");
    private final Pod pod = workload.pods("measure", 1).get(0);
    private int next;

    /** Creates the cluster. */
    @Setup(Level.Trial)
    public void setUp() {
        SchedulerCache cache = new SchedulerCache();
        for (int i = 0; i < nodes; i++) {
            cache.putNode(workload.node(i));
        }
        int i = 0;
        for (Pod there : workload.pods("there", nodes * PODS_PER_NODE)) {
            cache.putPod(there.withNode(workload.node(i++ % nodes).name()));
        }
        snapshot.update(cache);
    }

    /** Changes one node, reads all nodes and their generations, and reverts the change. */
    @Benchmark
    public NodeInfo assumeAndTakeBack() {
        next = (next + 1) % nodes;
        snapshot.assume(pod, snapshot.nodes().get(next).name());
        NodeInfo changed = snapshot.nodes().get(next);
        if (snapshot.generations()[next] != changed.generation()) {
            throw new IllegalStateException("generation of node " + next);
        }
        snapshot.revertTo(0);
        return changed;
    }
}
