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
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.moorage.api.Code;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.NodeScores;
import org.moorage.api.Placement;
import org.moorage.api.PlacementProgress;
import org.moorage.api.PodGroupInfo;
import org.moorage.api.ProposedAssignment;
import org.moorage.api.Snapshot;
import org.moorage.api.Status;
import org.moorage.api.event.EventRegistration;
import org.moorage.api.event.Hint;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.event.PreQueueingHint;
import org.moorage.api.event.QueueingHint;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.BindPlugin;
import org.moorage.api.plugin.ClusterPreBindPlugin;
import org.moorage.api.plugin.EnqueueExtensions;
import org.moorage.api.plugin.FilterPlugin;
import org.moorage.api.plugin.NodeStatuses;
import org.moorage.api.plugin.PermitPlugin;
import org.moorage.api.plugin.PermitResult;
import org.moorage.api.plugin.PlacementFeasiblePlugin;
import org.moorage.api.plugin.PlacementFeasibleResult;
import org.moorage.api.plugin.PlacementGeneratePlugin;
import org.moorage.api.plugin.PlacementGenerateResult;
import org.moorage.api.plugin.PlacementScorePlugin;
import org.moorage.api.plugin.Plugin;
import org.moorage.api.plugin.PodGroupPostFilterPlugin;
import org.moorage.api.plugin.PodGroupPostFilterResult;
import org.moorage.api.plugin.PodGroupTrial;
import org.moorage.api.plugin.PostBindPlugin;
import org.moorage.api.plugin.PostFilterPlugin;
import org.moorage.api.plugin.PostFilterResult;
import org.moorage.api.plugin.PreBindPlugin;
import org.moorage.api.plugin.PreBindPreFlightResult;
import org.moorage.api.plugin.PreEnqueuePlugin;
import org.moorage.api.plugin.PreFilterExtensions;
import org.moorage.api.plugin.PreFilterPlugin;
import org.moorage.api.plugin.PreFilterResult;
import org.moorage.api.plugin.PreScorePlugin;
import org.moorage.api.plugin.QueueSortPlugin;
import org.moorage.api.plugin.QueuedPod;
import org.moorage.api.plugin.ReservePlugin;
import org.moorage.api.plugin.ScorePlugin;
import org.moorage.api.plugin.SignPlugin;
import org.moorage.config.plugin.PluginText;
import org.moorage.config.plugin.Thrown;
import org.moorage.config.plugin.ThrownCopy;
import org.moorage.runtime.decision.PluginStatus;

/**
 * Calls one plugin. All calls of the scheduler into a plugin are made here, so that one rule holds for failed calls: an exception, null and
 * a value that the method does not allow become a {@link PluginFailure}, which runs no code of the plugin when it is read. Only errors of
 * the virtual machine are passed on, see {@link Thrown#rethrowIfFatal}.
 *
 * <p>With a {@link Breaker} the plugin is not called for a while after it failed too often in a row, and what is answered in its place is
 * decided here too. Queueing hints are not counted, since a failed one only has a pod tried again. Unreserve is always called: what was
 * reserved has to be given back.
 *
 * <p>What is called once per node (Filter, Score) and what the queue calls under its lock (Less, hints) allocates nothing here.
 */
public final class PluginCaller {
    private final Plugin plugin;
    private final String name;
    private final @Nullable Breaker breaker;
    private final boolean normalizes;
    // What the plugin can do, looked up once: to cast for each call takes as long as many of the calls.
    private final @Nullable QueueSortPlugin queueSort;
    private final @Nullable PreEnqueuePlugin preEnqueue;
    private final @Nullable PreFilterPlugin preFilter;
    private final @Nullable PreFilterExtensions preFilterExtensions;
    private final @Nullable SignPlugin sign;
    private final @Nullable FilterPlugin filter;
    private final @Nullable PostFilterPlugin postFilter;
    private final @Nullable PreScorePlugin preScore;
    private final @Nullable ScorePlugin score;
    private final @Nullable ReservePlugin reserve;
    private final @Nullable PermitPlugin permit;
    private final @Nullable PreBindPlugin preBind;
    private final @Nullable BindPlugin bind;
    private final @Nullable PostBindPlugin postBind;
    private final @Nullable PlacementGeneratePlugin placementGenerate;
    private final @Nullable PlacementFeasiblePlugin placementFeasible;
    private final @Nullable PlacementScorePlugin placementScore;
    private final @Nullable PodGroupPostFilterPlugin podGroupPostFilter;
    private final RunningCall[] calls;
    // Any thread of the application may hold the queue's lock, so that the call is kept here and not by the thread.
    private final AtomicReference<@Nullable RunningCall> queueCall = new AtomicReference<>();
    // Plugins keep their rejections as constants, so that the next one is likely to be the same object and needs no new
    // PluginStatus. Read and written by several threads without a lock: any of the values is right.
    private PluginStatus lastRejection;

