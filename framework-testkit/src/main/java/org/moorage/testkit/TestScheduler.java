// SPDX-License-Identifier: Apache-2.0
package org.moorage.testkit;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.moorage.api.Code;
import org.moorage.api.CycleState;
import org.moorage.api.GroupKey;
import org.moorage.api.PodGroupLister;
import org.moorage.api.PodGroupState;
import org.moorage.api.Snapshot;
import org.moorage.api.Status;
import org.moorage.api.event.EventRegistration;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodGroup;
import org.moorage.api.model.SchedulingGroup;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.Plugin;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.PluginLogger;
import org.moorage.api.plugin.Problems;
import org.moorage.api.plugin.WaitingPod;
import org.moorage.api.plugin.cluster.ClusterException;
import org.moorage.api.plugin.group.PlacementGeneratePlugin;
import org.moorage.api.plugin.point.EnqueueExtensions;
import org.moorage.api.plugin.point.ExtensionPoint;
import org.moorage.api.plugin.point.QueueSortPlugin;
import org.moorage.api.plugin.point.QueuedPod;
import org.moorage.config.ProfileConfig;
import org.moorage.config.SchedulerConfig;
import org.moorage.config.plugin.EnabledPlugin;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.config.plugin.PluginSet;
import org.moorage.runtime.Scheduler;
import org.moorage.runtime.SchedulerBuilder;
import org.moorage.runtime.decision.Decision;
import org.moorage.runtime.decision.Evaluation;
import org.moorage.runtime.decision.HintEvaluation;
import org.moorage.runtime.decision.PluginStatus;
import org.moorage.simulation.ProgressWatch;
import org.moorage.simulation.StalledException;
import org.moorage.simulation.SteppingClock;
import org.moorage.simulation.cluster.InMemoryCluster;
import org.moorage.testkit.PluginTester.PluginUnderTest;
import org.moorage.testkit.TesterPlugin.TrialChange;

/**
 * A real scheduler with the plugin under test, on an in-memory cluster. Pods are bound on the calling thread: when a
 * method returns, everything that it started is done.
 *
 * <pre>{@code
 * try (TestScheduler scheduler = PluginTester.of(VolumeBinding.FACTORY).cluster(...).start()) {
 *     scheduler.reserve(first, "n1");
 *     scheduler.pod(second).rejects("n1", NO_VOLUME);
 *     scheduler.unreserve(first);
 *     scheduler.pod(second).accepts("n1");
 * }
 * }</pre>
 */
public final class TestScheduler implements AutoCloseable {
    private static final String PROFILE = "default-scheduler";
    private static final String QUEUE_SORT = "PluginTesterQueueSort";
    private static final long SEED = 1;

    private final String plugin;
    private final FeatureGates features;
    private final InMemoryCluster cluster;
    private final ObservedCluster observed;
    private final Scheduler scheduler;
    private final @Nullable SteppingClock clock;
    private final List<Plugin> made = new ArrayList<>();
    private final Set<ObjectKind<?>> listed = ConcurrentHashMap.newKeySet();
    private final List<LogLine> logged = new CopyOnWriteArrayList<>();
    private final ProgressWatch progress = new ProgressWatch();
    private final List<Pod> activated = new CopyOnWriteArrayList<>();
    private final List<Pod> activatedAfterBackoff = new CopyOnWriteArrayList<>();
    private volatile @Nullable Snapshot inCycle;
    private @Nullable RecordedPlugin recorded;
    private @Nullable RecordedPlugin generator;
    private @Nullable TesterPlugin tester;
    private @Nullable Handle handle;

