// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.event;

import org.moorage.api.model.Pod;

/**
 * A function that decides whether a change of the cluster could make a pod schedulable that the plugin rejected.
 *
 * <p>Called under the queue's lock for every such pod: it must be quick, and may read only its arguments and caches. An
 * exception is logged and counts as {@link Hint#QUEUE}.
 *
 * @param <T> the type of the changed object
 */
@FunctionalInterface
public interface QueueingHint<T> {
    /**
     * Returns whether the change could make the pod schedulable.
     *
     * @param pod the rejected pod
     * @param change the object before and after
     */
    Hint hint(Pod pod, ObjectChange<T> change);
}
