// SPDX-License-Identifier: Apache-2.0
/**
 * Access to the scheduling Policies that older configurations name. A program supplies it to read such a configuration.
 *
 * <p>Starting point: {@link org.moorage.config.older.PolicyTexts}.
 */
@NullMarked
package org.moorage.config.older;

import org.jspecify.annotations.NullMarked;
