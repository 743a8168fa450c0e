// SPDX-License-Identifier: Apache-2.0
/**
 * Reads objects of the Kubernetes API: from a person's files or an API server's answers into trees, and from trees into the
 * model.
 *
 * <p>Starting points: {@link org.moorage.objects.ClusterFiles}, {@link org.moorage.objects.ObjectDecoder}.
 */
@NullMarked
package org.moorage.objects;

import org.jspecify.annotations.NullMarked;
