// SPDX-License-Identifier: Apache-2.0
/**
 * The log of the scheduler, whose lines never fail.
 *
 * <p>Starting point: {@link org.moorage.runtime.internal.log.Log}.
 */
@NullMarked
package org.moorage.runtime.internal.log;

import org.jspecify.annotations.NullMarked;
