// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.volume;

import java.util.Optional;
import org.moorage.api.model.PersistentVolumeClaim;
import org.moorage.api.model.Pod;
import org.moorage.api.model.Volume;

/** Checks that the claim of an ephemeral volume was created for the pod. */
public final class ClaimOwnership {
    private ClaimOwnership() {}

    /** Returns why a pod must not use the claim that has the name of its ephemeral volume; empty if it may. */
    public static Optional<String> problem(PersistentVolumeClaim claim, Pod pod, Volume volume) {
        return volume.source() instanceof Volume.EphemeralClaim && !claim.isCreatedFor(pod)
                ? Optional.of("PVC " + claim.key() + " was not created for pod " + pod.key() + " (pod is not owner)")
                : Optional.empty();
    }
}
