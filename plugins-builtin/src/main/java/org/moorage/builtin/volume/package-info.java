// SPDX-License-Identifier: Apache-2.0
/**
 * Plugins for the volumes of pods.
 *
 * <p>Starting points: {@link org.moorage.builtin.volume.VolumeZone},
 * {@link org.moorage.builtin.volume.VolumeRestrictions}.
 */
@NullMarked
package org.moorage.builtin.volume;

import org.jspecify.annotations.NullMarked;
