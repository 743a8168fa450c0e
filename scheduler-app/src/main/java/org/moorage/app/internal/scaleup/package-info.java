// SPDX-License-Identifier: Apache-2.0
/**
 * The question {@code moorage scale-up}: {@link org.moorage.app.internal.scaleup.ScaleUpCommand} asks it,
 * {@link org.moorage.app.internal.scaleup.ScaleUpReport} has the answer.
 */
@NullMarked
package org.moorage.app.internal.scaleup;

import org.jspecify.annotations.NullMarked;
