// SPDX-License-Identifier: Apache-2.0
package org.moorage.safe;

import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.NodeScores;
import org.moorage.api.StateKey;
import org.moorage.api.Status;
import org.moorage.api.event.ActionType;
import org.moorage.api.event.ClusterEvent;
import org.moorage.api.event.EventRegistration;
import org.moorage.api.event.EventResource;
import org.moorage.api.model.Pod;
import org.moorage.api.model.ResourceName;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.Plugin;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.point.EnqueueExtensions;
import org.moorage.api.plugin.point.FilterPlugin;
import org.moorage.api.plugin.point.ScorePlugin;
import org.moorage.safe.FreeResources.Free;
import org.moorage.safe.SafeArgs.Limits;
import org.moorage.safe.SafeArgs.MissingStats;

/**
 * Rejects nodes with a high risk of overload, and prefers the nodes with the lowest risk.
 *
 * <p>The average and the deviation of a node's free resources and the pod's requests define a Beta distribution of the
 * node's utilization; the risk is the probability that the utilization is above a limit. The node's risk is that of cpu
 * or memory, whichever is larger. Other pods' requests do not count: if the profile omits NodeResourcesFit, a node with
 * many requests and little usage can be over-committed.
 *
 * <p>Same formulas as the agent {@code safe-overload} of kube-safe-scheduler. Scores are 0 to 100 instead of truncated
 * to 0 to 10, unless {@code originalBehavior} is set. Where the original divided by 0, the result is defined.
 */
public final class SafeOverload implements FilterPlugin, ScorePlugin, EnqueueExtensions {
    static final String NAME = "SafeOverload";
    private static final Status NO_STATISTICS = Status.unresolvable("node(s) had no statistics of cpu and memory use");

    private static final StateKey<Risk> RISK = StateKey.of(NAME + "/risk");

    private final NodeStatistics statistics;
    private final Limits limits;
    private final MissingStats missingStats;
    private final boolean originalBehavior;
    private final Consumer<Pod> rejected;
    private final Consumer<String> printer;

    /** The risks of a node, stored by Filter for Score; 0 for a resource without statistics. */
    private record Risk(double cpu, double memory) {
        double worst() {
            return Math.max(cpu, memory);
        }
    }

