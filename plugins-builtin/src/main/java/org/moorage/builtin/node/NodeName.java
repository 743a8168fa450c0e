// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.node;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.Snapshot;
import org.moorage.api.Status;
import org.moorage.api.event.ActionType;
import org.moorage.api.event.ClusterEvent;
import org.moorage.api.event.EventRegistration;
import org.moorage.api.event.EventResource;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.point.EnqueueExtensions;
import org.moorage.api.plugin.point.FilterPlugin;
import org.moorage.api.plugin.point.PreFilterPlugin;
import org.moorage.api.plugin.point.PreFilterResult;
import org.moorage.api.plugin.point.SignPlugin;

/**
 * Rejects nodes other than the one in the pod's {@code nodeName}, if it has one. Same decisions as kube-scheduler's
 * NodeName.
 */
public final class NodeName implements PreFilterPlugin, FilterPlugin, EnqueueExtensions, SignPlugin {
    /** The plugin's name. */
    public static final String NAME = "NodeName";
    /** Makes the plugin. */
    public static final PluginFactory<PluginArgs.None> FACTORY =
            PluginFactory.of(NAME, NodeName.class, handle -> new NodeName());

    private static final Status NODE_NAME_NOT_MATCHED =
            Status.unresolvable("node(s) didn't match the requested node name");

    NodeName() {}

    @Override
    public String name() {
        return NAME;
    }

    /** Restricts a pod with a {@code nodeName} to that node. */
    @Override
    public PreFilterResult preFilter(CycleState state, Pod pod, Snapshot snapshot) {
        return pod.isBound() ? PreFilterResult.onlyNodes(Set.of(pod.nodeName())) : PreFilterResult.allNodes();
    }

    @Override
    public Optional<?> sign(Pod pod) {
        return Optional.of(pod.nodeName());
    }

    @Override
    public Status filter(CycleState state, Pod pod, NodeInfo node) {
        return pod.isBound() && !pod.nodeName().equals(node.name()) ? NODE_NAME_NOT_MATCHED : Status.success();
    }

    @Override
    public List<EventRegistration> eventsToRegister() {
        return List.of(EventRegistration.always(ClusterEvent.of(EventResource.NODE, ActionType.ADD)));
    }
}
