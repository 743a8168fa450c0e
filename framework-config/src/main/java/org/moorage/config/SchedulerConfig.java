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
 * @param leaderElection how several schedulers elect a leader
 * @param clientConnection the connection to the API server
 * @param enableProfiling whether to serve profiling data
 * @param enableContentionProfiling whether to serve profiling data about lock contention
 * @param percentageOfNodesToScore the share of the nodes that is enough, from 0 to 100; 0 for one that depends on their
 *     number
 * @param podInitialBackoffSeconds how long a pod waits after its first failure
 * @param podMaxBackoffSeconds the maximum backoff of a pod
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

    /** Returns this configuration with its extenders replaced. */
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
     * Returns how many feasible nodes are enough for scoring.
     *
     * @param nodes the number of nodes
     * @param percentageOfNodesToScore the percentage of nodes to score; 0 for one that depends on the number of nodes
     */
    public static int feasibleNodesToFind(int nodes, int percentageOfNodesToScore) {
        if (nodes < MIN_FEASIBLE_NODES) {
            return nodes;
        }
        int percentage =
                percentageOfNodesToScore == 0 ? Math.max(MIN_PERCENTAGE, 50 - nodes / 125) : percentageOfNodesToScore;
        return Math.max(MIN_FEASIBLE_NODES, (int) ((long) nodes * percentage / 100));
    }

    /** Returns the objects that must keep their JSON text, since a plugin reads it or an extender receives it. */
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

    /** Returns the configuration that applies when there is no file: one profile, named {@code default-scheduler}. */
    public static SchedulerConfig defaults(PluginRegistry registry) {
        return ConfigLoader.defaults(registry).config();
    }
}
