// SPDX-License-Identifier: Apache-2.0
/**
 * Searches for the change of a pod or a cluster with which a pod fits.
 *
 * <p>Starting points: {@link org.moorage.simulation.whatif.FittingChange}, {@link org.moorage.simulation.whatif.FittingChanges}.
 */
@NullMarked
package org.moorage.simulation.whatif;

import org.jspecify.annotations.NullMarked;
