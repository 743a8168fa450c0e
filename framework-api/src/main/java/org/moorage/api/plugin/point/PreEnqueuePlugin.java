// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin.point;

import org.moorage.api.Status;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.Plugin;

/** A plugin that decides whether a pod may enter the scheduling queue. */
public interface PreEnqueuePlugin extends Plugin {
    /**
     * Decides about the pod. Called each time the pod is about to enter the active or the backoff queue, under the
     * queue's lock, so it must be quick. Any result except success keeps the pod out, without an event and without an
     * attempt, until an event that this plugin registered causes another call.
     *
     * @param pod the pending pod
     * @return success, or a rejection
     */
    Status preEnqueue(Pod pod);
}
