// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.Snapshot;
import org.moorage.api.Status;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.BindPlugin;
import org.moorage.api.plugin.FilterPlugin;
import org.moorage.api.plugin.Plugin;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.PreEnqueuePlugin;
import org.moorage.api.plugin.PreFilterPlugin;
import org.moorage.api.plugin.PreFilterResult;
import org.moorage.api.plugin.PreScorePlugin;
import org.moorage.api.plugin.QueueSortPlugin;
import org.moorage.api.plugin.QueuedPod;
import org.moorage.api.plugin.ScorePlugin;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.runtime.internal.plugin.PluginCaller;

/** Plugins with the names and the extension points of kube-scheduler's, that have no arguments and decide nothing. */
public final class SamplePlugins {
    private SamplePlugins() {}

    /** All plugins that kube-scheduler enables. */
    public static PluginRegistry all() {
        List<PluginFactory<?>> factories = new ArrayList<>();
        instances().forEach(plugin -> factories.add(factory(plugin)));
        return PluginRegistry.of(factories);
    }

    /** A factory of a plugin. */
    public static PluginFactory<?> factory(Plugin plugin) {
        return PluginFactory.of(plugin.name(), Plugin.class, PluginArgs.None.class, (args, handle) -> plugin);
    }

    /** Returns the callers of the plugins, by plugin name. */
    public static Map<String, PluginCaller> byName(List<? extends Plugin> plugins) {
        Map<String, PluginCaller> byName = new LinkedHashMap<>();
        plugins.forEach(plugin -> byName.put(plugin.name(), PluginCaller.of(plugin)));
        return byName;
    }

    private static List<Plugin> instances() {
        return List.of(
                new Gate("SchedulingGates"),
                new Sort("PrioritySort"),
                new Filter("NodeUnschedulable"),
                new Filter("NodeName"),
                new FilterAndScore("TaintToleration"),
                new FilterAndScore("NodeAffinity"),
                new Filter("NodePorts"),
                new FilterAndScore("NodeResourcesFit"),
                new Filter("VolumeRestrictions"),
                new Filter("NodeVolumeLimits"),
                new FilterAndScore("VolumeBinding"),
                new Filter("VolumeZone"),
                new FilterAndScore("PodTopologySpread"),
                new FilterAndScore("InterPodAffinity"),
                new FilterAndScore("DynamicResources"),
                new Nothing("DefaultPreemption"),
                new Score("NodeResourcesBalancedAllocation"),
                new Score("ImageLocality"),
                new Bind("DefaultBinder"),
                new Filter("NodeDeclaredFeatures"));
    }

    public record Nothing(String name) implements Plugin {}

    public record Gate(String name) implements PreEnqueuePlugin {
        @Override
        public Status preEnqueue(Pod pod) {
            return Status.success();
        }
    }

    public record Sort(String name) implements QueueSortPlugin {
        @Override
        public boolean less(QueuedPod first, QueuedPod second) {
            return false;
        }
    }

    public record Filter(String name) implements FilterPlugin {
        @Override
        public Status filter(CycleState state, Pod pod, NodeInfo node) {
            return Status.success();
        }
    }

    public record Score(String name) implements ScorePlugin {
        @Override
        public long score(CycleState state, Pod pod, NodeInfo node) {
            return 0;
        }
    }

    public record FilterAndScore(String name) implements PreFilterPlugin, FilterPlugin, PreScorePlugin, ScorePlugin {
        @Override
        public PreFilterResult preFilter(CycleState state, Pod pod, Snapshot snapshot) {
            return PreFilterResult.skip();
        }

        @Override
        public Status filter(CycleState state, Pod pod, NodeInfo node) {
            return Status.success();
        }

        @Override
        public Status preScore(CycleState state, Pod pod, List<NodeInfo> nodes) {
            return Status.skip();
        }

        @Override
        public long score(CycleState state, Pod pod, NodeInfo node) {
            return 0;
        }
    }

    public record Bind(String name) implements BindPlugin {
        @Override
        public Status bind(CycleState state, Pod pod, String nodeName) {
            return Status.success();
        }
    }
}
