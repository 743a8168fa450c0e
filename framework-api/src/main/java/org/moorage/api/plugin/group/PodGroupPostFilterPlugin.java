// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin.group;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.moorage.api.CycleState;
import org.moorage.api.PodGroupInfo;
import org.moorage.api.annotation.Experimental;
import org.moorage.api.plugin.Plugin;
import org.moorage.api.plugin.point.PostFilterPlugin;

/**
 * A plugin that tries to make room for a pod group that does not fit. For the pods of a group it replaces
 * {@link PostFilterPlugin}.
 *
 * <p>Deciding and acting are separate methods, so that a dry run can return the decision without acting on it.
 */
@Experimental
public interface PodGroupPostFilterPlugin extends Plugin {
    /**
     * Decides how to make room, without changing the cluster. Called in the order of the profile when a group without a
     * parent is unschedulable, until one returns success or a rejection that cannot be resolved.
     *
     * @param state the state of the group
     * @param group the group
     * @param trial simulates changes and schedules the group on them
     * @return success with the nominated nodes and the victims, or a rejection
     */
    PodGroupPostFilterResult podGroupPostFilter(CycleState state, PodGroupInfo group, PodGroupTrial trial);

    /**
     * Executes the decision of {@link #podGroupPostFilter}. Called directly after it, with any result, in a scheduling
     * cycle, but not in a dry run.
     *
     * @param state the state of the group
     * @param group the group
     * @param result the decision
     * @return as for {@link PostFilterPlugin#execute}
     */
    default CompletionStage<?> execute(CycleState state, PodGroupInfo group, PodGroupPostFilterResult result) {
        return CompletableFuture.completedStage(null);
    }
}
