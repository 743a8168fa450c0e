// SPDX-License-Identifier: Apache-2.0
/**
 * The contents of a scheduler, for debugging.
 *
 * <p>Starting points: {@link org.moorage.runtime.debug.SchedulerDump}, {@link
 * org.moorage.runtime.debug.CacheComparison}.
 */
@NullMarked
package org.moorage.runtime.debug;

import org.jspecify.annotations.NullMarked;
