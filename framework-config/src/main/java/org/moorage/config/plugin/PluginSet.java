// SPDX-License-Identifier: Apache-2.0
package org.moorage.config.plugin;

import java.util.List;

/**
 * The plugins that a profile enables and disables at one extension point, or at all of them ({@code multiPoint}).
 *
 * @param enabled the enabled plugins, in their order
 * @param disabled the default plugins to disable; {@code *} stands for all of them
 */
public record PluginSet(List<EnabledPlugin> enabled, List<String> disabled) {
    /** Stands for every plugin in {@link #disabled}. */
    public static final String ALL = "*";

    /** Nothing enabled, nothing disabled. */
    public static final PluginSet EMPTY = new PluginSet(List.of(), List.of());

    public PluginSet {
        enabled = List.copyOf(enabled);
        disabled = List.copyOf(disabled);
    }

    /** Returns whether the plugin is disabled, by its name or with all others. */
    public boolean disables(String name) {
        return disablesAll() || disabled.contains(name);
    }

    /** Returns whether all plugins are disabled. */
    public boolean disablesAll() {
        return disabled.contains(ALL);
    }
}
