// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

import java.util.List;

/**
 * The terms of a pod affinity or a pod anti-affinity.
 *
 * @param required the terms that a node must satisfy, all of them
 * @param preferred the terms that count for a node (affinity) or against it (anti-affinity)
 */
public record PodAffinity(List<PodAffinityTerm> required, List<PodAffinityTerm.Weighted> preferred) {
    /** No terms. */
    public static final PodAffinity NONE = new PodAffinity(List.of(), List.of());

    public PodAffinity {
        required = List.copyOf(required);
        preferred = List.copyOf(preferred);
    }
}
