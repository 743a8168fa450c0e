// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

import java.util.List;

/**
 * Which pods a pod must or would like to be near to, or apart from.
 *
 * @param required terms that must all hold
 * @param preferred terms that count for or against a node
 */
public record PodAffinity(List<PodAffinityTerm> required, List<PodAffinityTerm.Weighted> preferred) {
    /** No wish. */
    public static final PodAffinity NONE = new PodAffinity(List.of(), List.of());

    public PodAffinity {
        required = List.copyOf(required);
        preferred = List.copyOf(preferred);
    }
}
