// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime;

import org.moorage.api.model.Pod;
import org.moorage.api.plugin.Handle;
import org.moorage.runtime.decision.Decision;

/**
 * Is told what a scheduler does, for logs, metrics and tests. Called on the scheduler's threads, so it must be quick. What it
 * throws is logged.
 */
public interface SchedulerListener {
    /** A listener that does nothing. */
    SchedulerListener NONE = new SchedulerListener() {};

    /** An attempt to schedule a pod ended. */
    default void decided(Decision decision) {}

    /** A pod was bound. */
    default void bound(Pod pod, String nodeName, Decision decision) {}

    /** A pod for which a node had been chosen was not bound, and is tried again. */
    default void bindingFailed(Pod pod, String nodeName, String message) {}

    /** A task that a plugin of that profile gave to {@link Handle#background} threw something. */
    default void backgroundTaskFailed(String profileName, Throwable thrown) {}
}
