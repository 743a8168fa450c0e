// SPDX-License-Identifier: Apache-2.0
/**
 * Objects of the Kubernetes API as trees of JSON: reading them from manifests and responses of an API server, looking
 * up and defaulting their fields, and decoding them into the model.
 *
 * <p>The trees are Jackson's, so a program that uses this package depends on the version of Jackson that Moorage has. A
 * program that only needs objects of the model uses {@link org.moorage.objects.decode.ObjectDecoder}.
 *
 * <p>Starting points: {@link org.moorage.objects.tree.ClusterFiles}, {@link org.moorage.objects.tree.ObjectStreams},
 * {@link org.moorage.objects.tree.Fields}, {@link org.moorage.objects.tree.TreeDecoder}.
 */
@NullMarked
package org.moorage.objects.tree;

import org.jspecify.annotations.NullMarked;
