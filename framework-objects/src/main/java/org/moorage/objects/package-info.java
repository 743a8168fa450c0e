// SPDX-License-Identifier: Apache-2.0
/**
 * Reads objects of the Kubernetes API: files and the API server's responses into trees, and trees into the model.
 *
 * <p>Starting points: {@link org.moorage.objects.ClusterFiles}, {@link org.moorage.objects.ObjectDecoder}.
 */
@NullMarked
package org.moorage.objects;

import org.jspecify.annotations.NullMarked;
