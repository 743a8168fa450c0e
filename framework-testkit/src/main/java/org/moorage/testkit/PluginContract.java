// SPDX-License-Identifier: Apache-2.0
package org.moorage.testkit;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.Status;
import org.moorage.api.event.EventRegistration;
import org.moorage.api.event.EventResource;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.Node;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.api.model.Taint;
import org.moorage.api.plugin.Plugin;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.point.EnqueueExtensions;
import org.moorage.api.plugin.point.FilterPlugin;
import org.moorage.api.plugin.point.PermitPlugin;
import org.moorage.api.plugin.point.PreEnqueuePlugin;
import org.moorage.api.plugin.point.PreFilterPlugin;
import org.moorage.api.plugin.point.PreFilterResult;
import org.moorage.api.plugin.point.PreScorePlugin;
import org.moorage.api.plugin.point.ReservePlugin;
import org.moorage.api.plugin.point.ScorePlugin;
import org.moorage.api.plugin.point.SignPlugin;
import org.moorage.config.ConfigException;
import org.moorage.objects.KeptJson;
import org.moorage.objects.tree.TreeDecoder;
import org.moorage.testkit.TesterPlugin.TrialChange;

/**
 * The contract of every plugin. A plugin's test calls it once:
 *
 * <pre>{@code
 * @Test
 * void keepsTheContract() {
 *     PluginContract.verify(CostAware.FACTORY);
 * }
 * }</pre>
 *
 * <p>It runs the plugin in the real scheduler with a few pods and nodes, and checks that
 *
 * <ul>
 *   <li>the name is not blank, and the plugin has the same name as its factory;
 *   <li>the arguments are a record, and it and every record in it has {@code DEFAULTS}; a record recreated from the
 *       components of the defaults equals them, and they are valid;
 *   <li>equal pods and nodes get equal results, also from a second plugin of the same factory, and also with concurrent
 *       threads;
 *   <li>a call for many nodes returns the same results as a call for each node;
 *   <li>AddPod and RemovePod only affect the fork that they are called with: the results for the unchanged nodes stay
 *       the same;
 *   <li>the cluster is not changed before a node is chosen;
 *   <li>final scores are from 0 to 100;
 *   <li>Unreserve reverts Reserve: another pod gets the same results as before;
 *   <li>a plugin that can reject registers the events that could change its result, and its hints handle objects of
 *       each kind without failing, including objects with nothing but a name;
 *   <li>a plugin that signs returns the same results for pods with the same signature on a node, regardless of the rest
 *       of the cluster unless it reports changes of other data;
 *   <li>a plugin for groups returns equal results for equal groups, which the scheduler accepts; its placements have
 *       unique names and consist of the given nodes in their order; a feasible placement stays feasible.
 * </ul>
 *
 * <p>All violations are reported together, even if the plugin throws.
 */
public final class PluginContract {
    private static final int THREADS = 4;
    private static final int ROUNDS = 8;

    private final PluginFactory<?> factory;
    private final List<ClusterObject> objects;
    private final Set<String> violations = new LinkedHashSet<>();

    private PluginContract(PluginFactory<?> factory, List<ClusterObject> objects) {
        this.factory = factory;
        this.objects = objects;
    }

    /**
     * Checks a plugin with its default arguments.
     *
     * @throws AssertionError if it violates the contract; the message lists all violations
     */
    public static void verify(PluginFactory<?> factory) {
        new PluginContract(factory, List.of()).run(factory, null);
    }

    /**
     * Checks a plugin with these arguments.
     *
     * @param args the arguments; required if the defaults alone are not valid
     * @param objects objects of the cluster in addition to some nodes and pods, for example custom resources; the
     *     queueing hints are also tested with these, and a plugin for groups is tested with the pod groups among them
     * @throws AssertionError if it violates the contract; the message lists all violations
     */
    public static <A extends PluginArgs> void verify(PluginFactory<A> factory, A args, ClusterObject... objects) {
        new PluginContract(factory, List.of(objects)).run(factory, Objects.requireNonNull(args, "args"));
    }

    /**
     * Checks plugins with their default arguments, and that their names are unique.
     *
     * @throws AssertionError if one violates the contract, or two have the same name
     */
    public static void verifyAll(Collection<? extends PluginFactory<?>> factories) {
        Map<String, PluginFactory<?>> byName = new HashMap<>();
        for (PluginFactory<?> factory : factories) {
            verify(factory);
            PluginFactory<?> other = byName.put(factory.name(), factory);
            if (other != null) {
                throw new AssertionError("plugin \"" + factory.name() + "\": two factories, "
                        + other.declaringClass().getName() + " and "
                        + factory.declaringClass().getName());
            }
        }
    }

