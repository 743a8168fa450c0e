// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.event;

import java.util.Optional;
import java.util.function.Predicate;
import org.moorage.api.model.Pod;

/**
 * Says of a change of the cluster, once for all pods, which of them it may make schedulable, so that the queue looks at no others. Only
 * asked with the feature {@code SchedulerPreQueueingHints}.
 *
 * <p>What one plugin says holds for all: a plugin that registered the same event and says nothing beforehand is asked about the pods
 * that others have named. As for {@link QueueingHint}, it must be quick, and so must what it answers; if it throws, all pods are looked
 * at, and if what it answers throws, the pod that it was asked about.
 *
 * @param <T> the type of the changed object
 */
@FunctionalInterface
public interface PreQueueingHint<T> {
    /** Which pods the change may make schedulable; empty if it may be any. */
    Optional<Predicate<Pod>> candidates(ObjectChange<T> change);
}
