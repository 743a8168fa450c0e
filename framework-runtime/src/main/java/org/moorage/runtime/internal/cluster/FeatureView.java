// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cluster;

import com.google.common.collect.Interner;
import com.google.common.collect.Interners;
import java.util.List;
import java.util.Objects;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodGroup;
import org.moorage.api.model.PodLevelRequests;
import org.moorage.api.model.PodSpec;

/**
 * Converts objects for the scheduler: the requests of a pod depend on feature gates, which the cluster that reports the
 * pod does not know. Each object is converted once, when it is received.
 */
public final class FeatureView {
    private final PodLevelRequests podLevelRequests;
    private final boolean countsNodeResourceClaims;
    private final boolean hasGroups;
    private final boolean hasComposites;
    // Pods of one template share their specification here, too.
    private final Interner<PodSpec> specs = Interners.newWeakInterner();

    public FeatureView(FeatureGates features) {
        podLevelRequests = features.podLevelRequests();
        countsNodeResourceClaims = features.isEnabled(FeatureGates.DRA_NODE_ALLOCATABLE_RESOURCES);
        hasGroups = features.isEnabled(FeatureGates.GENERIC_WORKLOAD);
        hasComposites = features.isEnabled(FeatureGates.COMPOSITE_POD_GROUP);
    }

    /** Returns the object for the scheduler; usually the same object, since no feature affects it. */
    @SuppressWarnings("unchecked") // a pod for a pod, and a group for a group
    public <T extends ClusterObject> T of(T object) {
        if (object instanceof Pod pod) {
            return (T) seen(pod);
        }
        return object instanceof PodGroup group
                        && !hasComposites
                        && !group.parentName().isEmpty()
                ? (T) group.toBuilder().parentName("").build()
                : object;
    }

    /** Returns a change of an object in this view. */
    public ObjectChange<ClusterObject> of(ObjectChange<? extends ClusterObject> change) {
        ClusterObject before =
                change.before().isPresent() ? of((ClusterObject) change.before().get()) : null;
        ClusterObject after =
                change.after().isPresent() ? of((ClusterObject) change.after().get()) : null;
        if (before == null) {
            return ObjectChange.added(Objects.requireNonNull(after));
        }
        return after == null ? ObjectChange.deleted(before) : ObjectChange.updated(before, after);
    }

    private Pod seen(Pod original) {
        Pod pod = countsNodeResourceClaims
                        || original.status()
                                .nodeAllocatableResourceClaimStatuses()
                                .isEmpty()
                ? original
                : original.withStatus(original.status().toBuilder()
                        .nodeAllocatableResourceClaimStatuses(List.of())
                        .build());
        PodSpec spec = pod.spec();
        boolean hasNoPodLevel =
                spec.podRequests().isEmpty() && pod.status().podResources().isEmpty();
        boolean hasNoGroup = hasGroups || spec.podGroupName().isEmpty();
        if (hasNoGroup && (hasNoPodLevel || spec.podLevelRequests() == podLevelRequests)) {
            return pod;
        }
        return pod.withSpec(specs.intern(spec.toBuilder()
                .podLevelRequests(hasNoPodLevel ? spec.podLevelRequests() : podLevelRequests)
                .podGroupName(hasGroups ? spec.podGroupName() : "")
                .build()));
    }
}
