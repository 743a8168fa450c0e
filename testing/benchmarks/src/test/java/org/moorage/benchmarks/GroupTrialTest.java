// SPDX-License-Identifier: Apache-2.0
package org.moorage.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.moorage.api.CycleState;
import org.moorage.api.GroupKey;
import org.moorage.api.NodeInfo;
import org.moorage.api.PodGroupInfo;
import org.moorage.api.Status;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.Problems;
import org.moorage.api.plugin.group.PodGroupPostFilterPlugin;
import org.moorage.api.plugin.group.PodGroupPostFilterResult;
import org.moorage.api.plugin.group.PodGroupTrial;
import org.moorage.api.plugin.point.FilterPlugin;
import org.moorage.benchmarks.Workload.Gang;
import org.moorage.config.ConfigLoader;
import org.moorage.config.SchedulerConfig;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.runtime.internal.cache.GroupTree;
import org.moorage.runtime.internal.cache.SchedulerCache;
import org.moorage.runtime.internal.cache.TrialSnapshot;
import org.moorage.runtime.internal.cycle.GroupResult;
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

/** Whether a group's assignments still hold, where a filter is asked again only about nodes that have changed. */
class GroupTrialTest {
    private static final int NODES = 6;
    private static final int STEPS = 80;

    /** Asks after each of some random changes. */
    private record Asks(Consumer<PodGroupTrial> asked) implements PodGroupPostFilterPlugin {
        @Override
        public String name() {
            return "Asks";
        }

        @Override
        public PodGroupPostFilterResult podGroupPostFilter(CycleState state, PodGroupInfo group, PodGroupTrial trial) {
            asked.accept(trial);
            return PodGroupPostFilterResult.rejected(Status.unschedulable("asked"));
        }
    }

    /** Fits everywhere, and does not say what that depends on. */
    private record Unsigned() implements FilterPlugin {
        @Override
        public String name() {
            return "Unsigned";
        }

        @Override
        public Status filter(CycleState state, Pod pod, NodeInfo node) {
            return Status.success();
        }
    }

    @Test
    void holdsAsIfEveryPodWereAskedAnew() {
        long seed = System.nanoTime();
        List<Boolean> all = new ArrayList<>();
        for (int run = 0; run < 40; run++) {
            List<Boolean> answers = answers(seed + run, "");
            assertThat(answers).as("seed %d", seed + run).hasSize(STEPS);
            assertThat(answers).as("seed %d", seed + run).isEqualTo(answers(seed + run, ", {name: Unsigned}"));
            all.addAll(answers);
        }
        assertThat(all).contains(true, false);
    }

    private static List<Boolean> answers(long seed, String enabled) {
        List<Boolean> answers = new ArrayList<>();
        PluginRegistry registry = Workload.plugins()
                .with(List.of(
                        PluginFactory.of(
                                "Asks",
                                Asks.class,
                                handle -> new Asks(trial -> change(trial, new Random(seed), answers))),
                        PluginFactory.of("Unsigned", Unsigned.class, handle -> new Unsigned())));
        Workload workload = new Workload("gangpreemption");
        String text = """
            apiVersion: kubescheduler.config.k8s.io/v1
            kind: KubeSchedulerConfiguration
            profiles:
            - plugins:
                multiPoint:
                  disabled: [{name: DefaultPreemption}]
                  enabled: [{name: Asks}%s]
            """.formatted(enabled);
        SchedulerConfig config =
                ConfigLoader.load(text, "test", registry, workload.features()).config();
        TrialSnapshot snapshot = new TrialSnapshot();
        Profile profile = new ProfileBuilder(
                        registry,
                        PluginCaller::of,
                        (name, plugin) -> IdleHandle.of(snapshot, List.of(), workload.features()),
                        Map::of,
                        Listeners.NONE)
                .build(config, Problems.collector())
                .byName()
                .values()
                .iterator()
                .next();
        SchedulerCache cache = new SchedulerCache(workload.features());
        for (int i = 0; i < NODES; i++) {
            cache.putNode(workload.node(i));
        }
        int there = 0;
        for (Pod pod : workload.pods("there", 2 * NODES)) {
            cache.putPod(pod.withNode(workload.node(there++ % NODES).name()));
        }
        Gang gang = workload.gangs("gang", 8).get(0);
        cache.putGroup(gang.group());
        gang.pods().forEach(cache::putWaitingPod);
        snapshot.update(cache);
        PodGroupAlgorithm algorithm = new PodGroupAlgorithm(
                new SchedulingAlgorithm(
                        snapshot, 100, 0, Parallelism.none(), Extenders.NONE, new SplittableRandom(1), false),
                profile,
                workload.features(),
                null,
                new Reservation.Held());
        GroupKey key = GroupKey.podGroup(gang.group().namespace(), gang.group().name());
        GroupTree root = new GroupTree(key, gang.group(), gang.pods(), List.of());
        CycleState state = new CycleState();
        Map<GroupKey, GroupResult> results = algorithm.find(root, state);
        new PodGroupPostFilterRun(algorithm, PostFilterRun.Execution.LEFT_OUT).run(root, state, results);
        return answers;
    }

    // All pods leave, and some of them come back.
    private static void change(PodGroupTrial trial, Random random, List<Boolean> answers) {
        Map<String, List<Pod>> podsByNode = new LinkedHashMap<>();
        for (NodeInfo node : trial.snapshot().nodes()) {
            podsByNode.put(node.name(), node.pods());
        }
        podsByNode.forEach((node, pods) -> trial.remove(pods, node));
        assertThat(trial.schedule().status().isSuccess()).isTrue();
        int first = trial.changes();
        for (int step = 0; step < STEPS; step++) {
            String node = "node-" + random.nextInt(NODES);
            List<Pod> left = new ArrayList<>(podsByNode.get(node));
            left.removeAll(trial.snapshot().node(node).orElseThrow().pods());
            int changes = trial.changes();
            if (random.nextInt(8) == 0) {
                trial.revertTo(first + random.nextInt(changes - first + 1));
            } else if (!left.isEmpty()) {
                trial.assume(left.get(random.nextInt(left.size())), node);
            }
            boolean holds = trial.holds();
            answers.add(holds);
            // Mostly, as preemption does.
            if (!holds && random.nextInt(4) > 0 && trial.changes() > changes) {
                trial.revertTo(changes);
            }
        }
    }
}
