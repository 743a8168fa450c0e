// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.plugin;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.moorage.api.Code;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.NodeScores;
import org.moorage.api.Placement;
import org.moorage.api.PlacementProgress;
import org.moorage.api.PlacementScores;
import org.moorage.api.PodGroupAssignments;
import org.moorage.api.PodGroupInfo;
import org.moorage.api.Snapshot;
import org.moorage.api.Status;
import org.moorage.api.event.EventRegistration;
import org.moorage.api.event.Hint;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.event.PreQueueingHint;
import org.moorage.api.event.QueueingHint;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.ControllerPlugin;
import org.moorage.api.plugin.Plugin;
import org.moorage.api.plugin.RemedyPlugin;
import org.moorage.api.plugin.group.PlacementFeasiblePlugin;
import org.moorage.api.plugin.group.PlacementFeasibleResult;
import org.moorage.api.plugin.group.PlacementGeneratePlugin;
import org.moorage.api.plugin.group.PlacementGenerateResult;
import org.moorage.api.plugin.group.PlacementScorePlugin;
import org.moorage.api.plugin.group.PodGroupPostFilterPlugin;
import org.moorage.api.plugin.group.PodGroupPostFilterResult;
import org.moorage.api.plugin.group.PodGroupTrial;
import org.moorage.api.plugin.point.BindPlugin;
import org.moorage.api.plugin.point.ClusterPreBindPlugin;
import org.moorage.api.plugin.point.EnqueueExtensions;
import org.moorage.api.plugin.point.FilterPlugin;
import org.moorage.api.plugin.point.NodeChanges;
import org.moorage.api.plugin.point.NodeStatuses;
import org.moorage.api.plugin.point.PermitPlugin;
import org.moorage.api.plugin.point.PermitResult;
import org.moorage.api.plugin.point.PostBindPlugin;
import org.moorage.api.plugin.point.PostFilterPlugin;
import org.moorage.api.plugin.point.PostFilterResult;
import org.moorage.api.plugin.point.PreBindPlugin;
import org.moorage.api.plugin.point.PreBindPreFlightResult;
import org.moorage.api.plugin.point.PreEnqueuePlugin;
import org.moorage.api.plugin.point.PreFilterExtensions;
import org.moorage.api.plugin.point.PreFilterPlugin;
import org.moorage.api.plugin.point.PreFilterResult;
import org.moorage.api.plugin.point.PreScorePlugin;
import org.moorage.api.plugin.point.QueueSortPlugin;
import org.moorage.api.plugin.point.QueuedPod;
import org.moorage.api.plugin.point.ReservePlugin;
import org.moorage.api.plugin.point.ScorePlugin;
import org.moorage.api.plugin.point.SignPlugin;
import org.moorage.config.plugin.PluginText;
import org.moorage.config.plugin.Thrown;
import org.moorage.config.plugin.ThrownCopy;
import org.moorage.runtime.decision.PluginStatus;

/**
 * Calls one plugin. All calls of the scheduler into a plugin are made here, so that one rule applies to failed calls:
 * an exception, null and a value that the method does not allow become a {@link PluginFailure}, which runs no code of
 * the plugin when it is read. Only errors of the virtual machine are rethrown, see {@link Thrown#rethrowIfFatal}. A
 * {@link PointRun} measures the calls.
 *
 * <p>A {@link Breaker} suspends the plugin for a while after it failed too often in a row. {@link PluginMethod} has the
 * effect on each method.
 *
 * <p>The methods that are called once per node (Filter, Score), and those that the queue calls under its lock (Less,
 * hints), allocate nothing here.
 */
public final class PluginCaller {
    private final Plugin plugin;
    private final String name;
    private final @Nullable Breaker breaker;
    private final boolean normalizes;
    // Cast once: for these methods a cast takes as long as many of the calls.
    private final @Nullable QueueSortPlugin queueSort;
    private final @Nullable PreFilterExtensions preFilterExtensions;
    private final @Nullable FilterPlugin filter;
    private final @Nullable ScorePlugin score;
    private final RunningCall[] calls;
    // Kept here and not by the thread, because any thread of the application may hold the queue's lock.
    private final AtomicReference<@Nullable RunningCall> queueCall = new AtomicReference<>();
    // Plugins keep their rejections as constants, so the next one is probably the same object and needs no new
    // PluginStatus. Several threads read and write it without a lock: any of the values is correct.
    private PluginStatus lastRejection;

