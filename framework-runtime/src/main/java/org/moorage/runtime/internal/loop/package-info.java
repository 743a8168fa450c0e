// SPDX-License-Identifier: Apache-2.0
/**
 * The scheduling loop, which runs one scheduling cycle after the other, and the threads of a scheduler.
 *
 * <p>Starting points: {@link org.moorage.runtime.internal.loop.SchedulingLoop}, {@link
 * org.moorage.runtime.internal.loop.SchedulingCycle}.
 */
@NullMarked
package org.moorage.runtime.internal.loop;

import org.jspecify.annotations.NullMarked;
