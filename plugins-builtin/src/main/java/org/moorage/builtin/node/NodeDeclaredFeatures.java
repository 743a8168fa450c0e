// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.node;

import java.util.ArrayList;
import java.util.List;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.Snapshot;
import org.moorage.api.StateKey;
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
import org.moorage.api.model.PodSpec;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.point.EnqueueExtensions;
import org.moorage.api.plugin.point.FilterPlugin;
import org.moorage.api.plugin.point.PreFilterPlugin;
import org.moorage.api.plugin.point.PreFilterResult;

/**
 * Rejects nodes whose kubelet does not declare a feature that the pod requires. Same decisions as kube-scheduler's
 * NodeDeclaredFeatures, for which three features are required by pods; the feature gate {@code NodeDeclaredFeatures}
 * turns it off.
 */
public final class NodeDeclaredFeatures implements PreFilterPlugin, FilterPlugin, EnqueueExtensions {
    /** The plugin's name. */
    public static final String NAME = "NodeDeclaredFeatures";
    /** Makes the plugin. */
    public static final PluginFactory<PluginArgs.None> FACTORY =
            PluginFactory.of(NAME, NodeDeclaredFeatures.class, NodeDeclaredFeatures::new);

    private static final Status NOT_DECLARED = Status.unresolvable("node(s) didn't match Pod's required features");

    private static final String RESTART_ALL_CONTAINERS = "RestartAllContainersOnContainerExits";
    private static final String USER_NAMESPACES_HOST_NETWORK = "UserNamespacesHostNetworkSupport";
    private static final String VOLUME_BIND_MOUNT_OPTIONS = "VolumeBindMountOptions";

    private static final StateKey<List<String>> REQUIRED = StateKey.of(NAME + "/required");

    private final FeatureGates features;
    private final boolean isEnabled;

    NodeDeclaredFeatures(Handle handle) {
        features = handle.featureGates();
        isEnabled = features.isEnabled(FeatureGates.NODE_DECLARED_FEATURES);
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public PreFilterResult preFilter(CycleState state, Pod pod, Snapshot snapshot) {
        List<String> required = required(pod.spec());
        if (!isEnabled || required.isEmpty() || features.isTriedForResize(pod)) {
            return PreFilterResult.skip();
        }
        state.put(REQUIRED, required);
        return PreFilterResult.allNodes();
    }

    @Override
    public Status filter(CycleState state, Pod pod, NodeInfo node) {
        return !isEnabled || declares(node.node().declaredFeatures(), state.get(REQUIRED))
                ? Status.success()
                : NOT_DECLARED;
    }

    @Override
    public List<EventRegistration> eventsToRegister() {
        if (!isEnabled) {
            return List.of();
        }
        return List.of(
                EventRegistration.of(
                        ClusterEvent.of(EventResource.NODE, ActionType.ADD, ActionType.UPDATE_NODE_DECLARED_FEATURE),
                        Node.class,
                        NodeDeclaredFeatures::afterNodeChange),
                EventRegistration.of(
                        ClusterEvent.of(EventResource.TARGET_POD, ActionType.UPDATE),
                        Pod.class,
                        NodeDeclaredFeatures::afterPodChange));
    }

    private static Hint afterNodeChange(Pod pod, ObjectChange<Node> change) {
        boolean isUnchanged = change.before().isPresent()
                && change.before()
                        .get()
                        .declaredFeatures()
                        .equals(change.latest().declaredFeatures());
        return Hint.queueIf(!isUnchanged);
    }

    private static Hint afterPodChange(Pod pod, ObjectChange<Pod> change) {
        boolean isUnchanged = change.before().isPresent()
                && required(change.before().get().spec())
                        .equals(required(change.latest().spec()));
        return Hint.queueIf(!isUnchanged);
    }

    // The features that the pod requires, in alphabetical order.
    private static List<String> required(PodSpec spec) {
        List<String> required = new ArrayList<>(3);
        if (spec.restartsAllContainers()) {
            required.add(RESTART_ALL_CONTAINERS);
        }
        if (spec.hostNetwork() && !spec.hostUsers()) {
            required.add(USER_NAMESPACES_HOST_NETWORK);
        }
        if (spec.hasBindMountOptions()) {
            required.add(VOLUME_BIND_MOUNT_OPTIONS);
        }
        return List.copyOf(required);
    }

    // Features are declared in alphabetical order; as in kube-scheduler, one that is out of order is not found.
    private static boolean declares(List<String> declared, List<String> required) {
        int found = 0;
        String highest = "";
        for (int i = 0; i < declared.size() && found < required.size(); i++) {
            String feature = declared.get(i);
            if (feature.compareTo(highest) >= 0) {
                highest = feature;
                found += feature.equals(required.get(found)) ? 1 : 0;
            }
        }
        return found == required.size();
    }
}
