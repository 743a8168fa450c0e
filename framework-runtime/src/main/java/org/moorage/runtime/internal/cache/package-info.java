// SPDX-License-Identifier: Apache-2.0
/**
 * What the scheduler knows of nodes and the pods on them, and the snapshots that cycles read.
 *
 * <p>Starting points: {@link org.moorage.runtime.internal.cache.SchedulerCache}, {@link
 * org.moorage.runtime.internal.cache.ClusterSnapshot}.
 */
@NullMarked
package org.moorage.runtime.internal.cache;

import org.jspecify.annotations.NullMarked;
