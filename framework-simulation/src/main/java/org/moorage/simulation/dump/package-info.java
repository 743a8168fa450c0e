// SPDX-License-Identifier: Apache-2.0
/**
 * Reads what a cluster consists of from manifests and dumps, with the changes that follow.
 *
 * <p>Starting points: {@link org.moorage.simulation.dump.ClusterDumpReader},
 * {@link org.moorage.simulation.dump.ClusterDump}.
 */
@NullMarked
package org.moorage.simulation.dump;

import org.jspecify.annotations.NullMarked;
