// SPDX-License-Identifier: Apache-2.0
package org.moorage.safe;

import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.NodeScores;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.Plugin;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.Problems;
import org.moorage.api.plugin.point.ScorePlugin;

/**
 * Prefers nodes with little congestion. The node annotation {@code congestion-factor} is a whole number from 0 to a
 * maximum; a node without it is not congested.
 *
 * <p>Same scores as the agent {@code congestion} of kube-safe-scheduler, but from 0 to 100 instead of rounded to 0 to
 * 10, unless {@code originalBehavior} is set.
 */
public final class Congestion implements ScorePlugin {
    static final String NAME = "Congestion";
    private static final String FACTOR = "congestion-factor";

    private final int max;
    private final long best;

    /**
     * The arguments.
     *
     * @param max the factor of a completely congested node; by default {@code CONGESTION_FACTOR_MAX}, else 100
     * @param originalBehavior whether to score from 0 to 10
     */
    public record Args(OptionalInt max, boolean originalBehavior) implements PluginArgs {
        /** The default arguments. */
        public static final Args DEFAULTS = new Args(OptionalInt.empty(), false);

        @Override
        public void validate(Problems problems) {
            if (max.isPresent() && max.getAsInt() <= 0) {
                problems.at("max").invalid(max.getAsInt(), "> 0");
            }
        }
    }

    private Congestion(Args args, Environment environment) {
        max = args.max().orElseGet(() -> environment.number("CONGESTION_FACTOR_MAX", 1, Integer.MAX_VALUE, 100));
        best = args.originalBehavior() ? 10 : NodeScores.MAX;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public long score(CycleState state, Pod pod, NodeInfo node) {
        double factor = factor(node.node().metadata().annotations().get(FACTOR));
        return Math.round(best * (1 - factor / max));
    }

    private int factor(@Nullable String text) {
        if (text == null) {
            return 0;
        }
        try {
            return Math.min(Math.max(Integer.parseInt(text), 0), max);
        } catch (NumberFormatException notANumber) {
            return 0;
        }
    }

    /** Named in {@code META-INF/services/org.moorage.api.plugin.PluginFactory}. */
    public static final class Factory implements PluginFactory<Args> {
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
        public Class<Args> argsType() {
            return Args.class;
        }

        @Override
        public Plugin create(Args args, Handle handle) {
            return new Congestion(args, environment);
        }
    }
}
