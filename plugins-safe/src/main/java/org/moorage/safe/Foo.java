// SPDX-License-Identifier: Apache-2.0
package org.moorage.safe;

import java.util.List;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.Status;
import org.moorage.api.event.ActionType;
import org.moorage.api.event.ClusterEvent;
import org.moorage.api.event.EventRegistration;
import org.moorage.api.event.EventResource;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.Plugin;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.point.EnqueueExtensions;
import org.moorage.api.plugin.point.FilterPlugin;
import org.moorage.api.plugin.point.ScorePlugin;

/**
 * Accepts every node with the same score: kube-safe-scheduler's agent {@code foo}, the template of its other agents.
 */
public final class Foo implements FilterPlugin, ScorePlugin, EnqueueExtensions {
    static final String NAME = "Foo";

    private final long score;

    /**
     * The arguments.
     *
     * @param score the score of every node
     */
    public record Args(long score) implements PluginArgs {
        /** The default arguments: the original's score, which is 1 of 10 there and 1 of 100 here. */
        public static final Args DEFAULTS = new Args(1);
    }

    private Foo(Args args) {
        score = args.score();
    }

    @Override
    public String name() {
        return NAME;
    }

    /** Returns whether the pod may run on the node. A rejection is {@code Status.unschedulable("node(s) ...")}. */
    @Override
    public Status filter(CycleState state, Pod pod, NodeInfo node) {
        return Status.success();
    }

    /** Returns how suitable the node is for the pod, from 0 to 100. */
    @Override
    public long score(CycleState state, Pod pod, NodeInfo node) {
        return score;
    }

    /** Returns the events that could make the filter accept a rejected pod. */
    @Override
    public List<EventRegistration> eventsToRegister() {
        return List.of(EventRegistration.always(ClusterEvent.of(EventResource.NODE, ActionType.ADD)));
    }

    /** Named in {@code META-INF/services/org.moorage.api.plugin.PluginFactory}. */
    public static final class Factory implements PluginFactory<Args> {
        @Override
        public String name() {
            return NAME;
        }

        @Override
        public Class<Args> argsType() {
            return Args.class;
        }

        @Override
        public Plugin create(Args args, Handle handle) {
            return new Foo(args);
        }
    }
}
