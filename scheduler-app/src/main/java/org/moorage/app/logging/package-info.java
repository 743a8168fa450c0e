// SPDX-License-Identifier: Apache-2.0
/**
 * What is logged: which lines, in which layout, and who may write when.
 *
 * <p>Starting point: {@link org.moorage.app.logging.Logging}.
 */
@NullMarked
package org.moorage.app.logging;

import org.jspecify.annotations.NullMarked;
