// SPDX-License-Identifier: Apache-2.0
package org.moorage.config;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.Snapshot;
import org.moorage.api.Status;
import org.moorage.api.model.NodeAffinity;
import org.moorage.api.model.Pod;
import org.moorage.api.model.TopologySpreadConstraint;
import org.moorage.api.plugin.Plugin;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.Problems;
import org.moorage.api.plugin.point.BindPlugin;
import org.moorage.api.plugin.point.FilterPlugin;
import org.moorage.api.plugin.point.PreEnqueuePlugin;
import org.moorage.api.plugin.point.PreFilterPlugin;
import org.moorage.api.plugin.point.PreFilterResult;
import org.moorage.api.plugin.point.PreScorePlugin;
import org.moorage.api.plugin.point.QueueSortPlugin;
import org.moorage.api.plugin.point.QueuedPod;
import org.moorage.api.plugin.point.ScorePlugin;
import org.moorage.config.plugin.PluginRegistry;

/** Plugins with the names, the extension points and the arguments of kube-scheduler's, that decide nothing. */
public final class SamplePlugins {
    private SamplePlugins() {}

    /** All plugins that kube-scheduler enables. */
    public static PluginRegistry all() {
        return PluginRegistry.of(factories());
    }

    /** All plugins that kube-scheduler enables, without these. */
    public static PluginRegistry without(Set<String> names) {
        List<PluginFactory<?>> factories = factories();
        factories.removeIf(factory -> names.contains(factory.name()));
        return PluginRegistry.of(factories);
    }

    /** A factory that makes something of that name. */
    public static <A extends PluginArgs> PluginFactory<A> factory(String name, Class<A> argsType, Plugin plugin) {
        return PluginFactory.of(name, Plugin.class, argsType, (args, handle) -> plugin);
    }

    /** A factory of a plugin without arguments. */
    public static PluginFactory<?> factory(Plugin plugin) {
        return factory(plugin.name(), PluginArgs.None.class, plugin);
    }

    /** What {@link #all} makes. */
    public static List<Plugin> instances() {
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

    private static List<PluginFactory<?>> factories() {
        List<PluginFactory<?>> factories = new ArrayList<>();
        for (Plugin plugin : instances()) {
            factories.add(factory(plugin.name(), argsType(plugin.name()), plugin));
        }
        return factories;
    }

    private static Class<? extends PluginArgs> argsType(String name) {
        return switch (name) {
            case "DefaultPreemption" -> PreemptionArgs.class;
            case "DynamicResources" -> ResourceClaimArgs.class;
            case "InterPodAffinity" -> PodAffinityArgs.class;
            case "NodeAffinity" -> NodeAffinityArgs.class;
            case "NodeResourcesBalancedAllocation" -> BalanceArgs.class;
            case "NodeResourcesFit" -> FitArgs.class;
            case "PodTopologySpread" -> SpreadArgs.class;
            case "VolumeBinding" -> VolumeArgs.class;
            default -> PluginArgs.None.class;
        };
    }

    public record PreemptionArgs(int minCandidateNodesPercentage, int minCandidateNodesAbsolute) implements PluginArgs {
        public static final PreemptionArgs DEFAULTS = new PreemptionArgs(10, 100);
    }

    public record ResourceClaimArgs(Duration filterTimeout, Duration bindingTimeout) implements PluginArgs {
        public static final ResourceClaimArgs DEFAULTS =
                new ResourceClaimArgs(Duration.ofSeconds(10), Duration.ofMinutes(10));
    }

    public record PodAffinityArgs(int hardPodAffinityWeight, boolean ignorePreferredTermsOfExistingPods)
            implements PluginArgs {
        public static final PodAffinityArgs DEFAULTS = new PodAffinityArgs(1, false);

        @Override
        public void validate(Problems problems) {
            if (hardPodAffinityWeight < 0 || hardPodAffinityWeight > 100) {
                problems.at("hardPodAffinityWeight").invalid(hardPodAffinityWeight, "0 to 100");
            }
        }
    }

    public record NodeAffinityArgs(Optional<NodeAffinity> addedAffinity) implements PluginArgs {
        public static final NodeAffinityArgs DEFAULTS = new NodeAffinityArgs(Optional.empty());
    }

    public record Resource(String name, long weight) {
        public Resource {
            weight = weight == 0 ? 1 : weight;
        }
    }

    public record BalanceArgs(List<Resource> resources) implements PluginArgs {
        public static final BalanceArgs DEFAULTS = new BalanceArgs(List.of());

        public BalanceArgs {
            resources = resources.isEmpty()
                    ? List.of(new Resource("cpu", 1), new Resource("memory", 1))
                    : List.copyOf(resources);
        }
    }

    public enum StrategyType {
        LEAST_ALLOCATED,
        MOST_ALLOCATED,
        REQUESTED_TO_CAPACITY_RATIO
    }

    public record Point(int utilization, int score) {}

    public record Ratio(List<Point> shape) {}

    public record Strategy(StrategyType type, List<Resource> resources, Optional<Ratio> requestedToCapacityRatio) {}

    public record FitArgs(List<String> ignoredResources, List<String> ignoredResourceGroups, Strategy scoringStrategy)
            implements PluginArgs {
        public static final FitArgs DEFAULTS = new FitArgs(
                List.of(),
                List.of(),
                new Strategy(
                        StrategyType.LEAST_ALLOCATED,
                        List.of(new Resource("cpu", 1), new Resource("memory", 1)),
                        Optional.empty()));
    }

    public record SpreadArgs(List<TopologySpreadConstraint> defaultConstraints, String defaultingType)
            implements PluginArgs {
        public static final SpreadArgs DEFAULTS = new SpreadArgs(List.of(), "System");
    }

    public record VolumeArgs(long bindTimeoutSeconds) implements PluginArgs {
        public static final VolumeArgs DEFAULTS = new VolumeArgs(600);
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