    /**
     * Creates a caller of that plugin.
     *
     * @param name the plugin's name
     * @param breaker suspends the plugin; null to call it always
     */
    public PluginCaller(String name, Plugin plugin, @Nullable Breaker breaker) {
        this.name = name;
        this.plugin = plugin;
        this.breaker = breaker;
        queueSort = plugin instanceof QueueSortPlugin sort ? sort : null;
        preFilterExtensions = plugin instanceof PreFilterExtensions extensions ? extensions : null;
        filter = plugin instanceof FilterPlugin filtering ? filtering : null;
        score = plugin instanceof ScorePlugin scoring ? scoring : null;
        normalizes = score != null && normalizes(plugin.getClass());
        PluginMethod[] methods = PluginMethod.values();
        calls = new RunningCall[methods.length];
        for (PluginMethod method : methods) {
            calls[method.ordinal()] = new RunningCall(this, method);
        }
        lastRejection = new PluginStatus(name, Status.success());
    }

    /** Returns a caller of a plugin that is never suspended. */
    public static PluginCaller of(Plugin plugin) {
        return of(plugin.name(), plugin);
    }

    /** Returns a caller of a plugin of that name that is never suspended. */
    public static PluginCaller of(String name, Plugin plugin) {
        return new PluginCaller(name, plugin, null);
    }

    private static boolean normalizes(Class<?> type) {
        try {
            return type.getMethod("normalize", CycleState.class, Pod.class, NodeScores.class)
                            .getDeclaringClass()
                    != ScorePlugin.class;
        } catch (NoSuchMethodException e) {
            throw new IllegalArgumentException(type + " (expected: a ScorePlugin)", e);
        }
    }

    /** Returns the plugin's name. */
    public String name() {
        return name;
    }

    /** Returns the plugin, to inspect the interfaces that it implements; only this class calls it. */
    public Plugin plugin() {
        return plugin;
    }

    /**
     * Returns whether the plugin signs pods. One with a breaker does not: results that replace a suspended plugin's
     * must not be cached.
     */
    public boolean signs() {
        return breaker == null && plugin instanceof SignPlugin;
    }

    /** Returns whether the plugin follows simulated additions and removals of pods. */
    public boolean hasPreFilterExtensions() {
        return preFilterExtensions != null;
    }

    /** Returns whether the plugin overrides NormalizeScore. */
    public boolean normalizes() {
        return normalizes;
    }

    /** Records that a call of the plugin did not return in time. */
    public void overdue(PluginMethod method, String what) {
        if (breaker != null) {
            breaker.failed(method, what, Optional.empty());
        }
    }

    /**
     * Returns the call into one of these plugins that the queue waits for while it holds its lock; empty if there is
     * none.
     */
    public static Optional<RunningCall> queueCall(Collection<PluginCaller> callers) {
        for (PluginCaller caller : callers) {
            RunningCall call = caller.queueCall.getAcquire();
            if (call != null) {
                return Optional.of(call);
            }
        }
        return Optional.empty();
    }

    /** Returns the events that the plugin registers. An exception of their hints is a {@link PluginFailure}. */
    public List<EventRegistration> eventsToRegister() {
        List<EventRegistration> events = call(PluginMethod.EVENTS_TO_REGISTER, null, open -> List.of(), () -> {
            List<EventRegistration> registered = ((EnqueueExtensions) plugin).eventsToRegister();
            return registered == null ? null : List.copyOf(registered);
        });
        List<EventRegistration> checked = new ArrayList<>(events.size());
        for (EventRegistration event : events) {
            EventRegistration registration = EventRegistration.of(event.event(), Object.class, checked(event.hint()));
            checked.add(event.preHint()
                    .map(preHint -> registration.narrowedBy(Object.class, checked(preHint)))
                    .orElse(registration));
        }
        return checked;
    }

