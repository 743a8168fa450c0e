// SPDX-License-Identifier: Apache-2.0
/**
 * The agents of kube-safe-scheduler as plugins: they look at how a node is used, or at what became of pods on it, rather than at what
 * pods request. Read {@link org.moorage.safe.SafeOverload} first; {@link
 * org.moorage.safe.NodeStatistics} says where figures come from.
 */
@NullMarked
package org.moorage.safe;

import org.jspecify.annotations.NullMarked;
