// SPDX-License-Identifier: Apache-2.0
package org.moorage.config;

import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.objects.KeptJson;

/**
 * A whole configuration, complete and valid.
 *
 * @param parallelism how many threads filter and score; more than 0
 * @param leaderElection how several schedulers agree on one
 * @param clientConnection how to talk to the API server
 * @param enableProfiling whether to serve data about where time is spent
 * @param enableContentionProfiling whether to serve data about where threads wait for each other
 * @param percentageOfNodesToScore the share of the nodes that is enough, from 0 to 100; 0 for one that depends on their
 *     number
 * @param podInitialBackoffSeconds how long a pod waits after its first failure
 * @param podMaxBackoffSeconds how long it waits at most
 * @param delayCacheUntilActive whether to start watching the cluster only when elected
 * @param profiles at least one, each with its own name
 * @param extenders in the order in which they are asked: those that may be ignored come last
 */
public record SchedulerConfig(
        int parallelism,
        LeaderElection leaderElection,
        ClientConnection clientConnection,
        boolean enableProfiling,
        boolean enableContentionProfiling,
        int percentageOfNodesToScore,
        long podInitialBackoffSeconds,
        long podMaxBackoffSeconds,
        boolean delayCacheUntilActive,
        List<ProfileConfig> profiles,
        List<ExtenderConfig> extenders) {
    private static final int MIN_FEASIBLE_NODES = 100;
    private static final int MIN_PERCENTAGE = 5;

    public SchedulerConfig {
        profiles = List.copyOf(profiles);
        extenders = List.copyOf(extenders);
    }

    /** The same configuration with these extenders in place of its own. */
    public SchedulerConfig withExtenders(List<ExtenderConfig> others) {
        return new SchedulerConfig(
                parallelism,
                leaderElection,
                clientConnection,
                enableProfiling,
                enableContentionProfiling,
                percentageOfNodesToScore,
                podInitialBackoffSeconds,
                podMaxBackoffSeconds,
                delayCacheUntilActive,
                profiles,
                others);
    }

    /**
     * How many feasible nodes are enough, if they are to be scored.
     *
     * @param nodes how many there are
     * @param percentageOfNodesToScore the share of them, in percent; 0 for one that depends on their number
     */
    public static int feasibleNodesToFind(int nodes, int percentageOfNodesToScore) {
        if (nodes < MIN_FEASIBLE_NODES) {
            return nodes;
        }
        int percentage =
                percentageOfNodesToScore == 0 ? Math.max(MIN_PERCENTAGE, 50 - nodes / 125) : percentageOfNodesToScore;
        return Math.max(MIN_FEASIBLE_NODES, (int) ((long) nodes * percentage / 100));
    }

    /** Which objects must keep their JSON text, since a plugin reads it or an extender is sent it. */
    public Set<KeptJson> keptJson(PluginRegistry registry) {
        Set<KeptJson> kept = EnumSet.noneOf(KeptJson.class);
        for (ProfileConfig profile : profiles) {
            for (String plugin : profile.pluginNames()) {
                if (registry.find(plugin).filter(PluginFactory::needsPodJson).isPresent()) {
                    kept.add(KeptJson.PENDING_PODS);
                }
                if (registry.find(plugin)
                        .filter(PluginFactory::needsClusterJson)
                        .isPresent()) {
                    kept.add(KeptJson.NODES);
                    kept.add(KeptJson.BOUND_PODS);
                }
            }
        }
        for (ExtenderConfig extender : extenders) {
            boolean isAskedAboutNodes = !(extender.filterVerb() + extender.prioritizeVerb()).isEmpty();
            boolean preempts = !extender.preemptVerb().isEmpty();
            if (isAskedAboutNodes || preempts) {
                kept.add(KeptJson.PENDING_PODS);
            }
            if (isAskedAboutNodes && !extender.nodeCacheCapable()) {
                kept.add(KeptJson.NODES);
            }
            if (preempts && !extender.nodeCacheCapable()) {
                kept.add(KeptJson.BOUND_PODS);
            }
        }
        return Collections.unmodifiableSet(kept);
    }

    /** The configuration that applies when there is no file: one profile, named {@code default-scheduler}. */
    public static SchedulerConfig defaults(PluginRegistry registry) {
        return ConfigLoader.defaults(registry).config();
    }
}
