// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin;

import org.moorage.api.Status;
import org.moorage.api.model.Pod;

/** Decides whether a pod may enter the queue of those to be scheduled. */
public interface PreEnqueuePlugin extends Plugin {
    /**
     * Called each time the pod is about to enter the active or the backoff queue, under the queue's lock, so it must be
     * quick. Anything but success keeps the pod out, without an event and without an attempt, until an event that this
     * plugin registered lets it be asked again.
     *
     * @param pod the waiting pod
     * @return success, or a rejection
     */
    Status preEnqueue(Pod pod);
}
