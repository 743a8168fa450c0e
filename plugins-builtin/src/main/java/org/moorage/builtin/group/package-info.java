// SPDX-License-Identifier: Apache-2.0
/**
 * Plugins for pods that are scheduled as a group.
 *
 * <p>Starting points: {@link org.moorage.builtin.group.GangScheduling}, {@link
 * org.moorage.builtin.group.TopologyPlacementGenerator}.
 */
@NullMarked
package org.moorage.builtin.group;

import org.jspecify.annotations.NullMarked;
