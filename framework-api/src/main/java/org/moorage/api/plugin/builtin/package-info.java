// SPDX-License-Identifier: Apache-2.0
/**
 * What kube-scheduler's plugins for volumes and devices need and other plugins do not: values that they share, and
 * their writes.
 *
 * <p>Starting points: {@link org.moorage.api.plugin.builtin.DeviceCounts},
 * {@link org.moorage.api.plugin.builtin.VolumeWriter}.
 */
@NullMarked
package org.moorage.api.plugin.builtin;

import org.jspecify.annotations.NullMarked;
