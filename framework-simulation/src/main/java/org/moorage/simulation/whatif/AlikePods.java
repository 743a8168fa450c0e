// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.whatif;

import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.moorage.api.model.OwnerReference;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodSpec;
import org.moorage.api.model.Volume;

/**
 * Equivalent pods: if one of them is unschedulable, so are the others. They differ in names and ages only, which no
 * plugin of kube-scheduler reads for that.
 *
 * @param namespace their namespace
 * @param spec their specification
 * @param labels their labels
 * @param annotations their annotations
 * @param controller their controller
 */
public record AlikePods(
        String namespace,
        PodSpec spec,
        Map<String, String> labels,
        Map<String, String> annotations,
        Optional<OwnerReference> controller) {
    public AlikePods {
        labels = Map.copyOf(labels);
        annotations = Map.copyOf(annotations);
    }

    /** Returns the pods that are equivalent to a pod; empty if it has its own claims or is nominated. */
    public static Optional<AlikePods> of(Pod pod) {
        Objects.requireNonNull(pod, "pod");
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
