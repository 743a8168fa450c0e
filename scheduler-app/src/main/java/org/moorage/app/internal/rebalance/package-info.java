// SPDX-License-Identifier: Apache-2.0
/**
 * The question {@code moorage rebalance}: {@link org.moorage.app.internal.rebalance.RebalanceCommand} asks it,
 * {@link org.moorage.app.internal.rebalance.RebalanceReport} has the answer.
 */
@NullMarked
package org.moorage.app.internal.rebalance;

import org.jspecify.annotations.NullMarked;
