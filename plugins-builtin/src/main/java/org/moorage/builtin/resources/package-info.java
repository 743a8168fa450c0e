// SPDX-License-Identifier: Apache-2.0
/**
 * Plugins that count what nodes offer and what pods request.
 *
 * <p>Starting points: {@link org.moorage.builtin.resources.NodeResourcesFit}, {@link org.moorage.builtin.resources.NodeResourcesBalancedAllocation}.
 */
@NullMarked
package org.moorage.builtin.resources;

import org.jspecify.annotations.NullMarked;
