// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.command;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.moorage.app.internal.help.ManPage;
import org.moorage.app.internal.process.CommandException;
import org.moorage.app.internal.process.Version;
import org.moorage.objects.TextFile;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Writes the manual pages of all commands, for the archive. */
@Command(name = "man", hidden = true, description = "Write the manual pages of all commands to a folder.")
final class ManCommand implements Callable<Integer> {
    @Parameters(paramLabel = "FOLDER", description = "Folder to write, such as /usr/local/share/man/man1.")
    private Path folder = Path.of("");

    @Spec
    private @Nullable CommandSpec spec;

    @Override
    public Integer call() {
        if (spec != null) {
            try {
                Files.createDirectories(folder);
                write(spec.root().commandLine());
            } catch (IOException e) {
                throw new CommandException(folder + ": cannot be written: " + TextFile.fault(e), e);
            }
        }
        return 0;
    }

    private void write(CommandLine command) throws IOException {
        CommandSpec known = command.getCommandSpec();
        if (!known.usageMessage().hidden()) {
            Files.writeString(folder.resolve(ManPage.name(known) + ".1"), ManPage.of(known, Version.ofMoorage()));
            for (CommandLine subcommand : command.getSubcommands().values()) {
                write(subcommand);
            }
        }
    }
}
