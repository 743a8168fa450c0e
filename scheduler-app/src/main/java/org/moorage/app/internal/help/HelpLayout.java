// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.help;

import java.lang.reflect.Member;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.moorage.app.internal.help.OptionGroup.Heading;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.IHelpSectionRenderer;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/**
 * The layout of help texts. The one of {@code moorage} lists the commands by task on one screen. The one of a command shows its summary,
 * examples, usage and details, its own options, the shared ones in named groups, and the exit codes.
 */
public final class HelpLayout {
    private static final String CANNOT_BE_ANSWERED =
            "the question cannot be answered, such as for a missing file or an unknown flag";
    private static final int WIDEST = 80;
    private static final Map<String, List<String>> TASKS = new LinkedHashMap<>();

    static {
        TASKS.put(
                "Ask about a cluster: the kubeconfig's, or --cluster FILE",
                List.of(
                        "simulate",
                        "explain",
                        "fit",
                        "drain",
                        "outage",
                        "scale-down",
                        "scale-up",
                        "compare",
                        "rebalance"));
        TASKS.put("Work with a live cluster", List.of("run", "snapshot", "record", "replay", "shadow", "ui"));
    }

    private HelpLayout() {}

    /** Sets the layout of a command line and all its commands. */
    public static void use(CommandLine line) {
        sections(line, line.getCommandSpec().parent() == null);
        line.getSubcommands().values().forEach(HelpLayout::use);
    }

    private static void sections(CommandLine line, boolean isRoot) {
        Map<String, IHelpSectionRenderer> sections = new LinkedHashMap<>();
        if (isRoot) {
            sections.put("tasks", HelpLayout::tasks);
        } else {
            sections.put("summary", help -> description(help.commandSpec(), 0, 1, help));
            sections.put("examples", HelpLayout::examples);
            sections.put("usage", HelpLayout::usage);
            sections.put("details", HelpLayout::details);
            sections.put("commands", HelpLayout::commands);
            sections.put("arguments", HelpLayout::arguments);
            sections.put("options", HelpLayout::options);
            sections.put("exitCodes", HelpLayout::exitCodes);
        }
        line.setHelpSectionMap(sections).setHelpSectionKeys(List.copyOf(sections.keySet()));
    }

    private static String tasks(Help help) {
        CommandLine line = help.commandSpec().commandLine();
        StringBuilder text = new StringBuilder();
        text.append(description(help.commandSpec(), 0, 1, help))
                .append("Usage: moorage COMMAND [flags]    (moorage help COMMAND describes one)\n");
        List<String> others = new ArrayList<>();
        line.getSubcommands().forEach((name, command) -> {
            if (!command.getCommandSpec().usageMessage().hidden()
                    && !name.equals("help")
                    && TASKS.values().stream().noneMatch(names -> names.contains(name))) {
                others.add(name);
            }
        });
        TASKS.forEach((title, names) -> {
            text.append('\n').append(bold(title + ":", help)).append('\n');
            for (String name : names) {
                CommandLine command = line.getSubcommands().get(name);
                if (command != null) {
                    String[] description =
                            command.getCommandSpec().usageMessage().description();
                    text.append("  %-11s %s%n".formatted(name, description[0]));
                }
            }
        });
        text.append(bold("More:", help));
        int column = "More:".length();
        for (String name : others) {
            column += 1 + name.length();
            if (column > WIDEST) {
                text.append("\n     ");
                column = 6 + name.length();
            }
            text.append(' ').append(name);
        }
        text.append('\n');
        return text.toString();
    }

    private static String bold(String text, Help help) {
        return help.colorScheme().text("@|bold " + text + "|@").toString();
    }

    private static String description(CommandSpec spec, int from, int to, Help help) {
        String[] lines = spec.usageMessage().description();
        String[] shown = Arrays.copyOfRange(lines, Math.min(from, lines.length), Math.min(to, lines.length));
        return wrapped(String.join("%n", shown), help);
    }

    private static String wrapped(String text, Help help) {
        return text.isEmpty()
                ? ""
                : Help.join(
                                help.ansi(),
                                help.commandSpec().usageMessage().width(),
                                help.commandSpec().usageMessage().adjustLineBreaksForWideCJKCharacters(),
                                new String[] {text},
                                new StringBuilder())
                        .toString();
    }

