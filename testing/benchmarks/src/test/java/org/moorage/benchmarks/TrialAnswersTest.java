// SPDX-License-Identifier: Apache-2.0
package org.moorage.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.model.Pod;
import org.moorage.runtime.internal.cache.SchedulerCache;
import org.moorage.runtime.internal.cache.TrialSnapshot;
import org.moorage.runtime.internal.cycle.Parallelism;
import org.moorage.runtime.internal.cycle.Profile;
import org.moorage.runtime.internal.cycle.SchedulingAlgorithm;
import org.moorage.runtime.internal.extender.Extenders;

/** The plugins' answers on a snapshot on which something is tried, with what is kept of their answers. */
class TrialAnswersTest {
    private static final int NODES = 120;

    static Stream<String> kinds() {
        return Workload.KINDS.stream();
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void areThoseOfAClusterLikeThat(String kind) {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        Workload workload = new Workload(kind);
        TrialSnapshot snapshot = new TrialSnapshot();
        snapshot.update(cache(workload, List.of()));
        Profile profile = CycleBenchmark.profile(snapshot);
        SchedulingAlgorithm keeping = algorithm(snapshot, 0);
        List<Pod> asked = workload.pods("asked", 2);
        List<Pod> other = workload.pods("other", 60);
        List<Pod> assumed = new ArrayList<>();
        for (int step = 0; step < 60; step++) {
            Pod pod = asked.get(random.nextInt(asked.size()));
            TrialSnapshot expected = new TrialSnapshot();
            expected.update(cache(workload, assumed));
            SchedulingAlgorithm fresh = algorithm(expected, keeping.nextNode());

            String answer = describe(keeping.find(profile, new CycleState(), pod));
            String answerOfFresh = describe(fresh.find(CycleBenchmark.profile(expected), new CycleState(), pod));
            assertThat(answer).as("seed %d, step %d", seed, step).isEqualTo(answerOfFresh);

            if (random.nextInt(3) == 0) {
                int left = random.nextInt(assumed.size() + 1);
                snapshot.revertTo(left);
                assumed.subList(left, assumed.size()).clear();
            } else if (assumed.size() < other.size()) {
                String node = workload.node(random.nextInt(NODES)).name();
                Pod next = other.get(assumed.size());
                snapshot.assume(next, node);
                assumed.add(next.withNode(node));
            }
        }
    }

    private static SchedulingAlgorithm algorithm(TrialSnapshot snapshot, int firstNode) {
        return new SchedulingAlgorithm(
                snapshot, 100, firstNode, Parallelism.none(), Extenders.NONE, new SplittableRandom(1), false);
    }

    private static SchedulerCache cache(Workload workload, List<Pod> pods) {
        SchedulerCache cache = new SchedulerCache();
        for (int i = 0; i < NODES; i++) {
            cache.putNode(workload.node(i));
        }
        int i = 0;
        for (Pod there : workload.pods("there", NODES)) {
            cache.putPod(there.withNode(workload.node(i++).name()));
        }
        pods.forEach(cache::putPod);
        return cache;
    }

    private static String describe(SchedulingAlgorithm.Result result) {
        NodeInfo node = result.node();
        return (node == null ? "none" : node.name()) + " " + result.score() + " " + result.evaluated() + " "
                + result.feasible();
    }
}
