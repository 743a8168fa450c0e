// SPDX-License-Identifier: Apache-2.0
/**
 * Plugins that compare the requests of pods with the allocatable resources of nodes.
 *
 * <p>Starting points: {@link org.moorage.builtin.resources.NodeResourcesFit},
 * {@link org.moorage.builtin.resources.NodeResourcesBalancedAllocation}.
 */
@NullMarked
package org.moorage.builtin.resources;

import org.jspecify.annotations.NullMarked;
