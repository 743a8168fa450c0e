// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.whatif;

import java.util.Map;
import java.util.Optional;
import org.moorage.api.model.OwnerReference;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodSpec;
import org.moorage.api.model.Volume;

/**
 * Pods that scheduling does not tell from each other: one of them finds no place where another one has found none. Names and ages are all that
 * they differ in, which no plugin of kube-scheduler looks at in this.
 */
record AlikePods(
        String namespace,
        PodSpec spec,
        Map<String, String> labels,
        Map<String, String> annotations,
        Optional<OwnerReference> controller) {
    /** The pods that are like this one; empty if it has claims of its own or is nominated. */
    static Optional<AlikePods> of(Pod pod) {
        PodSpec spec = pod.spec();
        for (Volume volume : spec.volumes()) {
            if (volume.source() instanceof Volume.EphemeralClaim) {
                return Optional.empty();
            }
        }
        if (!spec.resourceClaims().isEmpty()
                || !pod.status().nominatedNodeName().isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(new AlikePods(
                pod.namespace(),
                spec,
                pod.labels(),
                pod.metadata().annotations(),
                pod.metadata().controller()));
    }
}
