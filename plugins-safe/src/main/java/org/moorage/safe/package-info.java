// SPDX-License-Identifier: Apache-2.0
/**
 * The agents of kube-safe-scheduler as plugins. They use the measured usage of nodes, or the outcomes of earlier pods,
 * instead of pod requests. Read {@link org.moorage.safe.SafeOverload} first; {@link org.moorage.safe.NodeStatistics} is
 * the source of the figures.
 */
@NullMarked
package org.moorage.safe;

import org.jspecify.annotations.NullMarked;
