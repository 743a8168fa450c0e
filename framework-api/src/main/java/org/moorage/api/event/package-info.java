// SPDX-License-Identifier: Apache-2.0
/**
 * Changes of the cluster, and how a plugin says which of them could make a pod that it rejected schedulable.
 *
 * <p>Starting points: {@link org.moorage.api.event.EventRegistration}, {@link org.moorage.api.event.ClusterEvent}.
 */
@NullMarked
package org.moorage.api.event;

import org.jspecify.annotations.NullMarked;
