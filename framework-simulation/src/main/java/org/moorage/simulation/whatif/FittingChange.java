// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.whatif;

import java.util.List;
import java.util.Objects;

/**
 * A change of a pod or of the cluster with which a pod fits that did not.
 *
 * @param kind what is changed
 * @param details what exactly, see {@link Kind}
 * @param nodes the nodes on which the pod then fits, by name
 */
public record FittingChange(Kind kind, List<String> details, List<String> nodes) {
    public FittingChange {
        Objects.requireNonNull(kind, "kind");
        details = List.copyOf(details);
        nodes = List.copyOf(nodes);
    }

    /** The kind of change. */
    public enum Kind {
        /** The pod requests less; details such as {@code cpu 500m} are the differences. */
        LOWER_REQUESTS,
        /** The pod tolerates taints; details such as {@code dedicated=batch:NoSchedule}. */
        TOLERATIONS,
        /** The pod's node selector has fewer entries; details are the removed ones, such as {@code disk=ssd}. */
        NODE_SELECTOR,
        /** The pod has neither the node selector's entries in the details, if any, nor required node affinity. */
        NODE_AFFINITY,
        /** The pod lacks a required term of pod affinity; details are its topology keys. */
        POD_AFFINITY,
        /** The pod lacks a required term of pod anti-affinity; details are its topology keys. */
        POD_ANTI_AFFINITY,
        /** A topology spread constraint allows more; details such as {@code zone: maxSkew 3 instead of 1}. */
        TOPOLOGY_SPREAD,
        /** A node is schedulable; details are its name. */
        UNCORDON,
        /** Pods have left a node; details are their namespaces and names. */
        FEWER_PODS,
        /**
         * Objects that a plugin reads are changed or added; details such as {@code raise spec.max of ElasticQuota
         * team-a/quota by cpu 1} are the plugin's.
         */
        OBJECTS
    }
}
