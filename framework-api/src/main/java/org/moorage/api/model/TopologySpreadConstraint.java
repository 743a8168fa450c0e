// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * How evenly like pods are to be spread over areas of the cluster.
 *
 * @param maxSkew by how many pods areas may differ
 * @param topologyKey the node label whose equal values make an area
 * @param whenUnsatisfiable {@code DoNotSchedule} or {@code ScheduleAnyway}
 * @param labelSelector which pods are counted; empty counts none
 * @param minDomains how many areas there should be at least
 * @param nodeAffinityPolicy {@code Honor} or {@code Ignore}; empty if not given
 * @param nodeTaintsPolicy {@code Honor} or {@code Ignore}; empty if not given
 * @param matchLabelKeys labels of the pod itself that counted pods must share
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
