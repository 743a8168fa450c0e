// SPDX-License-Identifier: Apache-2.0
/**
 * The scheduler's cache of nodes and their pods, and the snapshots that cycles read.
 *
 * <p>Starting points: {@link org.moorage.runtime.internal.cache.SchedulerCache}, {@link
 * org.moorage.runtime.internal.cache.ClusterSnapshot}.
 */
@NullMarked
package org.moorage.runtime.internal.cache;

import org.jspecify.annotations.NullMarked;
