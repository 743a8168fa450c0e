// SPDX-License-Identifier: Apache-2.0
/**
 * Spreading like pods evenly over areas of the cluster.
 *
 * <p>Starting points: {@link org.moorage.builtin.spread.PodTopologySpread}.
 */
@NullMarked
package org.moorage.builtin.spread;

import org.jspecify.annotations.NullMarked;
