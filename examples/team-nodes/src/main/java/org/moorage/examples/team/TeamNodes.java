// SPDX-License-Identifier: Apache-2.0
package org.moorage.examples.team;

import java.util.List;
import java.util.Set;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.Status;
import org.moorage.api.event.ActionType;
import org.moorage.api.event.EventRegistration;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.Plugin;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.point.EnqueueExtensions;
import org.moorage.api.plugin.point.FilterPlugin;

/** Keeps a team's nodes for the team: a node with the label {@code team} takes only pods with the same label. */
public record TeamNodes() implements FilterPlugin, EnqueueExtensions {
    static final String NAME = "TeamNodes";
    private static final Status OTHER_TEAM = Status.unresolvable("node(s) belonged to another team");

    @Override
    public String name() {
        return NAME;
    }

    // region filter
    @Override
    public Status filter(CycleState state, Pod pod, NodeInfo node) {
        String team = node.node().labels().get("team");
        return team == null || team.equals(pod.labels().get("team")) ? Status.success() : OTHER_TEAM;
    }
    // endregion

    // Events that may make a rejected pod fit: a new node, or a changed label. Without this, every event would retry
    // it.
    @Override
    public List<EventRegistration> eventsToRegister() {
        return List.of(
                EventRegistration.always(ObjectKind.NODE, Set.of(ActionType.ADD, ActionType.UPDATE_NODE_LABEL)),
                EventRegistration.always(ObjectKind.POD, Set.of(ActionType.UPDATE_POD_LABEL)));
    }

    /** Named in {@code META-INF/services/org.moorage.api.plugin.PluginFactory}, which is how the plugin is found. */
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
        public Plugin create(PluginArgs.None args, Handle handle) {
            return new TeamNodes();
        }
    }
}
