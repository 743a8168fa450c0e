// SPDX-License-Identifier: Apache-2.0
/**
 * A cluster in memory, with the volume controller and the allocated claims that an API server's cluster has.
 *
 * <p>Starting point: {@link org.moorage.simulation.cluster.InMemoryCluster}.
 */
@NullMarked
package org.moorage.simulation.cluster;

import org.jspecify.annotations.NullMarked;
