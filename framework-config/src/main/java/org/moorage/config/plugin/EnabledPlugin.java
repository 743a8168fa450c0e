// SPDX-License-Identifier: Apache-2.0
package org.moorage.config.plugin;

import java.util.Objects;

/**
 * A plugin that a configuration enables.
 *
 * @param name the plugin
 * @param weight how much its scores count; 0 if the configuration does not say, which counts as 1
 */
public record EnabledPlugin(String name, int weight) {
    public EnabledPlugin {
        Objects.requireNonNull(name, "name");
    }
}
