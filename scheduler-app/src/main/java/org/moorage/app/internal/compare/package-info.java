// SPDX-License-Identifier: Apache-2.0
/** The question {@code moorage compare}: {@link org.moorage.app.internal.compare.CompareCommand} asks it, {@link org.moorage.app.internal.compare.CompareReport} and {@link org.moorage.app.internal.compare.WeightsReport} have the answers. */
@NullMarked
package org.moorage.app.internal.compare;

import org.jspecify.annotations.NullMarked;
