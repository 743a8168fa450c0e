// SPDX-License-Identifier: Apache-2.0
/**
 * The scheduling cycle, which finds a node for a pod on a snapshot, or the reasons why there is none.
 *
 * <p>Starting points: {@link org.moorage.runtime.internal.cycle.SchedulingAlgorithm}, {@link
 * org.moorage.runtime.internal.cycle.Profile}.
 */
@NullMarked
package org.moorage.runtime.internal.cycle;

import org.jspecify.annotations.NullMarked;