    private <A extends PluginArgs> void run(PluginFactory<A> asked, @Nullable A given) {
        if (asked.name().isBlank()) {
            violations.add("name: blank");
        }
        A args = new ArgsContract(violations).verify(asked.argsType(), given);
        if (violations.isEmpty() && args != null) {
            try {
                verifyAnswers(
                        PluginTester.of(asked, args).cluster(sampleCluster()).cluster(objects));
            } catch (RuntimeException | LinkageError | AssertionError failed) {
                // The violations found so far are reported as well.
                violations.add("fails: " + failed);
            }
        }
        if (!violations.isEmpty()) {
            throw new AssertionError(
                    "plugin \"" + factory.name() + "\" breaks the contract:\n  " + String.join("\n  ", violations));
        }
    }

    private void verifyAnswers(PluginTester tester) {
        try (TestScheduler first = tester.start();
                TestScheduler second = tester.start()) {
            Plugin plugin = first.plugin(Plugin.class);
            for (Pod pod : samplePods()) {
                List<String> answers = answers(first, pod);
                if (!answers.equals(answers(first, pod))) {
                    violations.add("other answers the second time for pod " + pod.name());
                }
                if (!answers.equals(answers(second, pod))) {
                    violations.add("other answers from a second plugin for pod " + pod.name());
                }
                verifyParallel(first, plugin, pod);
                verifyTrials(first, pod);
            }
            if (!first.writes().isEmpty()) {
                violations.add("changes the cluster before a node is chosen: " + first.writes());
            }
            verifyUnreserve(second, plugin);
            verifyEvents(first, plugin);
            if (GroupContract.isAbout(plugin)) {
                new GroupContract(violations).verify(plugin, tester, objects);
            }
            if (plugin instanceof SignPlugin signing) {
                try (TestScheduler other = tester.cluster(otherSamples()).start()) {
                    new SignContract(violations).verify(signing, first, other);
                }
            }
        } catch (ConfigException refused) {
            violations.add("is refused by the scheduler: " + refused.getMessage());
        }
    }

    private List<String> answers(TestScheduler scheduler, Pod pod) {
        List<String> texts = new ArrayList<>();
        if (scheduler.plugin(Plugin.class) instanceof PreEnqueuePlugin preEnqueue) {
            try {
                texts.add("preEnqueue: " + preEnqueue.preEnqueue(pod));
            } catch (RuntimeException thrown) {
                violations.add("fails for pod " + pod.name() + ": " + thrown);
            }
        }
        TestScheduler.Asked asked = scheduler.evaluate(pod, List.of());
        for (PluginCall answer : asked.answers()) {
            texts.add(answer.text());
            if (answer.thrown() != null) {
                violations.add("fails for pod " + pod.name() + ": " + answer.thrown());
            }
        }
        RuntimeException failure = asked.failure();
        if (failure != null && asked.answers().stream().allMatch(answer -> answer.thrown() == null)) {
            violations.add("is refused by the scheduler for pod " + pod.name() + ": " + failure.getMessage());
        }
        // Preemption tries nodes on several threads, so the order of its calls is arbitrary.
        Collections.sort(texts);
        return texts;
    }

    // Several threads examine all nodes concurrently, as in a large cluster.
    private void verifyParallel(TestScheduler scheduler, Plugin plugin, Pod pod) {
        boolean filters = plugin instanceof FilterPlugin && !skipped(scheduler, "preFilter");
        boolean scores = plugin instanceof ScorePlugin && !skipped(scheduler, "preScore");
        if (!filters && !scores || !scheduler.evaluate(pod, List.of()).isComplete()) {
            return;
        }
        scheduler.inCycle(pod, (state, snapshot) -> {
            List<NodeInfo> nodes = snapshot.nodes();
            if (scores && plugin instanceof PreScorePlugin preScore) {
                Status ignored = preScore.preScore(state, pod, nodes);
            }
            if (filters && plugin instanceof FilterPlugin filter) {
                verifyNodeFilter(filter, state, pod, nodes);
            }
            if (scores && plugin instanceof ScorePlugin score) {
                verifyNodeScorer(score, state, pod, nodes);
            }
            passInParallel(pod, () -> {
                List<String> answers = new ArrayList<>();
                for (NodeInfo node : nodes) {
                    answers.add((filters && plugin instanceof FilterPlugin filter
                                    ? filter.filter(state, pod, node).toString()
                                    : "")
                            + (scores && plugin instanceof ScorePlugin score ? score.score(state, pod, node) : ""));
                }
                return answers;
            });
        });
    }

