// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin.cluster;

import java.util.List;
import java.util.Optional;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.OtherObject;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodCondition;
import org.moorage.api.model.PodGroup;
import org.moorage.api.model.PodStatus;
import org.moorage.api.plugin.builtin.ResourceClaimWriter;
import org.moorage.api.plugin.builtin.VolumeWriter;

/** A writer that rejects every change, see {@link ClusterWriter#refusing}. */
record RefusingWriter(String reason) implements ClusterWriter {
    @Override
    public void bind(Pod pod, String nodeName) {
        throw none("bind pod " + pod.key());
    }

    @Override
    public void patchStatus(Pod pod, Optional<PodCondition> condition, Nomination nomination) {
        throw none("patch pod " + pod.key());
    }

    @Override
    public void patchStatus(PodGroup group, PodCondition condition) {
        throw none("patch pod group " + group.key());
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
        // Events are dropped: there is no cluster to report to.
    }

    private ClusterException none(String what) {
        return ClusterException.notSent(what + ": no cluster (expected: " + reason + ")", null);
    }
}
