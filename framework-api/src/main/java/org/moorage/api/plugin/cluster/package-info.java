// SPDX-License-Identifier: Apache-2.0
/**
 * Reading and changing the objects of the cluster.
 *
 * <p>Starting points: {@link org.moorage.api.plugin.cluster.ObjectLister},
 * {@link org.moorage.api.plugin.cluster.ClusterWriter}.
 */
@NullMarked
package org.moorage.api.plugin.cluster;

import org.jspecify.annotations.NullMarked;
