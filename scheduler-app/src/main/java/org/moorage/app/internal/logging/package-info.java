// SPDX-License-Identifier: Apache-2.0
/**
 * The log: which lines are written, in which layout, and when.
 *
 * <p>Starting point: {@link org.moorage.app.internal.logging.Logging}.
 */
@NullMarked
package org.moorage.app.internal.logging;

import org.jspecify.annotations.NullMarked;
