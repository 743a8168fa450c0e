// SPDX-License-Identifier: Apache-2.0
/**
 * The types that a scheduling plugin reads and returns.
 *
 * <p>Starting points: {@link org.moorage.api.Status}, the result of most extension points;
 * {@link org.moorage.api.NodeInfo}, a node with the pods on it; {@link org.moorage.api.plugin.Plugin}, the interfaces
 * to implement.
 */
@NullMarked
package org.moorage.api;

import org.jspecify.annotations.NullMarked;