    /**
     * Returns the plugin's hint about all pods. It, and the predicate that it returns, throw only a {@link
     * PluginFailure}.
     */
    public PreQueueingHint<Object> checked(PreQueueingHint<Object> preHint) {
        return change -> hinted(PreQueueingHint::candidates, preHint, change)
                .<Predicate<Pod>>map(candidates -> pod -> hinted(Predicate::test, candidates, pod));
    }

    /** Returns the plugin's hint. It throws only a {@link PluginFailure}. */
    public QueueingHint<Object> checked(QueueingHint<Object> hint) {
        BiFunction<Pod, ObjectChange<Object>, @Nullable Hint> call = hint::hint;
        return (pod, change) -> hinted(call, pod, change);
    }

    private <A, B, T> T hinted(BiFunction<A, B, @Nullable T> call, A first, B second) {
        T answer;
        boolean isOutermost = beginQueueCall(PluginMethod.QUEUEING_HINT);
        try {
            answer = call.apply(first, second);
        } catch (Throwable thrown) {
            throw failure(PluginMethod.QUEUEING_HINT, thrown);
        } finally {
            endQueueCall(isOutermost);
        }
        if (answer == null) {
            throw refused(PluginMethod.QUEUEING_HINT, "answered null");
        }
        return answer;
    }

    /** Closes the plugin, if it can be closed. */
    public void close() {
        if (plugin instanceof AutoCloseable closeable) {
            try {
                closeable.close();
            } catch (Throwable thrown) {
                throw failure(PluginMethod.CLOSE, thrown);
            }
        }
    }

    /** Starts the plugin, which is a controller. */
    public void startController(ControllerPlugin.Context context) {
        run(PluginMethod.START, null, () -> ((ControllerPlugin) plugin).start(context));
    }

    /** Lets the plugin, which is a controller, reconcile an object. */
    public void reconcile(String kind, String namespace, String name) {
        run(PluginMethod.RECONCILE, null, () -> ((ControllerPlugin) plugin).reconcile(kind, namespace, name));
    }

    /** Runs PreEnqueue; the answer is a success or a rejection. */
    public Status preEnqueue(Pod pod) {
        boolean isOutermost = beginQueueCall(PluginMethod.PRE_ENQUEUE);
        try {
            return status(
                    PluginMethod.PRE_ENQUEUE,
                    PointRun.UNMEASURED,
                    pod,
                    () -> ((PreEnqueuePlugin) plugin).preEnqueue(pod));
        } finally {
            endQueueCall(isOutermost);
        }
    }

    /** Runs Less. */
    public boolean less(QueuedPod first, QueuedPod second) {
        if (suspension(PluginMethod.LESS) != null) {
            return first.timestamp().isBefore(second.timestamp());
        }
        boolean answer;
        boolean isOutermost = beginQueueCall(PluginMethod.LESS);
        try {
            answer = known(queueSort).less(first, second);
        } catch (Throwable thrown) {
            throw failed(PluginMethod.LESS, null, thrown);
        } finally {
            endQueueCall(isOutermost);
        }
        succeeded(PluginMethod.LESS);
        return answer;
    }

    /** Runs PreFilter. */
    public PreFilterResult preFilter(PointRun run, CycleState state, Pod pod, Snapshot snapshot) {
        PreFilterResult result = measured(
                PluginMethod.PRE_FILTER,
                run,
                pod,
                open -> PreFilterResult.skip(),
                () -> ((PreFilterPlugin) plugin).preFilter(state, pod, snapshot),
                PreFilterResult::status);
        if (!result.status().isSkip()) {
            run.evaluated(name, 1);
        }
        return result;
    }

    /** Runs AddPod. */
    public void addPod(CycleState state, Pod pod, Pod added, NodeInfo node) {
        run(PluginMethod.ADD_POD, pod, () -> known(preFilterExtensions).addPod(state, pod, added, node));
    }

    /** Runs RemovePod. */
    public void removePod(CycleState state, Pod pod, Pod removed, NodeInfo node) {
        run(PluginMethod.REMOVE_POD, pod, () -> known(preFilterExtensions).removePod(state, pod, removed, node));
    }

    /** Returns the changes of data of the plugin, which signs, that affect its results; empty if there is none. */
    public Optional<NodeChanges> nodeChanges() {
        return call(PluginMethod.SIGN, null, open -> Optional.empty(), () -> ((SignPlugin) plugin).nodeChanges());
    }

