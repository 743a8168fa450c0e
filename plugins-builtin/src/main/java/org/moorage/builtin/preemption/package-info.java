// SPDX-License-Identifier: Apache-2.0
/**
 * The plugin that makes room for a pod by having less important ones leave.
 *
 * <p>Starting point: {@link org.moorage.builtin.preemption.DefaultPreemption}.
 */
@NullMarked
package org.moorage.builtin.preemption;

import org.jspecify.annotations.NullMarked;
