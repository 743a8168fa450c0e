// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.binding;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import org.moorage.api.plugin.point.ExtensionPoint;
import org.moorage.api.plugin.point.PreBindPreFlightResult;
import org.moorage.config.plugin.Thrown;
import org.moorage.runtime.decision.PluginStatus;
import org.moorage.runtime.internal.plugin.PluginCaller;
import org.moorage.runtime.internal.plugin.PluginFailure;

/** The PreBind plugins of a pod in groups. Groups run one after the other; the plugins of a group run in parallel. */
final class PreBindGroups {
    private final List<List<PluginCaller>> groups = new ArrayList<>();
    private boolean lastAllowsParallel;

    private PreBindGroups() {}

    /**
     * Runs PreBindPreFlight. Consecutive plugins that allow it form a group; a plugin that does not allow it separates
     * those before it from those after it, even if it is skipped.
     *
     * @param hasPreFlight whether PreBindPreFlight is run; otherwise there is one group for each plugin
     * @throws PluginFailure if a plugin fails
     */
    static PreBindGroups of(AssumedPod pod, boolean hasPreFlight) {
        PreBindGroups groups = new PreBindGroups();
        for (PluginCaller plugin : pod.profile().at(ExtensionPoint.PRE_BIND)) {
            groups.add(
                    plugin,
                    hasPreFlight
                            ? plugin.preBindPreFlight(pod.state(), pod.pod(), pod.nodeName())
                            : PreBindPreFlightResult.run());
        }
        return groups;
    }

    private void add(PluginCaller plugin, PreBindPreFlightResult preFlight) {
        if (!preFlight.allowsParallel() || !lastAllowsParallel) {
            groups.add(new ArrayList<>());
        }
        lastAllowsParallel = preFlight.allowsParallel();
        if (!preFlight.isSkip()) {
            groups.get(groups.size() - 1).add(plugin);
        }
    }

    /** Returns whether all plugins are skipped. */
    boolean areEmpty() {
        return groups.stream().allMatch(List::isEmpty);
    }

    /** Runs PreBind until a plugin of a group does not succeed, or the pod's binding is cancelled. */
    PluginStatus run(AssumedPod pod, PodsInPreBind.BindingAttempt attempt, Executor executor) {
        for (List<PluginCaller> group : groups) {
            if (attempt.cause().isPresent()) {
                return attempt.cancelled();
            }
            PluginStatus answer = run(pod, group, executor);
            if (!answer.isSuccess()) {
                return answer;
            }
        }
        return PluginStatus.SUCCESS;
    }

    private static PluginStatus run(AssumedPod pod, List<PluginCaller> group, Executor executor) {
        List<FutureTask<PluginStatus>> tasks = new ArrayList<>();
        for (PluginCaller plugin : group) {
            tasks.add(new FutureTask<>(() -> preBind(pod, plugin)));
        }
        for (int i = 1; i < tasks.size(); i++) {
            try {
                executor.execute(tasks.get(i));
            } catch (RejectedExecutionException closed) {
                // It is run below.
                break;
            }
        }
        PluginStatus first = PluginStatus.SUCCESS;
        for (FutureTask<PluginStatus> task : tasks) {
            // Runs the task unless another thread has started it, so that a thread of the pool never waits for a task
            // that needs a thread of the pool.
            task.run();
            PluginStatus answer = join(task);
            first = first.isSuccess() ? answer : first;
        }
        return first;
    }

    private static PluginStatus join(FutureTask<PluginStatus> task) {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return task.get();
                } catch (InterruptedException e) {
                    interrupted = true;
                } catch (ExecutionException failed) {
                    Throwable cause = Objects.requireNonNull(failed.getCause());
                    Thrown.rethrowIfFatal(cause);
                    return PluginStatus.error("", "running PreBind plugins: " + Thrown.text(cause));
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static PluginStatus preBind(AssumedPod pod, PluginCaller plugin) {
        try {
            return new PluginStatus(plugin.name(), plugin.preBind(pod.state(), pod.pod(), pod.nodeName()));
        } catch (PluginFailure failure) {
            return BindingCycle.error(pod, failure);
        }
    }
}