    /**
     * Returns the plugin's signature of a pod, which covers everything that its results for the pod depend on, apart
     * from the node and from data whose changes it reports.
     */
    public Optional<Signature> sign(CycleState state, Pod pod) {
        return call(PluginMethod.SIGN, pod, open -> Optional.empty(), () -> {
            Optional<?> signed = ((SignPlugin) plugin).sign(state, pod);
            return signed == null ? null : signed.map(value -> new Signature(value, value.hashCode()));
        });
    }

    /**
     * A plugin's signature of a pod, as a key. Values are compared within a call of the plugin; if a comparison fails,
     * the signatures count as different, so that no cached result is used.
     */
    public final class Signature {
        private final Object value;
        private final int hash;

        private Signature(Object value, int hash) {
            this.value = value;
            this.hash = hash;
        }

        private PluginCaller caller() {
            return PluginCaller.this;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            if (!(other instanceof Signature that) || hash != that.hash || caller() != that.caller()) {
                return false;
            }
            PluginThread thread = PluginThread.begin(calls[PluginMethod.SIGN.ordinal()]);
            try {
                return value.equals(that.value);
            } catch (Throwable thrown) {
                Thrown.rethrowIfFatal(thrown);
                return false;
            } finally {
                PluginThread.end(thread);
            }
        }

        @Override
        public int hashCode() {
            return hash;
        }
    }

    /**
     * Runs Filter.
     *
     * @return the rejection, or exactly {@link PluginStatus#SUCCESS}
     */
    public PluginStatus filter(PointRun run, CycleState state, Pod pod, NodeInfo node) {
        long start = run.startCall();
        Status status = Status.success();
        if (suspension(PluginMethod.FILTER) == null) {
            PluginThread thread = PluginThread.begin(calls[PluginMethod.FILTER.ordinal()]);
            try {
                status = known(filter).filter(state, pod, node);
            } catch (Throwable thrown) {
                throw failed(PluginMethod.FILTER, pod, thrown);
            } finally {
                PluginThread.end(thread);
            }
            status = notNull(PluginMethod.FILTER, pod, status);
        }
        PluginStatus answer = answer(checked(PluginMethod.FILTER, status));
        run.called(PluginMethod.FILTER, name, answer.status().code(), start);
        return answer;
    }

    /**
     * Runs Filter for those nodes from one index up to, but not including, another that no filter has rejected.
     *
     * @param answers by the index of the node: the first rejection, or exactly {@link PluginStatus#SUCCESS}
     */
    @SuppressWarnings("ReferenceEquality") // an accepted node always has these instances
    public void filter(CycleState state, Pod pod, List<NodeInfo> nodes, int from, int to, PluginStatus[] answers) {
        if (suspension(PluginMethod.FILTER) != null) {
            return;
        }
        Status status = Status.success();
        PluginThread thread = PluginThread.begin(calls[PluginMethod.FILTER.ordinal()]);
        try {
            FilterPlugin filtering = known(filter);
            Function<NodeInfo, Status> nodeFilter =
                    filtering.nodeFilter(state, pod).orElse(null);
            for (int i = from; i < to; i++) {
                if (answers[i] == PluginStatus.SUCCESS) {
                    NodeInfo node = nodes.get(i);
                    status = nodeFilter == null ? filtering.filter(state, pod, node) : nodeFilter.apply(node);
                    if (status != Status.success()) {
                        if (status == null || !PluginMethod.FILTER.allows(status)) {
                            break;
                        }
                        answers[i] = answer(status);
                    }
                }
            }
        } catch (Throwable thrown) {
            throw failed(PluginMethod.FILTER, pod, thrown);
        } finally {
            PluginThread.end(thread);
        }
        Status ignored = checked(PluginMethod.FILTER, notNull(PluginMethod.FILTER, pod, status));
    }

    @SuppressWarnings("ReferenceEquality") // comparing contents would cost more than a new PluginStatus
    private PluginStatus answer(Status status) {
        if (status.isSuccess()) {
            return PluginStatus.SUCCESS;
        }
        PluginStatus rejection = lastRejection;
        if (rejection.status() != status) {
            rejection = new PluginStatus(name, status);
            lastRejection = rejection;
        }
        return rejection;
    }

