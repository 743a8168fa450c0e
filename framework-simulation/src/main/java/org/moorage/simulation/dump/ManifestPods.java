// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.dump;

import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.Pod;
import org.moorage.simulation.admission.AdmittedPod;

/**
 * The pods that a manifest would have a cluster get, if it were applied. Immutable.
 *
 * @param title the kind of the manifest, its namespace and its name, for example {@code Deployment default/web}
 * @param onNodes how many pods it has on nodes already; they count
 * @param asked how many more it asks for
 * @param pods these pods, or the first {@value Manifests#MOST_PODS} of more
 * @param further the pods that it would get next if it were scaled up; empty if none can be made
 * @param objects what its pods need that is not there: claims of a StatefulSet, a group of pods
 * @param waiting the keys of the pods that it has in the cluster without a node; {@code pods} are in their place
 * @param whyNone why it has no pods, for example what the API server refuses; empty if it has some or asks for no more
 */
public record ManifestPods(
        String title,
        int onNodes,
        int asked,
        List<AdmittedPod> pods,
        Optional<FurtherPods> further,
        List<ClusterObject> objects,
        Set<String> waiting,
        String whyNone) {
    public ManifestPods {
        Objects.requireNonNull(title, "title");
        pods = List.copyOf(pods);
        Objects.requireNonNull(further, "further");
        objects = List.copyOf(objects);
        waiting = Set.copyOf(waiting);
        Objects.requireNonNull(whyNone, "whyNone");
    }

    /** Returns a copy in which each pod is replaced. */
    ManifestPods withPods(UnaryOperator<Pod> change) {
        return new ManifestPods(
                title,
                onNodes,
                asked,
                pods.stream().map(pod -> pod.withPod(change.apply(pod.pod()))).toList(),
                further.map(pods -> pods.with(change)),
                objects,
                waiting,
                whyNone);
    }
}
