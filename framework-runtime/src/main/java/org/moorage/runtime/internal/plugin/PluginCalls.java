// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.plugin;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.moorage.api.Code;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.NodeScores;
import org.moorage.api.Snapshot;
import org.moorage.api.Status;
import org.moorage.api.event.EventRegistration;
import org.moorage.api.event.Hint;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.event.QueueingHint;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.BindPlugin;
import org.moorage.api.plugin.EnqueueExtensions;
import org.moorage.api.plugin.FilterPlugin;
import org.moorage.api.plugin.NodeStatuses;
import org.moorage.api.plugin.PermitPlugin;
import org.moorage.api.plugin.PermitResult;
import org.moorage.api.plugin.Plugin;
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
import org.moorage.config.plugin.FactoryCalls;
import org.moorage.config.plugin.PluginText;
import org.moorage.config.plugin.Thrown;

/**
 * Calls plugins. Every call of the scheduler into a plugin is made here once {@link FactoryCalls} has made it, so that there is one rule for what goes wrong in it:
 * whatever the plugin throws, null, and an answer that the method does not allow become a {@link PluginFailure}. Only errors
 * of the virtual machine are passed on, see {@link Thrown#rethrowIfFatal}.
 *
 * <p>What is called once per node (Filter, Score) and what the queue calls under its lock (Less, hints) allocates nothing
 * here.
 */
