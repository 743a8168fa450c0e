// SPDX-License-Identifier: Apache-2.0
package org.moorage.safe;

import org.jspecify.annotations.Nullable;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.NodeScores;
import org.moorage.api.model.Pod;
import org.moorage.api.model.ResourceName;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.Plugin;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.point.ScorePlugin;
import org.moorage.safe.FreeResources.Free;
import org.moorage.safe.SafeArgs.MissingStats;

/**
 * Prefers nodes with low and steady utilization: the score decreases with half the sum of the average utilization and
 * the square root of its deviation, for cpu or memory, whichever is worse.
 *
 * <p>Same formula as the agent {@code safe-balance} of kube-safe-scheduler, but from 0 to 100 instead of rounded to 0
 * to 10, unless {@code originalBehavior} is set.
 */
public final class SafeBalance implements ScorePlugin {
    static final String NAME = "SafeBalance";

    private final NodeStatistics statistics;
    private final double forecastWeight;
    private final MissingStats missingStats;
    private final boolean originalBehavior;
    private final long best;

    private SafeBalance(SafeArgs args, Environment environment, Handle handle) {
        statistics = Sources.of(args, handle);
        forecastWeight = args.limits(environment).forecastWeight();
        missingStats = args.missingStats();
        originalBehavior = args.originalBehavior();
        best = originalBehavior ? 10 : NodeScores.MAX;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public long score(CycleState state, Pod pod, NodeInfo node) {
        FreeResources free = statistics.free(node.node());
        if (free.isUnknown()) {
            return missingStats == MissingStats.NEUTRAL ? best / 2 : 0;
        }
        Demand demand = Demand.of(pod, originalBehavior);
        return Math.min(
                score(node, ResourceName.CPU, free.cpu(), demand.milliCpu()),
                score(node, ResourceName.MEMORY, free.memory(), demand.memory()));
    }

    private long score(NodeInfo node, ResourceName resource, @Nullable Free free, long demand) {
        if (free == null) {
            return best;
        }
        Load load = Load.of(node.allocatable(resource), free, demand, forecastWeight);
        return Math.round((1 - (load.mu() + Math.sqrt(load.sigma())) / 2) * best);
    }

    /** Named in {@code META-INF/services/org.moorage.api.plugin.PluginFactory}. */
    public static final class Factory implements PluginFactory<SafeArgs> {
        private final Environment environment;

        /** Uses the environment of the process. */
        public Factory() {
            this(Environment.ofProcess());
        }

        Factory(Environment environment) {
            this.environment = environment;
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
            return new SafeBalance(args, environment, handle);
        }
    }
}
