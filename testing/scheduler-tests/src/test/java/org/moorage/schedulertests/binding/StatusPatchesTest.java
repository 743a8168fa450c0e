// SPDX-License-Identifier: Apache-2.0
package org.moorage.schedulertests.binding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.doAnswer;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.model.Node;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodCondition;
import org.moorage.builtin.dra.KubeSchedulerPlugins;
import org.moorage.config.ConfigLoader;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.runtime.Scheduler;
import org.moorage.simulation.cluster.InMemoryCluster;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.Pods;

/** Tests status patches of failed attempts that are pending while the pod changes. */
class StatusPatchesTest {
    /**
     * A change after a failed attempt, and the messages that are written to the status of the pod.
     *
     * @param meanwhile the change while the status patch is pending
     */
    private record Case(String name, BiConsumer<InMemoryCluster, Scheduler> meanwhile, List<Integer> nodesTold) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static Node node(String name, String cpu) {
        return Nodes.named(name).allocatable("cpu", cpu).build();
    }

    static final List<Case> CASES = List.of(
            new Case("nothing", (cluster, scheduler) -> {}, List.of(1)),
            new Case(
                    "another failed attempt, which says something else",
                    (cluster, scheduler) -> {
                        cluster.apply(node("m", "1"));
                        cluster.apply(Pods.named("p").requests("cpu", "1500m").build());
                        scheduler.scheduleNext();
                    },
                    List.of(2)),
            new Case(
                    "the pod is about to be bound",
                    (cluster, scheduler) -> {
                        cluster.apply(node("m", "4"));
                        scheduler.scheduleNext();
                    },
                    List.of()),
            new Case(
                    "another client binds the pod",
                    (cluster, scheduler) -> cluster.bind(
                            cluster.find(ObjectKind.POD, "default", "p").orElseThrow(), "n"),
                    List.of()),
            new Case(
                    "the pod is deleted",
                    (cluster, scheduler) -> cluster.remove(Pods.named("p").build()),
                    List.of()));

    private final InMemoryCluster cluster = InMemoryCluster.of(
            List.of(node("n", "1"), Pods.named("p").requests("cpu", "2").build()));
    private final FaultyCluster faulty = new FaultyCluster(cluster);
    private final BlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();
    private Optional<Scheduler> opened = Optional.empty();

    @AfterEach
    void close() {
        opened.ifPresent(Scheduler::close);
    }

    @ParameterizedTest
    @FieldSource("CASES")
    void isTheLatestAndOnlyOfAPodWithoutANode(Case c) {
        List<Integer> nodesTold = new ArrayList<>();
        doAnswer(patch -> {
                    assertThat(patch.<Pod>getArgument(0).isBound()).isFalse();
                    String message = patch.<Optional<PodCondition>>getArgument(1)
                            .orElseThrow()
                            .message();
                    nodesTold.add(Integer.parseInt(message.replaceFirst("0/([0-9]+) nodes.*", "$1")));
                    return faulty.real().answer(patch);
                })
                .when(faulty.api())
                .patchStatus(any(), any(), any());
        PluginRegistry registry = PluginRegistry.of(KubeSchedulerPlugins.all());
        Scheduler scheduler = Scheduler.builder(ConfigLoader.defaults(registry), registry, faulty.api())
                .bindingExecutor(tasks::add)
                .build();
        opened = Optional.of(scheduler);
        scheduler.start();
        scheduler.scheduleNext();

        c.meanwhile.accept(cluster, scheduler);
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
        }

        assertThat(nodesTold).isEqualTo(c.nodesTold);
    }
}
