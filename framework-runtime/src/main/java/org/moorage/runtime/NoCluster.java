// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.OtherObject;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodCondition;
import org.moorage.api.model.PodStatus;
import org.moorage.api.plugin.ClusterException;
import org.moorage.api.plugin.MergePatch;
import org.moorage.api.plugin.Nomination;
import org.moorage.api.plugin.PodEvent;
import org.moorage.api.plugin.ResourceClaimWriter;
import org.moorage.api.plugin.VolumeWriter;
import org.moorage.objects.KeptJson;
import org.moorage.runtime.cluster.Cluster;
import org.moorage.runtime.cluster.ClusterListener;

/** The cluster of those who know only what they are asked about: it has no objects, and nothing can be changed. */
final class NoCluster implements Cluster {
    private final String reason;

    /**
     * No cluster.
     *
     * @param reason what to do to have one
     */
    NoCluster(String reason) {
        this.reason = reason;
    }

    @Override
    public void watch(Set<ObjectKind<?>> kinds, Set<KeptJson> json, ClusterListener listener) {
        for (ObjectKind<?> kind : kinds) {
            listener.replaced(kind, List.of());
            if (!kind.equals(ObjectKind.POD) && !kind.equals(ObjectKind.NODE)) {
                listener.unavailable(kind, reason);
            }
        }
    }

    @Override
    public <T extends ClusterObject> Optional<T> read(ObjectKind<T> kind, String namespace, String name) {
        throw none("read " + kind.kind() + " " + name);
    }

    @Override
    public void bind(Pod pod, String nodeName) {
        throw none("bind pod " + pod.key());
    }

    @Override
    public void patchStatus(Pod pod, Optional<PodCondition> condition, Nomination nomination) {
        throw none("patch pod " + pod.key());
    }

    @Override
    public void patchExtendedResourceClaimStatus(Pod pod, PodStatus.ExtendedResourceClaimStatus status) {
        throw none("patch pod " + pod.key());
    }

    @Override
    public void patchNodeAllocatableResourceClaimStatuses(
            Pod pod, List<PodStatus.NodeAllocatableResourceClaimStatus> statuses) {
        throw none("patch pod " + pod.key());
    }

    @Override
    public void delete(Pod pod) {
        throw none("delete pod " + pod.key());
    }

    @Override
    public VolumeWriter volumes() {
        throw none("change volumes");
    }

    @Override
    public ResourceClaimWriter resourceClaims() {
        throw none("change resource claims");
    }

    @Override
    public OtherObject patch(ObjectKind<OtherObject> kind, String namespace, String name, MergePatch patch) {
        throw none("patch " + kind.kind() + " " + name);
    }

    @Override
    public void delete(ObjectKind<?> kind, String namespace, String name) {
        throw none("delete " + kind.kind() + " " + name);
    }

    @Override
    public void report(PodEvent event) {
        // There is nobody to tell.
    }

    @Override
    public void close() {
        // It holds nothing.
    }

    private ClusterException none(String what) {
        return ClusterException.notSent(what + ": no cluster (expected: " + reason + ")", null);
    }
}
