// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cluster;

import java.util.Optional;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.ObjectLister;
import org.moorage.runtime.cluster.ClusterSource;

/**
 * Where a pod is found that somebody names.
 *
 * @param known the pods that the cluster has told of
 * @param source is asked for those that it has not
 * @param view how plugins are to see them
 */
public record PodLookup(ObjectLister<Pod> known, ClusterSource source, FeatureView view) {
    /** The pod as plugins are to see it. */
    public Pod seen(Pod pod) {
        return view.of(pod);
    }

    /**
     * The pod of a name: the one that is known if that has the UID, otherwise as the cluster has it now.
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
