// SPDX-License-Identifier: Apache-2.0
/**
 * Queries for the capacity of a cluster, the effects of draining, losing or removing nodes, and changes that would make
 * an unschedulable pod fit.
 *
 * <p>Starting points: {@link org.moorage.simulation.whatif.KnownCluster}, {@link org.moorage.simulation.whatif.Drain},
 * {@link org.moorage.simulation.whatif.ClusterCapacity}, {@link org.moorage.simulation.whatif.Rescheduling},
 * {@link org.moorage.simulation.whatif.FittingChanges}.
 */
@NullMarked
package org.moorage.simulation.whatif;

import org.jspecify.annotations.NullMarked;
