// SPDX-License-Identifier: Apache-2.0
/**
 * The plugins that there are, where they come from, and which of them a profile has.
 *
 * <p>Starting points: {@link org.moorage.config.plugin.PluginRegistry}, {@link org.moorage.config.plugin.PluginJars}, {@link
 * org.moorage.config.plugin.DefaultPlugins}.
 */
@NullMarked
package org.moorage.config.plugin;

import org.jspecify.annotations.NullMarked;
