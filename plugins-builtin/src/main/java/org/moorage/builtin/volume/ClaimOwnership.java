// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.volume;

import java.util.Optional;
import org.moorage.api.model.PersistentVolumeClaim;
import org.moorage.api.model.Pod;
import org.moorage.api.model.Volume;

/** Whose a claim is that has the name of one that is made for a pod. */
public final class ClaimOwnership {
    private ClaimOwnership() {}

    /** Why the claim of the name that a pod's volume stands for is not the pod's to use, if so. */
    public static Optional<String> objection(PersistentVolumeClaim claim, Pod pod, Volume volume) {
        return volume.source() instanceof Volume.EphemeralClaim && !claim.isMadeFor(pod)
                ? Optional.of("PVC " + claim.key() + " was not created for pod " + pod.key() + " (pod is not owner)")
                : Optional.empty();
    }
}
