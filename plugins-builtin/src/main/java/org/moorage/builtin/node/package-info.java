// SPDX-License-Identifier: Apache-2.0
/**
 * Plugins about one property of a node each: its name, taints, host ports, images and declared features.
 *
 * <p>Starting points: {@link org.moorage.builtin.node.TaintToleration}, {@link org.moorage.builtin.node.NodePorts}.
 */
@NullMarked
package org.moorage.builtin.node;

import org.jspecify.annotations.NullMarked;
