// SPDX-License-Identifier: Apache-2.0
/**
 * Plugins that look at properties of a node: its name, taints, ports and images.
 *
 * <p>Starting points: {@link org.moorage.builtin.node.TaintToleration}, {@link org.moorage.builtin.node.NodePorts}.
 */
@NullMarked
package org.moorage.builtin.node;

import org.jspecify.annotations.NullMarked;
