// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.answer;

import java.util.Map;
import org.moorage.api.model.ResourceName;
import org.moorage.simulation.whatif.ClusterBalance;
import org.moorage.simulation.whatif.ClusterBalance.ResourceBalance;

/**
 * How the pods of a cluster fill its nodes.
 *
 * @param podsOnNodes the number of pods that are on nodes
 * @param emptyNodes the number of nodes that have only pods of DaemonSets and static pods
 * @param resources the use of each resource: {@code allocatable} and {@code requested} amounts, {@code imbalance} (the
 *     standard deviation of the nodes' requested shares, in percentage points) and {@code fragmentation} (the share of
 *     the free amount, in percent, that the pods of the cluster cannot use)
 */
public record ClusterFigures(int podsOnNodes, int emptyNodes, Map<ResourceName, ResourceBalance> resources) {
    /** Returns the figures of a balance. */
    public static ClusterFigures of(ClusterBalance balance) {
        return new ClusterFigures(balance.pods(), balance.emptyNodes(), balance.byResource());
    }

    /** Returns the balance of a resource; all 0 if no node has it. */
    public ResourceBalance of(ResourceName resource) {
        return resources.getOrDefault(resource, new ResourceBalance(0, 0, 0, 0));
    }
}
