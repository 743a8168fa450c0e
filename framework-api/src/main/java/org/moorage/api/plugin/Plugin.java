// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin;

/**
 * A part of the scheduler's decision. It implements one or more of the extension points of this package, and nothing else
 * says what it can do.
 *
 * <p>A plugin is made once per profile and used for every pod of the profile. The parallel extension points ({@link
 * FilterPlugin}, {@link ScorePlugin}) are called by several threads at once, so a plugin keeps what belongs to one pod in
 * the {@link org.moorage.api.CycleState}. Where a program asks about several pods at once, all that a cycle calls up to {@link
 * PostFilterPlugin#postFilter} is called so too, for different pods. What it throws fails the one scheduling cycle, under the plugin's name. A plugin
 * that is {@link AutoCloseable} is closed when the scheduler stops.
 */
public interface Plugin {
    /** The name under which configurations and messages know it; that of its factory. */
    String name();
}
