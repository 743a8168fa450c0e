// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.volume.binding;

import java.util.List;
import org.moorage.api.model.PersistentVolume;
import org.moorage.api.model.PersistentVolumeClaim;

/**
 * The changes to write for a pod before it is bound. Immutable.
 *
 * @param bindings the volumes to bind
 * @param provisions the claims to provision volumes for
 * @param written how many of them, the bindings first, are written already
 */
record PodVolumes(List<BindingInfo> bindings, List<Provision> provisions, int written) {
    /** For a pod whose claims are bound. */
    static final PodVolumes NONE = new PodVolumes(List.of(), List.of(), 0);

    /**
     * A volume to bind to a claim.
     *
     * @param before the volume at the time of the decision
     * @param after the volume to write; the same if there is nothing to write
     * @param claim the claim
     */
    record BindingInfo(PersistentVolume before, PersistentVolume after, PersistentVolumeClaim claim) {
        boolean isChange() {
            return before != after;
        }
    }

    /**
     * A claim to provision a volume for.
     *
     * @param before the claim at the time of the decision
     * @param after the claim with its selected node
     */
    record Provision(PersistentVolumeClaim before, PersistentVolumeClaim after) {}

    boolean isEmpty() {
        return bindings.isEmpty() && provisions.isEmpty();
    }

    PodVolumes withWritten(int count) {
        return new PodVolumes(bindings, provisions, count);
    }
}
