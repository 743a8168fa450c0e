// SPDX-License-Identifier: Apache-2.0
/**
 * Schedules without an API server: a cluster in memory, its objects completed as the API server completes them,
 * and a volume controller.
 *
 * <p>Starting points: {@link org.moorage.simulation.Simulation},
 * {@link org.moorage.simulation.cluster.InMemoryCluster}, {@link org.moorage.simulation.internal.admission.Defaulting}.
 */
@NullMarked
package org.moorage.simulation;

import org.jspecify.annotations.NullMarked;
