// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.whatif;

import java.util.Objects;
import org.moorage.api.model.ResourceName;
import org.moorage.simulation.dump.Manifests;

/** The goal of moving pods, see {@link Rebalance}. */
public sealed interface RebalanceGoal {
    /** As many nodes as possible are empty: they have no pods but those of DaemonSets and static ones. */
    record FreeNodes() implements RebalanceGoal {}

    /**
     * A smaller share of the free amount of a resource is of no use, see
     * {@link ClusterBalance.ResourceBalance#fragmentation}.
     *
     * @param resource the resource
     */
    record Pack(ResourceName resource) implements RebalanceGoal {
        public Pack {
            Objects.requireNonNull(resource, "resource");
        }
    }

    /** As many as possible of the pending pods are scheduled. */
    record FitPending() implements RebalanceGoal {}

    /**
     * As many as possible of the pods of manifests are scheduled when the manifests are applied after the moves.
     *
     * @param manifests the manifests
     */
    record Fit(Manifests.Contents manifests) implements RebalanceGoal {
        public Fit {
            Objects.requireNonNull(manifests, "manifests");
        }
    }
}
