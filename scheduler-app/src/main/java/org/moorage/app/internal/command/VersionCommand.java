// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.command;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import org.moorage.app.internal.process.Version;
import org.moorage.app.internal.report.OutputFormat;
import org.moorage.app.internal.report.Terminal;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Shows the version. */
@Command(
        name = "version",
        description = "Show the versions of Moorage, of kube-scheduler and of Java.",
        footer = "  moorage version -o json")
final class VersionCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FORMAT",
            converter = OutputFormat.Named.class,
            description = "Format: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
    private OutputFormat format = OutputFormat.TABLE;

    /** A command that prints to a terminal. */
    /** Creates the command; it prints to that terminal. */
    public VersionCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        if (format == OutputFormat.TABLE) {
            terminal.out().println(Version.text());
            return 0;
        }
        Map<String, String> versions = new LinkedHashMap<>();
        versions.put("moorage", Version.ofMoorage());
        versions.put("kubeScheduler", Version.KUBE_SCHEDULER);
        versions.put("java", Runtime.version().toString());
        format.printValue(versions, terminal);
        return 0;
    }
}
