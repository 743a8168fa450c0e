// SPDX-License-Identifier: Apache-2.0
/**
 * The extension points of the scheduling framework, and the types that plugins use there.
 *
 * <p>Starting points: {@link org.moorage.api.plugin.PluginFactory}, which creates a plugin;
 * {@link org.moorage.api.plugin.FilterPlugin} and {@link org.moorage.api.plugin.ScorePlugin}, which most plugins
 * implement; {@link org.moorage.api.plugin.Handle}, a plugin's access to the scheduler.
 */
@NullMarked
package org.moorage.api.plugin;

import org.jspecify.annotations.NullMarked;
