// SPDX-License-Identifier: Apache-2.0
/**
 * The extension points of a pod's scheduling cycle and binding cycle, with their results. A plugin implements one
 * interface for each point that it takes part in.
 *
 * <p>Starting points: {@link org.moorage.api.plugin.point.FilterPlugin} and
 * {@link org.moorage.api.plugin.point.ScorePlugin}, which most plugins implement;
 * {@link org.moorage.api.plugin.point.EnqueueExtensions}, for events that make a rejected pod schedulable;
 * {@link org.moorage.api.plugin.point.ExtensionPoint}, which lists all points.
 */
@NullMarked
package org.moorage.api.plugin.point;

import org.jspecify.annotations.NullMarked;
