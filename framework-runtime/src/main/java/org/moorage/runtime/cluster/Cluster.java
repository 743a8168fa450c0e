// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.cluster;

import org.moorage.api.plugin.ClusterWriter;

/**
 * A cluster that a scheduler works on, where one object both tells of it and changes it.
 *
 * <p>{@code InMemoryCluster} of framework-simulation keeps one in memory; {@code KubernetesCluster} of framework-kubernetes is that of an
 * API server.
 */
public interface Cluster extends ClusterSource, ClusterWriter {}
