// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cluster;

import java.util.Optional;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.cluster.ObjectLister;
import org.moorage.runtime.cluster.ClusterSource;

/**
 * Finds pods by name, in the store or in the cluster.
 *
 * @param known the pods in the store
 * @param source reads pods that the store lacks
 * @param view the view of pods for plugins
 */
public record PodLookup(ObjectLister<Pod> known, ClusterSource source, FeatureView view) {
    /** Returns the pod as plugins see it. */
    public Pod seen(Pod pod) {
        return view.of(pod);
    }

    /**
     * Returns the pod of a name: from the store if the UID matches, otherwise from the cluster.
     *
     * @param uid the UID; empty for any
     */
    public Optional<Pod> find(String namespace, String name, String uid) {
        Optional<Pod> found = known.get(namespace, name)
                .filter(pod -> uid.isEmpty() || pod.uid().equals(uid));
        return found.isPresent()
                ? found
                : source.read(ObjectKind.POD, namespace, name).map(view::of);
    }
}
