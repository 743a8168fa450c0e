// SPDX-License-Identifier: Apache-2.0
/**
 * The plugin that evicts pods of lower priority for a pod that fits on no node.
 *
 * <p>Starting point: {@link org.moorage.builtin.preemption.DefaultPreemption}.
 */
@NullMarked
package org.moorage.builtin.preemption;

import org.jspecify.annotations.NullMarked;
