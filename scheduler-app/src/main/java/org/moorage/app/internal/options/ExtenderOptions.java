// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.options;

import org.moorage.app.internal.help.OptionGroup;
import org.moorage.app.internal.help.OptionGroup.Heading;
import org.moorage.config.LoadedConfig;
import picocli.CommandLine.Option;

/** The option to call the extenders of a configuration for a cluster that is read from files. */
@OptionGroup(Heading.SCHEDULER)
public final class ExtenderOptions {
    @Option(
            names = "--ignore-extenders",
            description = "Do not call the extenders of the configuration. By default they are called to filter, score "
                    + "and preempt.")
    private boolean ignore;

    /** Returns the configuration with only the extenders that are called. */
    public LoadedConfig apply(LoadedConfig config) {
        return ignore ? config.withoutExtenders() : config;
    }
}
