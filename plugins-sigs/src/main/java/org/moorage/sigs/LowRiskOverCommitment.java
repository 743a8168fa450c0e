// SPDX-License-Identifier: Apache-2.0
package org.moorage.sigs;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.commons.numbers.gamma.RegularizedBeta;
import org.jspecify.annotations.Nullable;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.NodeScores;
import org.moorage.api.StateKey;
import org.moorage.api.Status;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.api.model.Quantity;
import org.moorage.api.model.ResourceName;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.Plugin;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.Problems;
import org.moorage.api.plugin.point.PreScorePlugin;
import org.moorage.api.plugin.point.ScorePlugin;

/**
 * Prefers nodes with a low risk of overcommitment: of limits beyond the capacity, and of a measured load beyond the
 * requests.
 *
 * <p>Same decisions as scheduler-plugins' LowRiskOverCommitment. It differs where that one fails: a node without a
 * capacity scores 0.
 */
public final class LowRiskOverCommitment implements PreScorePlugin, ScorePlugin {
    /** The plugin's name. */
    public static final String NAME = "LowRiskOverCommitment";

    private static final StateKey<Demand> DEMAND = StateKey.of("LowRiskOverCommitment/demand");
    private static final double MEBIBYTES = 1.0 / 1024 / 1024;
    // The variance of a beta distribution is below that of a coin with the same mean.
    private static final double MOST_VARIANCE = 0.99;
    private static final double DEFAULT_WEIGHT = 0.5;

    private final double smoothing;
    private final double cpuWeight;
    private final double memoryWeight;
    private final NodeLoads loads;
    // The demand of the pods on a node, by node, as long as its pods stay the same.
    private final Map<String, NodeDemand> demandByNode = new ConcurrentHashMap<>();

    /**
     * The arguments.
     *
     * @param watcherAddress the URL of a load watcher; empty if the provider is read directly
     * @param metricProvider where the load is read without a load watcher
     * @param smoothingWindowSize the number of measurements that the deviation is that of the average of; 5 if it is not
     *     above 0
     * @param riskLimitWeights the weight of the risk by limits, from 0 to 1, by resource: cpu and memory; others are 0.5
     */
    public record Args(
            String watcherAddress,
            MetricProvider metricProvider,
            long smoothingWindowSize,
            Map<String, Double> riskLimitWeights)
            implements PluginArgs {
        /** The default arguments. */
        public static final Args DEFAULTS = new Args("", MetricProvider.DEFAULTS, 5, Map.of());

        public Args {
            smoothingWindowSize = smoothingWindowSize <= 0 ? 5 : smoothingWindowSize;
            Map<String, Double> weights = new HashMap<>();
            riskLimitWeights.forEach(
                    (resource, weight) -> weights.put(resource, weight >= 0 && weight <= 1 ? weight : DEFAULT_WEIGHT));
            riskLimitWeights =
                    weights.isEmpty() ? Map.of("cpu", DEFAULT_WEIGHT, "memory", DEFAULT_WEIGHT) : Map.copyOf(weights);
        }

        @Override
        public PluginArgs forFeatures(FeatureGates features, Problems problems) {
            return new Args(
                    watcherAddress, metricProvider.completed(watcherAddress), smoothingWindowSize, riskLimitWeights);
        }

        @Override
        public void validate(Problems problems) {
            MetricProvider.validate("watcherAddress", watcherAddress, metricProvider, problems);
        }
    }

    /**
     * The requests and limits of pods.
     *
     * @param cpuRequest the requests of cpu, in millicores
     * @param cpuLimit the limits of cpu, at least the requests
     * @param memoryRequest the requests of memory, in bytes
     * @param memoryLimit the limits of memory, at least the requests
     */
    private record Demand(long cpuRequest, long cpuLimit, long memoryRequest, long memoryLimit) {
        static final Demand NONE = new Demand(0, 0, 0, 0);

        static Demand of(Pod pod) {
            Map<String, Quantity> requests = EffectiveResources.requests(pod.spec());
            Map<String, Quantity> limits = EffectiveResources.limits(pod.spec());
            long cpu = requests.getOrDefault("cpu", Quantity.ZERO).milliValue();
            long memory = requests.getOrDefault("memory", Quantity.ZERO).value();
            return new Demand(
                    cpu,
                    Math.max(cpu, limits.getOrDefault("cpu", Quantity.ZERO).milliValue()),
                    memory,
                    Math.max(
                            memory, limits.getOrDefault("memory", Quantity.ZERO).value()));
        }

        Demand plus(Demand other) {
            return new Demand(
                    cpuRequest + other.cpuRequest,
                    cpuLimit + other.cpuLimit,
                    memoryRequest + other.memoryRequest,
                    memoryLimit + other.memoryLimit);
        }
    }

    /** The demand of the pods on a node at a generation of it. */
    private record NodeDemand(long generation, Demand demand) {}

