// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.node;

import java.util.List;
import java.util.Optional;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.Snapshot;
import org.moorage.api.Status;
import org.moorage.api.event.ActionType;
import org.moorage.api.event.ClusterEvent;
import org.moorage.api.event.EventRegistration;
import org.moorage.api.event.EventResource;
import org.moorage.api.event.Hint;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.HostPort;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.point.EnqueueExtensions;
import org.moorage.api.plugin.point.FilterPlugin;
import org.moorage.api.plugin.point.PreFilterPlugin;
import org.moorage.api.plugin.point.PreFilterResult;
import org.moorage.api.plugin.point.SignPlugin;

/** Rejects nodes on which another pod uses a host port of the pod. Same decisions as kube-scheduler's NodePorts. */
public final class NodePorts implements PreFilterPlugin, FilterPlugin, EnqueueExtensions, SignPlugin {
    /** The plugin's name. */
    public static final String NAME = "NodePorts";
    /** Makes the plugin. */
    public static final PluginFactory<PluginArgs.None> FACTORY =
            PluginFactory.of(NAME, NodePorts.class, NodePorts::new);

    private static final Status NO_FREE_PORTS =
            Status.unschedulable("node(s) didn't have free ports for the requested pod ports");

    private final FeatureGates features;

    NodePorts(Handle handle) {
        features = handle.featureGates();
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public PreFilterResult preFilter(CycleState state, Pod pod, Snapshot snapshot) {
        return pod.spec().hostPorts().isEmpty() || features.isTriedForResize(pod)
                ? PreFilterResult.skip()
                : PreFilterResult.allNodes();
    }

    @Override
    public Optional<?> sign(Pod pod) {
        return Optional.of(pod.spec().hostPorts());
    }

    @Override
    public Status filter(CycleState state, Pod pod, NodeInfo node) {
        List<HostPort> ports = pod.spec().hostPorts();
        for (int i = 0; i < ports.size(); i++) {
            if (node.conflicts(ports.get(i))) {
                return NO_FREE_PORTS;
            }
        }
        return Status.success();
    }

    @Override
    public List<EventRegistration> eventsToRegister() {
        return List.of(
                EventRegistration.of(
                        ClusterEvent.of(EventResource.ASSIGNED_POD, ActionType.DELETE),
                        Pod.class,
                        NodePorts::afterPodDeletion),
                EventRegistration.always(ClusterEvent.of(EventResource.NODE, ActionType.ADD)));
    }

    private static Hint afterPodDeletion(Pod pod, ObjectChange<Pod> change) {
        Pod deleted = change.latest();
        return Hint.queueIf(deleted.isBoundOrNominated()
                && conflict(pod.spec().hostPorts(), deleted.spec().hostPorts()));
    }

    private static boolean conflict(List<HostPort> ports, List<HostPort> otherPorts) {
        for (HostPort port : ports) {
            for (HostPort other : otherPorts) {
                if (port.conflicts(other)) {
                    return true;
                }
            }
        }
        return false;
    }
}
