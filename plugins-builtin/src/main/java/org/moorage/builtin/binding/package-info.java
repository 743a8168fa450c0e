// SPDX-License-Identifier: Apache-2.0
/**
 * The plugin that binds pods to nodes.
 *
 * <p>Starting points: {@link org.moorage.builtin.binding.DefaultBinder}.
 */
@NullMarked
package org.moorage.builtin.binding;

import org.jspecify.annotations.NullMarked;
