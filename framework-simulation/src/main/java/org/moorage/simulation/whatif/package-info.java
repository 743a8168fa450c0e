// SPDX-License-Identifier: Apache-2.0
/**
 * How much room a cluster has, what would make a pod fit that does not, and what becomes of a pod that is gone.
 *
 * <p>Starting points: {@link org.moorage.simulation.whatif.ClusterCapacity}, {@link org.moorage.simulation.whatif.FittingChanges}, {@link
 * org.moorage.simulation.whatif.RecreatedPod}.
 */
@NullMarked
package org.moorage.simulation.whatif;

import org.jspecify.annotations.NullMarked;
