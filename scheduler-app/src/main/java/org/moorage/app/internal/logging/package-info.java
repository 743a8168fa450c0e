// SPDX-License-Identifier: Apache-2.0
/**
 * What is logged: which lines, in which layout, and who may write when.
 *
 * <p>Starting point: {@link org.moorage.app.internal.logging.Logging}.
 */
@NullMarked
package org.moorage.app.internal.logging;

import org.jspecify.annotations.NullMarked;
