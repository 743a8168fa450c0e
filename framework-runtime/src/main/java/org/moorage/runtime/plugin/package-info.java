// SPDX-License-Identifier: Apache-2.0
/**
 * The plugins that there are, where they come from, and the points at which a profile calls them.
 *
 * <p>Starting points: {@link org.moorage.runtime.plugin.PluginRegistry}, {@link org.moorage.runtime.plugin.PluginJars}, {@link org.moorage.runtime.plugin.ExtensionPoint}.
 */
@NullMarked
package org.moorage.runtime.plugin;

import org.jspecify.annotations.NullMarked;
