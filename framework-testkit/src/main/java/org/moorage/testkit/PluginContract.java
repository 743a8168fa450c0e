// SPDX-License-Identifier: Apache-2.0
package org.moorage.testkit;

import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.NodeScores;
import org.moorage.api.Status;
import org.moorage.api.event.EventRegistration;
import org.moorage.api.event.EventResource;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.Node;
import org.moorage.api.model.Pod;
import org.moorage.api.model.ResourceName;
import org.moorage.api.model.Taint;
import org.moorage.api.plugin.EnqueueExtensions;
import org.moorage.api.plugin.FilterPlugin;
import org.moorage.api.plugin.PermitPlugin;
import org.moorage.api.plugin.Plugin;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.PreEnqueuePlugin;
import org.moorage.api.plugin.PreFilterPlugin;
import org.moorage.api.plugin.PreFilterResult;
import org.moorage.api.plugin.PreScorePlugin;
import org.moorage.api.plugin.Problems;
import org.moorage.api.plugin.ReservePlugin;
import org.moorage.api.plugin.ScorePlugin;

/**
 * What every plugin keeps to, whoever wrote it. A plugin's test calls it once:
 *
 * <pre>{@code
 * @Test
 * void keepsTheContract() {
 *     PluginContract.verify(CostAware.FACTORY);
 * }
 * }</pre>
 *
 * <p>It checks that
 *
 * <ul>
 *   <li>the name is not blank, and the plugin has its factory's;
 *   <li>the arguments are a record, and it and every record in it has {@code DEFAULTS}; a record made anew from the parts of
 *       the defaults equals them, and they are valid;
 *   <li>equal pods and nodes get equal answers, also from a second plugin of the same factory, and also when several
 *       threads ask at once;
 *   <li>nodes and scores are left as they were, and the cluster is not changed before a node is chosen;
 *   <li>scores are from 0 to 100 in the end;
 *   <li>a plugin that can reject says which events could change its mind, and looks at them without failing.
 * </ul>
 */
public final class PluginContract {
    private static final int THREADS = 4;
    private static final int ROUNDS = 8;

    private final PluginFactory<?> factory;
    private final Set<String> violations = new LinkedHashSet<>();

    private PluginContract(PluginFactory<?> factory) {
        this.factory = factory;
    }

    /**
     * Checks a plugin with its default arguments.
     *
     * @throws AssertionError if it does not keep the contract; the message has all points at once
     */
    public static void verify(PluginFactory<?> factory) {
        new PluginContract(factory).run();
    }

