// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.compare;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.moorage.api.model.Node;
import org.moorage.api.model.Pod;
import org.moorage.app.internal.options.ProfileOptions;
import org.moorage.app.internal.process.CommandException;
import org.moorage.app.internal.question.AskedCluster;
import org.moorage.config.LoadedConfig;
import org.moorage.runtime.whatif.Transaction;
import org.moorage.runtime.whatif.WhatIf;
import org.moorage.simulation.admission.RecreatedPod;
import org.moorage.simulation.whatif.ClusterBalance;
import org.moorage.simulation.whatif.PodSizes;
import org.moorage.simulation.whatif.SchedulingOutcome;
import org.moorage.simulation.whatif.SchedulingOutcome.Demand;

/**
 * A comparison of schedulers that each schedule the same pods in an unchanged copy of one cluster. Safe for use by
 * several threads.
 */
public final class SchedulerComparison {
    private final AskedCluster asked;
    private final Demand demand;
    private final Collection<Node> nodes;
    private final PodSizes sizes;

    /**
     * One of the schedulers.
     *
     * @param name what it is called
     * @param profile the profile that is responsible for all pods; empty if pods name theirs
     */
    record Side(String name, LoadedConfig config, Optional<String> profile) {}

    /**
     * Creates a comparison.
     *
     * @param sides the schedulers; their profiles decide which pods are theirs
     * @param rebalance whether to first remove from their nodes the pods that a controller would create again
     */
    public SchedulerComparison(AskedCluster asked, List<Side> sides, boolean rebalance) {
        this.asked = asked;
        Map<String, Node> nodeByName = asked.known().nodes();
        nodes = nodeByName.values();
        List<Pod> all = asked.dump().pods();
        sizes = PodSizes.of(all);
        Set<String> profiles = new HashSet<>();
        sides.forEach(side -> profiles.addAll(ProfileOptions.names(side.config)));
        List<Pod> anew = new ArrayList<>();
        for (Pod pod : rebalance ? all : List.<Pod>of()) {
            if (pod.isBound()
                    && nodeByName.containsKey(pod.nodeName())
                    && profiles.contains(pod.spec().schedulerName())
                    && RecreatedPod.fateOf(pod) == RecreatedPod.Fate.CREATED_AGAIN) {
                anew.add(pod);
            }
        }
        demand = new Demand(asked.waitingPods(profiles), anew);
    }

    /** The pods to place. */
    public Demand demand() {
        return demand;
    }

    /** Returns the utilization of the nodes before scheduling. */
    public ClusterBalance now() {
        try (Transaction now = asked.whatIf().begin()) {
            return ClusterBalance.of(nodes, now::podsOn, sizes);
        }
    }

    /**
     * Returns how a scheduler schedules the pods of the cluster.
     *
     * @param tried runs after each attempt
     * @throws CommandException if the cluster was not read for its plugins, or it has no profile for a pod
     * @throws org.moorage.config.ConfigException if its profiles cannot be built from the plugins
     */
    public SchedulingOutcome outcome(Side side, Runnable tried) {
        demandJson(side);
        Demand ofSide = side.profile.map(demand::forProfile).orElse(demand);
        ofSide.waiting().forEach(pod -> AskedCluster.demandProfile(pod, side.config));
        ofSide.anew().forEach(pod -> AskedCluster.demandProfile(pod, side.config));
        try (WhatIf cluster = asked.whatIf(side.config)) {
            return SchedulingOutcome.of(asked.known(cluster, side.config), ofSide, sizes, count -> tried.run());
        }
    }

    // The cluster is read once, with the texts that the plugins of --config need.
    private void demandJson(Side side) {
        if (!asked.config()
                .config()
                .keptJson(asked.registry())
                .containsAll(side.config.config().keptJson(asked.registry()))) {
            throw new CommandException(
                    side.name + ": its plugins read the texts of objects, and those of --config do not"
                            + " (expected: --config with the configuration whose plugins do)");
        }
    }
}
