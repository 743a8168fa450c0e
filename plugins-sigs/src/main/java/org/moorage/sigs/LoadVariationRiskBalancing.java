// SPDX-License-Identifier: Apache-2.0
package org.moorage.sigs;

import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.NodeScores;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.Pod;
import org.moorage.api.model.ResourceName;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.Plugin;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.Problems;
import org.moorage.api.plugin.point.NodeChanges;
import org.moorage.api.plugin.point.ScorePlugin;
import org.moorage.api.plugin.point.SignPlugin;

/**
 * Balances the risk of nodes, which grows with the average of their measured load and with its deviation. Same decisions
 * as scheduler-plugins' LoadVariationRiskBalancing.
 */
public final class LoadVariationRiskBalancing implements ScorePlugin, SignPlugin {
    /** The plugin's name. */
    public static final String NAME = "LoadVariationRiskBalancing";

    private static final double MEBIBYTES = 1.0 / 1024 / 1024;

    private final NodeLoads loads;
    private final NodeChanges changes = new NodeChanges();
    private final CachedNodeValues<LoadSource.Loads, @Nullable NodeRisk> risks;
    private final CachedPodValue<Requests> requests = new CachedPodValue<>(Requests::of);

    /**
     * The arguments.
     *
     * @param watcherAddress the URL of a load watcher; absent if the provider is read directly
     * @param metricProvider where the load is read without a load watcher
     * @param safeVarianceMargin the factor of the deviation; 1 if it is below 0
     * @param safeVarianceSensitivity the root of the deviation; 1 if it is below 0
     */
    public record Args(
            Optional<String> watcherAddress,
            MetricProvider metricProvider,
            double safeVarianceMargin,
            double safeVarianceSensitivity)
            implements PluginArgs {
        /** The default arguments. */
        public static final Args DEFAULTS = new Args(Optional.empty(), MetricProvider.DEFAULTS, 1, 1);

        public Args {
            safeVarianceMargin = safeVarianceMargin < 0 ? 1 : safeVarianceMargin;
            safeVarianceSensitivity = safeVarianceSensitivity < 0 ? 1 : safeVarianceSensitivity;
        }

        @Override
        public PluginArgs forFeatures(FeatureGates features, Problems problems) {
            return new Args(
                    watcherAddress,
                    metricProvider.completed(watcherAddress),
                    safeVarianceMargin,
                    safeVarianceSensitivity);
        }

        @Override
        public void validate(Problems problems) {
            MetricProvider.validate("watcherAddress", watcherAddress.orElse(""), metricProvider, problems);
        }
    }

    /** The requests of a pod, of cpu in millicores and of memory in MiB. */
    private record Requests(double cpu, double memory) {
        static Requests of(Pod pod) {
            Amounts requests = Amounts.requestedBy(pod);
            return new Requests((double) requests.milliCpu(), requests.memory() * MEBIBYTES);
        }
    }

    /** The risks of a node; null for a resource that is not measured. */
    private record NodeRisk(
            @Nullable ResourceRisk cpu, @Nullable ResourceRisk memory) {}

    /**
     * The risk of a resource of a node.
     *
     * @param capacity its capacity
     * @param used what is used of it on average
     * @param deviation the part of the risk that the deviation of the load contributes
     */
    private record ResourceRisk(double capacity, double used, double deviation) {
        double score(double request) {
            return capacity <= 0 ? 0 : (1 - (clamp((used + request) / capacity, 1) + deviation) / 2) * NodeScores.MAX;
        }
    }

    private LoadVariationRiskBalancing(Args args, Handle handle) {
        double margin = args.safeVarianceMargin();
        // Infinite for a sensitivity of 0, which leaves no deviation but the full one.
        double exponent = 1 / args.safeVarianceSensitivity();
        loads = NodeLoads.of(args.watcherAddress().orElse(""), args.metricProvider(), handle, changes);
        risks = new CachedNodeValues<>((node, latest) -> {
            NodeLoad load = latest.byNode().get(node.name());
            return load == null
                    ? null
                    : new NodeRisk(
                            risk(load.cpu(), (double) node.allocatable(ResourceName.CPU), margin, exponent),
                            risk(load.memory(), node.allocatable(ResourceName.MEMORY) * MEBIBYTES, margin, exponent));
        });
    }

    private static @Nullable ResourceRisk risk(
            NodeLoad.@Nullable Usage usage, double capacity, double margin, double exponent) {
        if (usage == null) {
            return null;
        }
        // The usage alone does not exceed the capacity.
        double used = clamp(usage.average() * capacity / 100, capacity);
        double deviation = clamp(usage.deviation() * capacity / 100, capacity);
        double share = capacity <= 0 ? 0 : clamp(deviation / capacity, 1);
        return new ResourceRisk(capacity, used, clamp(GoMath.pow(share, exponent) * margin, 1));
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Optional<?> sign(Pod pod) {
        return Optional.of(requests.of(pod));
    }

    @Override
    public Optional<NodeChanges> nodeChanges() {
        return Optional.of(changes);
    }

    @Override
    public long score(CycleState state, Pod pod, NodeInfo node) {
        NodeRisk risk = risks.of(node, loads.latest());
        if (risk == null) {
            return 0;
        }
        Requests ofPod = requests.of(pod);
        double cpu = risk.cpu() == null ? 0 : risk.cpu().score(ofPod.cpu());
        double memory = risk.memory() == null ? 0 : risk.memory().score(ofPod.memory());
        boolean areBothMeasured = risk.cpu() != null && risk.memory() != null;
        double score = areBothMeasured ? Math.min(cpu, memory) : Math.max(cpu, memory);
        return Math.max(0, Math.min(NodeScores.MAX, GoMath.round(score)));
    }

    private static double clamp(double value, double most) {
        return Math.max(Math.min(value, most), 0);
    }

    /** Creates the plugin; named in {@code META-INF/services}. */
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
        public Optional<String> argsKind() {
            return Optional.of("LoadVariationRiskBalancingArgs");
        }

        @Override
        public Plugin create(Args args, Handle handle) {
            return new LoadVariationRiskBalancing(args, handle);
        }
    }
}
