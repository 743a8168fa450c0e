// SPDX-License-Identifier: Apache-2.0
/**
 * Objects of the Kubernetes API as trees of JSON: read from files and the API server's responses, and decoded into the model. For the
 * modules of the scheduler, not for programs that use them.
 *
 * <p>Starting points: {@link org.moorage.objects.internal.ClusterFiles}, {@link org.moorage.objects.internal.TreeDecoder}.
 */
@NullMarked
package org.moorage.objects.internal;

import org.jspecify.annotations.NullMarked;
