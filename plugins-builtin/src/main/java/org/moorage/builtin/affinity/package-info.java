// SPDX-License-Identifier: Apache-2.0
/**
 * Node affinity, and affinity and anti-affinity between pods.
 *
 * <p>Starting points: {@link org.moorage.builtin.affinity.NodeAffinity}, {@link
 * org.moorage.builtin.affinity.InterPodAffinity}.
 */
@NullMarked
package org.moorage.builtin.affinity;

import org.jspecify.annotations.NullMarked;
