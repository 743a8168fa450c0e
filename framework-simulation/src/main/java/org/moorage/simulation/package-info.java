// SPDX-License-Identifier: Apache-2.0
/**
 * A cluster without an API server: objects in memory, completed as the API server completes them, with a volume controller.
 *
 * <p>Starting points: {@link org.moorage.simulation.InMemoryCluster}, {@link org.moorage.simulation.Defaulting}, {@link
 * org.moorage.simulation.SteppingClock}.
 */
@NullMarked
package org.moorage.simulation;

import org.jspecify.annotations.NullMarked;
