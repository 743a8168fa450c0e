// SPDX-License-Identifier: Apache-2.0
/**
 * What a scheduler holds, for whoever looks for a fault.
 *
 * <p>Starting points: {@link org.moorage.runtime.debug.SchedulerDump}, {@link org.moorage.runtime.debug.CacheComparison}.
 */
@NullMarked
package org.moorage.runtime.debug;

import org.jspecify.annotations.NullMarked;
