// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.event;

import org.moorage.api.model.Pod;

/**
 * Looks at a change of the cluster on behalf of a pod that the plugin rejected.
 *
 * <p>Called under the queue's lock for every such pod: it must be quick, and read nothing but its arguments and caches.
 * What it throws is logged and counts as {@link Hint#QUEUE}.
 *
 * @param <T> the type of the changed object
 */
@FunctionalInterface
public interface QueueingHint<T> {
    /**
     * Whether the change could make the pod schedulable.
     *
     * @param pod the rejected pod
     * @param change the object before and after
     */
    Hint hint(Pod pod, ObjectChange<T> change);
}
