// SPDX-License-Identifier: Apache-2.0
package org.moorage.conformance;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.Status;
import org.moorage.api.event.EventRegistration;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.Plugin;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.point.EnqueueExtensions;
import org.moorage.api.plugin.point.PermitPlugin;
import org.moorage.api.plugin.point.PermitResult;
import org.moorage.api.plugin.point.PreEnqueuePlugin;
import org.moorage.api.plugin.point.PreScorePlugin;
import org.moorage.api.plugin.point.ScorePlugin;

/**
 * A plugin that lets the steps of a recorded sequence control a scheduler: keeps all pods out of the queue but the one
 * of the step, decides for the recorded node, and holds a pod after Reserve.
 */
final class StepsPlugin implements PreEnqueuePlugin, PreScorePlugin, ScorePlugin, PermitPlugin, EnqueueExtensions {
    static final String NAME = "ConformanceSteps";

    private static final Status OTHER_STEP = Status.unresolvable("the pod is not that of the step");
    private static final Duration LONG = Duration.ofMinutes(15);

    private final Handle handle;
    private volatile String podKey = "";
    private volatile String nodeName = "";
    private volatile boolean holds;

    private StepsPlugin(Handle handle) {
        this.handle = handle;
    }

    /** Creates the plugin, and keeps the created one. */
    static final class Factory implements PluginFactory<PluginArgs.None> {
        private @Nullable StepsPlugin created;

        /** Returns the created plugin. */
        StepsPlugin plugin() {
            return Objects.requireNonNull(created, "created");
        }

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
            created = new StepsPlugin(handle);
            return created;
        }
    }

    @Override
    public String name() {
        return NAME;
    }

    /**
     * Lets a pod into the queue for one attempt.
     *
     * @param pod the pod
     * @param node the node to choose; empty for any
     * @param holdsPod whether the pod waits after Reserve until a later step
     */
    void admit(Pod pod, String node, boolean holdsPod) {
        podKey = pod.key();
        nodeName = node;
        holds = holdsPod;
        handle.queue().activate(List.of(pod));
    }

    /** Keeps all pods out of the queue, and leaves decisions to the other plugins. */
    void admitNothing() {
        podKey = "";
        nodeName = "";
        holds = false;
    }

    @Override
    public Status preEnqueue(Pod pod) {
        return pod.key().equals(podKey) ? Status.success() : OTHER_STEP;
    }

    @Override
    public Status preScore(CycleState state, Pod pod, List<NodeInfo> nodes) {
        return nodeName.isEmpty() ? Status.skip() : Status.success();
    }

    @Override
    public long score(CycleState state, Pod pod, NodeInfo node) {
        return node.name().equals(nodeName) ? 100 : 0;
    }

    @Override
    public PermitResult permit(CycleState state, Pod pod, String chosen) {
        return holds ? PermitResult.waitAtMost(LONG) : PermitResult.allow();
    }

    @Override
    public List<EventRegistration> eventsToRegister() {
        return List.of();
    }
}
