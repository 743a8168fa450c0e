// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.queue;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiConsumer;
import org.moorage.api.Code;
import org.moorage.api.Status;
import org.moorage.api.model.Pod;
import org.moorage.runtime.decision.PluginStatus;
import org.moorage.runtime.internal.log.Listeners;
import org.moorage.runtime.internal.log.Log;
import org.moorage.runtime.internal.plugin.PluginCaller;
import org.moorage.runtime.internal.plugin.PluginFailure;

/**
 * Runs the PreEnqueue plugins, which may gate a pod: prevent it from becoming active.
 *
 * <p>Guarded by the queue's lock, since it changes pods. An unschedulable pod must be removed from its bucket first.
 */
final class PreEnqueue {
    private static final Log LOG = Log.of(PreEnqueue.class);

    private final Map<String, QueueProfile> profiles;
    private final Listeners listeners;
    private final BiConsumer<Pod, PluginFailure> failures;

    PreEnqueue(Map<String, QueueProfile> profiles, Listeners listeners, BiConsumer<Pod, PluginFailure> failures) {
        this.profiles = profiles;
        this.listeners = listeners;
        this.failures = Objects.requireNonNull(failures, "failures");
    }

    /**
     * Runs the plugins of the pod's profile until one gates it. Afterwards the pod is gated by that plugin, or not
     * gated. A plugin that fails gates it, also with an error of the virtual machine, which is rethrown.
     */
    void run(QueuedPodInfo queued) {
        long start = System.nanoTime();
        runPlugins(queued);
        // kube-scheduler reports Success here even for a gated pod.
        listeners.measure(listener -> listener.extensionPointRan(
                queued.pod().spec().schedulerName(), "PreEnqueue", Code.SUCCESS, System.nanoTime() - start));
    }

    /** Runs the plugins for a pod, or for the pods of a group, which is gated if one of them is. */
    void run(QueuedEntity queued) {
        if (queued instanceof QueuedPodInfo pod) {
            run(pod);
        } else if (queued instanceof QueuedPodGroupInfo group) {
            run(group);
        }
    }

    // As long as the member that gated the group before is still gated, the plugins are not run for the other members.
    private void run(QueuedPodGroupInfo group) {
        List<QueuedPodInfo> newcomers = group.takeNewcomers();
        QueuedPodInfo gatedBefore = group.gatedMember();
        group.ungateAll();
        run(group, newcomers);
        if (!group.isGated() && gatedBefore != null) {
            run(group, List.of(gatedBefore));
        }
        if (!group.isGated() && newcomers.size() < group.size()) {
            Set<QueuedPodInfo> asked = new HashSet<>(newcomers);
            List<QueuedPodInfo> others = new ArrayList<>(group.members());
            others.removeIf(member -> member == gatedBefore || asked.contains(member));
            run(group, others);
        }
    }

    /**
     * Runs the plugins for pods that joined a group that is not gated. If pods have only left it, the plugins run for
     * one member on behalf of all, since the departure of pods affects the whole group.
     */
    void runAfterChange(QueuedPodGroupInfo group) {
        List<QueuedPodInfo> newcomers = group.takeNewcomers();
        group.ungateAll();
        run(group, newcomers.isEmpty() ? List.of(group.firstMember()) : newcomers);
    }

    private void run(QueuedPodGroupInfo group, List<QueuedPodInfo> members) {
        for (QueuedPodInfo member : members) {
            try {
                run(member);
            } finally {
                // Also with an error of the virtual machine.
                if (member.isGated()) {
                    group.gateBy(member);
                }
            }
        }
    }

    private void runPlugins(QueuedPodInfo queued) {
        List<PluginCaller> plugins = Objects.requireNonNull(
                        profiles.get(queued.pod().spec().schedulerName()))
                .preEnqueue();
        String gatedBy = queued.gatedBy();
        // The plugin that gated the pod before runs first: if it still gates it, the others are not called.
        for (PluginCaller plugin : plugins) {
            if (plugin.name().equals(gatedBy) && gates(plugin, queued)) {
                return;
            }
        }
        for (PluginCaller plugin : plugins) {
            if (!plugin.name().equals(gatedBy) && gates(plugin, queued)) {
                return;
            }
        }
        queued.ungate();
    }

    private boolean gates(PluginCaller plugin, QueuedPodInfo queued) {
        PluginStatus answer = PluginStatus.error(plugin.name(), "PreEnqueue did not end");
        try {
            Status status = plugin.preEnqueue(queued.pod());
            answer = new PluginStatus(plugin.name(), status);
            if (status.isSuccess()) {
                return false;
            }
            LOG.atTrace()
                    .addKeyValue("pod", queued.pod())
                    .addKeyValue("plugin", plugin.name())
                    .addKeyValue("status", status)
                    .log("Status after running PreEnqueue plugin");
        } catch (PluginFailure failure) {
            LOG.atError()
                    .setCause(failure)
                    .addKeyValue("pod", queued.pod())
                    .addKeyValue("plugin", plugin.name())
                    .log("Unexpected error running PreEnqueue plugin");
            answer = PluginStatus.error(plugin.name(), failure.getMessage());
            failures.accept(queued.pod(), failure);
        } finally {
            if (!answer.isSuccess()) {
                queued.gate(answer);
            }
        }
        return true;
    }
}
