// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.metrics;

import java.util.Collection;
import org.moorage.api.GroupKey;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.Handle;
import org.moorage.runtime.FailurePolicy;
import org.moorage.runtime.decision.AttemptDetails;
import org.moorage.runtime.decision.Decision;

/**
 * Is told what a scheduler does, for logs, metrics and tests. Called on the scheduler's threads, so it must be quick. What it
 * throws is logged.
 */
public interface SchedulerListener {
    /** A listener that does nothing. */
    SchedulerListener NONE = new SchedulerListener() {};

    /** Whether it is told what led to decisions, which costs a look at each node that was rejected. Asked in each attempt. */
    default boolean takesDetails() {
        return false;
    }

    /**
     * What led to the decision about that pod of which {@link #decided} is told next, on the same thread. Told only where {@link
     * #takesDetails} has said so, and not of attempts that failed with an error.
     */
    default void explained(Pod pod, AttemptDetails details) {}

    /**
     * An attempt to schedule a group of pods ended, after {@link #decided} for each of its pods.
     *
     * @param group the group that has no parent
     * @param result {@code scheduled}, {@code unschedulable}, {@code waiting_on_preemption} or {@code error}
     * @param message why it is not scheduled
     */
    default void groupDecided(GroupKey group, String result, String message) {}

    /** An attempt to schedule a pod ended. */
    default void decided(Decision decision) {}

    /** A pod was bound. */
    default void bound(Pod pod, String nodeName, Decision decision) {}

    /** A pod for which a node had been chosen was not bound, and is tried again. */
    default void bindingFailed(Pod pod, String nodeName, String message) {}

    /** A plugin activated pods, so that they are tried again without an event and without backoff. */
    default void activated(String plugin, Collection<Pod> pods) {}

    /** A task that a plugin of that profile gave to {@link Handle#background} threw something. */
    default void backgroundTaskFailed(String profileName, Throwable thrown) {}

    /**
     * A call into a plugin did not return in time. It goes on, and is not told again.
     *
     * @param method kube-scheduler's name of the method, for example {@code Filter}
     */
    default void pluginCallOverdue(String plugin, String method) {}

    /** A plugin failed so often in a row that it is not called for a while, as its {@link FailurePolicy} allows. */
    default void pluginSuspended(String plugin, String reason) {}

    /** A plugin that was not called for a while is called again. */
    default void pluginResumed(String plugin) {}

    /** A thread of the scheduler met something that it does not expect. It goes on, or another one takes its place. */
    default void threadFailed(String thread, Throwable thrown) {}

    /**
     * The virtual machine cannot be relied on any more, as after an {@link OutOfMemoryError}. Called on the thread that met the
     * error, before anything that may need memory; a program that can do without the scheduler's host process ends it here.
     */
    default void fatalError(Throwable error) {}
}