    /** Runs PostFilter. */
    public PostFilterResult postFilter(PointRun run, CycleState state, Pod pod, NodeStatuses statuses) {
        try {
            return makeRoom(
                    PluginMethod.POST_FILTER,
                    run,
                    pod,
                    open -> PostFilterResult.rejected(Status.unschedulable(name + " is " + open.reason())),
                    () -> ((PostFilterPlugin) plugin).postFilter(state, pod, statuses),
                    PostFilterResult::status);
        } catch (PluginFailure failure) {
            throw failure.getCause() == null ? failure : failure.withoutMethod();
        }
    }

    /** Executes the decision of the plugin's PostFilter. */
    public void execute(PointRun run, CycleState state, Pod pod, PostFilterResult result) {
        Consumer<Boolean> ended = run.preempts(name, "pod", result.victims(), 0, result.pdbViolations());
        try {
            execute(PluginMethod.POST_FILTER, () -> ((PostFilterPlugin) plugin).execute(state, pod, result), ended);
        } catch (PluginFailure failure) {
            throw failure.getCause() == null ? failure : failure.withoutMethod();
        }
    }

    // Failed calls are reported, too.
    private <T> T makeRoom(
            PluginMethod method,
            PointRun run,
            @Nullable Pod pod,
            Function<Breaker.Open, T> whenSuspended,
            Supplier<@Nullable T> call,
            Function<T, Status> statusOf) {
        long start = System.nanoTime();
        Code code = Code.ERROR;
        try {
            T result = call(method, pod, whenSuspended, call);
            code = statusOf.apply(result).code();
            return result;
        } finally {
            run.postFilterRan(name, code, System.nanoTime() - start);
        }
    }

    private void execute(
            PluginMethod method, Supplier<@Nullable CompletionStage<?>> execution, Consumer<Boolean> ended) {
        boolean isUnderWay = false;
        AtomicBoolean isOver = new AtomicBoolean();
        Consumer<Boolean> once = succeeded -> {
            if (!isOver.getAndSet(true)) {
                ended.accept(succeeded);
            }
        };
        PluginThread thread = PluginThread.begin(calls[method.ordinal()]);
        try {
            CompletionStage<?> stage = execution.get();
            if (stage != null) {
                CompletionStage<?> ignored = stage.whenComplete((any, thrown) -> once.accept(thrown == null));
                isUnderWay = true;
            }
        } catch (Throwable thrown) {
            throw failure(method, thrown);
        } finally {
            PluginThread.end(thread);
            if (!isUnderWay) {
                once.accept(false);
            }
        }
        if (!isUnderWay) {
            throw refused(method, "answered null");
        }
    }

    /** Runs PreScore; the answer is a success or skip. */
    public Status preScore(PointRun run, CycleState state, Pod pod, List<NodeInfo> nodes) {
        Status status =
                status(PluginMethod.PRE_SCORE, run, pod, () -> ((PreScorePlugin) plugin).preScore(state, pod, nodes));
        if (!status.isSkip()) {
            run.evaluated(name, 1);
        }
        return status;
    }

    /**
     * Runs Score for the nodes from one index up to, but not including, another.
     *
     * @param scores receives the scores, by the index of the node
     */
    public void score(CycleState state, Pod pod, List<NodeInfo> nodes, int from, int to, long[] scores) {
        if (suspension(PluginMethod.SCORE) != null) {
            Arrays.fill(scores, from, to, 0);
            return;
        }
        PluginThread thread = PluginThread.begin(calls[PluginMethod.SCORE.ordinal()]);
        try {
            ScorePlugin scoring = known(score);
            ToLongFunction<NodeInfo> scorer = scoring.nodeScorer(state, pod).orElse(null);
            if (scorer == null) {
                for (int i = from; i < to; i++) {
                    scores[i] = scoring.score(state, pod, nodes.get(i));
                }
            } else {
                for (int i = from; i < to; i++) {
                    scores[i] = scorer.applyAsLong(nodes.get(i));
                }
            }
        } catch (Throwable thrown) {
            throw failed(PluginMethod.SCORE, pod, thrown);
        } finally {
            PluginThread.end(thread);
        }
        succeeded(PluginMethod.SCORE);
    }

