// SPDX-License-Identifier: Apache-2.0
/**
 * Claims of devices, and the devices that they are given.
 *
 * <p>Starting points: {@link org.moorage.builtin.dra.DynamicResources}, the plugin; {@code Search}, how devices are found;
 * {@link org.moorage.builtin.dra.cel}, what expressions can say.
 */
@NullMarked
package org.moorage.builtin.dra;

import org.jspecify.annotations.NullMarked;
