// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin;

import org.moorage.api.model.Pod;

/**
 * Says what about a pod this plugin's answers depend on. Pods with equal signatures get equal answers, so the scheduler may
 * use the answer for one of them for the next.
 */
public interface SignPlugin extends Plugin {
    /**
     * Called when a pod enters the queue.
     *
     * @param pod the pod
     * @return what counts, or {@link Signature#unsignable} if other pods cannot have the same answer
     */
    Signature sign(Pod pod);
}
