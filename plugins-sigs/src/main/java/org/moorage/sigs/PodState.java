// SPDX-License-Identifier: Apache-2.0
package org.moorage.sigs;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.NodeScores;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.Plugin;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.point.NodeChanges;
import org.moorage.api.plugin.point.ScorePlugin;
import org.moorage.api.plugin.point.SignPlugin;

/**
 * Prefers nodes with many terminating pods, which will have room soon, and few nominated pods, which will take room.
 * Same decisions as scheduler-plugins' PodState.
 */
public final class PodState implements ScorePlugin, SignPlugin {
    /** The plugin's name. */
    public static final String NAME = "PodState";

    private final Handle handle;
    private final NodeChanges changes = new NodeChanges();
    private volatile Map<String, List<Pod>> lastNominated = Map.of();
    private final CachedNodeValues<PodState, Integer> terminatingPods =
            new CachedNodeValues<>((node, plugin) -> terminatingPodsOn(node));

    private PodState(Handle handle) {
        this.handle = handle;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Optional<?> sign(Pod pod) {
        Map<String, List<Pod>> ignored = nominated();
        return Optional.of(NAME);
    }

    @Override
    public Optional<NodeChanges> nodeChanges() {
        return Optional.of(changes);
    }

    // Each nomination makes another map. Every map that a score is computed of is reported, and not only at the
    // beginning of a cycle.
    @SuppressWarnings("ReferenceEquality") // a map does not change
    private Map<String, List<Pod>> nominated() {
        Map<String, List<Pod>> nominated = handle.preemption().nominatedPods();
        if (nominated != lastNominated) {
            synchronized (this) {
                changes.addAll();
                lastNominated = nominated;
            }
        }
        return nominated;
    }

    @Override
    public long score(CycleState state, Pod pod, NodeInfo node) {
        Map<String, List<Pod>> nominated = nominated();
        long nominatedHere = nominated.isEmpty()
                ? 0
                : nominated.getOrDefault(node.name(), List.of()).size();
        return terminatingPods.of(node, this) - nominatedHere;
    }

    private static int terminatingPodsOn(NodeInfo node) {
        int terminating = 0;
        for (Pod pod : node.pods()) {
            terminating += pod.metadata().isDeleting() ? 1 : 0;
        }
        return terminating;
    }

    @Override
    public NodeScores normalize(CycleState state, Pod pod, NodeScores scores) {
        return scores.minMaxScaled();
    }

    /** Creates the plugin; named in {@code META-INF/services}. */
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
        public boolean ignoresArgs() {
            return true;
        }

        @Override
        public Plugin create(PluginArgs.None args, Handle handle) {
            return new PodState(handle);
        }
    }
}
