// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.answer;

import java.util.Optional;
import org.moorage.api.model.OwnerReference;
import org.moorage.api.model.Pod;

/**
 * What controls a pod, as people know it: of a ReplicaSet that a Deployment made, the Deployment.
 *
 * @param namespace the namespace of both
 * @param kind the owner's kind
 * @param name the owner's name
 */
public record PodOwner(String namespace, String kind, String name) {
    private static final String TEMPLATE_HASH = "pod-template-hash";

    /** What controls a pod; empty if nothing does. */
    public static Optional<PodOwner> of(Pod pod) {
        return pod.metadata()
                .controller()
                .map(controller ->
                        of(pod.metadata().namespace(), controller, pod.labels().getOrDefault(TEMPLATE_HASH, "")));
    }

    /** What a pod is counted with: its owner, with the namespace; of a pod that has none, itself. */
    public static String nameOf(Pod pod) {
        return of(pod).map(owner -> owner.namespace + "/" + owner.name).orElse(pod.key());
    }

    private static PodOwner of(String namespace, OwnerReference owner, String templateHash) {
        String suffix = "-" + templateHash;
        if (owner.kind().equals("ReplicaSet")
                && !templateHash.isEmpty()
                && owner.name().endsWith(suffix)) {
            String name = owner.name().substring(0, owner.name().length() - suffix.length());
            return new PodOwner(namespace, "Deployment", name);
        }
        return new PodOwner(namespace, owner.kind(), owner.name());
    }
}
