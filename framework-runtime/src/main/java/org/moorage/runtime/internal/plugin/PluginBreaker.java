// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.plugin;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.moorage.api.NodeScores;
import org.moorage.api.Status;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.PermitResult;
import org.moorage.api.plugin.Plugin;
import org.moorage.api.plugin.PostFilterResult;
import org.moorage.api.plugin.PreBindPreFlightResult;
import org.moorage.api.plugin.PreFilterResult;
import org.moorage.api.plugin.QueuedPod;
import org.moorage.api.plugin.SignPlugin;
import org.moorage.config.plugin.Thrown;

/**
 * Stands before a plugin, and does not call it for a while after one of its methods failed too often in a row. When the time is
 * over calls are let through again: a success of that method ends the matter, and a failure has the plugin left alone once more.
 *
 * <p>Queueing hints are not counted, since a failed one only has a pod tried again. Unreserve is always called: what was reserved
 * has to be given back.
 */
public final class PluginBreaker implements InvocationHandler {
    /** How many failures in a row open a breaker. */
    public static final int MOST_FAILURES = 5;
    /** For how long a plugin is then not called. */
    public static final Duration OPEN_TIME = Duration.ofMinutes(1);

    // The arguments of Filter and Score for many nodes: state, pod, nodes, from, to, and where the answers go.
    private static final int MANY_NODES = 6;
    private static final Set<PluginMethod> ALWAYS_CALLED =
            Set.of(PluginMethod.UNRESERVE, PluginMethod.EVENTS_TO_REGISTER, PluginMethod.CLOSE);

    private final Plugin plugin;
    private final boolean ignores;
    private final InstantSource clock;
    private final Watcher watcher;
    private final AtomicIntegerArray failures = new AtomicIntegerArray(PluginMethod.values().length);
    private final AtomicReference<@Nullable Open> open = new AtomicReference<>();

    /**
     * An open breaker.
     *
     * @param method the method whose failures opened it
     * @param end when calls are let through again
     * @param reason why, for whoever wants to know why the plugin is not called
     */
    private record Open(PluginMethod method, Instant end, String reason) {}

    /** Is told when a plugin is no longer called, and when it is called again. */
    public interface Watcher {
        /**
         * The plugin is not called for a while.
         *
         * @param pod the pod in whose attempt it failed last, if it was in one
         */
        void opened(String plugin, String reason, Optional<Pod> pod);

        /** The plugin is called again. */
        void closed(String plugin);
    }

    private PluginBreaker(Plugin plugin, boolean ignores, InstantSource clock, Watcher watcher) {
        this.plugin = plugin;
        this.ignores = ignores;
        this.clock = clock;
        this.watcher = watcher;
    }

    /**
     * The plugin with a breaker before it, at the same extension points.
     *
     * @param ignores whether pods are scheduled without the plugin while it is not called; otherwise their attempts fail
     * @param clock measures, and never goes back
     */
    public static Plugin before(Plugin plugin, boolean ignores, InstantSource clock, Watcher watcher) {
        Set<Class<?>> interfaces = new LinkedHashSet<>();
        for (Class<?> type = plugin.getClass(); type != null; type = type.getSuperclass()) {
            addInterfaces(type, interfaces);
        }
        return (Plugin) Proxy.newProxyInstance(
                plugin.getClass().getClassLoader(),
                interfaces.toArray(Class<?>[]::new),
                new PluginBreaker(plugin, ignores, clock, watcher));
    }

    private static void addInterfaces(Class<?> type, Set<Class<?>> into) {
        for (Class<?> candidate : type.getInterfaces()) {
            // What is answered in a plugin's place must not be kept.
            boolean isCalled =
                    candidate != SignPlugin.class && candidate.getPackageName().equals(Plugin.class.getPackageName())
                            || candidate == AutoCloseable.class;
            if (isCalled) {
                into.add(candidate);
            }
            addInterfaces(candidate, into);
        }
    }

    /** The plugin itself, if there is a breaker before it. */
    static Plugin target(Plugin plugin) {
        return breaker(plugin).map(breaker -> breaker.plugin).orElse(plugin);
    }

