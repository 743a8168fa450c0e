// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.queue;

import org.jspecify.annotations.Nullable;
import org.moorage.api.event.ClusterEvent;
import org.moorage.api.event.ObjectChange;

/**
 * An event and the change that caused it.
 *
 * @param event the event
 * @param change the object before and after; null for an event without an object, which is always a wildcard
 */
record QueueEvent(ClusterEvent event, @Nullable ObjectChange<Object> change) {}
