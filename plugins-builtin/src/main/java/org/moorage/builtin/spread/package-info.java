// SPDX-License-Identifier: Apache-2.0
/**
 * Spreading pods evenly over topology domains.
 *
 * <p>Starting points: {@link org.moorage.builtin.spread.PodTopologySpread}.
 */
@NullMarked
package org.moorage.builtin.spread;

import org.jspecify.annotations.NullMarked;