    TestScheduler(
            PluginUnderTest<?> plugin,
            List<ClusterObject> objects,
            FeatureGates features,
            List<PluginFactory<?>> others,
            Set<ExtensionPoint> disabled,
            @Nullable Instant start) {
        TestClassPath.check();
        this.plugin = plugin.factory().name();
        this.features = features;
        clock = start == null ? null : SteppingClock.startingAt(start);
        cluster = InMemoryCluster.of(objects);
        observed = new ObservedCluster(cluster);
        Map<String, PluginFactory<?>> factories = new LinkedHashMap<>();
        Map<String, PluginArgs> args = new LinkedHashMap<>();
        PluginFactory<?> factory = plugin.factory();
        factories.put(
                factory.name(),
                new WrappingFactory<>(
                        factory,
                        (created, given) -> {
                            made.add(created);
                            handle = given;
                            recorded = new RecordedPlugin(created);
                            return recorded.asPlugin();
                        },
                        this::observed));
        args.put(factory.name(), valid(factory.name(), plugin.args(), features));
        for (PluginFactory<?> other : others) {
            factories.put(
                    other.name(),
                    new WrappingFactory<>(
                            other,
                            (created, given) -> {
                                made.add(created);
                                return generating(created);
                            },
                            given -> given));
            args.put(other.name(), valid(other.name(), PluginTester.defaults(other.argsType()), features));
        }
        factories.put(TesterPlugin.NAME, new OwnFactory(TesterPlugin.NAME, given -> tester = new TesterPlugin(given)));
        factories.put(QUEUE_SORT, new OwnFactory(QUEUE_SORT, given -> queueSort()));
        args.put(TesterPlugin.NAME, PluginArgs.None.DEFAULTS);
        args.put(QUEUE_SORT, PluginArgs.None.DEFAULTS);
        SchedulerBuilder builder = Scheduler.builder(
                        config(factory.name(), List.copyOf(factories.keySet()), args, disabled),
                        PluginRegistry.of(factories.values()),
                        observed.asCluster())
                .featureGates(features)
                .listener(progress)
                .random(new SplittableRandom(SEED));
        // No other component runs while a plugin pauses.
        scheduler = (clock == null
                        ? builder.clock(SteppingClock.startingAfter(objects)).bindingExecutor(Runnable::run)
                        : builder.clock(clock).executor(clock.timers(), pause -> {}))
                .build();
        scheduler.start();
    }

    // Records the plugin that generates placements, which may not be the one under test.
    private Plugin generating(Plugin created) {
        if (!(created instanceof PlacementGeneratePlugin)) {
            return created;
        }
        generator = new RecordedPlugin(created);
        return generator.asPlugin();
    }

    private static PluginArgs valid(String plugin, PluginArgs args, FeatureGates features) {
        Problems problems = Problems.collector();
        PluginArgs complete = args.forFeatures(features, problems);
        complete.validate(problems);
        if (!problems.isEmpty()) {
            throw new IllegalArgumentException("arguments of plugin \"" + plugin + "\": " + problems.all());
        }
        return complete;
    }

    private static SchedulerConfig config(
            String plugin, List<String> names, Map<String, PluginArgs> args, Set<ExtensionPoint> disabled) {
        List<EnabledPlugin> enabled = new ArrayList<>();
        for (String name : names) {
            enabled.add(new EnabledPlugin(name, 1));
        }
        Map<ExtensionPoint, PluginSet> points = new EnumMap<>(ExtensionPoint.class);
        // Plugins that are enabled both at the extension point and by multiPoint come first.
        points.put(ExtensionPoint.FILTER, new PluginSet(List.of(new EnabledPlugin(TesterPlugin.NAME, 1)), List.of()));
        for (ExtensionPoint point : disabled) {
            PluginSet set = points.getOrDefault(point, PluginSet.EMPTY);
            points.put(point, new PluginSet(set.enabled(), List.of(plugin)));
        }
        ProfileConfig profile =
                new ProfileConfig(PROFILE, OptionalInt.empty(), points, new PluginSet(enabled, List.of()), args);
        SchedulerConfig defaults = SchedulerConfig.defaults(PluginRegistry.of(List.of()));
        return new SchedulerConfig(
                1,
                defaults.leaderElection(),
                defaults.clientConnection(),
                false,
                false,
                100,
                defaults.podInitialBackoffSeconds(),
                defaults.podMaxBackoffSeconds(),
                false,
                List.of(profile),
                List.of());
    }