    private SafeOverload(SafeArgs args, Environment environment, Consumer<String> printer, Handle handle) {
        this.printer = printer;
        statistics = Sources.of(args, handle);
        limits = args.limits(environment);
        missingStats = args.missingStats();
        originalBehavior = args.originalBehavior();
        rejected =
                statistics instanceof PrometheusStatistics prometheus ? prometheus::activateWhenRefreshed : pod -> {};
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Status filter(CycleState state, Pod pod, NodeInfo node) {
        FreeResources free = statistics.free(node.node());
        Status status = free.isUnknown() ? unknown() : filter(state, free, pod, node);
        if (!status.isSuccess()) {
            rejected.accept(pod);
        }
        return status;
    }

    private Status unknown() {
        return missingStats == MissingStats.REJECT ? NO_STATISTICS : Status.success();
    }

    private Status filter(CycleState state, FreeResources free, Pod pod, NodeInfo node) {
        Demand demand = Demand.of(pod, originalBehavior);
        Load cpu = load(node, ResourceName.CPU, free.cpu(), demand.milliCpu());
        Load memory = load(node, ResourceName.MEMORY, free.memory(), demand.memory());
        if (limits.printTable()) {
            print(pod, node, cpu, memory);
        }
        double cpuRisk = cpu == null ? 0 : cpu.risk(limits.utilization());
        double memoryRisk = memory == null ? 0 : memory.risk(limits.utilization());
        boolean cpuAccepted = cpuRisk <= limits.accepted();
        boolean memoryAccepted = memoryRisk <= limits.accepted();
        if (cpuAccepted && memoryAccepted) {
            state.put(RISK, node.name(), new Risk(cpuRisk, memoryRisk));
            return Status.success();
        }
        if (memoryAccepted) {
            return rejection(reason("cpu", cpuRisk, cpu));
        }
        return cpuAccepted
                ? rejection(reason("memory", memoryRisk, memory))
                : rejection(reason("cpu", cpuRisk, cpu), reason("memory", memoryRisk, memory));
    }

    // Removing pods by preemption does not change measured usage, so the rejection is unresolvable. The original was an
    // extender, which could not report that.
    private Status rejection(String... reasons) {
        return originalBehavior ? Status.unschedulable(reasons) : Status.unresolvable(reasons);
    }

    private void print(Pod pod, NodeInfo node, @Nullable Load cpu, @Nullable Load memory) {
        if (cpu != null) {
            printer.accept("pod " + pod + " node " + node.name() + " cpu: " + cpu.table());
        }
        if (memory != null) {
            printer.accept("pod " + pod + " node " + node.name() + " memory: " + memory.table());
        }
    }

    private @Nullable Load load(NodeInfo node, ResourceName resource, @Nullable Free free, long demand) {
        return free == null ? null : Load.of(node.allocatable(resource), free, demand, limits.forecastWeight());
    }

    private String reason(String resource, double risk, @Nullable Load load) {
        return String.format(
                Locale.ROOT,
                "risk %s=%.2f > %.2f (mu=%.4f sigma=%.4f)",
                resource,
                risk,
                limits.accepted(),
                load == null ? 0 : load.mu(),
                load == null ? 0 : load.sigma());
    }

    // The node's score is that of its resource with the greater risk. A resource without statistics is ignored.
    @Override
    public long score(CycleState state, Pod pod, NodeInfo node) {
        Risk known = state.find(RISK, node.name()).orElse(null);
        if (known != null) {
            return score(known.worst());
        }
        FreeResources free = statistics.free(node.node());
        if (free.isUnknown()) {
            return missingStats == MissingStats.NEUTRAL ? best() / 2 : 0;
        }
        Demand demand = Demand.of(pod, originalBehavior);
        Load cpu = load(node, ResourceName.CPU, free.cpu(), demand.milliCpu());
        Load memory = load(node, ResourceName.MEMORY, free.memory(), demand.memory());
        return score(Math.max(
                cpu == null ? 0 : cpu.risk(limits.utilization()),
                memory == null ? 0 : memory.risk(limits.utilization())));
    }

    private long best() {
        return originalBehavior ? 10 : NodeScores.MAX;
    }

    private long score(double risk) {
        if (risk >= limits.accepted()) {
            return risk > 0 ? 0 : best();
        }
        double score = (1 - Math.sqrt(risk / limits.accepted())) * best();
        return originalBehavior ? (long) score : Math.round(score);
    }

    // Annotation updates change the figures, label updates do not; Prometheus figures arrive without an event.
    @Override
    public List<EventRegistration> eventsToRegister() {
        return List.of(
                EventRegistration.always(ClusterEvent.of(
                        EventResource.NODE,
                        ActionType.ADD,
                        ActionType.UPDATE_NODE_ALLOCATABLE,
                        ActionType.UPDATE_NODE_ANNOTATION)),
                EventRegistration.always(ClusterEvent.of(EventResource.POD, ActionType.UPDATE_POD_SCALE_DOWN)));
    }

    /** Named in {@code META-INF/services/org.moorage.api.plugin.PluginFactory}. */
    public static final class Factory implements PluginFactory<SafeArgs> {
        private final Environment environment;
        private final Consumer<String> printer;

        /** Uses the environment of the process; tables are logged. */
        public Factory() {
            this(Environment.ofProcess());
        }

        Factory(Environment environment) {
            this(environment, table -> System.getLogger(NAME).log(System.Logger.Level.INFO, table));
        }

        Factory(Environment environment, Consumer<String> printer) {
            this.environment = environment;
            this.printer = printer;
        }

        @Override
        public String name() {
            return NAME;
        }

        @Override
        public Class<SafeArgs> argsType() {
            return SafeArgs.class;
        }

        @Override
        public Plugin create(SafeArgs args, Handle handle) {
            return new SafeOverload(args, environment, printer, handle);
        }
    }
}
