// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import java.time.Duration;
import java.util.Optional;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.api.model.ResourceClaim;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.cluster.ClusterException;

/**
 * Claims that the scheduler has created for pods and not observed in the cluster yet. If a watch was interrupted, such
 * a claim may be created and deleted without an event. Once its pod has finished or is gone, the claim is therefore
 * read with growing delays until it is observed or gone too. All profiles share one instance.
 */
final class UnseenClaims {
    private static final Duration FIRST_WAIT = Duration.ofMillis(500);
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(30);

    private final Handle handle;
    private final ClaimTracker tracker;

    UnseenClaims(Handle handle, ClaimTracker tracker) {
        this.handle = handle;
        this.tracker = tracker;
    }

    /** Handles a change of a pod. */
    void podChanged(ObjectChange<Pod> change) {
        if (isLive(change.before()) && !isLive(change.after())) {
            for (ResourceClaim claim : tracker.unseenFor(change.latest())) {
                readAfter(FIRST_WAIT, claim);
            }
        }
    }

    private static boolean isLive(Optional<Pod> pod) {
        return pod.isPresent() && !pod.get().status().isTerminal();
    }

    private void readAfter(Duration wait, ResourceClaim claim) {
        handle.tasks().backgroundAfter(wait, () -> {
            if (!tracker.isUnseen(claim)) {
                return;
            }
            if (hasGone(claim)) {
                tracker.deleted(claim);
                return;
            }
            Duration doubled = wait.multipliedBy(2);
            readAfter(doubled.compareTo(LONGEST_WAIT) < 0 ? doubled : LONGEST_WAIT, claim);
        });
    }

    private boolean hasGone(ResourceClaim claim) {
        try {
            return handle.cluster()
                    .read(ObjectKind.RESOURCE_CLAIM, claim.namespace(), claim.name())
                    .filter(read ->
                            read.metadata().uid().equals(claim.metadata().uid()))
                    .isEmpty();
        } catch (ClusterException unknown) {
            return false;
        }
    }
}
