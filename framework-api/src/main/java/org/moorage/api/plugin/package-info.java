// SPDX-License-Identifier: Apache-2.0
/**
 * The extension points of the scheduling framework, and what a plugin is given.
 *
 * <p>Starting points: {@link org.moorage.api.plugin.PluginFactory}, which makes a plugin;
 * {@link org.moorage.api.plugin.FilterPlugin} and {@link org.moorage.api.plugin.ScorePlugin}, the two that most plugins
 * implement; {@link org.moorage.api.plugin.Handle}, what a plugin may ask of the scheduler.
 */
@NullMarked
package org.moorage.api.plugin;

import org.jspecify.annotations.NullMarked;
