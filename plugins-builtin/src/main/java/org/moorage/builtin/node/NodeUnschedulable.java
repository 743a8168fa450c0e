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
import org.moorage.api.model.Node;
import org.moorage.api.model.Pod;
import org.moorage.api.model.Taint;
import org.moorage.api.model.TolerationOperators;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.point.EnqueueExtensions;
import org.moorage.api.plugin.point.FilterPlugin;
import org.moorage.api.plugin.point.PreFilterPlugin;
import org.moorage.api.plugin.point.PreFilterResult;
import org.moorage.api.plugin.point.SignPlugin;

/**
 * Rejects nodes with {@code spec.unschedulable}, unless the pod tolerates the taint {@code
 * node.kubernetes.io/unschedulable:NoSchedule}. Same decisions as kube-scheduler's NodeUnschedulable.
 */
public final class NodeUnschedulable implements PreFilterPlugin, FilterPlugin, EnqueueExtensions, SignPlugin {
    /** The plugin's name. */
    public static final String NAME = "NodeUnschedulable";
    /** Makes the plugin. */
    public static final PluginFactory<PluginArgs.None> FACTORY =
            PluginFactory.of(NAME, NodeUnschedulable.class, NodeUnschedulable::new);

    private static final Status UNSCHEDULABLE = Status.unresolvable("node(s) were unschedulable");

    private static final Taint UNSCHEDULABLE_TAINT =
            new Taint("node.kubernetes.io/unschedulable", "", Taint.NO_SCHEDULE);

    private final FeatureGates features;
    private final TolerationOperators tolerationOperators;

    NodeUnschedulable(Handle handle) {
        features = handle.featureGates();
        tolerationOperators = features.tolerationOperators();
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public PreFilterResult preFilter(CycleState state, Pod pod, Snapshot snapshot) {
        return features.isTriedForResize(pod) ? PreFilterResult.skip() : PreFilterResult.allNodes();
    }

    @Override
    public Optional<?> sign(Pod pod) {
        return Optional.of(pod.spec().tolerations());
    }

    @Override
    public Status filter(CycleState state, Pod pod, NodeInfo node) {
        return node.node().unschedulable() && !toleratesUnschedulable(pod) ? UNSCHEDULABLE : Status.success();
    }

    @Override
    public List<EventRegistration> eventsToRegister() {
        return List.of(
                EventRegistration.of(
                        ClusterEvent.of(EventResource.NODE, ActionType.ADD, ActionType.UPDATE_NODE_TAINT),
                        Node.class,
                        NodeUnschedulable::afterNodeChange),
                EventRegistration.of(
                        ClusterEvent.of(EventResource.TARGET_POD, ActionType.UPDATE_POD_TOLERATION),
                        Pod.class,
                        this::afterTolerationChange));
    }

    private static Hint afterNodeChange(Pod pod, ObjectChange<Node> change) {
        boolean wasSchedulable =
                change.before().isPresent() && !change.before().get().unschedulable();
        return Hint.queueIf(!wasSchedulable && !change.latest().unschedulable());
    }

    private Hint afterTolerationChange(Pod pod, ObjectChange<Pod> change) {
        return Hint.queueIf(toleratesUnschedulable(change.latest()));
    }

    private boolean toleratesUnschedulable(Pod pod) {
        return tolerationOperators.tolerate(pod.spec().tolerations(), UNSCHEDULABLE_TAINT);
    }
}
