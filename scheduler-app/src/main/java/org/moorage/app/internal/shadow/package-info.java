// SPDX-License-Identifier: Apache-2.0
/**
 * Holds the decisions of a scheduler that runs against what would be decided here:
 * {@link org.moorage.app.internal.shadow.DecisionJudge} finds an order in which they can have come about,
 * {@link org.moorage.app.internal.shadow.Difference} is what no order explains.
 */
@NullMarked
package org.moorage.app.internal.shadow;

import org.jspecify.annotations.NullMarked;
