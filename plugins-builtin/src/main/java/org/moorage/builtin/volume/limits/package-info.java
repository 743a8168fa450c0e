// SPDX-License-Identifier: Apache-2.0
/**
 * The plugin that enforces the volume limits of CSI drivers.
 *
 * <p>Starting points: {@link org.moorage.builtin.volume.limits.NodeVolumeLimits}, and {@code CsiVolumes}, which
 * looks up the volumes that it counts.
 */
@NullMarked
package org.moorage.builtin.volume.limits;

import org.jspecify.annotations.NullMarked;
