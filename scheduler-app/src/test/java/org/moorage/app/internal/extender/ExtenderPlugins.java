// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.extender;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.NodeScores;
import org.moorage.api.Snapshot;
import org.moorage.api.StateKey;
import org.moorage.api.Status;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.Problems;
import org.moorage.api.plugin.point.FilterPlugin;
import org.moorage.api.plugin.point.PreFilterPlugin;
import org.moorage.api.plugin.point.PreFilterResult;
import org.moorage.api.plugin.point.PreScorePlugin;
import org.moorage.api.plugin.point.ScorePlugin;
import org.moorage.builtin.dra.KubeSchedulerPlugins;
import org.moorage.config.plugin.PluginRegistry;

/** Plugins that an agent may have. */
final class ExtenderPlugins {
    private ExtenderPlugins() {}

    /** These and kube-scheduler's. */
    static PluginRegistry registry(CountDownLatch release) {
        List<PluginFactory<?>> all = new ArrayList<>(KubeSchedulerPlugins.all());
        all.add(PluginFactory.of("TeamNodes", TeamNodes.class, handle -> new TeamNodes()));
        all.add(PluginFactory.of("FullNodes", FullNodes.class, handle -> new FullNodes()));
        all.add(PluginFactory.of("NodeTemperature", NodeTemperature.class, Heat.class, NodeTemperature::new));
        all.add(PluginFactory.of("Unreliable", Unreliable.class, handle -> new Unreliable(release)));
        return PluginRegistry.of(all);
    }

    /** Keeps pods off the nodes of other teams. */
    record TeamNodes() implements FilterPlugin {
        @Override
        public String name() {
            return "TeamNodes";
        }

        @Override
        public Status filter(CycleState state, Pod pod, NodeInfo node) {
            String team = node.node().labels().get("team");
            return team == null || team.equals(pod.labels().get("team"))
                    ? Status.success()
                    : Status.unresolvable("node(s) belonged to another team");
        }
    }

    /** Rejects nodes that have a pod already. */
    record FullNodes() implements FilterPlugin {
        @Override
        public String name() {
            return "FullNodes";
        }

        @Override
        public Status filter(CycleState state, Pod pod, NodeInfo node) {
            return node.pods().isEmpty() ? Status.success() : Status.unschedulable("node(s) had a pod");
        }
    }

    /**
     * The plugin's arguments.
     *
     * @param limit the temperature from which on a node is too hot
     */
    record Heat(int limit) implements PluginArgs {
        static final Heat DEFAULTS = new Heat(90);

        @Override
        public void validate(Problems problems) {
            if (limit < 0 || limit > 100) {
                problems.at("limit").invalid(limit, "0 to 100");
            }
        }
    }

    /**
     * Prefers cool nodes, and keeps pods off those that are too hot. The base temperature comes from PreFilter, the
     * nodes from PreScore, and the snapshot from the handle, so it works only in a whole cycle.
     */
    record NodeTemperature(Heat args, Handle handle)
            implements PreFilterPlugin, FilterPlugin, PreScorePlugin, ScorePlugin {
        private static final StateKey<Integer> OFFSET = StateKey.of("NodeTemperature/offset");
        private static final StateKey<Integer> CANDIDATES = StateKey.of("NodeTemperature/candidates");

        @Override
        public String name() {
            return "NodeTemperature";
        }

        @Override
        public PreFilterResult preFilter(CycleState state, Pod pod, Snapshot snapshot) {
            String only = pod.metadata().annotations().get("only");
            String banned = pod.metadata().annotations().get("banned");
            state.put(OFFSET, Integer.valueOf(pod.metadata().annotations().getOrDefault("offset", "0")));
            if (banned != null) {
                return PreFilterResult.rejected(Status.unschedulable("pod is banned"));
            }
            return only == null ? PreFilterResult.allNodes() : PreFilterResult.onlyNodes(Set.of(only));
        }

        private int temperature(CycleState state, NodeInfo node) {
            return state.get(OFFSET)
                    + Integer.parseInt(node.node().metadata().annotations().getOrDefault("temperature", "0"));
        }

        @Override
        public Status filter(CycleState state, Pod pod, NodeInfo node) {
            int temperature = temperature(state, node);
            return temperature < args.limit
                    ? Status.success()
                    : Status.unschedulable("temperature " + temperature + " >= " + args.limit);
        }

        @Override
        public Status preScore(CycleState state, Pod pod, List<NodeInfo> nodes) {
            state.put(CANDIDATES, nodes.size());
            return pod.labels().containsKey("cold-blooded") ? Status.skip() : Status.success();
        }

        @Override
        public long score(CycleState state, Pod pod, NodeInfo node) {
            boolean isKnown = handle.snapshot().node(node.name()).isPresent();
            return isKnown && state.get(CANDIDATES) > 0 ? temperature(state, node) : 1000;
        }

        @Override
        public NodeScores normalize(CycleState state, Pod pod, NodeScores scores) {
            return scores.scaledTo100().reversed();
        }
    }

    /** Does what the pod's label {@code how} says. */
    record Unreliable(CountDownLatch release) implements FilterPlugin, ScorePlugin {
        @Override
        public String name() {
            return "Unreliable";
        }

        private void act(Pod pod) {
            String how = Optional.ofNullable(pod.labels().get("how")).orElse("");
            if (how.equals("throw")) {
                throw new IllegalStateException("broken");
            }
            if (how.equals("hang")) {
                try {
                    release.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
        }

        @Override
        public Status filter(CycleState state, Pod pod, NodeInfo node) {
            act(pod);
            return Status.success();
        }

        @Override
        public long score(CycleState state, Pod pod, NodeInfo node) {
            act(pod);
            // The highest is 10.
            return Long.parseLong(node.node().metadata().annotations().getOrDefault("points", "0"));
        }
    }
}
