// SPDX-License-Identifier: Apache-2.0
/**
 * The question {@code moorage compare}: {@link org.moorage.app.internal.compare.CompareCommand} is the command,
 * {@link org.moorage.app.internal.compare.CompareReport} and {@link org.moorage.app.internal.compare.WeightsReport}
 * print the answers.
 */
@NullMarked
package org.moorage.app.internal.compare;

import org.jspecify.annotations.NullMarked;
