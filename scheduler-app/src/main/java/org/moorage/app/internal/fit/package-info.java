// SPDX-License-Identifier: Apache-2.0
/**
 * The question {@code moorage fit}: {@link org.moorage.app.internal.fit.FitCommand} asks it,
 * {@link org.moorage.app.internal.fit.FitReport} has the answer.
 */
@NullMarked
package org.moorage.app.internal.fit;

import org.jspecify.annotations.NullMarked;