    /** The breaker before a plugin, if there is one. */
    public static Optional<PluginBreaker> breaker(Plugin plugin) {
        return Proxy.isProxyClass(plugin.getClass())
                        && Proxy.getInvocationHandler(plugin) instanceof PluginBreaker breaker
                ? Optional.of(breaker)
                : Optional.empty();
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] args) throws Throwable {
        if (method.getName().equals("equals") && args != null && args.length == 1) {
            return proxy == args[0];
        }
        PluginMethod called = PluginMethod.ofName(method.getName()).orElse(null);
        if (called == null || ALWAYS_CALLED.contains(called)) {
            return call(method, args);
        }
        Open now = open.get();
        if (now != null && clock.instant().isBefore(now.end) && args != null) {
            return instead(called, args, now);
        }
        Object answer;
        try {
            answer = call(method, args);
        } catch (Throwable thrown) {
            Thrown.rethrowIfFatal(thrown);
            failed(called, Thrown.text(thrown), pod(args));
            throw thrown;
        }
        if (answersNull(method, args, answer)) {
            failed(called, "answered null", pod(args));
        } else {
            succeeded(called);
        }
        return answer;
    }

    private static boolean answersNull(Method method, Object @Nullable [] args, @Nullable Object answer) {
        if (args != null && args.length == MANY_NODES && args[5] instanceof Status[] statuses) {
            return Arrays.asList(statuses).subList((int) args[3], (int) args[4]).contains(null);
        }
        return answer == null && method.getReturnType() != void.class;
    }

    private @Nullable Object call(Method method, Object @Nullable [] args) throws Throwable {
        try {
            return method.invoke(plugin, args);
        } catch (InvocationTargetException thrown) {
            throw thrown.getCause() == null ? thrown : thrown.getCause();
        }
    }

    private static Optional<Pod> pod(Object @Nullable [] args) {
        if (args != null) {
            for (Object argument : args) {
                if (argument instanceof Pod pod) {
                    return Optional.of(pod);
                }
            }
        }
        return Optional.empty();
    }

    /** A call failed, or did not return in time. */
    public void failed(PluginMethod method, String what, Optional<Pod> pod) {
        Open before = open.get();
        int inARow = failures.incrementAndGet(method.ordinal());
        boolean isOnTrial = before != null && before.method == method;
        if (inARow < MOST_FAILURES && !isOnTrial) {
            return;
        }
        Instant now = clock.instant();
        if (before != null && now.isBefore(before.end)) {
            // A call that was under way when the breaker opened.
            return;
        }
        Instant end = now.plus(OPEN_TIME);
        String reason = "not called until " + end.truncatedTo(ChronoUnit.SECONDS) + ", since " + method + " failed "
                + inARow + " times in a row, last with: " + what;
        if (open.compareAndSet(before, new Open(method, end, reason))) {
            watcher.opened(plugin.name(), reason, pod);
        }
    }

    private void succeeded(PluginMethod method) {
        if (failures.get(method.ordinal()) != 0) {
            failures.set(method.ordinal(), 0);
        }
        Open before = open.get();
        boolean isOnTrial =
                before != null && before.method == method && !clock.instant().isBefore(before.end);
        if (isOnTrial && open.compareAndSet(before, null)) {
            watcher.closed(plugin.name());
        }
    }

    // What the scheduler is answered while the plugin is not called.
    private @Nullable Object instead(PluginMethod method, Object[] args, Open now) {
        boolean decides = switch (method) {
            case LESS, ADD_POD, REMOVE_POD, POST_BIND, POST_FILTER -> false;
            // A pod that is let into the queue is told at its first attempt why it fails.
            case PRE_ENQUEUE -> now.method == PluginMethod.PRE_ENQUEUE;
            default -> true;
        };
        if (decides && !ignores) {
            throw new IllegalStateException(now.reason);
        }
        return switch (method) {
            case LESS -> ((QueuedPod) args[0]).timestamp().isBefore(((QueuedPod) args[1]).timestamp());
            case PRE_FILTER -> PreFilterResult.skip();
            case POST_FILTER -> PostFilterResult.rejected(Status.unschedulable(plugin.name() + " is " + now.reason));
            case PRE_SCORE -> Status.skip();
            case SCORE -> {
                if (args.length == MANY_NODES) {
                    Arrays.fill((long[]) args[5], (int) args[3], (int) args[4], 0);
                }
                yield 0L;
            }
            case NORMALIZE -> {
                NodeScores scores = (NodeScores) args[2];
                yield scores.with(new long[scores.size()]);
            }
            case PERMIT -> PermitResult.allow();
            case PRE_BIND_PRE_FLIGHT -> PreBindPreFlightResult.skipInParallel();
            case BIND -> Status.skip();
            case PRE_ENQUEUE, FILTER, RESERVE, PRE_BIND -> Status.success();
            case SIGN, EVENTS_TO_REGISTER, CLOSE, QUEUEING_HINT, ADD_POD, REMOVE_POD, UNRESERVE, POST_BIND -> null;
        };
    }
}
