// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.options;

import org.moorage.app.internal.help.OptionGroup;
import org.moorage.app.internal.help.OptionGroup.Heading;
import org.moorage.config.plugin.UnknownPlugins;
import picocli.CommandLine.Option;

/** The option that skips plugins of a configuration that are not registered. */
@OptionGroup(Heading.SCHEDULER)
public final class UnknownPluginOptions {
    @Option(
            names = "--without-unknown-plugins",
            description = "Skip plugins of the configuration that are not registered, with a warning.")
    private boolean leftOut;

    public UnknownPlugins unknownPlugins() {
        return leftOut ? UnknownPlugins.LEFT_OUT : UnknownPlugins.REFUSED;
    }
}
