// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.command;

import java.util.List;

/** The commands, in the order in which the help lists them. */
public final class Commands {
    private Commands() {}

    /** All of them, for one command line on that terminal. */
    public static List<Object> all(Terminal terminal) {
        return List.of(
                new SimulateCommand(terminal),
                new ExplainCommand(terminal),
                new ConformCommand(),
                new ConfigCommand(terminal),
                new PluginsCommand(terminal));
    }
}