    /** Runs NormalizeScore; the answer has a score from 0 to 100 for each node. */
    public NodeScores normalize(PointRun run, CycleState state, Pod pod, NodeScores scores) {
        long start = run.startCall();
        NodeScores normalized = call(
                PluginMethod.NORMALIZE,
                pod,
                open -> scores.with(new long[scores.size()]),
                () -> known(score).normalize(state, pod, scores));
        if (normalized.size() != scores.size()) {
            throw refused(
                    PluginMethod.NORMALIZE,
                    "answered scores of " + normalized.size() + " nodes (expected: " + scores.size() + ")");
        }
        int different = normalized.isUniform() ? Math.min(1, normalized.size()) : normalized.size();
        for (int i = 0; i < different; i++) {
            checkRange(normalized.score(i));
        }
        run.called(PluginMethod.NORMALIZE, name, Code.SUCCESS, start);
        return normalized;
    }

    /** Rejects a score that is not from 0 to 100. */
    public void checkRange(long value) {
        if (value < 0 || value > NodeScores.MAX) {
            throw invalidScore(PluginMethod.NORMALIZE, "Score", value);
        }
    }

    private PluginFailure invalidScore(PluginMethod method, String point, long value) {
        String what = "plugin \"" + name + "\" returns an invalid score " + value
                + ", it should in the range of [0, 100] after normalizing";
        return new PluginFailure(
                name, method, "applying score defaultWeights on " + point + " plugins: " + what, what, null);
    }

    /** Runs Reserve; the answer is a success or a rejection. */
    public Status reserve(PointRun run, CycleState state, Pod pod, String nodeName) {
        return status(PluginMethod.RESERVE, run, pod, () -> ((ReservePlugin) plugin).reserve(state, pod, nodeName));
    }

    /** Runs Unreserve. */
    public void unreserve(CycleState state, Pod pod, String nodeName) {
        run(PluginMethod.UNRESERVE, pod, () -> ((ReservePlugin) plugin).unreserve(state, pod, nodeName));
    }

    /** Runs Permit. */
    public PermitResult permit(PointRun run, CycleState state, Pod pod, String nodeName) {
        return measured(
                PluginMethod.PERMIT,
                run,
                pod,
                open -> PermitResult.allow(),
                () -> ((PermitPlugin) plugin).permit(state, pod, nodeName),
                PermitResult::status);
    }

    /** Returns the changes that the plugin knows to help a pod; none if it is no {@link RemedyPlugin}. */
    public List<RemedyPlugin.Remedy> remedies(Pod pod) {
        return plugin instanceof RemedyPlugin remedies
                ? call(PluginMethod.REMEDIES, pod, open -> List.of(), () -> List.copyOf(remedies.remedies(pod)))
                : List.of();
    }

    /** Runs PreBindPreFlight. */
    public PreBindPreFlightResult preBindPreFlight(CycleState state, Pod pod, String nodeName) {
        return call(
                PluginMethod.PRE_BIND_PRE_FLIGHT,
                pod,
                open -> PreBindPreFlightResult.skipInParallel(),
                () -> ((PreBindPlugin) plugin).preBindPreFlight(state, pod, nodeName));
    }

    /** Returns whether PreBind changes only objects of the cluster. */
    public boolean preBindsInCluster() {
        return plugin instanceof ClusterPreBindPlugin;
    }

    /** Runs PreBind; the answer is a success or a rejection. */
    public Status preBind(CycleState state, Pod pod, String nodeName) {
        return status(
                PluginMethod.PRE_BIND,
                PointRun.UNMEASURED,
                pod,
                () -> ((PreBindPlugin) plugin).preBind(state, pod, nodeName));
    }

    /** Runs Bind; the answer is a success, skip or a rejection. */
    public Status bind(PointRun run, CycleState state, Pod pod, String nodeName) {
        return status(PluginMethod.BIND, run, pod, () -> ((BindPlugin) plugin).bind(state, pod, nodeName));
    }

    /** Runs PostBind. */
    public void postBind(CycleState state, Pod pod, String nodeName) {
        run(PluginMethod.POST_BIND, pod, () -> ((PostBindPlugin) plugin).postBind(state, pod, nodeName));
    }

