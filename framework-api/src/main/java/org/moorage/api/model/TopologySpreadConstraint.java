// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * A constraint on the spread of matching pods over topology domains.
 *
 * @param maxSkew the maximum difference of the pod counts of domains
 * @param topologyKey the node label; nodes with equal values are in one topology domain
 * @param whenUnsatisfiable {@code DoNotSchedule} or {@code ScheduleAnyway}
 * @param labelSelector selects the pods that are counted; empty selects none
 * @param minDomains the minimum number of eligible domains
 * @param nodeAffinityPolicy {@code Honor} or {@code Ignore}; empty if not set
 * @param nodeTaintsPolicy {@code Honor} or {@code Ignore}; empty if not set
 * @param matchLabelKeys labels in which counted pods must have the same values as the incoming pod
 */
public record TopologySpreadConstraint(
        int maxSkew,
        String topologyKey,
        String whenUnsatisfiable,
        Optional<LabelSelector> labelSelector,
        OptionalInt minDomains,
        String nodeAffinityPolicy,
        String nodeTaintsPolicy,
        List<String> matchLabelKeys) {
    public TopologySpreadConstraint {
        matchLabelKeys = List.copyOf(matchLabelKeys);
    }
}
