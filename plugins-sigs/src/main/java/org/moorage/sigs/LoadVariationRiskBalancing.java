// SPDX-License-Identifier: Apache-2.0
package org.moorage.sigs;

import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.NodeScores;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.Pod;
import org.moorage.api.model.Quantity;
import org.moorage.api.model.ResourceName;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.Plugin;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.Problems;
import org.moorage.api.plugin.point.ScorePlugin;

/**
 * Balances the risk of nodes, which grows with the average of their measured load and with its deviation. Same decisions
 * as scheduler-plugins' LoadVariationRiskBalancing.
 */
public final class LoadVariationRiskBalancing implements ScorePlugin {
    /** The plugin's name. */
    public static final String NAME = "LoadVariationRiskBalancing";

    private static final double MEBIBYTES = 1.0 / 1024 / 1024;

    private final double margin;
    private final double exponent;
    private final NodeLoads loads;
    // The requests of the pod of the current cycle: a function of the pod, which all nodes share.
    private volatile @Nullable Requests last;

    /**
     * The arguments.
     *
     * @param watcherAddress the URL of a load watcher; empty if the provider is read directly
     * @param metricProvider where the load is read without a load watcher
     * @param safeVarianceMargin the factor of the deviation; 1 if it is below 0
     * @param safeVarianceSensitivity the root of the deviation; 1 if it is below 0
     */
    public record Args(
            String watcherAddress,
            MetricProvider metricProvider,
            double safeVarianceMargin,
            double safeVarianceSensitivity)
            implements PluginArgs {
        /** The default arguments. */
        public static final Args DEFAULTS = new Args("", MetricProvider.DEFAULTS, 1, 1);

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
            MetricProvider.validate("watcherAddress", watcherAddress, metricProvider, problems);
        }
    }

    /** The requests of a pod, of cpu in millicores and of memory in MiB. */
    private record Requests(Pod pod, double cpu, double memory) {
        static Requests of(Pod pod) {
            Map<String, Quantity> requests = EffectiveResources.requests(pod.spec());
            return new Requests(
                    pod,
                    requests.getOrDefault("cpu", Quantity.ZERO).milliValue(),
                    requests.getOrDefault("memory", Quantity.ZERO).value() * MEBIBYTES);
        }
    }

    private LoadVariationRiskBalancing(Args args, Handle handle) {
        margin = args.safeVarianceMargin();
        // Infinite for a sensitivity of 0, which leaves no deviation but the full one.
        exponent = 1 / args.safeVarianceSensitivity();
        loads = NodeLoads.of(args.watcherAddress(), args.metricProvider(), handle);
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public long score(CycleState state, Pod pod, NodeInfo node) {
        NodeLoad load = loads.of(node.name());
        if (load == null) {
            return 0;
        }
        Requests requests = requests(pod);
        double cpu = score(load.cpu(), (double) node.allocatable(ResourceName.CPU), requests.cpu());
        double memory = score(load.memory(), node.allocatable(ResourceName.MEMORY) * MEBIBYTES, requests.memory());
        boolean areBothMeasured = load.cpu() != null && load.memory() != null;
        double score = areBothMeasured ? Math.min(cpu, memory) : Math.max(cpu, memory);
        return Math.max(0, Math.min(NodeScores.MAX, Math.round(score)));
    }

    private double score(NodeLoad.@Nullable Usage usage, double capacity, double request) {
        if (usage == null || capacity <= 0) {
            return 0;
        }
        // The usage alone does not exceed the capacity.
        double used = clamp(usage.average() * capacity / 100, capacity);
        double deviation = clamp(usage.deviation() * capacity / 100, capacity);
        double mean = clamp((used + request) / capacity, 1);
        double risk = clamp(root(clamp(deviation / capacity, 1)) * margin, 1);
        return (1 - (mean + risk) / 2) * NodeScores.MAX;
    }

    // 1 has the root 1, also for a sensitivity of 0, for which Java has no result.
    private double root(double deviation) {
        return deviation == 1 ? 1 : Math.pow(deviation, exponent);
    }

    private static double clamp(double value, double most) {
        return Math.max(Math.min(value, most), 0);
    }

    @SuppressWarnings("ReferenceEquality") // an equal pod is another version
    private Requests requests(Pod pod) {
        Requests known = last;
        if (known == null || known.pod() != pod) {
            known = Requests.of(pod);
            last = known;
        }
        return known;
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
