// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.whatif;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.Node;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodDisruptionBudget;
import org.moorage.config.LoadedConfig;
import org.moorage.runtime.cluster.ClusterSource;
import org.moorage.runtime.whatif.Transaction;
import org.moorage.runtime.whatif.WhatIf;

/** A cluster for what-if queries, with its objects. Immutable, so that several threads may query it. */
public final class KnownCluster {
    private final WhatIf whatIf;
    private final ClusterSource source;
    private final FeatureGates features;
    private final Set<String> schedulerNames;
    private final Instant now;
    private final Map<String, Node> nodes;
    private final List<Pod> waitingPods;
    private final List<PodDisruptionBudget> budgets;

    /**
     * A cluster.
     *
     * @param whatIf the query engine; the caller closes it
     * @param objects the objects of the cluster
     * @param config the profiles and the enabled features
     * @param now the creation time of recreated pods
     */
    public KnownCluster(WhatIf whatIf, List<? extends ClusterObject> objects, LoadedConfig config, Instant now) {
        this.whatIf = Objects.requireNonNull(whatIf, "whatIf");
        this.now = Objects.requireNonNull(now, "now");
        source = ClusterSource.of(Objects.requireNonNull(objects, "objects"));
        features = Objects.requireNonNull(config, "config").featureGates();
        schedulerNames = new HashSet<>();
        nodes = new LinkedHashMap<>();
        waitingPods = new ArrayList<>();
        budgets = new ArrayList<>();
        config.config().profiles().forEach(profile -> schedulerNames.add(profile.schedulerName()));
        for (ClusterObject object : objects) {
            if (object instanceof Node node) {
                nodes.put(node.name(), node);
            } else if (object instanceof PodDisruptionBudget budget) {
                budgets.add(budget);
            } else if (object instanceof Pod pod
                    && !pod.isBound()
                    && !pod.status().isTerminal()
                    && !pod.metadata().isDeleting()) {
                waitingPods.add(pod);
            }
        }
    }

    private KnownCluster(KnownCluster cluster, WhatIf whatIf) {
        this.whatIf = whatIf;
        source = cluster.source;
        features = cluster.features;
        schedulerNames = cluster.schedulerNames;
        now = cluster.now;
        nodes = cluster.nodes;
        waitingPods = cluster.waitingPods;
        budgets = cluster.budgets;
    }

    /** Returns this cluster with the random choices of a seed, see {@link WhatIf#breakingTiesAtRandom}. */
    public KnownCluster breakingTiesAtRandom(long seed) {
        return new KnownCluster(this, whatIf.breakingTiesAtRandom(seed));
    }

    /** Returns the same cluster for queries to the scheduler. */
    public WhatIf whatIf() {
        return whatIf;
    }

    /** Returns the nodes, by name, in the order of the objects. */
    public Map<String, Node> nodes() {
        return Collections.unmodifiableMap(nodes);
    }

    /** Returns a rescheduling in a transaction on this cluster; the caller closes the transaction. */
    public Rescheduling rescheduling(Transaction cluster) {
        return new Rescheduling(cluster, this);
    }

    /** Returns the pending pods, in the order of the objects, including gated pods and pods of other schedulers. */
    public List<Pod> waitingPods() {
        return Collections.unmodifiableList(waitingPods);
    }

    List<PodDisruptionBudget> budgets() {
        return budgets;
    }

    ClusterSource source() {
        return source;
    }

    FeatureGates features() {
        return features;
    }

    Instant now() {
        return now;
    }

    boolean schedules(String schedulerName) {
        return schedulerNames.contains(schedulerName);
    }
}
