// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime;

import org.moorage.api.model.Pod;
import org.moorage.runtime.decision.Decision;

/**
 * Is told what a scheduler does, for logs, metrics and tests. Called on the scheduler's threads: it must be quick and must
 * not throw.
 */
public interface SchedulerListener {
    /** A listener that does nothing. */
    SchedulerListener NONE = new SchedulerListener() {};

    /** An attempt to schedule a pod ended. */
    default void decided(Decision decision) {}

    /** A pod was bound. */
    default void bound(Pod pod, String nodeName, Decision decision) {}

    /** A pod for which a node had been chosen was not bound after all, and is tried again. */
    default void bindingFailed(Pod pod, String nodeName, String message) {}
}
