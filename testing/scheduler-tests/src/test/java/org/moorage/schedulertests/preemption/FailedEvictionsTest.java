// SPDX-License-Identifier: Apache-2.0
package org.moorage.schedulertests.preemption;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.Code;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.cluster.ClusterException;
import org.moorage.builtin.dra.KubeSchedulerPlugins;
import org.moorage.config.ConfigLoader;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.runtime.Scheduler;
import org.moorage.runtime.cluster.Cluster;
import org.moorage.runtime.decision.Decision;
import org.moorage.runtime.metrics.SchedulerListener;
import org.moorage.simulation.cluster.InMemoryCluster;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.Pods;

/** Preemption of three pods, whose evictions are six requests: a condition and a deletion for each, the most important first. */
class FailedEvictionsTest {
    private final InMemoryCluster cluster = InMemoryCluster.of(List.of(
            Nodes.named("n").allocatable("cpu", "3").build(), victim("a", 30), victim("b", 20), victim("c", 10)));
    private final List<String> requests = new ArrayList<>();
    /** By the number of the request. */
    private Map<Integer, ClusterException> failures = Map.of();
    // Work in the background waits here until the test runs it.
    private final Queue<Runnable> tasks = new ArrayDeque<>();
    private int acceptedTasks = Integer.MAX_VALUE;
    private final List<Throwable> thrown = new ArrayList<>();
    private final List<String> measured = new ArrayList<>();
    private Optional<Scheduler> opened = Optional.empty();

    @AfterEach
    void close() {
        opened.ifPresent(Scheduler::close);
    }

    private static Pod victim(String name, int priority) {
        return Pods.named(name).requests("cpu", "1").priority(priority).on("n").build();
    }

    private Scheduler scheduler() {
        PluginRegistry registry = PluginRegistry.of(KubeSchedulerPlugins.all());
        Scheduler scheduler = Scheduler.builder(ConfigLoader.defaults(registry), registry, failing())
                .bindingExecutor(task -> {
                    if (acceptedTasks-- <= 0) {
                        throw new RejectedExecutionException("full");
                    }
                    tasks.add(task);
                })
                .listener(new SchedulerListener() {
                    @Override
                    public void backgroundTaskFailed(String profileName, Throwable failure) {
                        thrown.add(failure);
                    }

                    @Override
                    public boolean takesMeasurements() {
                        return true;
                    }

                    @Override
                    public void postFilterRan(String plugin, Code status, long nanos) {
                        if (plugin.equals("DefaultPreemption")) {
                            measured.add("asked: " + status);
                        }
                    }

                    @Override
                    public void preempted(
                            String plugin, String preemptor, int victims, int groupDisruptions, long pdbViolations) {
                        measured.add(preemptor + ": " + victims + " victims, " + groupDisruptions + " groups, "
                                + pdbViolations + " violations");
                    }

                    @Override
                    public void preemptionExecuted(String preemptor, String result, long nanos) {
                        measured.add(preemptor + " " + result);
                    }
                })
                .build();
        opened = Optional.of(scheduler);
        scheduler.start();
        return scheduler;
    }