    /** Returns the cluster, for changes that the scheduler does not make. */
    public InMemoryCluster cluster() {
        return cluster;
    }

    /** Returns the scheduler, for uses that this class does not cover. */
    public Scheduler scheduler() {
        return scheduler;
    }

    /** Returns the handle that was passed to the plugin's factory. */
    public Handle handle() {
        return Objects.requireNonNull(handle);
    }

    /**
     * Returns the plugin, for calls that no cycle makes.
     *
     * @throws ClassCastException if it is not of that type
     */
    public <P extends Plugin> P plugin(Class<P> type) {
        return type.cast(recorded().plugin());
    }

    /** Returns the name of the plugin under test. */
    String plugin() {
        return plugin;
    }

    RecordedPlugin recorded() {
        return Objects.requireNonNull(recorded);
    }

    private TesterPlugin tester() {
        return Objects.requireNonNull(tester);
    }

    /** Returns a tester of the plugin's current results for a pod. The pod does not have to be in the cluster. */
    public PodTester pod(Pod pod) {
        return new PodTester(this, Objects.requireNonNull(pod, "pod"));
    }

    /**
     * Returns a tester of the result of scheduling a group. The group is scheduled once, by the first check, and stays
     * scheduled. The group and the given members are first added to the cluster if they are not in it.
     *
     * @throws IllegalArgumentException if the feature GenericWorkload is off
     */
    public GroupTester group(SchedulingGroup group, Pod... members) {
        return new GroupTester(group, () -> attempt(group, List.of(members), Optional.empty()));
    }

    /**
     * The result of an attempt to schedule a group.
     *
     * @param generated the results of the profile's plugin that generates placements, which may be the one under test
     * @param answers the results of the plugin under test
     * @param members the pods of the group that were pending, as they are after the attempt
     * @param podGroups the group, or the pod groups below it, as they are after the attempt
     */
    record GroupAttempt(
            List<PluginCall> generated, List<PluginCall> answers, List<Pod> members, List<PodGroup> podGroups) {}

    /** Schedules a group, on all nodes or only on the given one. */
    GroupAttempt attempt(SchedulingGroup group, List<Pod> added, Optional<String> nodeName) {
        if (!features.isEnabled(FeatureGates.GENERIC_WORKLOAD)) {
            throw new IllegalArgumentException(
                    "features: GenericWorkload is off (expected: on, to schedule " + group.key() + ")");
        }
        recorded().forget();
        if (generator != null) {
            generator.forget();
        }
        GroupKey key = GroupAnswers.key(group);
        come(group);
        added.forEach(this::come);
        List<PodGroupState> before = podGroups(key);
        tester().leave(nodeName);
        try {
            Decision decision;
            do {
                decision = scheduler
                        .scheduleNext()
                        .orElseThrow(() -> failure("Group " + group.key() + " is not ready to be scheduled."));
            } while (!groups().root(decision.pod()).equals(groups().root(key)));
        } finally {
            tester().leave(Optional.empty());
        }
        List<Pod> members = new ArrayList<>();
        List<PodGroup> podGroups = new ArrayList<>();
        for (PodGroupState state : before) {
            state.unscheduledPods().forEach(pod -> members.add(latest(pod)));
            state.podGroup().ifPresent(known -> podGroups.add(latest(known)));
        }
        List<PluginCall> generated = recorded().plugin() instanceof PlacementGeneratePlugin || generator == null
                ? recorded().answers()
                : generator.answers();
        return new GroupAttempt(generated, recorded().answers(), members, podGroups);
    }

    private void come(ClusterObject object) {
        if (cluster.find(ObjectKind.of(object), object.namespace(), object.name())
                .isEmpty()) {
            cluster.apply(object);
        }
    }

