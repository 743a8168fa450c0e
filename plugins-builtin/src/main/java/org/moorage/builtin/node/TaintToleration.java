// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.node;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.NodeScores;
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
import org.moorage.api.model.Taint;
import org.moorage.api.model.Toleration;
import org.moorage.api.model.TolerationOperators;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.point.EnqueueExtensions;
import org.moorage.api.plugin.point.FilterPlugin;
import org.moorage.api.plugin.point.PreFilterPlugin;
import org.moorage.api.plugin.point.PreFilterResult;
import org.moorage.api.plugin.point.PreScorePlugin;
import org.moorage.api.plugin.point.ScorePlugin;
import org.moorage.api.plugin.point.SignPlugin;

/**
 * Rejects nodes with a {@code NoSchedule} or {@code NoExecute} taint that the pod does not tolerate, and prefers nodes
 * with few {@code PreferNoSchedule} taints that it does not tolerate. Same decisions as kube-scheduler's
 * TaintToleration.
 */
public final class TaintToleration
        implements PreFilterPlugin, FilterPlugin, PreScorePlugin, ScorePlugin, EnqueueExtensions, SignPlugin {
    /** The plugin's name. */
    public static final String NAME = "TaintToleration";
    /** Makes the plugin. */
    public static final PluginFactory<PluginArgs.None> FACTORY =
            PluginFactory.of(NAME, TaintToleration.class, TaintToleration::new);

    private static final Status UNTOLERATED_TAINT = Status.unresolvable("node(s) had untolerated taint(s)");

    private static final StateKey<List<Toleration>> PREFER_NO_SCHEDULE_TOLERATIONS =
            StateKey.of(NAME + "/preferNoScheduleTolerations");

    private final FeatureGates features;
    private final TolerationOperators tolerationOperators;

    TaintToleration(Handle handle) {
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
        return hasUntoleratedTaint(pod, node.node()) ? UNTOLERATED_TAINT : Status.success();
    }

    @Override
    public Status preScore(CycleState state, Pod pod, List<NodeInfo> nodes) {
        List<Toleration> preferNoSchedule = new ArrayList<>();
        for (Toleration toleration : pod.spec().tolerations()) {
            if (toleration.effect().isEmpty() || toleration.effect().equals(Taint.PREFER_NO_SCHEDULE)) {
                preferNoSchedule.add(toleration);
            }
        }
        state.put(PREFER_NO_SCHEDULE_TOLERATIONS, List.copyOf(preferNoSchedule));
        return Status.success();
    }

    /** Returns the number of {@code PreferNoSchedule} taints that the pod does not tolerate. */
    @Override
    public long score(CycleState state, Pod pod, NodeInfo node) {
        List<Taint> taints = node.node().taints();
        if (taints.isEmpty()) {
            return 0;
        }
        List<Toleration> tolerations = state.get(PREFER_NO_SCHEDULE_TOLERATIONS);
        long untolerated = 0;
        for (int i = 0; i < taints.size(); i++) {
            Taint taint = taints.get(i);
            if (taint.effect().equals(Taint.PREFER_NO_SCHEDULE) && !tolerationOperators.tolerate(tolerations, taint)) {
                untolerated++;
            }
        }
        return untolerated;
    }

    @Override
    public NodeScores normalize(CycleState state, Pod pod, NodeScores scores) {
        return scores.scaledTo100().reversed();
    }

    @Override
    public List<EventRegistration> eventsToRegister() {
        return List.of(
                EventRegistration.of(
                        ClusterEvent.of(EventResource.NODE, ActionType.ADD, ActionType.UPDATE_NODE_TAINT),
                        Node.class,
                        this::afterNodeChange),
                EventRegistration.always(ClusterEvent.of(EventResource.TARGET_POD, ActionType.UPDATE_POD_TOLERATION)));
    }

    private Hint afterNodeChange(Pod pod, ObjectChange<Node> change) {
        boolean wasTolerated = change.before().isPresent()
                && !hasUntoleratedTaint(pod, change.before().get());
        return Hint.queueIf(!wasTolerated && !hasUntoleratedTaint(pod, change.latest()));
    }

    private boolean hasUntoleratedTaint(Pod pod, Node node) {
        return tolerationOperators.hasUntoleratedTaint(pod.spec().tolerations(), node.taints());
    }
}
