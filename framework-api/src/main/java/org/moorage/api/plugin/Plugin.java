// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin;

import org.moorage.api.plugin.point.FilterPlugin;
import org.moorage.api.plugin.point.PostFilterPlugin;
import org.moorage.api.plugin.point.ScorePlugin;

/**
 * A scheduling plugin. The interfaces of this package that it implements determine the extension points at which it is
 * called.
 *
 * <p>A plugin is created once per profile and used for every pod of the profile. The parallel extension points
 * ({@link FilterPlugin}, {@link ScorePlugin}) are called by several threads concurrently, so a plugin keeps the state
 * of one pod in the {@link org.moorage.api.CycleState}. When a program simulates several pods concurrently, all
 * extension points up to {@link PostFilterPlugin#postFilter} are also called concurrently, for different pods. An
 * exception from a plugin fails that one scheduling cycle, and is reported under the plugin's name. A plugin that is
 * {@link AutoCloseable} is closed when the scheduler stops.
 */
public interface Plugin {
    /** Returns the plugin's name in configurations and messages, which is that of its factory. */
    String name();
}
