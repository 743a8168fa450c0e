// SPDX-License-Identifier: Apache-2.0
/**
 * The log of the scheduler, which never throws exceptions.
 *
 * <p>Starting point: {@link org.moorage.runtime.internal.log.Log}.
 */
@NullMarked
package org.moorage.runtime.internal.log;

import org.jspecify.annotations.NullMarked;
