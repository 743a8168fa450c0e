// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.resources;

import java.util.List;
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
import org.moorage.api.model.Node;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.point.EnqueueExtensions;
import org.moorage.api.plugin.point.FilterPlugin;
import org.moorage.api.plugin.point.PermitPlugin;
import org.moorage.api.plugin.point.PermitResult;
import org.moorage.api.plugin.point.PreFilterPlugin;
import org.moorage.api.plugin.point.PreFilterResult;

/**
 * Restricts a running pod whose resize is deferred to its node, if pods may be preempted there for a resize. Once the
 * resize fits, it makes the pod wait until the kubelet resizes it. Other pods are not affected. Same decisions as
 * kube-scheduler's DeferredPodScheduling.
 */
public final class DeferredPodScheduling implements PreFilterPlugin, FilterPlugin, PermitPlugin, EnqueueExtensions {
    /** The plugin's name. */
    public static final String NAME = "DeferredPodScheduling";
    /** Makes the plugin. */
    public static final PluginFactory<PluginArgs.None> FACTORY =
            PluginFactory.of(NAME, DeferredPodScheduling.class, DeferredPodScheduling::new);

    private static final Status ON_ANOTHER_NODE = Status.unresolvable("pod assigned to different node");
    private static final Status PREEMPTION_DISABLED = Status.unresolvable("node had resize preemption disabled");
    private static final Status FITS = Status.unresolvable("pod resize fits, waiting for Kubelet actuation");

    private final FeatureGates features;

    DeferredPodScheduling(Handle handle) {
        features = handle.featureGates();
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public PreFilterResult preFilter(CycleState state, Pod pod, Snapshot snapshot) {
        return features.isTriedForResize(pod) ? PreFilterResult.allNodes() : PreFilterResult.skip();
    }

    @Override
    public Status filter(CycleState state, Pod pod, NodeInfo node) {
        if (!features.isTriedForResize(pod)) {
            return Status.success();
        }
        if (pod.isBound() && !pod.nodeName().equals(node.name())) {
            return ON_ANOTHER_NODE;
        }
        return node.node().isResizePreemptionDisabled() ? PREEMPTION_DISABLED : Status.success();
    }

    @Override
    public PermitResult permit(CycleState state, Pod pod, String nodeName) {
        return features.isTriedForResize(pod) ? PermitResult.rejected(FITS) : PermitResult.allow();
    }

    @Override
    public List<EventRegistration> eventsToRegister() {
        return List.of(EventRegistration.of(
                ClusterEvent.of(EventResource.NODE, ActionType.ADD, ActionType.UPDATE_NODE_PREEMPTION_POLICY),
                Node.class,
                this::afterNodeChange));
    }

    private Hint afterNodeChange(Pod pod, ObjectChange<Node> change) {
        boolean wasEnabled =
                change.before().isPresent() && !change.before().get().isResizePreemptionDisabled();
        Node node = change.latest();
        return Hint.queueIf(features.isTriedForResize(pod)
                && node.name().equals(pod.nodeName())
                && !wasEnabled
                && !node.isResizePreemptionDisabled());
    }
}
