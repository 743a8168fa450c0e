// SPDX-License-Identifier: Apache-2.0
/**
 * How much room a cluster has, what comes of draining, losing or taking away nodes, and what would make a pod fit that does not.
 *
 * <p>Starting points: {@link org.moorage.simulation.whatif.KnownCluster}, {@link org.moorage.simulation.whatif.Drain}, {@link
 * org.moorage.simulation.whatif.ClusterCapacity}, {@link org.moorage.simulation.whatif.Rescheduling}, {@link
 * org.moorage.simulation.whatif.FittingChanges}.
 */
@NullMarked
package org.moorage.simulation.whatif;

import org.jspecify.annotations.NullMarked;
