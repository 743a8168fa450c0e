// SPDX-License-Identifier: Apache-2.0
/**
 * Configurations of the versions {@code v1alpha1} to {@code v1beta3}, and Policies, turned into one of {@code v1}.
 *
 * <p>Starting points: {@link org.moorage.config.older.OlderConfig}, {@link org.moorage.config.older.PolicyTexts}.
 */
@NullMarked
package org.moorage.config.older;

import org.jspecify.annotations.NullMarked;
