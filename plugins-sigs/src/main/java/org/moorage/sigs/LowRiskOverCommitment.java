// SPDX-License-Identifier: Apache-2.0
package org.moorage.sigs;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToLongFunction;
import org.apache.commons.numbers.gamma.RegularizedBeta;
import org.jspecify.annotations.Nullable;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.NodeScores;
import org.moorage.api.StateKey;
import org.moorage.api.Status;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.Pod;
import org.moorage.api.model.ResourceName;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.Plugin;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.Problems;
import org.moorage.api.plugin.point.NodeChanges;
import org.moorage.api.plugin.point.PreScorePlugin;
import org.moorage.api.plugin.point.ScorePlugin;
import org.moorage.api.plugin.point.SignPlugin;

/**
 * Prefers nodes with a low risk of overcommitment: of limits beyond the capacity, and of a measured load beyond the
 * requests.
 *
 * <p>Same decisions as scheduler-plugins' LowRiskOverCommitment.
 */
public final class LowRiskOverCommitment implements PreScorePlugin, ScorePlugin, SignPlugin {
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
    private final NodeChanges changes = new NodeChanges();
    private final CachedNodeValues<LoadSource.Loads, @Nullable NodeRisk> risks;
    private final CachedPodValue<Demand> demands = new CachedPodValue<>(Demand::of);

    /**
     * The arguments.
     *
     * @param watcherAddress the URL of a load watcher; absent if the provider is read directly
     * @param metricProvider where the load is read without a load watcher
     * @param smoothingWindowSize the number of measurements that the deviation is that of the average of; 5 if it is not
     *     above 0
     * @param riskLimitWeights the weight of the risk by limits, from 0 to 1, by resource: cpu and memory; others are 0.5
     */
    public record Args(
            Optional<String> watcherAddress,
            MetricProvider metricProvider,
            long smoothingWindowSize,
            Map<String, Double> riskLimitWeights)
            implements PluginArgs {
        /** The default arguments. */
        public static final Args DEFAULTS = new Args(Optional.empty(), MetricProvider.DEFAULTS, 5, Map.of());

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
            MetricProvider.validate("watcherAddress", watcherAddress.orElse(""), metricProvider, problems);
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
            Amounts requests = Amounts.requestedBy(pod);
            Amounts limits = Amounts.limitsOf(pod);
            return new Demand(
                    requests.milliCpu(),
                    Math.max(requests.milliCpu(), limits.milliCpu()),
                    requests.memory(),
                    Math.max(requests.memory(), limits.memory()));
        }

        boolean isNone() {
            return cpuRequest == 0 && cpuLimit == 0 && memoryRequest == 0 && memoryLimit == 0;
        }

        Demand plus(Demand other) {
            return new Demand(
                    cpuRequest + other.cpuRequest,
                    cpuLimit + other.cpuLimit,
                    memoryRequest + other.memoryRequest,
                    memoryLimit + other.memoryLimit);
        }
    }

    /**
     * The demand and the risks of a node before another pod is added.
     *
     * @param demand the demand of its pods
     * @param cpu the risk of the load of cpu
     * @param memory the risk of the load of memory
     */
    private record NodeRisk(Demand demand, double cpu, double memory) {}

    private LowRiskOverCommitment(Args args, Handle handle) {
        smoothing = Math.sqrt((double) args.smoothingWindowSize());
        cpuWeight = args.riskLimitWeights().getOrDefault("cpu", DEFAULT_WEIGHT);
        memoryWeight = args.riskLimitWeights().getOrDefault("memory", DEFAULT_WEIGHT);
        loads = NodeLoads.of(args.watcherAddress().orElse(""), args.metricProvider(), handle, changes);
        risks = new CachedNodeValues<>(
                (node, latest) -> riskOf(node, latest.byNode().get(node.name())));
    }

    private @Nullable NodeRisk riskOf(NodeInfo node, @Nullable NodeLoad load) {
        long cpu = node.allocatable(ResourceName.CPU);
        long memory = node.allocatable(ResourceName.MEMORY);
        if (load == null) {
            return null;
        }
        Demand on = Demand.NONE;
        for (Pod pod : node.pods()) {
            on = on.plus(Demand.of(pod));
        }
        return new NodeRisk(
                on,
                riskOfLoad(load.cpu(), on.cpuRequest(), on.cpuLimit(), cpu, (double) cpu),
                riskOfLoad(load.memory(), on.memoryRequest(), on.memoryLimit(), memory, memory * MEBIBYTES));
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Optional<?> sign(Pod pod) {
        return Optional.of(demands.of(pod));
    }

    @Override
    public Optional<NodeChanges> nodeChanges() {
        return Optional.of(changes);
    }

    @Override
    public Status preScore(CycleState state, Pod pod, List<NodeInfo> nodes) {
        state.put(DEMAND, demands.of(pod));
        return Status.success();
    }

    @Override
    public long score(CycleState state, Pod pod, NodeInfo node) {
        return score(state.get(DEMAND), loads.latest(), node);
    }

    @Override
    public Optional<ToLongFunction<NodeInfo>> nodeScorer(CycleState state, Pod pod) {
        Demand demand = state.get(DEMAND);
        LoadSource.Loads latest = loads.latest();
        return Optional.of(node -> score(demand, latest, node));
    }

    private long score(Demand demand, LoadSource.Loads latest, NodeInfo node) {
        NodeRisk risk = demand.isNone() ? null : risks.of(node, latest);
        if (risk == null) {
            return 0;
        }
        Demand on = risk.demand();
        double cpuRisk = risk(
                cpuWeight,
                riskOfLimits(
                        on.cpuRequest() + demand.cpuRequest(),
                        on.cpuLimit() + demand.cpuLimit(),
                        node.allocatable(ResourceName.CPU)),
                risk.cpu());
        double memoryRisk = risk(
                memoryWeight,
                riskOfLimits(
                        on.memoryRequest() + demand.memoryRequest(),
                        on.memoryLimit() + demand.memoryLimit(),
                        node.allocatable(ResourceName.MEMORY)),
                risk.memory());
        return GoMath.round((1 - Math.max(cpuRisk, memoryRisk)) * NodeScores.MAX);
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
