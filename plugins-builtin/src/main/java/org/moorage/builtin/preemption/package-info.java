// SPDX-License-Identifier: Apache-2.0
/**
 * The plugin that evicts pods of lower priority for a pod, or a group of pods, that does not fit.
 *
 * <p>Starting point: {@link org.moorage.builtin.preemption.DefaultPreemption}.
 */
@NullMarked
package org.moorage.builtin.preemption;

import org.jspecify.annotations.NullMarked;