    /**
     * A caller of that plugin.
     *
     * @param name the plugin's name
     * @param breaker says when the plugin is not to be called; null to call it always
     */
    public PluginCaller(String name, Plugin plugin, @Nullable Breaker breaker) {
        this.name = name;
        this.plugin = plugin;
        this.breaker = breaker;
        queueSort = as(QueueSortPlugin.class, plugin);
        preEnqueue = as(PreEnqueuePlugin.class, plugin);
        preFilter = as(PreFilterPlugin.class, plugin);
        preFilterExtensions = as(PreFilterExtensions.class, plugin);
        sign = as(SignPlugin.class, plugin);
        filter = as(FilterPlugin.class, plugin);
        postFilter = as(PostFilterPlugin.class, plugin);
        preScore = as(PreScorePlugin.class, plugin);
        score = as(ScorePlugin.class, plugin);
        reserve = as(ReservePlugin.class, plugin);
        permit = as(PermitPlugin.class, plugin);
        preBind = as(PreBindPlugin.class, plugin);
        bind = as(BindPlugin.class, plugin);
        postBind = as(PostBindPlugin.class, plugin);
        placementGenerate = as(PlacementGeneratePlugin.class, plugin);
        placementFeasible = as(PlacementFeasiblePlugin.class, plugin);
        placementScore = as(PlacementScorePlugin.class, plugin);
        podGroupPostFilter = as(PodGroupPostFilterPlugin.class, plugin);
        normalizes = score != null && normalizes(plugin.getClass());
        PluginMethod[] methods = PluginMethod.values();
        calls = new RunningCall[methods.length];
        for (PluginMethod method : methods) {
            calls[method.ordinal()] = new RunningCall(this, method);
        }
        lastRejection = new PluginStatus(name, Status.success());
    }

    /** A caller of a plugin that is always called. */
    public static PluginCaller of(Plugin plugin) {
        return of(plugin.name(), plugin);
    }

    /** A caller of a plugin of that name, which is always called. */
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

    /** The plugin's name. */
    public String name() {
        return name;
    }

    /** The plugin, to look at what it can do; it is called here alone. */
    public Plugin plugin() {
        return plugin;
    }

    /** Whether the plugin signs pods. One with a breaker does not: what is answered in its place must not be kept. */
    public boolean signs() {
        return breaker == null && sign != null;
    }

    /** Whether the plugin says when enough of a group has been placed. */
    public boolean saysPlacementFeasible() {
        return placementFeasible != null;
    }

    /** Whether the plugin follows pods that are added to a node for a trial, or removed from it. */
    public boolean hasPreFilterExtensions() {
        return preFilterExtensions != null;
    }

    /** Whether the plugin has a NormalizeScore of its own. */
    public boolean normalizes() {
        return normalizes;
    }

    /** A call of the plugin did not return in time. */
    public void overdue(PluginMethod method, String what) {
        if (breaker != null) {
            breaker.failed(method, what, Optional.empty());
        }
    }

    /** The call into a plugin of these that the queue waits for while it holds its lock; empty if there is none. */
    public static Optional<RunningCall> queueCall(Collection<PluginCaller> callers) {
        for (PluginCaller caller : callers) {
            RunningCall call = caller.queueCall.getAcquire();
            if (call != null) {
                return Optional.of(call);
            }
        }
        return Optional.empty();
    }

