// SPDX-License-Identifier: Apache-2.0
/**
 * Types that only kube-scheduler's plugins for volumes and devices need: values that they share, and their writes. They
 * may change in any release.
 *
 * <p>Starting points: {@link org.moorage.api.plugin.builtin.DeviceCounts},
 * {@link org.moorage.api.plugin.builtin.VolumeWriter}.
 */
@NullMarked
package org.moorage.api.plugin.builtin;

import org.jspecify.annotations.NullMarked;
