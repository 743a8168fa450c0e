// SPDX-License-Identifier: Apache-2.0
/**
 * Plugins: how one is created, and what it uses while it runs. The extension points are in {@code point} and, for groups
 * of pods, in {@code group}.
 *
 * <p>Starting points: {@link org.moorage.api.plugin.PluginFactory}, which creates a plugin;
 * {@link org.moorage.api.plugin.Handle}, a plugin's access to the scheduler.
 */
@NullMarked
package org.moorage.api.plugin;

import org.jspecify.annotations.NullMarked;
