// SPDX-License-Identifier: Apache-2.0
package org.moorage.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.Plugin;
import org.moorage.api.plugin.WaitingPod;
import org.moorage.api.plugin.point.PermitResult;
import org.moorage.api.plugin.point.QueueSortPlugin;
import org.moorage.config.ConfigLoader;
import org.moorage.config.LoadedConfig;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.runtime.Scheduler;
import org.moorage.runtime.decision.Decision;
import org.moorage.runtime.decision.Evaluation;
import org.moorage.runtime.metrics.SchedulerListener;
import org.moorage.simulation.SteppingClock;
import org.moorage.simulation.cluster.InMemoryCluster;

/**
 * A scheduler with a virtual clock that takes the steps of a recorded sequence. Bindings wait until the end of a step,
 * as they did when the steps were recorded.
 */
final class SequenceRun implements AutoCloseable {
    /** The start of the scheduler, after all times in recorded cases. */
    static final Instant START = Instant.parse("2026-12-01T00:00:00Z");

    private static final long SEED = 1;
    private static final String RUNNING = "Running";
    private static final String UNKNOWN = "Unknown";

    private final SteppingClock clock = SteppingClock.startingAt(START);
    private final Queue<Runnable> tasks = new ArrayDeque<>();
    private final CreatedPlugins created = new CreatedPlugins(this::observed);
    private final StepsPlugin.Factory steps = new StepsPlugin.Factory();
    private final RecordedCluster recorded;
    private final InMemoryCluster cluster;
    private final Scheduler scheduler;
    private final Map<String, ObjectKind<?>> kinds = new TreeMap<>();
    private final Set<String> bound = new TreeSet<>();
    private final Map<String, String> ended = new TreeMap<>();
    private final Map<String, Set<String>> signals = new TreeMap<>();
    private final Set<String> activated = new TreeSet<>();
    private final Set<String> held = new TreeSet<>();
    private final TopologyResync resync = new TopologyResync();
    private String failedNode = "none";

    SequenceRun(PluginRegistry registry, String config, ObjectNode vector) {
        FeatureGates features = Conformance.features(vector);
        PluginRegistry plugins = created.recordedFrom(registry.with(List.of(steps)));
        LoadedConfig loaded = ConfigLoader.load(config, "config", plugins, features);
        recorded = new RecordedCluster(features);
        cluster = new InMemoryCluster();
        vector.path("objects").forEach(this::apply);
        scheduler = Scheduler.builder(loaded, plugins, cluster)
                .random(new SplittableRandom(SEED))
                .clock(clock)
                .timers(clock.timers())
                .bindingExecutor(tasks::add)
                .listener(new Ends())
                .build();
        scheduler.start();
        runTasks();
    }

    /** Records the ends of attempts. */
    private final class Ends implements SchedulerListener {
        @Override
        public void bound(Pod pod, String nodeName, Decision decision) {
            bound.add(pod.key());
        }

        @Override
        public void bindingFailed(Pod pod, String nodeName, String message) {
            ended.put(pod.key(), message);
            failedNode = nodeName;
        }
    }

    // The steps plugin itself is not observed.
    private Handle observed(String plugin, Handle handle) {
        if (plugin.equals(StepsPlugin.NAME)) {
            return handle;
        }
        Handle recordedResync = plugin.equals(TopologyResync.PLUGIN) ? resync.observed(handle) : handle;
        Handle.Queue queue = proxy(Handle.Queue.class, (proxy, method, arguments) -> {
            Object result = invoke(recordedResync.queue(), method, arguments);
            if (method.getName().equals("activate")) {
                for (Object pod : (Collection<?>) arguments[0]) {
                    activated.add(((Pod) pod).key());
                }
            }
            return result;
        });
        Handle.Binding binding = proxy(Handle.Binding.class, (proxy, method, arguments) -> {
            Object result = invoke(recordedResync.binding(), method, arguments);
            if (result instanceof Optional<?> found && found.orElse(null) instanceof WaitingPod pod) {
                return Optional.of(observed(pod));
            }
            if (method.getName().equals("waitingPods")) {
                List<WaitingPod> pods = new ArrayList<>();
                for (Object pod : (Collection<?>) Objects.requireNonNull(result)) {
                    pods.add(observed((WaitingPod) pod));
                }
                return pods;
            }
            return result;
        });
        return proxy(Handle.class, (proxy, method, arguments) -> switch (method.getName()) {
            case "queue" -> queue;
            case "binding" -> binding;
            default -> invoke(recordedResync, method, arguments);
        });
    }

    private WaitingPod observed(WaitingPod pod) {
        return proxy(WaitingPod.class, (proxy, method, arguments) -> {
            if (arguments != null
                    && (method.getName().equals("allow") || method.getName().equals("reject"))) {
                String done = arguments.length == 1 ? "allowed" : String.valueOf(arguments[1]);
                signals.computeIfAbsent(pod.pod().key(), any -> new TreeSet<>()).add(arguments[0] + ": " + done);
            }
            return invoke(pod, method, arguments);
        });
    }

