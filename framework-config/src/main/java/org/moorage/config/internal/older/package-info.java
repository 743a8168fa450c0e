// SPDX-License-Identifier: Apache-2.0
/**
 * Converts configurations of the versions {@code v1alpha1} to {@code v1beta3}, and Policies, to {@code v1}.
 *
 * <p>Starting points: {@link org.moorage.config.internal.older.OlderConfig}, {@link org.moorage.config.internal.older.Conversion}.
 */
@NullMarked
package org.moorage.config.internal.older;

import org.jspecify.annotations.NullMarked;