    /**
     * Checks plugins with their default arguments, and that no two have one name.
     *
     * @throws AssertionError if one does not keep the contract, or two have one name
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

    private void run() {
        if (factory.name().isBlank()) {
            violations.add("name: blank");
        }
        PluginArgs defaults = defaultsOf(factory.argsType());
        if (defaults != null) {
            Problems problems = Problems.collector();
            defaults.validate(problems);
            problems.all().forEach(problem -> violations.add("DEFAULTS are not valid: " + problem));
            verifyRoundTrip(defaults);
            try {
                exercise(factory, defaults);
            } catch (RuntimeException | Error failure) {
                throw new AssertionError("plugin \"" + factory.name() + "\" fails: " + failure, failure);
            }
        }
        if (!violations.isEmpty()) {
            throw new AssertionError(
                    "plugin \"" + factory.name() + "\" breaks the contract:\n  " + String.join("\n  ", violations));
        }
    }

    private <T> @Nullable T defaultsOf(Class<T> type) {
        if (!type.isRecord()) {
            violations.add(type.getName() + ": not a record");
            return null;
        }
        try {
            Field field = type.getField("DEFAULTS");
            if (Modifier.isStatic(field.getModifiers()) && type.isInstance(field.get(null))) {
                return type.cast(field.get(null));
            }
        } catch (NoSuchFieldException | IllegalAccessException missing) {
            violations.add(type.getName() + ": no public static DEFAULTS (" + missing.getMessage() + ")");
            return null;
        }
        violations.add(type.getName() + ": DEFAULTS is not a static of this type");
        return null;
    }

    private void verifyRoundTrip(Object value) {
        Class<?> type = value.getClass();
        RecordComponent[] components = type.getRecordComponents();
        Class<?>[] types =
                Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new);
        try {
            Object[] parts = new Object[components.length];
            for (int i = 0; i < parts.length; i++) {
                parts[i] = components[i].getAccessor().invoke(value);
                verifyRecordsIn(components[i].getGenericType(), type);
            }
            Constructor<?> constructor = type.getDeclaredConstructor(types);
            Object again = constructor.newInstance(parts);
            if (!again.equals(value) || again.hashCode() != value.hashCode()) {
                violations.add(type.getName() + ": made anew from its parts it is " + again + ", not " + value);
            }
        } catch (NoSuchMethodException
                | InstantiationException
                | IllegalAccessException
                | InvocationTargetException unreadable) {
            violations.add(type.getName() + ": cannot be taken apart and made anew (" + unreadable + ")");
        }
    }

    // Records of the API, such as a node affinity, are read in Kubernetes' own form and have no defaults.
    private void verifyRecordsIn(Type type, Class<?> around) {
        if (type instanceof ParameterizedType generic) {
            for (Type argument : generic.getActualTypeArguments()) {
                verifyRecordsIn(argument, around);
            }
        } else if (type instanceof Class<?> plain
                && plain.isRecord()
                && !plain.getPackageName().startsWith("org.moorage.api")
                && plain != around) {
            Object defaults = defaultsOf(plain);
            if (defaults != null) {
                verifyRoundTrip(defaults);
            }
        }
    }

    private <A extends PluginArgs> void exercise(PluginFactory<A> typed, PluginArgs defaults) {
        ClusterSketch cluster = sampleCluster();
        TestHandle handle = TestHandle.of(cluster);
        A args = typed.argsType().cast(defaults);
        Plugin plugin = typed.create(args, handle);
        Plugin twin = typed.create(args, handle);
        if (!plugin.name().equals(factory.name())) {
            violations.add("name: the plugin's is \"" + plugin.name() + "\"");
        }
        List<List<Long>> figures = figures(cluster);
        for (Pod pod : samplePods()) {
            List<String> answers = answers(plugin, pod, cluster);
            if (!answers.equals(answers(plugin, pod, cluster))) {
                violations.add("other answers the second time for pod " + pod.name());
            }
            if (!answers.equals(answers(twin, pod, cluster))) {
                violations.add("other answers from a second plugin for pod " + pod.name());
            }
            verifyParallel(plugin, pod, cluster);
        }
        if (!figures.equals(figures(cluster))) {
            violations.add("changes the nodes");
        }
        if (!handle.changes().isEmpty()) {
            violations.add("changes the cluster before a node is chosen: " + handle.changes());
        }
        verifyEvents(plugin);
    }

    private List<String> answers(Plugin plugin, Pod pod, ClusterSketch cluster) {
        List<String> answers = new ArrayList<>();
        if (plugin instanceof PreEnqueuePlugin preEnqueue) {
            answers.add("preEnqueue " + preEnqueue.preEnqueue(pod));
        }
        CycleState state = new CycleState();
        if (prepareFilter(plugin, state, pod, cluster, answers)) {
            for (NodeInfo node : cluster.nodes()) {
                answers.add("filter " + filter(plugin, state, pod, node));
            }
        }
        if (prepareScore(plugin, state, pod, cluster, answers)) {
            long[] raw = cluster.nodes().stream()
                    .mapToLong(node -> score(plugin, state, pod, node))
                    .toArray();
            answers.add("score " + Arrays.toString(raw));
            answers.add("normalize " + normalize((ScorePlugin) plugin, state, pod, cluster, raw));
        }
        return answers;
    }

    private String normalize(ScorePlugin plugin, CycleState state, Pod pod, ClusterSketch cluster, long[] raw) {
        NodeScores scores = NodeScores.of(cluster.nodes(), raw.clone());
        NodeScores normalized = plugin.normalize(state, pod, scores);
        if (!Arrays.equals(scores.toArray(), raw)) {
            violations.add("normalize changes the scores it is given");
        }
        if (LongStream.of(normalized.toArray()).anyMatch(score -> score < 0 || score > NodeScores.MAX)) {
            violations.add("scores: " + Arrays.toString(normalized.toArray()) + " (expected: 0 to 100)");
        }
        return Arrays.toString(normalized.toArray());
    }

    private static boolean prepareFilter(
            Plugin plugin, CycleState state, Pod pod, ClusterSketch cluster, List<String> answers) {
        if (plugin instanceof PreFilterPlugin preFilter) {
            PreFilterResult result = preFilter.preFilter(state, pod, cluster);
            answers.add("preFilter " + result.status() + result.nodeNames());
            if (!result.status().isSuccess()) {
                return false;
            }
        }
        return plugin instanceof FilterPlugin;
    }

    private static boolean prepareScore(
            Plugin plugin, CycleState state, Pod pod, ClusterSketch cluster, List<String> answers) {
        if (plugin instanceof PreScorePlugin preScore) {
            Status status = preScore.preScore(state, pod, cluster.nodes());
            answers.add("preScore " + status);
            if (!status.isSuccess()) {
                return false;
            }
        }
        return plugin instanceof ScorePlugin;
    }

    private static String filter(Plugin plugin, CycleState state, Pod pod, NodeInfo node) {
        return plugin instanceof FilterPlugin filter
                ? filter.filter(state, pod, node).toString()
                : "";
    }

    private static long score(Plugin plugin, CycleState state, Pod pod, NodeInfo node) {
        return plugin instanceof ScorePlugin score ? score.score(state, pod, node) : 0;
    }

    private void verifyParallel(Plugin plugin, Pod pod, ClusterSketch cluster) {
        CycleState state = new CycleState();
        boolean filters = prepareFilter(plugin, state, pod, cluster, new ArrayList<>());
        boolean scores = prepareScore(plugin, state, pod, cluster, new ArrayList<>());
        if (!filters && !scores) {
            return;
        }
        Callable<List<String>> pass = () -> {
            List<String> answers = new ArrayList<>();
            for (NodeInfo node : cluster.nodes()) {
                answers.add((filters ? filter(plugin, state, pod, node) : "")
                        + (scores ? score(plugin, state, pod, node) : ""));
            }
            return answers;
        };
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try {
            List<Callable<List<String>>> passes = new ArrayList<>();
            for (int i = 0; i < THREADS * ROUNDS; i++) {
                passes.add(pass);
            }
            Set<List<String>> seen = new LinkedHashSet<>();
            for (Future<List<String>> done : threads.invokeAll(passes)) {
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

    private void verifyEvents(Plugin plugin) {
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
        Node node = sampleCluster().nodes().get(0).node();
        List<Pod> pods = samplePods();
        for (EventRegistration registration : registrations) {
            EventResource resource = registration.event().resource();
            if (resource.equals(EventResource.NODE)) {
                ask(registration, pods, node);
            } else if (resource.equals(EventResource.POD)) {
                pods.forEach(changed -> ask(registration, pods, changed));
            }
        }
    }

    private static <T extends ClusterObject> void ask(EventRegistration registration, List<Pod> pods, T object) {
        for (Pod pod : pods) {
            registration.hint().hint(pod, ObjectChange.added((Object) object));
            registration.hint().hint(pod, ObjectChange.updated((Object) object, object));
            registration.hint().hint(pod, ObjectChange.deleted((Object) object));
        }
    }

    private static List<List<Long>> figures(ClusterSketch cluster) {
        List<List<Long>> figures = new ArrayList<>();
        for (NodeInfo node : cluster.nodes()) {
            figures.add(List.of(
                    (long) node.podCount(),
                    node.allowedPods(),
                    node.requested(ResourceName.CPU),
                    node.requested(ResourceName.MEMORY),
                    node.nonZeroRequested(ResourceName.CPU),
                    node.generation()));
        }
        return figures;
    }

    private static ClusterSketch sampleCluster() {
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
        return ClusterSketch.of(plain, tainted, closed, full)
                .with(
                        Pods.named("web-1")
                                .label("app", "web")
                                .requests("cpu", "500m")
                                .requests("memory", "1Gi")
                                .hostPort(8080)
                                .on("plain")
                                .build(),
                        Pods.named("filler").requests("cpu", "1").on("full").build());
    }

    private static List<Pod> samplePods() {
        return List.of(
                Pods.named("empty").build(),
                Pods.named("modest")
                        .image("web:1")
                        .requests("cpu", "100m")
                        .requests("memory", "64Mi")
                        .build(),
                Pods.named("huge")
                        .requests("cpu", "64")
                        .requests("example.com/gpu", "8")
                        .build(),
                Pods.named("port").label("app", "web").hostPort(8080).build(),
                Pods.named("tolerant").toleratesAll("dedicated").priority(10).build(),
                Pods.named("choosy")
                        .nodeSelector("disk", "ssd")
                        .requiresNode(Selectors.labelled(Selectors.exists("disk")))
                        .prefersNode(10, Selectors.labelled(Selectors.in("topology.kubernetes.io/zone", "a")))
                        .build(),
                Pods.named("apart")
                        .label("app", "web")
                        .apartFrom("topology.kubernetes.io/zone", "app", "web")
                        .build(),
                Pods.named("gated").schedulingGate("example.com/wait").build());
    }
}