    /** The cluster, where requests fail as the test says. */
    private Cluster failing() {
        return (Cluster) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Cluster.class}, (proxy, method, arguments) -> {
                    if (arguments != null
                            && arguments[0] instanceof Pod pod
                            && (method.getName().equals("delete")
                                    || method.getName().equals("patchStatus"))
                            && !pod.name().equals("high")) {
                        requests.add(method.getName() + " " + pod.name());
                        ClusterException failure = failures.get(requests.size());
                        if (failure != null) {
                            throw failure;
                        }
                    }
                    try {
                        return method.invoke(cluster, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private void runTasks() {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
        }
    }

    private List<String> names() {
        return cluster.all(ObjectKind.POD).stream().map(ClusterObject::name).toList();
    }

    private static ClusterException refused(int status) {
        return new ClusterException("refused with " + status, status, null);
    }

    record Case(
            String name,
            Map<Integer, ClusterException> failures,
            List<String> remaining,
            List<String> told,
            boolean isTriedAtOnce) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static final String PREEMPTION = "preemption for pod default/high on node n: ";

    static final List<Case> CASES = List.of(
            new Case(
                    "nothing fails, and the last victim's going brings the pod back",
                    Map.of(),
                    List.of("high"),
                    List.of(),
                    true),
            new Case(
                    "the third request fails, and no further victim is evicted",
                    Map.of(3, refused(500)),
                    List.of("b", "c", "high"),
                    List.of(PREEMPTION + "refused with 500"),
                    false),
            new Case(
                    "the last victim's deletion fails",
                    Map.of(6, refused(403)),
                    List.of("c", "high"),
                    List.of(PREEMPTION + "refused with 403"),
                    false),
            new Case(
                    "a victim was gone already, which is no failure",
                    Map.of(3, refused(404)),
                    List.of("b", "high"),
                    List.of(),
                    true));

    @ParameterizedTest
    @FieldSource("CASES")
    void areToldAndRetriedAfterBackoff(Case c) {
        failures = c.failures;
        Scheduler scheduler = scheduler();
        cluster.apply(Pods.named("high").requests("cpu", "3").priority(100).build());

        assertThat(scheduler.scheduleNext())
                .get()
                .extracting(Decision::outcome)
                .isEqualTo(Decision.Outcome.UNSCHEDULABLE);
        assertThat(measured).containsExactly("asked: Success", "pod: 3 victims, 0 groups, 0 violations");
        runTasks();

        assertThat(measured).element(2).isEqualTo(c.told.isEmpty() ? "pod success" : "pod error");
        assertThat(names()).isEqualTo(c.remaining);
        assertThat(thrown).extracting(Throwable::getMessage).isEqualTo(c.told);
        assertThat(scheduler.scheduleNext().isPresent()).isEqualTo(c.isTriedAtOnce);
    }

    @Test
    void areNotRetriedWhileTheyFailOverAndOver() {
        failures = Map.of(1, refused(500), 2, refused(500), 3, refused(500));
        Scheduler scheduler = scheduler();
        cluster.apply(Pods.named("high").requests("cpu", "3").priority(100).build());
        for (int i = 0; i < 100; i++) {
            scheduler.scheduleNext();
            runTasks();
        }
        assertThat(requests).containsExactly("patchStatus a");
        assertThat(thrown).hasSize(1);
    }

    @Test
    void areNotMeasuredWhereOnlyAskedOrWhereAllVictimsLeaveAlready() {
        Scheduler scheduler = scheduler();
        Pod high = Pods.named("high").requests("cpu", "3").priority(100).build();

        assertThat(scheduler.evaluate(high).preemption()).isPresent();
        assertThat(measured).containsExactly("asked: Success");

        for (String victim : List.of("a", "b", "c")) {
            cluster.apply(Pods.named(victim)
                    .requests("cpu", "1")
                    .on("n")
                    .deleting(Instant.EPOCH)
                    .build());
        }
        cluster.apply(high);
        scheduler.scheduleNext();
        runTasks();

        assertThat(measured)
                .containsExactly("asked: Success", "asked: Success", "pod: 3 victims, 0 groups, 0 violations");
    }

    @Test
    void ofVictimsForWhichThereIsNoThreadAreToldToo() {
        Scheduler scheduler = scheduler();
        cluster.apply(Pods.named("high").requests("cpu", "3").priority(100).build());
        // The report of the attempt, the eviction as a whole, and the first victim.
        acceptedTasks = 3;
        scheduler.scheduleNext();
        runTasks();

        assertThat(thrown).extracting(Throwable::getMessage).containsExactly(PREEMPTION + "full");
        assertThat(measured).last().isEqualTo("pod error");
        assertThat(scheduler.scheduleNext()).isEmpty();
    }
}
