// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests.faults;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.Snapshot;
import org.moorage.api.Status;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.Plugin;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.PluginLogger;
import org.moorage.api.plugin.point.BindPlugin;
import org.moorage.api.plugin.point.FilterPlugin;
import org.moorage.api.plugin.point.NodeStatuses;
import org.moorage.api.plugin.point.PermitPlugin;
import org.moorage.api.plugin.point.PermitResult;
import org.moorage.api.plugin.point.PostBindPlugin;
import org.moorage.api.plugin.point.PostFilterPlugin;
import org.moorage.api.plugin.point.PostFilterResult;
import org.moorage.api.plugin.point.PreBindPlugin;
import org.moorage.api.plugin.point.PreBindPreFlightResult;
import org.moorage.api.plugin.point.PreEnqueuePlugin;
import org.moorage.api.plugin.point.PreFilterPlugin;
import org.moorage.api.plugin.point.PreFilterResult;
import org.moorage.api.plugin.point.PreScorePlugin;
import org.moorage.api.plugin.point.ReservePlugin;
import org.moorage.api.plugin.point.ScorePlugin;

/**
 * Fails for pods that ask for it: the label {@code point} says at which extension point, {@code how} in what way. A
 * hang lasts a minute, once for a pod. With the label {@code while} it fails only as long as a file of that name is in
 * the folder of the system property {@code failing.folder}.
 */
public final class FailingPlugin
        implements PreEnqueuePlugin,
                PreFilterPlugin,
                FilterPlugin,
                PostFilterPlugin,
                PreScorePlugin,
                ScorePlugin,
                ReservePlugin,
                PermitPlugin,
                PreBindPlugin,
                BindPlugin,
                PostBindPlugin {
    static final String NAME = "Failing";

    /** The ways to fail. */
    enum Way {
        EXCEPTION,
        LINKAGE_ERROR,
        STACK_OVERFLOW,
        NULL,
        OUT_OF_RANGE,
        HANG,
        /** Answers after {@link #SLOW_CALL}, or when it is interrupted. */
        SLOW,
        /** In Permit: has the pod wait for ten minutes. */
        WAIT,
        /** Logs a value whose text throws. */
        LOG_THROWS,
        /** Logs a value whose text misses a class. */
        LOG_ERROR,
        /** Logs a value that holds itself. */
        LOG_ITSELF,
        /** Logs a value whose text takes a minute, once for a pod. */
        LOG_HANG
    }

    static final Duration SLOW_CALL = Duration.ofSeconds(3);

    private final Set<String> hung = ConcurrentHashMap.newKeySet();
    private final PluginLogger logger;

    private FailingPlugin(PluginLogger logger) {
        this.logger = logger;
    }

    /** Named in the jar's {@code META-INF/services}. */
    public static final class Factory implements PluginFactory<PluginArgs.None> {
        @Override
        public String name() {
            return NAME;
        }

        @Override
        public Class<PluginArgs.None> argsType() {
            return PluginArgs.None.class;
        }

        @Override
        public Plugin create(PluginArgs.None args, Handle handle) {
            return new FailingPlugin(handle.logger());
        }
    }

    @Override
    public String name() {
        return NAME;
    }

    /** Fails if the pod asks for it here; else the answer. */
    private <T> T at(String point, Pod pod, T answer) {
        if (!point.equals(pod.labels().get("point"))) {
            return answer;
        }
        String file = pod.labels().get("while");
        if (file != null && !Files.exists(Path.of(System.getProperty("failing.folder"), file))) {
            return answer;
        }
        switch (Way.valueOf(pod.labels().getOrDefault("how", "EXCEPTION"))) {
            case EXCEPTION -> throw new IllegalArgumentException("injected");
            case LINKAGE_ERROR -> throw new NoSuchMethodError("injected");
            case STACK_OVERFLOW -> overflow(0);
            case NULL -> {
                return null;
            }
            case HANG -> {
                if (hung.add(pod.uid() + point)) {
                    hang();
                }
            }
            case SLOW -> pause();
            case LOG_THROWS ->
                log(() -> {
                    throw new IllegalStateException("injected");
                });
            case LOG_ERROR ->
                log(() -> {
                    throw new NoClassDefFoundError("injected");
                });
            case LOG_ITSELF -> log(() -> String.valueOf(overflow(0)));
            case LOG_HANG ->
                log(() -> {
                    if (hung.add(pod.uid() + point)) {
                        hang();
                    }
                    return "late";
                });
            default -> {}
        }
        return answer;
    }

    private void log(Supplier<String> text) {
        logger.warn("Injected", "value", new Value(text));
    }

    private record Value(Supplier<String> text) {
        @Override
        public String toString() {
            return text.get();
        }
    }

    private static void pause() {
        try {
            new CountDownLatch(1).await(SLOW_CALL.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static int overflow(int depth) {
        return depth < 0 ? 0 : overflow(depth + 1) + 1;
    }

    // Not to be interrupted, as a call that waits for a lock.
    private static void hang() {
        long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
        boolean isInterrupted = false;
        while (System.nanoTime() < end) {
            try {
                new CountDownLatch(1).await(end - System.nanoTime(), TimeUnit.NANOSECONDS);
            } catch (InterruptedException e) {
                isInterrupted = true;
            }
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public Status preEnqueue(Pod pod) {
        return at("PreEnqueue", pod, Status.success());
    }

    @Override
    public PreFilterResult preFilter(CycleState state, Pod pod, Snapshot snapshot) {
        return at("PreFilter", pod, PreFilterResult.allNodes());
    }

    @Override
    public Status filter(CycleState state, Pod pod, NodeInfo node) {
        return at("Filter", pod, Status.success());
    }

    @Override
    public PostFilterResult postFilter(CycleState state, Pod pod, NodeStatuses statuses) {
        return at("PostFilter", pod, PostFilterResult.rejected(Status.unschedulable("nothing to do")));
    }

    @Override
    public Status preScore(CycleState state, Pod pod, List<NodeInfo> nodes) {
        return at("PreScore", pod, Status.success());
    }

    @Override
    public long score(CycleState state, Pod pod, NodeInfo node) {
        boolean isOutOfRange = "OUT_OF_RANGE".equals(pod.labels().get("how"));
        return at("Score", pod, isOutOfRange && "Score".equals(pod.labels().get("point")) ? 101L : 0L);
    }

    @Override
    public Status reserve(CycleState state, Pod pod, String nodeName) {
        return at("Reserve", pod, Status.success());
    }

    @Override
    public void unreserve(CycleState state, Pod pod, String nodeName) {
        at("Unreserve", pod, "");
    }

    @Override
    public PermitResult permit(CycleState state, Pod pod, String nodeName) {
        boolean isToWait = "Permit".equals(pod.labels().get("point"))
                && "WAIT".equals(pod.labels().get("how"));
        return at("Permit", pod, isToWait ? PermitResult.waitAtMost(Duration.ofMinutes(10)) : PermitResult.allow());
    }

    @Override
    public PreBindPreFlightResult preBindPreFlight(CycleState state, Pod pod, String nodeName) {
        return at("PreBindPreFlight", pod, PreBindPreFlightResult.run());
    }

    @Override
    public Status preBind(CycleState state, Pod pod, String nodeName) {
        return at("PreBind", pod, Status.success());
    }

    @Override
    public Status bind(CycleState state, Pod pod, String nodeName) {
        return at("Bind", pod, Status.skip());
    }

    @Override
    public void postBind(CycleState state, Pod pod, String nodeName) {
        at("PostBind", pod, "");
    }
}
