// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.help;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** The manual page of a command, for the program {@code man}: the texts of its help in the language of man(7). */
public final class ManPage {
    private final CommandSpec command;
    private final StringBuilder text = new StringBuilder();

    private ManPage(CommandSpec command) {
        this.command = command;
    }

    /** Returns the name of a command's page, such as {@code moorage-batch-run}. */
    public static String name(CommandSpec command) {
        return command.qualifiedName("-");
    }

    /** Returns the page of a command. */
    public static String of(CommandSpec command, String version) {
        return new ManPage(command).page(version);
    }

    private String page(String version) {
        String[] description = command.usageMessage().description();
        text.append(".TH ")
                .append(name(command).toUpperCase(Locale.ROOT))
                .append(" 1 \"\" \"Moorage ")
                .append(version)
                .append("\"\n");
        section("NAME");
        paragraph(name(command) + " \\- " + plain(description.length == 0 ? "" : description[0]));
        section("SYNOPSIS");
        paragraph(escaped(HelpLayout.synopsis(command)));
        section("DESCRIPTION");
        List.of(description).stream().skip(1).filter(line -> !line.isBlank()).forEach(line -> {
            text.append(".PP\n");
            paragraph(plain(line));
        });
        arguments();
        HelpLayout.optionsByTitle(command).forEach(this::options);
        Map<String, String> codes = HelpLayout.exitCodes(command);
        if (!codes.isEmpty()) {
            section("EXIT STATUS");
            codes.forEach((code, meaning) -> item(code, meaning));
        }
        String[] examples = command.usageMessage().footer();
        if (examples.length > 0) {
            section("EXAMPLES");
            text.append(".nf\n");
            List.of(examples).forEach(line -> paragraph(plain(line)));
            text.append(".fi\n");
        }
        seeAlso();
        return text.toString();
    }

    private void arguments() {
        if (!command.positionalParameters().isEmpty()) {
            section("ARGUMENTS");
            for (PositionalParamSpec argument : command.positionalParameters()) {
                item(argument.paramLabel(), String.join(" ", argument.description()));
            }
        }
    }

    private void options(String title, List<OptionSpec> options) {
        section(title.toUpperCase(Locale.ROOT));
        for (OptionSpec option : options) {
            String label = option.arity().max() == 0 ? "" : "=" + option.paramLabel();
            item(String.join(", ", option.names()) + label, String.join(" ", option.description()));
        }
    }

    private void seeAlso() {
        section("SEE ALSO");
        CommandSpec parent = command.parent();
        String others = parent == null
                ? command.subcommands().values().stream()
                        .map(sub -> sub.getCommandSpec())
                        .filter(sub -> !sub.usageMessage().hidden())
                        .map(sub -> name(sub) + "(1)")
                        .distinct()
                        .collect(Collectors.joining(", "))
                : name(parent) + "(1)";
        paragraph(escaped(others));
    }

    private void section(String title) {
        text.append(".SH ").append(title).append('\n');
    }

    private void item(String term, String meaning) {
        text.append(".TP\n\\fB").append(escaped(term)).append("\\fR\n");
        paragraph(plain(meaning));
    }

    private void paragraph(String line) {
        text.append(line).append('\n');
    }

    // As the help shows it: %n and %% are picocli's.
    private static String plain(String line) {
        return escaped(Ansi.OFF.string(line.replace("%n", " ").replace("%%", "%")));
    }

    private static String escaped(String line) {
        String text = line.replace("\\", "\\e").replace("-", "\\-");
        return text.startsWith(".") || text.startsWith("'") ? "\\&" + text : text;
    }
}