    /** Runs PlacementGenerate. */
    public PlacementGenerateResult generatePlacements(
            CycleState state, PodGroupInfo group, Placement parent, Snapshot snapshot) {
        return call(
                PluginMethod.PLACEMENT_GENERATE,
                null,
                open -> PlacementGenerateResult.of(List.of(parent)),
                () -> ((PlacementGeneratePlugin) plugin).generatePlacements(state, group, parent, snapshot));
    }

    /** Runs PlacementFeasible. */
    public PlacementFeasibleResult placementFeasible(CycleState state, PodGroupInfo group, PlacementProgress progress) {
        return call(
                PluginMethod.PLACEMENT_FEASIBLE,
                null,
                open -> PlacementFeasibleResult.feasible(),
                () -> ((PlacementFeasiblePlugin) plugin).placementFeasible(state, group, progress));
    }

    /** Runs PlacementScore. */
    public long scorePlacement(CycleState state, PodGroupInfo group, PodGroupAssignments assignments) {
        return call(
                PluginMethod.PLACEMENT_SCORE,
                null,
                open -> 0L,
                () -> ((PlacementScorePlugin) plugin).scorePlacement(state, group, assignments));
    }

    /** Runs NormalizePlacementScore; the answer has a score from 0 to 100 for each placement. */
    public PlacementScores normalizePlacementScores(CycleState state, PodGroupInfo group, PlacementScores scores) {
        PlacementScores normalized = call(
                PluginMethod.NORMALIZE_PLACEMENT_SCORE,
                null,
                open -> scores,
                () -> ((PlacementScorePlugin) plugin).normalizePlacementScores(state, group, scores));
        if (normalized.size() != scores.size()) {
            throw refused(
                    PluginMethod.NORMALIZE_PLACEMENT_SCORE,
                    "answered scores of " + normalized.size() + " placements (expected: " + scores.size() + ")");
        }
        for (int i = 0; i < normalized.size(); i++) {
            long each = normalized.score(i);
            if (each < 0 || each > NodeScores.MAX) {
                throw invalidScore(PluginMethod.NORMALIZE_PLACEMENT_SCORE, "PlacementScore", each);
            }
        }
        return normalized;
    }

    /** Runs PodGroupPostFilter. */
    public PodGroupPostFilterResult podGroupPostFilter(
            PointRun run, CycleState state, PodGroupInfo group, PodGroupTrial trial) {
        return makeRoom(
                PluginMethod.POD_GROUP_POST_FILTER,
                run,
                null,
                open -> PodGroupPostFilterResult.rejected(Status.unschedulable(name + " is " + open.reason())),
                () -> ((PodGroupPostFilterPlugin) plugin).podGroupPostFilter(state, group, trial),
                PodGroupPostFilterResult::status);
    }

    /** Executes the decision of the plugin's PodGroupPostFilter. */
    public void execute(PointRun run, CycleState state, PodGroupInfo group, PodGroupPostFilterResult result) {
        execute(
                PluginMethod.POD_GROUP_POST_FILTER,
                () -> ((PodGroupPostFilterPlugin) plugin).execute(state, group, result),
                run.preempts(
                        name,
                        group.key().type().toString(),
                        result.victims(),
                        result.groupDisruptions(),
                        result.pdbViolations()));
    }

    // Hints are also called without the queue's lock, and a plugin may cause the queue to call it again: the outermost
    // call is kept.
    private boolean beginQueueCall(PluginMethod method) {
        if (queueCall.getAcquire() != null) {
            return false;
        }
        queueCall.setRelease(calls[method.ordinal()]);
        return true;
    }

    private void endQueueCall(boolean isOutermost) {
        if (isOutermost) {
            queueCall.setRelease(null);
        }
    }

    private static <P> P known(@Nullable P ability) {
        return Objects.requireNonNull(ability);
    }

    // Returns the open breaker if the plugin is suspended, or null. Throws if pods cannot be scheduled without the
    // call.
    private Breaker.@Nullable Open suspension(PluginMethod method) {
        if (breaker == null || method.suspended() == PluginMethod.Suspended.CALLED) {
            return null;
        }
        Breaker.Open open = breaker.open();
        if (open != null
                && method.suspended() == PluginMethod.Suspended.REFUSED
                && !breaker.ignores()
                // A pod that enters the queue fails at its first attempt instead, with the reason.
                && (method != PluginMethod.PRE_ENQUEUE || open.method() == PluginMethod.PRE_ENQUEUE)) {
            throw refused(method, open.reason());
        }
        return open;
    }

