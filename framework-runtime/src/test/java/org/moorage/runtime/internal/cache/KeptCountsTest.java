// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cache;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Predicate;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.moorage.api.NodeInfo;
import org.moorage.api.PodCount;
import org.moorage.api.Snapshot;
import org.moorage.api.Topology;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodSpec;
import org.moorage.runtime.Samples;

class KeptCountsTest {
    private static final String ZONE = "topology.kubernetes.io/zone";
    private static final int COLORS = 6;

    private record Colored(int color) implements Predicate<Pod> {
        @Override
        public boolean test(Pod pod) {
            return pod.labels().get("color").equals("c" + color);
        }
    }

    /** Nodes whose pods change at random, with counts of them. */
    private static final class Scene {
        private final Random random;
        private final SchedulerCache cache = new SchedulerCache();
        private final TrialSnapshot trial = new TrialSnapshot();
        private final List<Pod> bound = new ArrayList<>();
        private final int nodes;
        private int pods;

        Scene(Random random, int nodes) {
            this.random = random;
            this.nodes = nodes;
            for (int i = 0; i < nodes; i++) {
                cache.putNode(Samples.node("n" + i, random.nextInt(5) == 0 ? Map.of() : Map.of(ZONE, "z" + i % 3)));
            }
        }

        Pod pod() {
            ObjectMeta metadata = ObjectMeta.named("p" + pods)
                    .namespace("default")
                    .uid("uid-" + pods++)
                    .labels(Map.of("color", "c" + random.nextInt(COLORS)))
                    .build();
            return Pod.of(metadata, PodSpec.builder().build());
        }

        String nodeName() {
            return "n" + random.nextInt(nodes);
        }

        void changeCache() {
            if (bound.isEmpty() || random.nextInt(3) > 0) {
                Pod pod = pod().withNode(nodeName());
                bound.add(pod);
                cache.putPod(pod);
            } else {
                cache.removePod(bound.remove(random.nextInt(bound.size())));
            }
        }

        void changeNodes() {
            String name = nodeName();
            if (trial.node(name).isPresent() && random.nextBoolean()) {
                trial.removeNodes(List.of(name));
            } else {
                trial.putNodes(List.of(Samples.node(name, Map.of(ZONE, "z" + random.nextInt(3)))));
            }
        }

        void changeTrial() {
            String nodeName =
                    trial.nodes().get(random.nextInt(trial.nodes().size())).name();
            List<Pod> there = trial.node(nodeName).orElseThrow().pods();
            if (there.isEmpty() || random.nextInt(3) > 0) {
                trial.assume(pod(), nodeName);
            } else {
                trial.remove(there.subList(0, 1 + random.nextInt(there.size())), nodeName);
            }
        }

        // Most counts are not requested, so that they are some changes behind.
        void check(String description) {
            Predicate<Pod> which = new Colored(random.nextInt(COLORS));
            Snapshot asked = random.nextInt(8) == 0 ? trial.branch() : trial;
            PodCount count = asked.count(which);
            PodCount expected = PodCount.of(asked.nodes(), which);
            Topology zones = asked.topology(ZONE);
            assertThat(count.in(zones)).as(description).isEqualTo(expected.in(zones));
            for (NodeInfo node : asked.nodes()) {
                assertThat(count.on(node)).as(description).isEqualTo(expected.on(node));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 200})
    void equalsACountOfAllPodsAfterAnyChanges(int nodes) {
        long seed = System.nanoTime();
        for (int run = 0; run < 40; run++) {
            Scene scene = new Scene(new Random(seed + run), nodes);
            Deque<Integer> marks = new ArrayDeque<>();
            for (int step = 0; step < 150; step++) {
                switch (scene.random.nextInt(8)) {
                    case 0 -> {
                        scene.changeCache();
                        scene.trial.update(scene.cache);
                        marks.clear();
                    }
                    case 1 -> marks.push(scene.trial.changes());
                    case 2 -> scene.trial.revertTo(marks.isEmpty() ? 0 : marks.pop());
                    case 3 -> scene.changeNodes();
                    default -> {
                        if (!scene.trial.nodes().isEmpty()) {
                            scene.changeTrial();
                        }
                    }
                }
                scene.check("seed " + (seed + run) + ", step " + step);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 5, 64, 1000})
    void equalsACountOfAllPodsWhenFewChangesAreRecorded(int mostChanges) {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        List<List<Pod>> podsByNode = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            podsByNode.add(List.of());
        }
        KeptCounts kept = new KeptCounts(
                index -> {
                    throw new AssertionError("node " + index + " (expected: no request by topology)");
                },
                which -> counted(podsByNode, which),
                mostChanges);
        Scene scene = new Scene(random, 1);
        Deque<Long> marks = new ArrayDeque<>();
        Deque<List<List<Pod>>> before = new ArrayDeque<>();
        for (int step = 0; step < 3000; step++) {
            if (!marks.isEmpty() && random.nextInt(3) == 0) {
                kept.revertTo(marks.pop());
                List<List<Pod>> former = before.pop();
                for (int i = 0; i < former.size(); i++) {
                    podsByNode.set(i, former.get(i));
                }
            } else {
                before.push(new ArrayList<>(podsByNode));
                int index = random.nextInt(podsByNode.size());
                List<Pod> now = new ArrayList<>(podsByNode.get(index));
                if (now.isEmpty() || random.nextBoolean()) {
                    now.add(scene.pod());
                } else {
                    now.remove(random.nextInt(now.size()));
                }
                marks.push(kept.changed(index, podsByNode.get(index), now));
                podsByNode.set(index, now);
            }
            if (random.nextInt(3) == 0) {
                Predicate<Pod> which = new Colored(random.nextInt(COLORS));
                NodeCounts counts = kept.copy(which);
                NodeCounts expected = counted(podsByNode, which);
                for (int i = 0; i < podsByNode.size(); i++) {
                    assertThat(counts.get(i)).as("seed %d, step %d", seed, step).isEqualTo(expected.get(i));
                }
            }
        }
    }

    private static NodeCounts counted(List<List<Pod>> podsByNode, Predicate<Pod> which) {
        NodeCounts counts = new NodeCounts(podsByNode.size());
        for (int i = 0; i < podsByNode.size(); i++) {
            counts.add(i, (int) podsByNode.get(i).stream().filter(which).count());
        }
        return counts;
    }
}
