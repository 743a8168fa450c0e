// SPDX-License-Identifier: Apache-2.0
package org.moorage.sigs;

import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.NodeScores;
import org.moorage.api.model.Pod;
import org.moorage.api.model.Quantity;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.Plugin;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.Problems;
import org.moorage.api.plugin.point.NodeChanges;
import org.moorage.api.plugin.point.ScorePlugin;
import org.moorage.api.plugin.point.SignPlugin;

/**
 * Prefers nodes whose power consumption grows the least with a pod, by their measured load and a model of their power.
 *
 * <p>Same decisions as scheduler-plugins' Peaks, including that nodes without figures, and those that the pod would
 * overload, are preferred to nodes that need more power. The model of a node has to be in the arguments: scheduler-plugins
 * ignores the file that NODE_POWER_MODEL names.
 */
public final class Peaks implements ScorePlugin, SignPlugin {
    /** The plugin's name. */
    public static final String NAME = "Peaks";

    private static final double FULL = 100;
    private static final double SCALE = 1e15;

    private final NodeLoads loads;
    private final NodeChanges changes = new NodeChanges();
    private final CachedNodeValues<LoadSource.Loads, @Nullable NodePower> powers;

    /**
     * The arguments. Their names begin with capital letters, as those of scheduler-plugins do.
     *
     * @param WatcherAddress the URL of a load watcher
     * @param NodePowerModel the power model of each node, by its name
     */
    @SuppressWarnings("MemberName") // the names in configurations
    public record Args(String WatcherAddress, Map<String, PowerModel> NodePowerModel) implements PluginArgs {
        /** The default arguments, which lack required ones. */
        public static final Args DEFAULTS = new Args("", Map.of());

        public Args {
            NodePowerModel = Map.copyOf(NodePowerModel);
        }

        @Override
        public void validate(Problems problems) {
            if (NodePowerModel.isEmpty()) {
                problems.report(
                        "open : no such file or directory (expected: NodePowerModel with a model for each node)");
            }
            MetricProvider.validate("WatcherAddress", WatcherAddress, MetricProvider.DEFAULTS, problems);
        }
    }

    /**
     * The power of a node at a utilization of u percent: k0 + k1 · e^(k2 · u) watts.
     *
     * @param k0 the constant part, which does not matter for scores
     * @param k1 the factor
     * @param k2 the exponent's factor
     */
    public record PowerModel(double k0, double k1, double k2) {
        /** The values of omitted fields, and the model of nodes without one. */
        public static final PowerModel DEFAULTS = new PowerModel(0, 0, 0);
    }

    /**
     * The measured load and the power of a node.
     *
     * @param utilization the measured load of cpu in percent
     * @param capacity its capacity of cpu in millicores
     * @param model the model of its power
     * @param current the exponential in the model at the current utilization
     */
    private record NodePower(double utilization, double capacity, PowerModel model, double current) {
        static @Nullable NodePower of(NodeInfo node, @Nullable NodeLoad load, PowerModel model) {
            if (load == null || load.firstCpu() == null) {
                return null;
            }
            double utilization = load.firstCpu();
            double capacity =
                    node.node().capacity().getOrDefault("cpu", Quantity.ZERO).milliValue();
            return new NodePower(utilization, capacity, model, GoMath.exp(model.k2() * utilization));
        }
    }

    private Peaks(Args args, Handle handle) {
        loads = NodeLoads.of(args.WatcherAddress(), MetricProvider.DEFAULTS, handle, changes);
        powers = new CachedNodeValues<>((node, latest) -> NodePower.of(
                node,
                latest.byNode().get(node.name()),
                args.NodePowerModel().getOrDefault(node.name(), PowerModel.DEFAULTS)));
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Optional<?> sign(Pod pod) {
        return Optional.of(request(pod));
    }

    @Override
    public Optional<NodeChanges> nodeChanges() {
        return Optional.of(changes);
    }

    @Override
    public long score(CycleState state, Pod pod, NodeInfo node) {
        NodePower power = powers.of(node, loads.latest());
        if (power == null) {
            return 0;
        }
        double capacity = power.capacity();
        double used = power.utilization() / FULL * capacity;
        double predicted = capacity == 0 ? 0 : FULL * (used + request(pod)) / capacity;
        if (predicted > FULL) {
            return 0;
        }
        PowerModel model = power.model();
        return GoMath.truncate(model.k1() * (GoMath.exp(model.k2() * predicted) - power.current()) * SCALE);
    }

    // The overhead counts only if a container requests cpu.
    private static long request(Pod pod) {
        long request = pod.requests().milliCpu();
        return request
                        == pod.spec()
                                .overhead()
                                .getOrDefault("cpu", Quantity.ZERO)
                                .milliValue()
                ? 0
                : request;
    }

    @Override
    public NodeScores normalize(CycleState state, Pod pod, NodeScores scores) {
        return CostScores.normalized(scores);
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
            return Optional.of("PeaksArgs");
        }

        @Override
        public Plugin create(Args args, Handle handle) {
            return new Peaks(args, handle);
        }
    }
}
