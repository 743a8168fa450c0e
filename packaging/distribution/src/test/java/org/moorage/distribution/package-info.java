// SPDX-License-Identifier: Apache-2.0
/**
 * Checks of what is shipped, which run once it is built.
 *
 * <p>Starting points: {@link org.moorage.distribution.Shipped}, {@link org.moorage.distribution.CentralBundle}.
 */
@NullMarked
package org.moorage.distribution;

import org.jspecify.annotations.NullMarked;
