// SPDX-License-Identifier: Apache-2.0
/**
 * The Kubernetes API as a {@link org.moorage.runtime.cluster.Cluster}: lists, watches, binds, patches and events over
 * HTTP and JSON.
 *
 * <p>Starting points: {@link org.moorage.kubernetes.KubernetesCluster}, {@link
 * org.moorage.kubernetes.ApiConnection}.
 */
@NullMarked
package org.moorage.kubernetes;

import org.jspecify.annotations.NullMarked;
