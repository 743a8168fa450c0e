// SPDX-License-Identifier: Apache-2.0
/**
 * Searches for the change of a pod or a cluster with which a pod fits.
 *
 * <p>Starting point: {@link org.moorage.simulation.internal.whatif.FittingChanges}.
 */
@NullMarked
package org.moorage.simulation.internal.whatif;

import org.jspecify.annotations.NullMarked;
