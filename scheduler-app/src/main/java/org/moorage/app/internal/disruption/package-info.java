// SPDX-License-Identifier: Apache-2.0
/**
 * The pods of nodes that are drained or lost: {@link org.moorage.app.internal.disruption.DisruptionSummary} counts
 * them, {@link org.moorage.app.internal.disruption.DisruptedRows} prints them. The answers to {@code drain} and
 * {@code outage} have both.
 */
@NullMarked
package org.moorage.app.internal.disruption;

import org.jspecify.annotations.NullMarked;