public final class PluginCalls {
    private static final ClassValue<Boolean> NORMALIZES = new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
            try {
                return type.getMethod("normalize", CycleState.class, Pod.class, NodeScores.class)
                                .getDeclaringClass()
                        != ScorePlugin.class;
            } catch (NoSuchMethodException e) {
                throw new IllegalArgumentException(type + " (expected: a ScorePlugin)", e);
            }
        }
    };

    private PluginCalls() {}

    /** Asks a plugin for its events. */
    public static List<EventRegistration> eventsToRegister(EnqueueExtensions plugin) {
        return answer(PluginMethod.EVENTS_TO_REGISTER, plugin.name(), () -> {
            List<EventRegistration> events = plugin.eventsToRegister();
            return events == null ? null : List.copyOf(events);
        });
    }

    /** Closes a plugin. */
    public static void close(String name, AutoCloseable plugin) {
        try {
            plugin.close();
        } catch (Throwable thrown) {
            throw failure(PluginMethod.CLOSE, name, thrown);
        }
    }

    /** Asks a plugin's hint. */
    public static Hint queueingHint(String plugin, QueueingHint<Object> hint, Pod pod, ObjectChange<Object> change) {
        Hint answer;
        try {
            answer = hint.hint(pod, change);
        } catch (Throwable thrown) {
            throw failure(PluginMethod.QUEUEING_HINT, plugin, thrown);
        }
        if (answer == null) {
            throw refused(PluginMethod.QUEUEING_HINT, plugin, "answered null");
        }
        return answer;
    }

    /** Runs PreEnqueue; the answer is a success or a rejection. */
    public static Status preEnqueue(PreEnqueuePlugin plugin, Pod pod) {
        return checked(
                PluginMethod.PRE_ENQUEUE,
                plugin,
                answer(PluginMethod.PRE_ENQUEUE, plugin.name(), () -> plugin.preEnqueue(pod)));
    }

    /** Runs Less. */
    public static boolean less(QueueSortPlugin plugin, QueuedPod first, QueuedPod second) {
        try {
            return plugin.less(first, second);
        } catch (Throwable thrown) {
            throw failure(PluginMethod.LESS, plugin.name(), thrown);
        }
    }

    /** Runs PreFilter. */
    public static PreFilterResult preFilter(PreFilterPlugin plugin, CycleState state, Pod pod, Snapshot snapshot) {
        return answer(PluginMethod.PRE_FILTER, plugin.name(), () -> plugin.preFilter(state, pod, snapshot));
    }

    /** Runs AddPod. */
    public static void addPod(PreFilterExtensions plugin, CycleState state, Pod pod, Pod added, NodeInfo node) {
        run(PluginMethod.ADD_POD, plugin, () -> plugin.addPod(state, pod, added, node));
    }

    /** Runs RemovePod. */
    public static void removePod(PreFilterExtensions plugin, CycleState state, Pod pod, Pod removed, NodeInfo node) {
        run(PluginMethod.REMOVE_POD, plugin, () -> plugin.removePod(state, pod, removed, node));
    }

    /** Asks what a plugin's answers for a pod depend on. */
    public static Optional<?> sign(SignPlugin plugin, Pod pod) {
        return PluginCalls.<Optional<?>>answer(PluginMethod.SIGN, plugin.name(), () -> plugin.sign(pod));
    }

    /** Runs Filter; the answer is a success or a rejection. */
    public static Status filter(FilterPlugin plugin, CycleState state, Pod pod, NodeInfo node) {
        Status status;
        PluginThread thread = PluginThread.begin();
        try {
            status = plugin.filter(state, pod, node);
        } catch (Throwable thrown) {
            throw failure(PluginMethod.FILTER, plugin.name(), thrown);
        } finally {
            PluginThread.end(thread);
        }
        return checked(PluginMethod.FILTER, plugin, status);
    }

    /**
     * Runs Filter for the nodes from one index to before another whose status is a success.
     *
     * @param statuses by the index of the node; what the plugin has put there is still to be {@link #filtered checked}
     */
    public static void filter(
            FilterPlugin plugin, CycleState state, Pod pod, List<NodeInfo> nodes, int from, int to, Status[] statuses) {
        run(PluginMethod.FILTER, plugin, () -> plugin.filter(state, pod, nodes, from, to, statuses));
    }

    /** What Filter has answered about one of many nodes, if it is a success or a rejection. */
    public static Status filtered(FilterPlugin plugin, @Nullable Status status) {
        return checked(PluginMethod.FILTER, plugin, status);
    }

    /** Runs PostFilter. */
    public static PostFilterResult postFilter(
            PostFilterPlugin plugin, CycleState state, Pod pod, NodeStatuses statuses) {
        PostFilterResult result;
        PluginThread thread = PluginThread.begin();
        try {
            result = plugin.postFilter(state, pod, statuses);
        } catch (Throwable thrown) {
            throw postFilterFailure(plugin, thrown);
        } finally {
            PluginThread.end(thread);
        }
        if (result == null) {
            throw refused(PluginMethod.POST_FILTER, plugin.name(), "answered null");
        }
        return result;
    }

    /** Has a plugin do what its PostFilter has decided. */
    public static void execute(PostFilterPlugin plugin, CycleState state, Pod pod, PostFilterResult result) {
        PluginThread thread = PluginThread.begin();
        try {
            plugin.execute(state, pod, result);
        } catch (Throwable thrown) {
            throw postFilterFailure(plugin, thrown);
        } finally {
            PluginThread.end(thread);
        }
    }

    // Unlike elsewhere, kube-scheduler's message is the plugin's alone.
    private static PluginFailure postFilterFailure(PostFilterPlugin plugin, Throwable thrown) {
        PluginFailure failure = failure(PluginMethod.POST_FILTER, plugin.name(), thrown);
        return new PluginFailure(
                failure.plugin(), failure.method(), failure.what(), failure.what(), failure.getCause());
    }

    /** Runs PreScore; the answer is a success or skip. */
    public static Status preScore(PreScorePlugin plugin, CycleState state, Pod pod, List<NodeInfo> nodes) {
        Status status = answer(PluginMethod.PRE_SCORE, plugin.name(), () -> plugin.preScore(state, pod, nodes));
        if (!status.isSuccess() && !status.isSkip()) {
            throw refused(PluginMethod.PRE_SCORE, plugin.name(), status.message());
        }
        return status;
    }

    /**
     * Runs Score for the nodes from one index to before another.
     *
     * @param scores where the scores go, by the index of the node
     */
    public static void score(
            ScorePlugin plugin, CycleState state, Pod pod, List<NodeInfo> nodes, int from, int to, long[] scores) {
        run(PluginMethod.SCORE, plugin, () -> plugin.score(state, pod, nodes, from, to, scores));
    }

    /** Runs NormalizeScore; the answer has a score from 0 to 100 for each node. */
    public static NodeScores normalize(ScorePlugin plugin, CycleState state, Pod pod, NodeScores scores) {
        NodeScores normalized =
                answer(PluginMethod.NORMALIZE, plugin.name(), () -> plugin.normalize(state, pod, scores));
        if (normalized.size() != scores.size()) {
            throw refused(
                    PluginMethod.NORMALIZE,
                    plugin.name(),
                    "answered scores of " + normalized.size() + " nodes (expected: " + scores.size() + ")");
        }
        int different = normalized.isUniform() ? Math.min(1, normalized.size()) : normalized.size();
        for (int i = 0; i < different; i++) {
            inRange(plugin, normalized.score(i));
        }
        return normalized;
    }

    /** A score of a plugin as it counts, from 0 to 100. */
    public static long inRange(ScorePlugin plugin, long score) {
        if (score < 0 || score > NodeScores.MAX) {
            throw outOfRange(plugin, score);
        }
        return score;
    }

    private static PluginFailure outOfRange(ScorePlugin plugin, long score) {
        String what = "plugin \"" + plugin.name() + "\" returns an invalid score " + score
                + ", it should in the range of [0, 100] after normalizing";
        return new PluginFailure(
                plugin.name(),
                PluginMethod.NORMALIZE,
                "applying score defaultWeights on Score plugins: " + what,
                what,
                null);
    }

    /** Whether a plugin has a NormalizeScore of its own. */
    public static boolean normalizes(ScorePlugin plugin) {
        return NORMALIZES.get(plugin.getClass());
    }

    /** Runs Reserve; the answer is a success or a rejection. */
    public static Status reserve(ReservePlugin plugin, CycleState state, Pod pod, String nodeName) {
        return checked(
                PluginMethod.RESERVE,
                plugin,
                answer(PluginMethod.RESERVE, plugin.name(), () -> plugin.reserve(state, pod, nodeName)));
    }

    /** Runs Unreserve. */
    public static void unreserve(ReservePlugin plugin, CycleState state, Pod pod, String nodeName) {
        run(PluginMethod.UNRESERVE, plugin, () -> plugin.unreserve(state, pod, nodeName));
    }

    /** Runs Permit. */
    public static PermitResult permit(PermitPlugin plugin, CycleState state, Pod pod, String nodeName) {
        return answer(PluginMethod.PERMIT, plugin.name(), () -> plugin.permit(state, pod, nodeName));
    }

    /** Runs PreBindPreFlight. */
    public static PreBindPreFlightResult preBindPreFlight(
            PreBindPlugin plugin, CycleState state, Pod pod, String nodeName) {
        return answer(
                PluginMethod.PRE_BIND_PRE_FLIGHT, plugin.name(), () -> plugin.preBindPreFlight(state, pod, nodeName));
    }

    /** Runs PreBind; the answer is a success or a rejection. */
    public static Status preBind(PreBindPlugin plugin, CycleState state, Pod pod, String nodeName) {
        Status status;
        PluginThread thread = PluginThread.begin();
        try {
            status = plugin.preBind(state, pod, nodeName);
        } catch (Throwable thrown) {
            throw failure(PluginMethod.PRE_BIND, plugin.name(), cancellationOr(thrown));
        } finally {
            PluginThread.end(thread);
        }
        return checked(PluginMethod.PRE_BIND, plugin, status);
    }

    // Whatever a plugin was doing when its pod's binding was cancelled, the cancellation is why it ended.
    private static Throwable cancellationOr(Throwable thrown) {
        for (Throwable cause = Thrown.loggable(thrown); cause != null; cause = cause.getCause()) {
            if (cause instanceof CancellationException) {
                return cause;
            }
        }
        return thrown;
    }

    /** Runs Bind; the answer is a success, skip or a rejection. */
    public static Status bind(BindPlugin plugin, CycleState state, Pod pod, String nodeName) {
        Status status = answer(PluginMethod.BIND, plugin.name(), () -> plugin.bind(state, pod, nodeName));
        return status.isSkip() ? status : checked(PluginMethod.BIND, plugin, status);
    }

    /** Runs PostBind. */
    public static void postBind(PostBindPlugin plugin, CycleState state, Pod pod, String nodeName) {
        run(PluginMethod.POST_BIND, plugin, () -> plugin.postBind(state, pod, nodeName));
    }

    private static void run(PluginMethod method, Plugin plugin, Runnable call) {
        PluginThread thread = PluginThread.begin();
        try {
            call.run();
        } catch (Throwable thrown) {
            throw failure(method, plugin.name(), thrown);
        } finally {
            PluginThread.end(thread);
        }
    }

    private static <T> T answer(PluginMethod method, String plugin, Supplier<@Nullable T> call) {
        T answer;
        PluginThread thread = PluginThread.begin();
        try {
            answer = call.get();
        } catch (Throwable thrown) {
            throw failure(method, plugin, thrown);
        } finally {
            PluginThread.end(thread);
        }
        if (answer == null) {
            throw refused(method, plugin, "answered null");
        }
        return answer;
    }

    private static Status checked(PluginMethod method, Plugin plugin, @Nullable Status status) {
        if (status == null) {
            throw refused(method, plugin.name(), "answered null");
        }
        if (!status.isSuccess() && !status.isRejection()) {
            boolean isError = status.code() == Code.ERROR;
            throw refused(method, plugin.name(), isError ? status.message() : "answered " + status.code());
        }
        return status;
    }

    private static PluginFailure refused(PluginMethod method, String plugin, String what) {
        String bounded = PluginText.bounded(what);
        return new PluginFailure(plugin, method, method.message(plugin, bounded), bounded, null);
    }

    private static PluginFailure failure(PluginMethod method, String plugin, Throwable thrown) {
        Thrown.caught(thrown);
        String what = Thrown.text(thrown);
        return new PluginFailure(plugin, method, method.message(plugin, what), what, Thrown.loggable(thrown));
    }
}