    @SuppressWarnings("unchecked") // the kind of an object is that of its type
    private <T extends ClusterObject> T latest(T object) {
        return (T) cluster.find(ObjectKind.of(object), object.namespace(), object.name())
                .orElseThrow();
    }

    private PodGroupLister groups() {
        return handle().cluster().podGroups();
    }

    // Returns the group, or the pod groups below it.
    private List<PodGroupState> podGroups(GroupKey key) {
        if (key.type() == GroupKey.Type.POD_GROUP) {
            return groups().podGroup(key.namespace(), key.name()).stream().toList();
        }
        List<PodGroupState> below = new ArrayList<>();
        groups().compositePodGroup(key.namespace(), key.name())
                .ifPresent(state -> state.children().forEach(child -> below.addAll(podGroups(child))));
        return below;
    }

    /** The result of evaluating a pod on every node. */
    record Asked(
            @Nullable Evaluation evaluation,
            @Nullable RuntimeException failure,
            List<PluginCall> answers,
            Map<String, Status> onTrial) {
        /** Returns whether the cycle reached Score: some node is feasible. */
        boolean isComplete() {
            return evaluation != null && !evaluation.feasible().isEmpty();
        }

        /** Returns whether the node is feasible. */
        boolean accepts(String nodeName) {
            return evaluation != null && evaluation.feasible().contains(nodeName);
        }
    }

    Asked evaluate(Pod pod, List<TrialChange> changes) {
        Map<String, Status> onTrial = new TreeMap<>();
        if (!changes.isEmpty()) {
            tester().inNextCycle((state, asked) -> onTrial.putAll(tester().onTrial(changes, state, asked)));
        }
        return evaluate(pod, onTrial);
    }

    private Asked evaluate(Pod pod, Map<String, Status> onTrial) {
        recorded().forget();
        Evaluation evaluation = null;
        RuntimeException failure = null;
        try {
            Evaluation answered = scheduler.evaluate(pod);
            Optional<Status> postFilter = answered.postFilter().map(PluginStatus::status);
            if (postFilter.isPresent() && postFilter.get().code() == Code.ERROR) {
                failure = new IllegalStateException(postFilter.get().message());
            } else {
                evaluation = answered;
            }
        } catch (RuntimeException thrown) {
            failure = thrown;
        } finally {
            tester().askNothing();
        }
        return new Asked(evaluation, failure, recorded().answers(), onTrial);
    }

    /**
     * Runs an action in the middle of a pod's cycle, after PreFilter and before the first Filter, for calls that no
     * cycle makes. The plugin can read the snapshot then, also on threads that the action starts and waits for.
     *
     * @param action receives the cycle's state and the snapshot
     * @throws AssertionError if the cycle ends before that
     */
    public void inCycle(Pod pod, BiConsumer<CycleState, Snapshot> action) {
        AtomicBoolean done = new AtomicBoolean();
        tester().inNextCycle((state, asked) -> {
            Snapshot snapshot = handle().snapshot();
            inCycle = snapshot;
            try {
                action.accept(state, snapshot);
            } finally {
                inCycle = null;
            }
            done.set(true);
        });
        Asked asked = evaluate(pod, Map.of());
        if (asked.failure() != null) {
            throw asked.failure();
        }
        if (!done.get()) {
            throw failure("The cycle for pod " + pod.key() + " ends before the first Filter.");
        }
    }

    /**
     * Returns the plugin's results since the last check, or in the last cycle that was not only a check.
     *
     * @param method the method of the extension point, for example {@code "preBindPreFlight"}
     */
    public List<Object> answers(String method) {
        List<Object> values = new ArrayList<>();
        for (PluginCall answer : recorded().answers()) {
            if (answer.method().equals(method) && answer.value() != null) {
                values.add(answer.value());
            }
        }
        return values;
    }

