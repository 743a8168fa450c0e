// SPDX-License-Identifier: Apache-2.0
/**
 * Dynamic resource allocation: claims of devices, and the devices that are allocated to them; and the list of all of
 * kube-scheduler's plugins, which this one completes.
 *
 * <p>Starting points: {@link org.moorage.builtin.dra.KubeSchedulerPlugins}, the list; {@link
 * org.moorage.builtin.dra.DynamicResources}, the plugin; {@code AllocationSearch}, how devices are
 * found; {@link org.moorage.builtin.dra.cel}, what selectors can say.
 */
@NullMarked
package org.moorage.builtin.dra;

import org.jspecify.annotations.NullMarked;
