// SPDX-License-Identifier: Apache-2.0
/**
 * The scheduling cycle: from a pod and a snapshot to a node, or to the reasons why there is none.
 *
 * <p>Starting points: {@link org.moorage.runtime.internal.cycle.SchedulingAlgorithm}, {@link
 * org.moorage.runtime.internal.cycle.Profile}.
 */
@NullMarked
package org.moorage.runtime.internal.cycle;

import org.jspecify.annotations.NullMarked;
