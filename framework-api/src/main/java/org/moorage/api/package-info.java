// SPDX-License-Identifier: Apache-2.0
/**
 * What a scheduling plugin reads and returns.
 *
 * <p>Starting points: {@link org.moorage.api.Status}, the answer of most extension points;
 * {@link org.moorage.api.NodeInfo}, a node with what runs on it; {@link org.moorage.api.plugin.Plugin}, the interfaces
 * to implement.
 */
@NullMarked
package org.moorage.api;

import org.jspecify.annotations.NullMarked;
