// SPDX-License-Identifier: Apache-2.0
package org.moorage.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.moorage.app.internal.report.Terminal;
import picocli.CommandLine.Model.CommandSpec;

/** The pages in docs/reference/cli are generated from the help of the commands; {@code -Dcommands.accept=true} writes them. */
@Tag("any-jvm")
class CommandPagesTest {
    private static final Path FOLDER = Path.of("..", "docs", "reference", "cli");
    private static final boolean ACCEPT = Boolean.getBoolean("commands.accept");
    private static final String BEGIN = "<!-- commands -->\n";
    private static final String END = "<!-- end of commands -->\n";

    static List<CommandSpec> commands() {
        return CommandPage.commands(Main.commandLine(Terminal.ofProcess()));
    }

    @ParameterizedTest
    @MethodSource("commands")
    void haveTheTextsOfTheHelp(CommandSpec command) throws IOException {
        Path file = FOLDER.resolve(CommandPage.fileName(command));
        String page = CommandPage.of(command);
        if (ACCEPT) {
            Files.writeString(file, page);
        }

        assertThat(file).content().isEqualTo(page);
    }

    @Test
    @DisabledIfSystemProperty(named = "commands.accept", matches = "true")
    void areOfCommands() throws IOException {
        try (Stream<Path> files = Files.list(FOLDER)) {
            assertThat(files.map(file -> file.getFileName().toString()).filter(name -> !name.equals("README.md")))
                    .containsExactlyInAnyOrderElementsOf(
                            commands().stream().map(CommandPage::fileName).toList());
        }
    }

    @Test
    void areListed() throws IOException {
        Path index = FOLDER.resolve("README.md");
        String page = Files.readString(index);
        StringBuilder list = new StringBuilder("| command | summary |\n|---|---|\n");
        for (CommandSpec command : commands()) {
            list.append("| [")
                    .append(command.qualifiedName())
                    .append("](")
                    .append(CommandPage.fileName(command))
                    .append(") | ")
                    .append(CommandPage.summary(command))
                    .append(" |\n");
        }
        int begin = page.indexOf(BEGIN) + BEGIN.length();
        int end = page.indexOf(END);
        if (ACCEPT) {
            Files.writeString(index, page.substring(0, begin) + list + page.substring(end));
        }

        assertThat(index).content().contains(BEGIN + list + END);
    }
}
