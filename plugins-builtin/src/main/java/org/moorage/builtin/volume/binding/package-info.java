// SPDX-License-Identifier: Apache-2.0
/**
 * The plugin that binds claims to volumes, or has volumes made for them.
 *
 * <p>Starting points: {@link org.moorage.builtin.volume.binding.VolumeBinding}.
 */
@NullMarked
package org.moorage.builtin.volume.binding;

import org.jspecify.annotations.NullMarked;