    private void verifyNodeFilter(FilterPlugin plugin, CycleState state, Pod pod, List<NodeInfo> nodes) {
        plugin.nodeFilter(state, pod)
                .ifPresent(nodeFilter -> verifySame(
                        "nodeFilter and filter",
                        pod,
                        nodes.stream().map(nodeFilter).toList(),
                        nodes.stream()
                                .map(node -> plugin.filter(state, pod, node))
                                .toList()));
    }

    private void verifyNodeScorer(ScorePlugin plugin, CycleState state, Pod pod, List<NodeInfo> nodes) {
        plugin.nodeScorer(state, pod)
                .ifPresent(nodeScorer -> verifySame(
                        "nodeScorer and score",
                        pod,
                        nodes.stream().map(nodeScorer::applyAsLong).toList(),
                        nodes.stream()
                                .map(node -> plugin.score(state, pod, node))
                                .toList()));
    }

    private void verifySame(String methods, Pod pod, List<?> ofMany, List<?> ofEach) {
        if (!ofMany.equals(ofEach)) {
            violations.add(methods + " differ for pod " + pod.name() + ": " + ofMany + " (expected: " + ofEach + ")");
        }
    }

    private static boolean skipped(TestScheduler scheduler, String method) {
        for (Object answer : scheduler.answers(method)) {
            if (answer.equals(Status.skip())
                    || answer instanceof PreFilterResult result
                            && !result.status().isSuccess()) {
                return true;
            }
        }
        return false;
    }

    private void passInParallel(Pod pod, Callable<List<String>> pass) {
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try {
            Set<List<String>> seen = new LinkedHashSet<>();
            for (Future<List<String>> done : threads.invokeAll(Collections.nCopies(THREADS * ROUNDS, pass))) {
                seen.add(done.get());
            }
            if (seen.size() > 1) {
                violations.add("other answers in parallel for pod " + pod.name());
            }
        } catch (ExecutionException failed) {
            violations.add("fails in parallel for pod " + pod.name() + ": " + failed.getCause());
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            violations.add("interrupted");
        } finally {
            threads.shutdownNow();
        }
    }

    private void verifyTrials(TestScheduler scheduler, Pod pod) {
        List<String> before = answers(scheduler, pod);
        Pod added = Pods.named("added")
                .label("app", "web")
                .hostPort(9090)
                .requests("cpu", "1")
                .build();
        scheduler.evaluate(
                pod,
                List.of(
                        new TrialChange("plain", added, TrialChange.Action.ADD),
                        new TrialChange("full", sampleFiller(), TrialChange.Action.REMOVE)));
        if (!answers(scheduler, pod).equals(before)) {
            violations.add("other answers after AddPod and RemovePod on copies for pod " + pod.name());
        }
    }

    private void verifyUnreserve(TestScheduler scheduler, Plugin plugin) {
        if (!(plugin instanceof ReservePlugin)) {
            return;
        }
        Pod pod = samplePods().get(1);
        Pod other = Pods.named("other").requests("cpu", "100m").build();
        List<String> before = answers(scheduler, other);
        if (!scheduler.evaluate(pod, List.of()).accepts("plain")) {
            return;
        }
        scheduler.reserve(pod, "plain");
        scheduler.unreserve(pod);
        if (!answers(scheduler, other).equals(before)) {
            violations.add("other answers for another pod after Reserve and Unreserve");
        }
    }

    private void verifyEvents(TestScheduler scheduler, Plugin plugin) {
        boolean rejects = plugin instanceof PreEnqueuePlugin
                || plugin instanceof PreFilterPlugin
                || plugin instanceof FilterPlugin
                || plugin instanceof ReservePlugin
                || plugin instanceof PermitPlugin;
        if (!(plugin instanceof EnqueueExtensions extensions)) {
            if (rejects) {
                violations.add("can reject, and does not say which events could change its mind (EnqueueExtensions)");
            }
            return;
        }
        List<EventRegistration> registrations = extensions.eventsToRegister();
        if (rejects && registrations.isEmpty()) {
            violations.add("can reject, and names no event that could change its mind");
        }
        List<ClusterObject> changed = new ArrayList<>(sampleCluster());
        changed.addAll(samplePods());
        changed.addAll(objects);
        Set<ObjectKind<?>> kinds = new LinkedHashSet<>(ObjectKind.TYPED);
        kinds.addAll(scheduler.listed());
        kinds.forEach(kind -> changed.add(bare(kind)));
        for (EventRegistration registration : registrations) {
            EventResource wanted = registration.event().resource();
            for (ClusterObject object : changed) {
                boolean isAskedAbout = object instanceof Pod
                        ? EventResource.POD.covers(wanted)
                        : EventResource.of(ObjectKind.of(object)).equals(wanted);
                if (isAskedAbout && !answers(registration, object)) {
                    break;
                }
            }
        }
    }