    /** Asks the plugin for its events. What their hints throw is a {@link PluginFailure}. */
    public List<EventRegistration> eventsToRegister() {
        List<EventRegistration> events = answer(PluginMethod.EVENTS_TO_REGISTER, null, () -> {
            List<EventRegistration> registered =
                    known(as(EnqueueExtensions.class, plugin)).eventsToRegister();
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

    /** The plugin's hint about all pods, which fails with a {@link PluginFailure} alone, and so does what it answers. */
    public PreQueueingHint<Object> checked(PreQueueingHint<Object> preHint) {
        return change -> hinted(PreQueueingHint::candidates, preHint, change)
                .<Predicate<Pod>>map(candidates -> pod -> hinted(Predicate::test, candidates, pod));
    }

    /** The plugin's hint, which fails with a {@link PluginFailure} alone. */
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

    /** Runs PreEnqueue; the answer is a success or a rejection. */
    public Status preEnqueue(Pod pod) {
        if (isLeftAlone(PluginMethod.PRE_ENQUEUE)) {
            return Status.success();
        }
        boolean isOutermost = beginQueueCall(PluginMethod.PRE_ENQUEUE);
        try {
            return checked(
                    PluginMethod.PRE_ENQUEUE,
                    answer(
                            PluginMethod.PRE_ENQUEUE,
                            pod,
                            () -> known(preEnqueue).preEnqueue(pod)));
        } finally {
            endQueueCall(isOutermost);
        }
    }

    /** Runs Less. */
    public boolean less(QueuedPod first, QueuedPod second) {
        if (isLeftAlone(PluginMethod.LESS)) {
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
    public PreFilterResult preFilter(CycleState state, Pod pod, Snapshot snapshot) {
        return isLeftAlone(PluginMethod.PRE_FILTER)
                ? PreFilterResult.skip()
                : answer(PluginMethod.PRE_FILTER, pod, () -> known(preFilter).preFilter(state, pod, snapshot));
    }

    /** Runs AddPod. */
    public void addPod(CycleState state, Pod pod, Pod added, NodeInfo node) {
        run(PluginMethod.ADD_POD, pod, () -> known(preFilterExtensions).addPod(state, pod, added, node));
    }

    /** Runs RemovePod. */
    public void removePod(CycleState state, Pod pod, Pod removed, NodeInfo node) {
        run(PluginMethod.REMOVE_POD, pod, () -> known(preFilterExtensions).removePod(state, pod, removed, node));
    }

    /** Returns what the plugin's answers for a pod depend on. */
    public Optional<Signature> sign(Pod pod) {
        return answer(PluginMethod.SIGN, pod, () -> {
            Optional<?> signed = known(sign).sign(pod);
            return signed == null ? null : signed.map(value -> new Signature(value, value.hashCode()));
        });
    }

    /**
     * What a plugin signed for a pod, as a key. The value is compared within a call of the plugin; a comparison that fails makes two
     * signatures different, so that nothing cached is used.
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
    public PluginStatus filter(CycleState state, Pod pod, NodeInfo node) {
        if (isLeftAlone(PluginMethod.FILTER)) {
            return PluginStatus.SUCCESS;
        }
        Status status;
        PluginThread thread = PluginThread.begin(calls[PluginMethod.FILTER.ordinal()]);
        try {
            status = known(filter).filter(state, pod, node);
        } catch (Throwable thrown) {
            throw failed(PluginMethod.FILTER, pod, thrown);
        } finally {
            PluginThread.end(thread);
        }
        return filtered(notNull(PluginMethod.FILTER, pod, status));
    }

    /**
     * Runs Filter for the nodes from one index to before another whose status is a success.
     *
     * @param statuses by the index of the node; what the plugin has put there is still to be taken over by {@link #filtered}
     */
    public void filter(CycleState state, Pod pod, List<NodeInfo> nodes, int from, int to, Status[] statuses) {
        if (isLeftAlone(PluginMethod.FILTER)) {
            return;
        }
        PluginThread thread = PluginThread.begin(calls[PluginMethod.FILTER.ordinal()]);
        try {
            known(filter).filter(state, pod, nodes, from, to, statuses);
        } catch (Throwable thrown) {
            throw failed(PluginMethod.FILTER, pod, thrown);
        } finally {
            PluginThread.end(thread);
        }
        if (breaker != null) {
            if (Arrays.asList(statuses).subList(from, to).contains(null)) {
                breaker.failed(PluginMethod.FILTER, "answered null", Optional.of(pod));
            } else {
                breaker.succeeded(PluginMethod.FILTER);
            }
        }
    }

    /** What Filter has answered about one of many nodes: a rejection, or exactly {@link PluginStatus#SUCCESS}. */
    @SuppressWarnings("ReferenceEquality") // comparing contents would cost more than a new PluginStatus
    public PluginStatus filtered(@Nullable Status answer) {
        Status status = checked(PluginMethod.FILTER, answer);
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
    public PostFilterResult postFilter(CycleState state, Pod pod, NodeStatuses statuses) {
        Breaker.Open open = breaker == null ? null : breaker.open();
        if (open != null) {
            return PostFilterResult.rejected(Status.unschedulable(name + " is " + open.reason()));
        }
        try {
            return answer(PluginMethod.POST_FILTER, pod, () -> known(postFilter).postFilter(state, pod, statuses));
        } catch (PluginFailure failure) {
            throw failure.getCause() == null ? failure : failure.withoutMethod();
        }
    }

    /**
     * Has the plugin do what its PostFilter has decided.
     *
     * @param ended is told when that has ended, in the background too, and whether it has succeeded
     */
    public void execute(CycleState state, Pod pod, PostFilterResult result, Consumer<Boolean> ended) {
        try {
            execute(PluginMethod.POST_FILTER, () -> known(postFilter).execute(state, pod, result), ended);
        } catch (PluginFailure failure) {
            throw failure.getCause() == null ? failure : failure.withoutMethod();
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
    public Status preScore(CycleState state, Pod pod, List<NodeInfo> nodes) {
        if (isLeftAlone(PluginMethod.PRE_SCORE)) {
            return Status.skip();
        }
        Status status =
                answer(PluginMethod.PRE_SCORE, pod, () -> known(preScore).preScore(state, pod, nodes));
        if (!status.isSuccess() && !status.isSkip()) {
            throw refused(PluginMethod.PRE_SCORE, status.message());
        }
        return status;
    }

    /**
     * Runs Score for the nodes from one index to before another.
     *
     * @param scores where the scores go, by the index of the node
     */
    public void score(CycleState state, Pod pod, List<NodeInfo> nodes, int from, int to, long[] scores) {
        if (isLeftAlone(PluginMethod.SCORE)) {
            Arrays.fill(scores, from, to, 0);
            return;
        }
        PluginThread thread = PluginThread.begin(calls[PluginMethod.SCORE.ordinal()]);
        try {
            known(score).score(state, pod, nodes, from, to, scores);
        } catch (Throwable thrown) {
            throw failed(PluginMethod.SCORE, pod, thrown);
        } finally {
            PluginThread.end(thread);
        }
        succeeded(PluginMethod.SCORE);
    }

    /** Runs NormalizeScore; the answer has a score from 0 to 100 for each node. */
    public NodeScores normalize(CycleState state, Pod pod, NodeScores scores) {
        NodeScores normalized = isLeftAlone(PluginMethod.NORMALIZE)
                ? scores.with(new long[scores.size()])
                : answer(PluginMethod.NORMALIZE, pod, () -> known(score).normalize(state, pod, scores));
        if (normalized.size() != scores.size()) {
            throw refused(
                    PluginMethod.NORMALIZE,
                    "answered scores of " + normalized.size() + " nodes (expected: " + scores.size() + ")");
        }
        int different = normalized.isUniform() ? Math.min(1, normalized.size()) : normalized.size();
        for (int i = 0; i < different; i++) {
            checkRange(normalized.score(i));
        }
        return normalized;
    }

    /** Refuses a score that is not from 0 to 100. */
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
    public Status reserve(CycleState state, Pod pod, String nodeName) {
        return isLeftAlone(PluginMethod.RESERVE)
                ? Status.success()
                : checked(
                        PluginMethod.RESERVE,
                        answer(PluginMethod.RESERVE, pod, () -> known(reserve).reserve(state, pod, nodeName)));
    }

    /** Runs Unreserve. */
    public void unreserve(CycleState state, Pod pod, String nodeName) {
        PluginThread thread = PluginThread.begin(calls[PluginMethod.UNRESERVE.ordinal()]);
        try {
            known(reserve).unreserve(state, pod, nodeName);
        } catch (Throwable thrown) {
            throw failure(PluginMethod.UNRESERVE, thrown);
        } finally {
            PluginThread.end(thread);
        }
    }

    /** Runs Permit. */
    public PermitResult permit(CycleState state, Pod pod, String nodeName) {
        return isLeftAlone(PluginMethod.PERMIT)
                ? PermitResult.allow()
                : answer(PluginMethod.PERMIT, pod, () -> known(permit).permit(state, pod, nodeName));
    }

    /** Runs PreBindPreFlight. */
    public PreBindPreFlightResult preBindPreFlight(CycleState state, Pod pod, String nodeName) {
        return isLeftAlone(PluginMethod.PRE_BIND_PRE_FLIGHT)
                ? PreBindPreFlightResult.skipInParallel()
                : answer(
                        PluginMethod.PRE_BIND_PRE_FLIGHT,
                        pod,
                        () -> known(preBind).preBindPreFlight(state, pod, nodeName));
    }

    /** Returns whether PreBind changes nothing but objects of the cluster. */
    public boolean preBindsInCluster() {
        return preBind instanceof ClusterPreBindPlugin;
    }

    /** Runs PreBind; the answer is a success or a rejection. */
    public Status preBind(CycleState state, Pod pod, String nodeName) {
        return isLeftAlone(PluginMethod.PRE_BIND)
                ? Status.success()
                : checked(
                        PluginMethod.PRE_BIND,
                        answer(PluginMethod.PRE_BIND, pod, () -> known(preBind).preBind(state, pod, nodeName)));
    }

    /** Runs Bind; the answer is a success, skip or a rejection. */
    public Status bind(CycleState state, Pod pod, String nodeName) {
        if (isLeftAlone(PluginMethod.BIND)) {
            return Status.skip();
        }
        Status status = answer(PluginMethod.BIND, pod, () -> known(bind).bind(state, pod, nodeName));
        return status.isSkip() ? status : checked(PluginMethod.BIND, status);
    }

    /** Runs PostBind. */
    public void postBind(CycleState state, Pod pod, String nodeName) {
        run(PluginMethod.POST_BIND, pod, () -> known(postBind).postBind(state, pod, nodeName));
    }

    /** Runs PlacementGenerate. */
    public PlacementGenerateResult generatePlacements(
            CycleState state, PodGroupInfo group, Placement parent, Snapshot snapshot) {
        return isLeftAlone(PluginMethod.PLACEMENT_GENERATE)
                ? PlacementGenerateResult.of(List.of(parent))
                : answer(
                        PluginMethod.PLACEMENT_GENERATE,
                        null,
                        () -> known(placementGenerate).generatePlacements(state, group, parent, snapshot));
    }

    /** Runs PlacementFeasible. */
    public PlacementFeasibleResult placementFeasible(CycleState state, PodGroupInfo group, PlacementProgress progress) {
        return isLeftAlone(PluginMethod.PLACEMENT_FEASIBLE)
                ? PlacementFeasibleResult.feasible()
                : answer(
                        PluginMethod.PLACEMENT_FEASIBLE,
                        null,
                        () -> known(placementFeasible).placementFeasible(state, group, progress));
    }

    /** Runs PlacementScore. */
    public long scorePlacement(
            CycleState state, PodGroupInfo group, Placement placement, List<ProposedAssignment> assignments) {
        return isLeftAlone(PluginMethod.PLACEMENT_SCORE)
                ? 0
                : answer(
                        PluginMethod.PLACEMENT_SCORE,
                        null,
                        () -> known(placementScore).scorePlacement(state, group, placement, assignments));
    }

    /** Runs NormalizePlacementScore; afterwards each score is from 0 to 100. */
    public void normalizePlacementScores(CycleState state, PodGroupInfo group, long[] scores) {
        run(
                PluginMethod.NORMALIZE_PLACEMENT_SCORE,
                null,
                () -> known(placementScore).normalizePlacementScores(state, group, scores));
        for (long score : scores) {
            if (score < 0 || score > NodeScores.MAX) {
                throw invalidScore(PluginMethod.NORMALIZE_PLACEMENT_SCORE, "PlacementScore", score);
            }
        }
    }

    /** Runs PodGroupPostFilter. */
    public PodGroupPostFilterResult podGroupPostFilter(CycleState state, PodGroupInfo group, PodGroupTrial trial) {
        Breaker.Open open = breaker == null ? null : breaker.open();
        return open != null
                ? PodGroupPostFilterResult.rejected(Status.unschedulable(name + " is " + open.reason()))
                : answer(
                        PluginMethod.POD_GROUP_POST_FILTER,
                        null,
                        () -> known(podGroupPostFilter).podGroupPostFilter(state, group, trial));
    }

    /**
     * Has the plugin do what its PodGroupPostFilter has decided.
     *
     * @param ended is told when that has ended, in the background too, and whether it has succeeded
     */
    public void execute(
            CycleState state, PodGroupInfo group, PodGroupPostFilterResult result, Consumer<Boolean> ended) {
        execute(
                PluginMethod.POD_GROUP_POST_FILTER,
                () -> known(podGroupPostFilter).execute(state, group, result),
                ended);
    }

    private static <P> @Nullable P as(Class<P> type, Plugin plugin) {
        return type.isInstance(plugin) ? type.cast(plugin) : null;
    }

    // Hints are also asked without the queue's lock, and a plugin may have the queue call it again: the call that was
    // there before is kept.
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

    // Whether the plugin is answered for; where that would decide something about pods that may not do without the
    // plugin, it fails.
    private boolean isLeftAlone(PluginMethod method) {
        if (breaker == null) {
            return false;
        }
        Breaker.Open open = breaker.open();
        if (open == null) {
            return false;
        }
        boolean decides = switch (method) {
            case LESS, ADD_POD, REMOVE_POD, POST_BIND -> false;
            // A pod that is let into the queue is told at its first attempt why it fails.
            case PRE_ENQUEUE -> open.method() == PluginMethod.PRE_ENQUEUE;
            default -> true;
        };
        if (decides && !breaker.ignores()) {
            throw refused(method, open.reason());
        }
        return true;
    }

    // What answers nothing, and is left out while the plugin is not called.
    private void run(PluginMethod method, @Nullable Pod pod, Runnable call) {
        if (isLeftAlone(method)) {
            return;
        }
        PluginThread thread = PluginThread.begin(calls[method.ordinal()]);
        try {
            call.run();
        } catch (Throwable thrown) {
            throw failed(method, pod, thrown);
        } finally {
            PluginThread.end(thread);
        }
        succeeded(method);
    }

    private <T> T answer(PluginMethod method, @Nullable Pod pod, Supplier<@Nullable T> call) {
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
            PluginFailure failure = refused(method, "answered null");
            if (breaker != null) {
                breaker.failed(method, failure.what(), Optional.ofNullable(pod));
            }
            throw failure;
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
        PluginFailure failure = failure(method, thrown);
        if (breaker != null) {
            breaker.failed(method, failure.what(), Optional.ofNullable(pod));
        }
        return failure;
    }

    // Whatever a plugin was doing when its pod's binding was cancelled, the cancellation is why it ended.
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
        if (status == null) {
            throw refused(method, "answered null");
        }
        if (!status.isSuccess() && !status.isRejection()) {
            boolean isError = status.code() == Code.ERROR;
            throw refused(method, isError ? status.message() : "answered " + status.code());
        }
        return status;
    }

    private PluginFailure refused(PluginMethod method, String what) {
        String bounded = PluginText.bounded(what);
        return new PluginFailure(name, method, method.message(name, bounded), bounded, null);
    }

    // To be called before the call counts as ended: reading what was thrown runs code of the plugin, which may not
    // return.
    private PluginFailure failure(PluginMethod method, Throwable thrown) {
        Throwable copy = Thrown.caught(thrown);
        Throwable cause = method == PluginMethod.PRE_BIND ? cancellationOr(copy) : copy;
        String what = Thrown.text(cause);
        return new PluginFailure(name, method, method.message(name, what), what, cause);
    }
}
