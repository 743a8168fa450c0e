// SPDX-License-Identifier: Apache-2.0
/**
 * Preemption for PostFilter plugins: which pods to evict from a node so that a pod fits there, the choice of the node, and the evictions.
 *
 * <p>Starting points: {@link org.moorage.api.preemption.Preemption}, {@link org.moorage.api.preemption.PreemptionRules}.
 */
@NullMarked
package org.moorage.api.preemption;

import org.jspecify.annotations.NullMarked;
