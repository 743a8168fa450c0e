// SPDX-License-Identifier: Apache-2.0
/**
 * Plugins that bind pods to their nodes.
 *
 * <p>Starting points: {@link org.moorage.builtin.binding.DefaultBinder}.
 */
@NullMarked
package org.moorage.builtin.binding;

import org.jspecify.annotations.NullMarked;
