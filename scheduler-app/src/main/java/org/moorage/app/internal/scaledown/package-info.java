// SPDX-License-Identifier: Apache-2.0
/**
 * The question {@code moorage scale-down}: {@link org.moorage.app.internal.scaledown.ScaleDownCommand} asks it,
 * {@link org.moorage.app.internal.scaledown.ScaleDownReport} has the answer.
 */
@NullMarked
package org.moorage.app.internal.scaledown;

import org.jspecify.annotations.NullMarked;
