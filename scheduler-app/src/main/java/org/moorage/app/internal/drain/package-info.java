// SPDX-License-Identifier: Apache-2.0
/**
 * The question {@code moorage drain}: {@link org.moorage.app.internal.drain.DrainCommand} asks it,
 * {@link org.moorage.app.internal.drain.DrainReport} has the answer.
 */
@NullMarked
package org.moorage.app.internal.drain;

import org.jspecify.annotations.NullMarked;