    HintEvaluation hints(Pod pod, ObjectChange<? extends ClusterObject> change) {
        return scheduler.hints(pod, change);
    }

    /** Adds a pod to the queue, or activates it if it is already queued: either way PreEnqueue is called. */
    List<PluginCall> enqueue(Pod pod) {
        recorded().forget();
        comeOrTryAgain(pod);
        return recorded().answers();
    }

    private void comeOrTryAgain(Pod pod) {
        if (cluster.find(ObjectKind.POD, pod.namespace(), pod.name()).isEmpty()) {
            cluster.apply(pod);
        } else {
            handle().queue().activate(List.of(pod));
        }
    }

    /**
     * Schedules a pod, from the queue until it is bound or rejected. A pod that is not in the cluster is first added to
     * it.
     *
     * @throws AssertionError if the pod is not ready to be scheduled, for example because it is gated
     */
    public Decision schedule(Pod pod) {
        return schedule(pod, Optional.empty());
    }

    /** Schedules a pod as {@link #schedule(Pod)} does, on this node only. */
    public Decision schedule(Pod pod, String nodeName) {
        return schedule(pod, Optional.of(nodeName));
    }

    private Decision schedule(Pod pod, Optional<String> nodeName) {
        recorded().forget();
        tester().leave(nodeName);
        try {
            comeOrTryAgain(pod);
            while (true) {
                Decision decision = scheduler
                        .scheduleNext()
                        .orElseThrow(() -> failure("Pod " + pod.key() + " is not ready to be scheduled."));
                if (decision.pod().uid().equals(pod.uid())) {
                    return decision;
                }
            }
        } finally {
            tester().leave(Optional.empty());
        }
    }

    /**
     * Schedules the ready pods of the queue, one after the other, until none is ready.
     *
     * @return the result of each attempt, in order; a pod that waits in Permit counts as scheduled
     * @throws AssertionError if a pod is tried more than 100 times with no pod bound in between, for example because a
     *     plugin activates it after each attempt
     */
    public List<Decision> scheduleAll() {
        recorded().forget();
        progress.timePassed();
        List<Decision> decisions = new ArrayList<>();
        for (Optional<Decision> next = scheduler.scheduleNext(); next.isPresent(); next = scheduler.scheduleNext()) {
            decisions.add(next.get());
            try {
                progress.check(next.get(), scheduler);
            } catch (StalledException stalled) {
                throw new AssertionError("scheduleAll does not end: " + stalled.getMessage(), stalled);
            }
        }
        return decisions;
    }

    /**
     * Advances the clock: permits time out, backoffs end, and the plugin's tasks that are due run, each at its time. A
     * pod that becomes ready is scheduled by the next {@link #scheduleAll} or {@link #schedule}.
     *
     * @throws IllegalStateException if the scheduler was not started by {@link PluginTester#startAt}
     */
    public void advance(Duration time) {
        if (time.isNegative()) {
            throw new IllegalArgumentException("time: " + time + " (expected: zero or more)");
        }
        if (clock == null) {
            throw new IllegalStateException("The clock cannot be moved (expected: a scheduler of startAt).");
        }
        clock.advance(time);
    }

    /** Returns the pods that wait in Permit, for the plugin under test or another one. */
    public List<WaitingPod> waitingPods() {
        return List.copyOf(scheduler.waitingPods());
    }

    /** Returns the node that a pod is bound to; empty if it is not bound or does not exist. */
    public Optional<String> nodeOf(Pod pod) {
        return cluster.find(ObjectKind.POD, pod.namespace(), pod.name())
                .filter(Pod::isBound)
                .map(Pod::nodeName);
    }

