// SPDX-License-Identifier: Apache-2.0
/**
 * Plugins that follow a pod's wishes about where it runs.
 *
 * <p>Starting points: {@link org.moorage.builtin.affinity.NodeAffinity}, {@link
 * org.moorage.builtin.affinity.InterPodAffinity}.
 */
@NullMarked
package org.moorage.builtin.affinity;

import org.jspecify.annotations.NullMarked;
