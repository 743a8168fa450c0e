// SPDX-License-Identifier: Apache-2.0
/**
 * The cluster as the scheduler reads and changes it.
 *
 * <p>Starting points: {@link org.moorage.runtime.cluster.Cluster}, {@link org.moorage.runtime.cluster.ClusterListener}.
 */
@NullMarked
package org.moorage.runtime.cluster;

import org.jspecify.annotations.NullMarked;