    private void run(PluginMethod method, @Nullable Pod pod, Runnable call) {
        Boolean ignored = call(method, pod, open -> true, () -> {
            call.run();
            return true;
        });
    }

    // A suspended plugin returns skip if the method allows it, and otherwise success.
    private Status status(PluginMethod method, PointRun run, Pod pod, Supplier<@Nullable Status> call) {
        return measured(method, run, pod, open -> method.statusWhenSuspended(), call, answer -> answer);
    }

    // Calls the plugin, and measures the call.
    private <T> T measured(
            PluginMethod method,
            PointRun run,
            Pod pod,
            Function<Breaker.Open, T> whenSuspended,
            Supplier<@Nullable T> call,
            Function<T, Status> statusOf) {
        long start = run.startCall();
        T answer = call(method, pod, whenSuspended, call);
        Status status = checked(method, statusOf.apply(answer));
        run.called(method, name, status.code(), start);
        return answer;
    }

    // Calls the plugin, unless it is suspended. All calls are made here, except those for single nodes and those of the
    // queue.
    private <T> T call(
            PluginMethod method,
            @Nullable Pod pod,
            Function<Breaker.Open, T> whenSuspended,
            Supplier<@Nullable T> call) {
        Breaker.Open open = suspension(method);
        if (open != null) {
            return whenSuspended.apply(open);
        }
        T answer;
        PluginThread thread = PluginThread.begin(calls[method.ordinal()]);
        try {
            answer = call.get();
        } catch (Throwable thrown) {
            throw failed(method, pod, thrown);
        } finally {
            PluginThread.end(thread);
        }
        return notNull(method, pod, answer);
    }

    private <T> T notNull(PluginMethod method, @Nullable Pod pod, @Nullable T answer) {
        if (answer == null) {
            throw counted(refused(method, "answered null"), pod);
        }
        succeeded(method);
        return answer;
    }

    private void succeeded(PluginMethod method) {
        if (breaker != null) {
            breaker.succeeded(method);
        }
    }

    private PluginFailure failed(PluginMethod method, @Nullable Pod pod, Throwable thrown) {
        return counted(failure(method, thrown), pod);
    }

    private PluginFailure counted(PluginFailure failure, @Nullable Pod pod) {
        if (breaker != null && failure.method().suspended() != PluginMethod.Suspended.CALLED) {
            breaker.failed(failure.method(), failure.what(), Optional.ofNullable(pod));
        }
        return failure;
    }

    // Returns the cancellation if the binding of the pod was cancelled: it is then the cause of the failure.
    private static Throwable cancellationOr(Throwable copy) {
        for (Throwable cause = copy; cause != null; cause = cause.getCause()) {
            if (cause instanceof CancellationException
                    || cause instanceof ThrownCopy thrown && thrown.isA(CancellationException.class)) {
                return cause;
            }
        }
        return copy;
    }

    private Status checked(PluginMethod method, @Nullable Status status) {
        if (status == null || !method.allows(status)) {
            throw refused(method, status);
        }
        return status;
    }

    private PluginFailure refused(PluginMethod method, @Nullable Status status) {
        if (status == null) {
            return refused(method, "answered null");
        }
        return refused(method, status.isSkip() ? "answered " + status.code() : status.message());
    }

    private PluginFailure refused(PluginMethod method, String what) {
        String bounded = PluginText.bounded(what);
        return new PluginFailure(name, method, method.message(name, bounded), bounded, null);
    }

    // Must be called before the call counts as ended: reading the exception runs code of the plugin, which may not
    // return.
    private PluginFailure failure(PluginMethod method, Throwable thrown) {
        Throwable copy = Thrown.caught(thrown);
        Throwable cause = method == PluginMethod.PRE_BIND ? cancellationOr(copy) : copy;
        String what = Thrown.text(cause);
        return new PluginFailure(name, method, method.message(name, what), what, cause);
    }
}