    private LowRiskOverCommitment(Args args, Handle handle) {
        smoothing = Math.sqrt((double) args.smoothingWindowSize());
        cpuWeight = args.riskLimitWeights().getOrDefault("cpu", DEFAULT_WEIGHT);
        memoryWeight = args.riskLimitWeights().getOrDefault("memory", DEFAULT_WEIGHT);
        loads = NodeLoads.of(args.watcherAddress(), args.metricProvider(), handle);
        handle.cluster().lister(ObjectKind.NODE);
        handle.cluster().onChange(ObjectKind.NODE, change -> {
            if (change.after().isEmpty()) {
                demandByNode.remove(change.latest().name());
            }
        });
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Status preScore(CycleState state, Pod pod, List<NodeInfo> nodes) {
        state.put(DEMAND, Demand.of(pod));
        return Status.success();
    }

    @Override
    public long score(CycleState state, Pod pod, NodeInfo node) {
        Demand demand = state.get(DEMAND);
        NodeLoad load = loads.of(node.name());
        if (load == null || demand.equals(Demand.NONE)) {
            return 0;
        }
        Demand on = demandOn(node);
        Demand with = on.plus(demand);
        long cpu = node.allocatable(ResourceName.CPU);
        long memory = node.allocatable(ResourceName.MEMORY);
        if (cpu <= 0 || memory <= 0) {
            return 0;
        }
        double cpuRisk = risk(
                cpuWeight,
                riskOfLimits(with.cpuRequest(), with.cpuLimit(), cpu),
                riskOfLoad(load.cpu(), on.cpuRequest(), on.cpuLimit(), cpu, (double) cpu));
        double memoryRisk = risk(
                memoryWeight,
                riskOfLimits(with.memoryRequest(), with.memoryLimit(), memory),
                riskOfLoad(load.memory(), on.memoryRequest(), on.memoryLimit(), memory, memory * MEBIBYTES));
        return Math.round((1 - Math.max(cpuRisk, memoryRisk)) * NodeScores.MAX);
    }

    private Demand demandOn(NodeInfo node) {
        NodeDemand known = demandByNode.get(node.name());
        if (known == null || known.generation() != node.generation()) {
            Demand sum = Demand.NONE;
            for (Pod pod : node.pods()) {
                sum = sum.plus(Demand.of(pod));
            }
            known = new NodeDemand(node.generation(), sum);
            demandByNode.put(node.name(), known);
        }
        return known.demand();
    }

    private static double risk(double weight, double ofLimits, double ofLoad) {
        return clamp(weight * ofLimits + (1 - weight) * ofLoad);
    }

    private static double riskOfLimits(long request, long limit, long capacity) {
        return limit > capacity ? (double) (limit - capacity) / (limit - Math.min(request, capacity)) : 0;
    }

    // The probability of a load beyond the requests, under the condition that it does not exceed the limits.
    private double riskOfLoad(
            NodeLoad.@Nullable Usage usage, long request, long limit, long capacity, double measuredCapacity) {
        if (usage == null) {
            return 0;
        }
        double mean = usage.mean(measuredCapacity);
        double mostVariance = mean > 0 && mean < 1 ? mean * (1 - mean) : 0;
        double deviation =
                Math.min(usage.deviation(measuredCapacity) * smoothing, Math.sqrt(mostVariance * MOST_VARIANCE));
        long requested = Math.min(request, capacity);
        double allocated = clamp((double) requested / capacity);
        Beta beta = Beta.of(mean, deviation);
        double probability = beta == null ? certainty(mean, deviation, allocated) : beta.upTo(allocated);
        if (limit < capacity && requested <= limit) {
            if (limit == 0) {
                probability = 1;
            } else if (beta != null) {
                double upToLimit = beta.upTo((double) limit / capacity);
                probability = upToLimit > 0 ? clamp(probability / upToLimit) : probability;
            }
        }
        return 1 - probability;
    }

    // The probability without a distribution: the load is always the mean, or the moments are impossible.
    private static double certainty(double mean, double deviation, double allocated) {
        return mean == 0 || deviation == 0 && mean <= allocated ? 1 : 0;
    }

    private static double clamp(double value) {
        return Math.max(Math.min(value, 1), 0);
    }

    /** A beta distribution. */
    private record Beta(double alpha, double beta) {
        static @Nullable Beta of(double mean, double deviation) {
            double variance = deviation * deviation + mean * mean - mean * mean;
            if (mean == 0 || deviation == 0 || variance < 0 || variance >= mean * (1 - mean)) {
                return null;
            }
            double total = mean * (1 - mean) / variance - 1;
            return new Beta(mean * total, (1 - mean) * total);
        }

        double upTo(double value) {
            double probability = RegularizedBeta.value(value, alpha, beta);
            return probability >= 0 && probability <= 1 ? probability : 0;
        }
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
            return Optional.of("LowRiskOverCommitmentArgs");
        }

        @Override
        public Plugin create(Args args, Handle handle) {
            return new LowRiskOverCommitment(args, handle);
        }
    }
}