    static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }

    static Object invoke(Object target, Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException failed) {
            throw Objects.requireNonNullElse(failed.getCause(), failed);
        }
    }

    private void runTasks() {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
        }
    }

    void beginStep() {
        bound.clear();
        ended.clear();
        signals.clear();
        activated.clear();
        created.forgetAnswers();
    }

    /** Runs the bindings; the kubelet starts pods that are bound. */
    void endStep() {
        runTasks();
        for (String key : bound) {
            Pod pod = pod(key);
            cluster.apply(pod.withStatus(pod.status().toBuilder().phase(RUNNING).build()));
        }
        held.removeIf(key -> bound.contains(key) || ended.containsKey(key));
    }

    Evaluation evaluate(String key) {
        created.forgetAnswers();
        return scheduler.evaluate(pod(key));
    }

    Map<String, Map<String, Long>> rawScores() {
        return created.rawScores();
    }

    /** Makes an attempt at a pod, and returns the node that was chosen; {@code none} if there is none. */
    String schedule(String key, String nodeName, boolean holds) {
        created.forgetAnswers();
        steps.plugin().admit(pod(key), nodeName, holds);
        failedNode = "none";
        Optional<Decision> decision = scheduler.scheduleNext();
        steps.plugin().admitNothing();
        if (holds) {
            held.add(key);
        }
        // A rejection by Permit is recorded as its result, and not as the end of a wait.
        boolean isRejected = ended.remove(key) != null;
        return decision.filter(made -> made.pod().key().equals(key))
                .flatMap(Decision::node)
                .orElse(isRejected ? failedNode : "none");
    }

    /** Returns the result of Permit of the plugin under test. */
    Optional<PermitResult> permit() {
        Map<String, PermitResult> permits = created.permits();
        permits.remove(StepsPlugin.NAME);
        return permits.values().stream().findFirst();
    }

    /** Binds a pod that a step holds after Reserve, and returns whether it is bound. */
    boolean bind(String key) {
        waitingPod(key).allow(StepsPlugin.NAME);
        endStep();
        return bound.remove(key);
    }

    void reject(String key) {
        waitingPod(key).reject(StepsPlugin.NAME, "ended by the step");
        runTasks();
        // The recorded end is that of the step, not of the wait.
        ended.remove(key);
        held.remove(key);
    }

    private WaitingPod waitingPod(String key) {
        for (WaitingPod pod : scheduler.waitingPods()) {
            if (pod.pod().key().equals(key)) {
                return pod;
            }
        }
        throw new IllegalStateException("pod " + key + " does not wait");
    }

    /** Adds an object, or replaces the one of its name, which keeps its UID. */
    void apply(JsonNode object) {
        ClusterObject decoded = recorded.object(object);
        ObjectKind<?> kind = ObjectKind.of(decoded);
        kinds.put(kind.kind(), kind);
        Optional<String> uid = cluster.find(kind, decoded.namespace(), decoded.name())
                .map(known -> known.metadata().uid());
        if (uid.isPresent()) {
            ObjectNode replacing = object.deepCopy();
            replacing.withObject("/metadata").put("uid", uid.get());
            decoded = recorded.object(replacing);
        }
        cluster.apply(decoded instanceof Pod pod ? staying(pod) : decoded);
    }

    // The recorded scheduler watched pods without kube-scheduler's field selector: those that have ended stayed on
    // their
    // nodes until they were deleted.
    private static Pod staying(Pod pod) {
        return pod.status().isTerminal()
                ? pod.withStatus(pod.status().toBuilder().phase(UNKNOWN).build())
                : pod;
    }

    void delete(String kind, String namespace, String name) {
        ObjectKind<?> known = kinds.get(kind);
        if (known != null) {
            cluster.delete(known, namespace, name);
        }
    }

    void advance(BigDecimal seconds) {
        clock.advance(Duration.ofNanos(seconds.movePointRight(9).longValue()));
    }

    /** Synchronizes the cache of NodeResourceTopologyMatch, and returns the nodes that remain marked. */
    List<String> resync() {
        return resync.run();
    }

    QueueSortPlugin queueSort() {
        return created.first(QueueSortPlugin.class).orElseThrow();
    }

    /** Returns the text of a plugin, which shows its state; empty if there is no such plugin. */
    String shown(String plugin) {
        return created.all().stream()
                .map(CreatedPlugins.Created::plugin)
                .filter(made -> made.name().equals(plugin))
                .map(Plugin::toString)
                .findFirst()
                .orElse("");
    }

    Pod pod(String key) {
        int slash = key.indexOf('/');
        return cluster.find(ObjectKind.POD, key.substring(0, slash), key.substring(slash + 1))
                .orElseThrow(() -> new IllegalArgumentException("pod: \"" + key + "\" (expected: one of the objects)"));
    }

    Set<String> bound() {
        return bound;
    }

    Map<String, String> ended() {
        return ended;
    }

    Map<String, Set<String>> signals() {
        return signals;
    }

    Set<String> activated() {
        return activated;
    }

    /** Returns the pods that wait in Permit, except those that a step holds after Reserve. */
    Set<String> waiting() {
        Set<String> waiting = new TreeSet<>();
        scheduler.waitingPods().forEach(pod -> waiting.add(pod.pod().key()));
        waiting.removeAll(held);
        return waiting;
    }

    @Override
    public void close() {
        scheduler.close();
    }
}
