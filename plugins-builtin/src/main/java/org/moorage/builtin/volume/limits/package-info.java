// SPDX-License-Identifier: Apache-2.0
/**
 * The plugin that counts the volumes of storage drivers on nodes.
 *
 * <p>Starting points: {@link org.moorage.builtin.volume.limits.NodeVolumeLimits}, and for which volumes count {@code
 * DriverVolumes}.
 */
@NullMarked
package org.moorage.builtin.volume.limits;

import org.jspecify.annotations.NullMarked;
