// SPDX-License-Identifier: Apache-2.0
/**
 * The available plugins, their sources, and the selection of plugins in a profile.
 *
 * <p>Starting points: {@link org.moorage.config.plugin.PluginRegistry}, {@link org.moorage.config.plugin.PluginJars},
 * {@link org.moorage.config.plugin.DefaultPlugins}.
 */
@NullMarked
package org.moorage.config.plugin;

import org.jspecify.annotations.NullMarked;
