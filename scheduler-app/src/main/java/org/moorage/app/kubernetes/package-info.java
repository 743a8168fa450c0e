// SPDX-License-Identifier: Apache-2.0
/**
 * The Kubernetes API as a {@link org.moorage.runtime.cluster.Cluster}: lists, watches, binds, patches and events over HTTP and JSON.
 *
 * <p>client-java supplies the HTTP client. Its models are not used: they refuse an object with a field that is newer than they are, so
 * that one such object would stop all scheduling.
 *
 * <p>Starting points: {@link org.moorage.app.kubernetes.KubernetesCluster}, {@link
 * org.moorage.app.kubernetes.ApiConnection}.
 */
@NullMarked
package org.moorage.app.kubernetes;

import org.jspecify.annotations.NullMarked;
