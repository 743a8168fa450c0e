// SPDX-License-Identifier: Apache-2.0
/**
 * Reads objects of the Kubernetes API: from a person's files or an API server's answers into trees, filled in as the API server
 * would, and from trees into the model.
 *
 * <p>Starting points: {@link org.moorage.runtime.objects.ClusterFiles}, {@link org.moorage.runtime.objects.Defaulting},
 * {@link org.moorage.runtime.objects.ObjectDecoder}.
 */
@NullMarked
package org.moorage.runtime.objects;

import org.jspecify.annotations.NullMarked;
