// SPDX-License-Identifier: Apache-2.0
package org.moorage.config.plugin;

import java.util.List;

/**
 * What a profile says about one extension point, or about all of them ({@code multiPoint}).
 *
 * @param enabled the plugins, in their order
 * @param disabled plugins that are not to be taken from the defaults; {@code *} stands for all of them
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

    /** Whether the plugin is disabled, by its name or with all others. */
    public boolean disables(String name) {
        return disablesAll() || disabled.contains(name);
    }

    /** Whether all plugins are disabled. */
    public boolean disablesAll() {
        return disabled.contains(ALL);
    }
}
