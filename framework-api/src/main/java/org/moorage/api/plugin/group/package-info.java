// SPDX-License-Identifier: Apache-2.0
/**
 * The extension points for groups of pods that are scheduled together. They may change in any release, because groups
 * are alpha or beta in Kubernetes.
 *
 * <p>Starting points: {@link org.moorage.api.plugin.group.PlacementGeneratePlugin},
 * {@link org.moorage.api.plugin.group.PodGroupPostFilterPlugin}.
 */
@NullMarked
package org.moorage.api.plugin.group;

import org.jspecify.annotations.NullMarked;
