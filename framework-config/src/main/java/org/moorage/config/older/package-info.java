// SPDX-License-Identifier: Apache-2.0
/**
 * What a program supplies so that older configurations can be read: the Policies that they name.
 *
 * <p>Starting point: {@link org.moorage.config.older.PolicyTexts}.
 */
@NullMarked
package org.moorage.config.older;

import org.jspecify.annotations.NullMarked;
