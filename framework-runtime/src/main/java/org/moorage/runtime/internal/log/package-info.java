// SPDX-License-Identifier: Apache-2.0
/**
 * The log and the listeners of the scheduler. Calling them never throws exceptions.
 *
 * <p>Starting points: {@link org.moorage.runtime.internal.log.Log}, {@link
 * org.moorage.runtime.internal.log.Listeners}.
 */
@NullMarked
package org.moorage.runtime.internal.log;

import org.jspecify.annotations.NullMarked;
