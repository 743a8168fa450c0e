// SPDX-License-Identifier: Apache-2.0
/**
 * Plugins for the scheduling queue.
 *
 * <p>Starting points: {@link org.moorage.builtin.queue.PrioritySort},
 * {@link org.moorage.builtin.queue.SchedulingGates}.
 */
@NullMarked
package org.moorage.builtin.queue;

import org.jspecify.annotations.NullMarked;