    private static String examples(Help help) {
        String[] lines = help.commandSpec().usageMessage().footer();
        return lines.length == 0
                ? ""
                : "\n" + bold("Examples:", help) + "\n"
                        + String.join("\n", lines).formatted() + "\n";
    }

    private static String usage(Help help) {
        return "\n" + bold("Usage:", help) + "\n  " + synopsis(help.commandSpec()) + "\n";
    }

    private static String arity(PositionalParamSpec argument) {
        boolean isMany = argument.arity().max() > 1;
        String label = argument.paramLabel() + (isMany ? "..." : "");
        return argument.arity().min() == 0 ? "[" + label + "]" : label;
    }

    private static String details(Help help) {
        String text = description(help.commandSpec(), 2, Integer.MAX_VALUE, help);
        return text.isEmpty() ? "" : "\n" + text;
    }

    private static String commands(Help help) {
        String list = help.commandList();
        return list.isEmpty() ? "" : "\n" + bold("Commands:", help) + "\n" + list;
    }

    private static String arguments(Help help) {
        String list = help.parameterList();
        return list.isEmpty() ? "" : "\n" + bold("Arguments:", help) + "\n" + list;
    }

    private static String options(Help help) {
        StringBuilder text = new StringBuilder();
        optionsByTitle(help.commandSpec()).forEach((title, options) -> text.append(list(title + ":", options, help)));
        return text.toString();
    }

    /** Returns the visible options of a command by the title of their group, in the order of the help. */
    public static Map<String, List<OptionSpec>> optionsByTitle(CommandSpec command) {
        Map<Heading, List<OptionSpec>> groups = new EnumMap<>(Heading.class);
        List<OptionSpec> own = new ArrayList<>();
        List<OptionSpec> global = new ArrayList<>();
        for (OptionSpec option : command.options()) {
            if (!option.hidden()) {
                Optional<Heading> heading = heading(option);
                if (option.inherited()) {
                    global.add(option);
                } else if (heading.isPresent()) {
                    groups.computeIfAbsent(heading.get(), any -> new ArrayList<>())
                            .add(option);
                } else {
                    own.add(option);
                }
            }
        }
        Map<String, List<OptionSpec>> byTitle = new LinkedHashMap<>();
        byTitle.put("Flags", own);
        groups.forEach((heading, options) -> byTitle.put(heading.title(), options));
        byTitle.put("Global flags", global);
        byTitle.values().removeIf(List::isEmpty);
        byTitle.values()
                .forEach(options -> options.sort(
                        Comparator.comparing(option -> option.longestName().replaceFirst("^-+", ""))));
        return byTitle;
    }

    private static Optional<Heading> heading(OptionSpec option) {
        return option.userObject() instanceof Member member
                ? Optional.ofNullable(member.getDeclaringClass().getAnnotation(OptionGroup.class))
                        .map(OptionGroup::value)
                : Optional.empty();
    }

    private static String list(String title, List<OptionSpec> options, Help help) {
        return "\n" + bold(title, help) + "\n" + help.optionListExcludingGroups(options);
    }

    private static String exitCodes(Help help) {
        StringBuilder text = new StringBuilder();
        exitCodes(help.commandSpec())
                .forEach((code, meaning) -> text.append("  ")
                        .append(code)
                        .append("  ")
                        .append(meaning)
                        .append('\n'));
        return text.isEmpty() ? "" : "\n" + bold("Exit codes:", help) + "\n" + text;
    }

    /** Returns the meanings of a command's exit codes; none if it has no documented ones. */
    public static Map<String, String> exitCodes(CommandSpec command) {
        Map<String, String> codes = new LinkedHashMap<>(command.usageMessage().exitCodeList());
        if (!codes.isEmpty()) {
            codes.putIfAbsent("2", CANNOT_BE_ANSWERED);
        }
        return codes;
    }

    /** Returns the arguments and required options of a command as its usage line has them. */
    public static String synopsis(CommandSpec command) {
        StringBuilder text = new StringBuilder(command.qualifiedName());
        if (!command.subcommands().isEmpty()) {
            text.append(" COMMAND");
        }
        command.positionalParameters().forEach(argument -> text.append(' ').append(arity(argument)));
        command.requiredArgs().forEach(argument -> {
            if (argument instanceof OptionSpec option) {
                text.append(' ').append(option.longestName()).append('=').append(option.paramLabel());
            }
        });
        return text.append(" [flags]").toString();
    }
}
