// SPDX-License-Identifier: Apache-2.0
package org.moorage.testkit.guide;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.NodeScores;
import org.moorage.api.StateKey;
import org.moorage.api.Status;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.PluginLogger;
import org.moorage.api.plugin.point.NodeChanges;
import org.moorage.api.plugin.point.PreScorePlugin;
import org.moorage.api.plugin.point.ScorePlugin;
import org.moorage.api.plugin.point.SignPlugin;

/** Prefers cheap nodes, by prices from an external price list. */
public final class CheapNodes implements PreScorePlugin, ScorePlugin, SignPlugin {
    static final String NAME = "CheapNodes";

    /** The external price list. Reading it may take a while, and may fail. */
    public interface PriceList {
        Map<String, Long> read();
    }

    /**
     * The arguments.
     *
     * @param refresh how often the prices are read
     * @param maxAge the maximum age of prices that are used
     */
    public record Args(Duration refresh, Duration maxAge) implements PluginArgs {
        public static final Args DEFAULTS = new Args(Duration.ofSeconds(15), Duration.ofMinutes(1));
    }

    static PluginFactory<Args> factory(PriceList list) {
        return PluginFactory.of(
                NAME, CheapNodes.class, Args.class, (args, handle) -> new CheapNodes(args, handle, list));
    }

    // region cache
    /** The prices, and when they were read. */
    private record Prices(Map<String, Long> byNode, Instant at) {}

    private static final StateKey<Prices> PRICES = StateKey.of("CheapNodes/prices");

    private final Args args;
    private final Handle handle;
    private final PriceList list;
    private final PluginLogger logger;
    private final NodeChanges changes = new NodeChanges();
    // Written in the background, read by scheduling cycles: one immutable value.
    private volatile Prices latest = new Prices(Map.of(), Instant.EPOCH);

    CheapNodes(Args args, Handle handle, PriceList list) {
        this.args = args;
        this.handle = handle;
        this.list = list;
        logger = handle.logger();
        handle.tasks().background().execute(this::refresh);
    }

    private void refresh() {
        try {
            latest = new Prices(Map.copyOf(list.read()), handle.clock().instant());
            changes.addAll();
            logger.debug("Prices are read", "nodes", latest.byNode().size());
        } catch (RuntimeException failed) {
            logger.warn("Prices cannot be read", failed, "lastRead", latest.at());
        } finally {
            handle.tasks().backgroundAfter(args.refresh(), this::refresh);
        }
    }
    // endregion

    @Override
    public String name() {
        return NAME;
    }

    // region staleness
    // Read once per cycle, so that all nodes are scored by the same prices.
    @Override
    public Status preScore(CycleState state, Pod pod, List<NodeInfo> nodes) {
        Prices prices = latest;
        Duration age = Duration.between(prices.at(), handle.clock().instant());
        if (age.compareTo(args.maxAge()) > 0) {
            // Stale prices are worse than none: skip scoring.
            return Status.skip();
        }
        state.put(PRICES, prices);
        return Status.success();
    }
    // endregion

    // region signature
    // All pods see the same prices.
    @Override
    public Optional<?> sign(Pod pod) {
        return Optional.of(NAME);
    }

    // Each reading of the prices changes the scores.
    @Override
    public Optional<NodeChanges> nodeChanges() {
        return Optional.of(changes);
    }
    // endregion

    // region score
    @Override
    public long score(CycleState state, Pod pod, NodeInfo node) {
        Long price = state.get(PRICES).byNode().get(node.name());
        return price == null ? Long.MAX_VALUE / NodeScores.MAX : price;
    }

    // The cheapest node gets 100, the most expensive one 0.
    @Override
    public NodeScores normalize(CycleState state, Pod pod, NodeScores scores) {
        return scores.scaledTo100().reversed();
    }
    // endregion
}
