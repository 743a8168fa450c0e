// SPDX-License-Identifier: Apache-2.0
/**
 * The plugins that there are, and where they come from.
 *
 * <p>Starting points: {@link org.moorage.runtime.plugin.PluginRegistry}, {@link org.moorage.runtime.plugin.PluginJars}.
 */
@NullMarked
package org.moorage.runtime.plugin;

import org.jspecify.annotations.NullMarked;
