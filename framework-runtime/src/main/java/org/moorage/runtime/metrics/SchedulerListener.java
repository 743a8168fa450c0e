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
 * A listener for events of a scheduler, for logs, metrics and tests. Called on the scheduler's threads, so it must be
 * fast. Exceptions that it throws are logged.
 */
public interface SchedulerListener {
    /** A listener that does nothing. */
    SchedulerListener NONE = new SchedulerListener() {};

    /**
     * Returns whether {@link #explained} is called, at a cost linear in the number of rejected nodes. Called in each
     * attempt.
     */
    default boolean takesDetails() {
        return false;
    }

    /**
     * Called before {@link #decided}, on the same thread, with the details of the decision on a pod. Called only if
     * {@link #takesDetails} returned true, and not for attempts that failed with an error.
     */
    default void explained(Pod pod, AttemptDetails details) {}

    /**
     * Called when an attempt to schedule a group of pods ended, after {@link #decided} for each of its pods.
     *
     * @param group the group that has no parent
     * @param result {@code scheduled}, {@code unschedulable}, {@code waiting_on_preemption} or {@code error}
     * @param message the reason why it is not scheduled
     */
    default void groupDecided(GroupKey group, String result, String message) {}

    /** Called when an attempt to schedule a pod ended. */
    default void decided(Decision decision) {}

    /** Called when a pod was bound. */
    default void bound(Pod pod, String nodeName, Decision decision) {}

    /** Called when a pod for which a node had been chosen was not bound, and is retried. */
    default void bindingFailed(Pod pod, String nodeName, String message) {}

    /** Called when a plugin activated pods, which are retried without an event and without backoff. */
    default void activated(String plugin, Collection<Pod> pods) {}

    /** Called when a task that a plugin of that profile passed to {@link Handle#background} threw an exception. */
    default void backgroundTaskFailed(String profileName, Throwable thrown) {}

    /**
     * Called when a call into a plugin did not return in time. The call continues, and is reported once.
     *
     * @param method kube-scheduler's name of the method, for example {@code Filter}
     */
    default void pluginCallOverdue(String plugin, String method) {}

    /** Called when a plugin failed so often in a row that it is suspended, as its {@link FailurePolicy} allows. */
    default void pluginSuspended(String plugin, String reason) {}

    /** Called when a suspended plugin is resumed. */
    default void pluginResumed(String plugin) {}

    /**
     * Called when a thread of the scheduler met an unexpected exception. The thread continues, or another one replaces
     * it.
     */
    default void threadFailed(String thread, Throwable thrown) {}

    /**
     * The virtual machine is unreliable from now on, as after an {@link OutOfMemoryError}. Called on the thread that met
     * the error, before anything that may need memory. A listener may end the process.
     */
    default void fatalError(Throwable error) {}
}