    // Returns an object with nothing but a name, which an API server must accept for every kind.
    private static ClusterObject bare(ObjectKind<?> kind) {
        ObjectNode tree = JsonNodeFactory.instance.objectNode();
        tree.put("apiVersion", kind.apiVersion()).put("kind", kind.kind());
        ObjectNode metadata = tree.putObject("metadata").put("name", "bare");
        if (kind.namespaced()) {
            metadata.put("namespace", "default");
        }
        return new TreeDecoder().decode(kind, tree, KeptJson.NONE);
    }

    // Does not use the scheduler, which treats a failing hint as one that retries the pod.
    private boolean answers(EventRegistration registration, ClusterObject object) {
        for (Pod pod : samplePods()) {
            try {
                registration.hint().hint(pod, ObjectChange.added((Object) object));
                registration.hint().hint(pod, ObjectChange.updated((Object) object, object));
                registration.hint().hint(pod, ObjectChange.deleted((Object) object));
            } catch (RuntimeException failed) {
                violations.add("queueing hint for " + registration.event() + " fails for "
                        + ObjectKind.of(object).kind() + " " + object.key() + ": " + failed);
                return false;
            }
        }
        return true;
    }

    private static List<ClusterObject> sampleCluster() {
        Node plain = Nodes.named("plain")
                .zone("a")
                .label("disk", "ssd")
                .allocatable("cpu", "4")
                .allocatable("memory", "8Gi")
                .image(300L << 20, "web:1")
                .build();
        Node tainted = Nodes.named("tainted")
                .zone("b")
                .allocatable("cpu", "2")
                .allocatable("memory", "4Gi")
                .taint("dedicated", "batch", Taint.NO_SCHEDULE)
                .taint("slow", "", Taint.PREFER_NO_SCHEDULE)
                .build();
        Node closed = Nodes.named("closed")
                .allocatable("cpu", "8")
                .allocatable("memory", "16Gi")
                .unschedulable()
                .build();
        Node full = Nodes.named("full")
                .zone("a")
                .allocatable("cpu", "1")
                .allocatable("memory", "1Gi")
                .allocatable("pods", "1")
                .build();
        return List.of(
                plain,
                tainted,
                closed,
                full,
                Pods.named("web-1")
                        .label("app", "web")
                        .requests("cpu", "500m")
                        .requests("memory", "1Gi")
                        .hostPort(8080)
                        .on("plain")
                        .build(),
                sampleFiller());
    }

    /** Returns objects that are added to the samples to check that results for a node do not depend on other nodes. */
    private static List<ClusterObject> otherSamples() {
        return List.of(
                Nodes.named("further")
                        .zone("a")
                        .label("disk", "ssd")
                        .allocatable("cpu", "4")
                        .image(300L << 20, "web:1")
                        .build(),
                Pods.named("web-2")
                        .label("app", "web")
                        .requests("cpu", "1")
                        .on("further")
                        .build(),
                Pods.named("web-3")
                        .label("app", "web")
                        .requests("cpu", "1")
                        .on("tainted")
                        .build());
    }

    private static Pod sampleFiller() {
        return Pods.named("filler").requests("cpu", "1").on("full").build();
    }

    private static List<Pod> samplePods() {
        return samples().stream().map(Pods::build).toList();
    }

    /** Returns builders of the sample pods; build each one once. */
    static List<Pods> samples() {
        return List.of(
                Pods.named("empty"),
                Pods.named("modest").image("web:1").requests("cpu", "100m").requests("memory", "64Mi"),
                Pods.named("huge").requests("cpu", "64").requests("example.com/gpu", "8"),
                Pods.named("port").label("app", "web").hostPort(8080),
                Pods.named("tolerant").toleratesAll("dedicated").priority(10),
                Pods.named("choosy")
                        .nodeSelector("disk", "ssd")
                        .requiresNode(Selectors.labelled(Selectors.exists("disk")))
                        .prefersNode(10, Selectors.labelled(Selectors.in("topology.kubernetes.io/zone", "a"))),
                Pods.named("apart")
                        .label("app", "web")
                        .requiresPodAntiAffinity("topology.kubernetes.io/zone", "app", "web"),
                Pods.named("gated").schedulingGate("example.com/wait"));
    }
}
