// SPDX-License-Identifier: Apache-2.0
/**
 * Changes of the cluster, and the registration of changes that may make a rejected pod schedulable.
 *
 * <p>Starting points: {@link org.moorage.api.event.EventRegistration}, {@link org.moorage.api.event.ClusterEvent}.
 */
@NullMarked
package org.moorage.api.event;

import org.jspecify.annotations.NullMarked;
