// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.cluster;

import org.moorage.api.plugin.cluster.ClusterWriter;

/**
 * A cluster whose source of objects and writer are one object.
 *
 * <p>{@code InMemoryCluster} of framework-simulation keeps a cluster in memory; {@code KubernetesCluster} of
 * framework-kubernetes accesses an API server.
 */
public interface Cluster extends ClusterSource, ClusterWriter {}
