// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.moorage.api.CycleState;
import org.moorage.api.model.Pod;

/**
 * Tries to make room for a pod that no node can run.
 *
 * <p>To decide and to act are two methods, so that a program can ask what would be done without anything being done.
 */
public interface PostFilterPlugin extends Plugin {
    /**
     * Called in the order of the profile when no node is feasible, until one answers with success or with a rejection that
     * cannot be resolved.
     *
     * <p>This decides, and changes nothing in the cluster.
     *
     * @param state the cycle's state
     * @param pod the pod that fits nowhere
     * @param statuses why not, node by node
     * @return success with the node that can be made fit, or a rejection
     */
    PostFilterResult postFilter(CycleState state, Pod pod, NodeStatuses statuses);

    /**
     * Does what {@link #postFilter} has decided. Called right after it, whatever it answered, in a scheduling cycle; not when
     * a program only asks. What it throws counts as a failure of PostFilter.
     *
     * @param state the cycle's state
     * @param pod the pod that fits nowhere
     * @param result what was decided
     * @return completes when all is done, in the background too, and exceptionally if anything fails; nobody waits for it, but it is timed
     */
    default CompletionStage<?> execute(CycleState state, Pod pod, PostFilterResult result) {
        return CompletableFuture.completedStage(null);
    }
}