    /**
     * Schedules a pod to a node and makes it wait in Permit, so that the effect of Reserve can be checked.
     * {@link #bind} or {@link #unreserve} ends the wait.
     *
     * @throws AssertionError if the pod is rejected before that
     */
    public void reserve(Pod pod, String nodeName) {
        tester().hold(true);
        Decision decision;
        try {
            decision = schedule(pod, nodeName);
        } finally {
            tester().hold(false);
        }
        if (waiting(pod).isEmpty()) {
            throw failure("Pod " + pod.key() + " is not reserved a place on node " + nodeName + ": "
                    + decision.outcome() + " " + decision.message());
        }
    }

    /** Rejects a reserved pod that waits in Permit: Unreserve is called. */
    public void unreserve(Pod pod) {
        reserved(pod).reject(TesterPlugin.NAME, "the test rejects the pod");
    }

    /**
     * Allows a reserved pod that waits in Permit: PreBind and Bind are called.
     *
     * @throws AssertionError if the pod is not bound afterwards
     */
    public void bind(Pod pod) {
        reserved(pod).allow(TesterPlugin.NAME);
        if (!isBound(pod)) {
            throw failure("Pod " + pod.key() + " is not bound.");
        }
    }

    /**
     * Allows a reserved pod that waits in Permit, and checks that it is not bound because PreBind or Bind fails.
     *
     * @param message the message of the plugin's exception or status
     * @throws AssertionError if the pod is bound, or the message differs
     */
    public void failsToBind(Pod pod, String message) {
        recorded().forget();
        reserved(pod).allow(TesterPlugin.NAME);
        for (PluginCall answer : recorded().answers()) {
            if (answer.thrown() != null && message.equals(answer.thrown().getMessage())
                    || answer.value() instanceof Status status && message.equals(status.message())) {
                if (isBound(pod)) {
                    throw failure("Pod " + pod.key() + " is bound nevertheless.");
                }
                return;
            }
        }
        throw failure("Nothing fails with \"" + message + "\" when pod " + pod.key() + " is bound.");
    }

    private boolean isBound(Pod pod) {
        return nodeOf(pod).isPresent();
    }

    private Optional<WaitingPod> waiting(Pod pod) {
        for (WaitingPod waiting : scheduler.waitingPods()) {
            if (waiting.pod().uid().equals(pod.uid())) {
                return Optional.of(waiting);
            }
        }
        return Optional.empty();
    }

    private WaitingPod reserved(Pod pod) {
        return waiting(pod)
                .orElseThrow(() -> new IllegalArgumentException(
                        "pod: " + pod.key() + " (expected: one that was reserved a place)"));
    }

    private AssertionError failure(String what) {
        return new AssertionError(FailureText.of(what, recorded().answers()));
    }

    /** Returns the changes that the scheduler and its plugins made in the cluster so far, in order. */
    public List<Write> writes() {
        return observed.writes();
    }

    /** Makes every later change that the scheduler or a plugin requests fail without effect. */
    public void failWrites(ClusterException failure) {
        observed.fail(failure);
    }

    /**
     * From now on, delays deletions of pods, as if the scheduler lagged behind: the cluster accepts them, but the
     * scheduler does not see them until the test removes the pods.
     */
    public void delayDeletions() {
        observed.delayDeletions();
    }

    /**
     * From now on, hides terminated pods (failed or succeeded) from the scheduler, as a real cluster does: they are
     * reported as deleted, while {@link Handle.Cluster#read} still finds them.
     */
    public void hideEndedPods() {
        observed.hideEndedPods();
    }

    /**
     * Stops the simulated volume controller and provisioner: from now on, the cluster only stores what plugins write to
     * volumes and claims, and the test must make the resulting changes.
     */
    public void stopVolumeController() {
        observed.stopVolumeController();
    }

    /** Returns the pods that the plugin has activated so far, in order. */
    public List<Pod> activated() {
        return List.copyOf(activated);
    }

    /** Returns the pods that the plugin has activated after their backoff so far, in order. */
    public List<Pod> activatedAfterBackoff() {
        return List.copyOf(activatedAfterBackoff);
    }

