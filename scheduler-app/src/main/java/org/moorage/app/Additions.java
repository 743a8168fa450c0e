// SPDX-License-Identifier: Apache-2.0
package org.moorage.app;

import java.util.List;
import java.util.Optional;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.config.older.PolicyTexts.PolicyText;

/**
 * The additions of a program to the command line.
 *
 * @param plugins further plugins
 * @param config the configuration where the command line names none
 */
record Additions(List<PluginFactory<?>> plugins, Optional<PolicyText> config) {
    static final Additions NONE = new Additions(List.of(), Optional.empty());

    Additions {
        plugins = List.copyOf(plugins);
    }
}
