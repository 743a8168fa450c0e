// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.event;

import java.util.Optional;
import java.util.function.Predicate;
import org.moorage.api.model.Pod;

/**
 * A function that selects, once per change of the cluster, the pods that the change may make schedulable, so that the
 * queue examines no others. Called only if the feature {@code SchedulerPreQueueingHints} is on.
 *
 * <p>The selection of one plugin applies to all: a plugin that registered the same event without a pre-queueing hint is
 * only called for the pods that other plugins selected. The hint and the predicate that it returns must be quick, as
 * for {@link QueueingHint}. If the hint throws, all pods are examined; if the predicate throws, the pod that it was
 * called for is examined.
 *
 * @param <T> the type of the changed object
 */
@FunctionalInterface
public interface PreQueueingHint<T> {
    /** Returns a predicate for the pods that the change may make schedulable; empty if it may be any pod. */
    Optional<Predicate<Pod>> candidates(ObjectChange<T> change);
}