    /** Returns the kinds for which the plugin has requested a lister. */
    Set<ObjectKind<?>> listed() {
        return Set.copyOf(listed);
    }

    /** Returns the lines that the plugin has logged so far, in order, at all levels. */
    public List<LogLine> logged() {
        return List.copyOf(logged);
    }

    void checkRegistrations(List<String> expected) {
        List<String> labels = new ArrayList<>();
        if (recorded().plugin() instanceof EnqueueExtensions extensions) {
            for (EventRegistration registration : extensions.eventsToRegister()) {
                labels.add(registration.event().label());
            }
        }
        if (!labels.equals(expected)) {
            throw new AssertionError(
                    "Events that the plugin waits for.\n  expected: " + expected + "\n  answered: " + labels);
        }
    }

    /** Stops the scheduler. Idempotent. */
    @Override
    public void close() {
        scheduler.close();
    }

    private Handle observed(Handle given) {
        PluginLogger logger = new LogLine.Recorder(given.logger(), logged);
        Handle.Cluster cluster = proxy(Handle.Cluster.class, (proxy, method, arguments) -> {
            if (method.getName().equals("lister")) {
                listed.add((ObjectKind<?>) arguments[0]);
            }
            return invoke(given.cluster(), method, arguments);
        });
        Handle.Queue queue = new Handle.Queue() {
            @Override
            public void activate(Collection<Pod> pods) {
                activated.addAll(pods);
                given.queue().activate(pods);
            }

            @Override
            public void activateAfterBackoff(Collection<Pod> pods) {
                activatedAfterBackoff.addAll(pods);
                given.queue().activateAfterBackoff(pods);
            }
        };
        return proxy(Handle.class, (proxy, method, arguments) -> {
            Snapshot snapshot = inCycle;
            return switch (method.getName()) {
                case "logger" -> logger;
                case "cluster" -> cluster;
                case "queue" -> queue;
                case "snapshot" -> snapshot != null ? snapshot : given.snapshot();
                default -> invoke(given, method, arguments);
            };
        });
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(TestScheduler.class.getClassLoader(), new Class<?>[] {type}, handler));
    }

    private static Object invoke(Object target, Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException failed) {
            throw failed.getCause();
        }
    }

    // Orders pods by arrival, unless a plugin of the test sorts them.
    private Plugin queueSort() {
        for (Plugin plugin : made) {
            if (plugin instanceof QueueSortPlugin) {
                return () -> QUEUE_SORT;
            }
        }
        return new ArrivalOrder();
    }

    private record ArrivalOrder() implements QueueSortPlugin {
        @Override
        public String name() {
            return QUEUE_SORT;
        }

        @Override
        public boolean less(QueuedPod first, QueuedPod second) {
            return first.timestamp().isBefore(second.timestamp());
        }
    }

    /** Wraps a factory and passes each created plugin to the test. */
    private record WrappingFactory<A extends PluginArgs>(
            PluginFactory<A> factory, BiFunction<Plugin, Handle, Plugin> wrapping, UnaryOperator<Handle> observing)
            implements PluginFactory<A> {
        @Override
        public String name() {
            return factory.name();
        }

        @Override
        public Class<A> argsType() {
            return factory.argsType();
        }

        @Override
        public Plugin create(A args, Handle handle) {
            return wrapping.apply(factory.create(args, observing.apply(handle)), handle);
        }

        @Override
        public boolean needsPodJson() {
            return factory.needsPodJson();
        }

        @Override
        public boolean needsClusterJson() {
            return factory.needsClusterJson();
        }
    }

    private record OwnFactory(String name, Function<Handle, Plugin> maker) implements PluginFactory<PluginArgs.None> {
        @Override
        public Class<PluginArgs.None> argsType() {
            return PluginArgs.None.class;
        }

        @Override
        public Plugin create(PluginArgs.None args, Handle handle) {
            return maker.apply(handle);
        }
    }
}
