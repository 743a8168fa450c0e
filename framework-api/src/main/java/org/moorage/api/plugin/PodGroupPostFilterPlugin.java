// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.moorage.api.CycleState;
import org.moorage.api.PodGroupInfo;

/**
 * Tries to make room for a group of pods that does not fit. For the pods of a group it takes the place of {@link PostFilterPlugin}.
 *
 * <p>To decide and to act are two methods, so that a program can ask what would be done without anything being done.
 */
public interface PodGroupPostFilterPlugin extends Plugin {
    /**
     * Called in the order of the profile when a group without a parent is unschedulable, until one answers with success or with a
     * rejection that cannot be resolved. This decides, and changes nothing in the cluster.
     *
     * @param state the state of the group
     * @param group the group
     * @param trial tries what would be
     * @return success with the nodes that can be made fit, or a rejection
     */
    PodGroupPostFilterResult podGroupPostFilter(CycleState state, PodGroupInfo group, PodGroupTrial trial);

    /**
     * Does what {@link #podGroupPostFilter} has decided. Called right after it, whatever it answered, in a scheduling cycle; not when
     * a program only asks.
     *
     * @param state the state of the group
     * @param group the group
     * @param result what was decided
     * @return as of {@link PostFilterPlugin#execute}
     */
    default CompletionStage<?> execute(CycleState state, PodGroupInfo group, PodGroupPostFilterResult result) {
        return CompletableFuture.completedStage(null);
    }
}
