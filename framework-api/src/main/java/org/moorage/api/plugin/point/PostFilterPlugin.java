// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin.point;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.moorage.api.CycleState;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.Plugin;

/**
 * A plugin that tries to make room for a pod for which no node is feasible.
 *
 * <p>Deciding and acting are separate methods, so that a dry run can return the decision without acting on it.
 */
public interface PostFilterPlugin extends Plugin {
    /**
     * Decides how to make room, without changing the cluster. Called in the order of the profile when no node is
     * feasible, until one returns success or a rejection that cannot be resolved.
     *
     * @param state the cycle's state
     * @param pod the pod that does not fit on any node
     * @param statuses the reasons, by node
     * @return success with the node that can be made feasible, or a rejection
     */
    PostFilterResult postFilter(CycleState state, Pod pod, NodeStatuses statuses);

    /**
     * Executes the decision of {@link #postFilter}. Called directly after it, with any result, in a scheduling cycle,
     * but not in a dry run. An exception counts as a failure of PostFilter.
     *
     * @param state the cycle's state
     * @param pod the pod that does not fit on any node
     * @param result the decision
     * @return a stage that completes when all work is done, including background work, and exceptionally if any of it
     *     fails; the scheduler measures its duration but does not wait for it
     */
    default CompletionStage<?> execute(CycleState state, Pod pod, PostFilterResult result) {
        return CompletableFuture.completedStage(null);
    }
}
