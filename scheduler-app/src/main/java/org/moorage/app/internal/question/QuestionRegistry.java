// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.question;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import org.moorage.app.internal.help.OptionGroup;
import org.moorage.app.internal.help.OptionGroup.Heading;
import org.moorage.app.internal.process.CommandException;
import org.moorage.app.internal.report.Terminal;
import org.moorage.objects.Suggestions;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/**
 * The questions that can be asked about a cluster, by name: the one registry for command lines, batches, HTTP and MCP
 * clients.
 */
public final class QuestionRegistry {
    private final Map<String, Function<Terminal, Question>> byName = new LinkedHashMap<>();

    /** Adds the question of a command class. */
    public <Q extends Question> QuestionRegistry add(Class<Q> command, Function<Terminal, Q> question) {
        byName.put(command.getAnnotation(Command.class).name(), question::apply);
        return this;
    }

    /** Returns the names, in the order of the help. */
    public List<String> names() {
        return List.copyOf(byName.keySet());
    }

    /** Returns how the command of each question is created, by name. */
    public Map<String, Function<Terminal, Question>> commands() {
        return Collections.unmodifiableMap(byName);
    }

    /**
     * Parses a question.
     *
     * @param words the words of the command line, without {@code moorage} and without options of the cluster and of the
     *     output
     * @param terminal shows progress
     * @throws CommandException if there is no such question, or an option is unknown or not allowed
     */
    public Question parse(List<String> words, Terminal terminal) {
        String name = words.get(0);
        Function<Terminal, Question> command = byName.get(name);
        if (command == null) {
            throw new CommandException("question \"" + name + "\" (expected: " + String.join(", ", names()) + ")"
                    + Suggestions.hint(name, names()));
        }
        Question question = command.apply(terminal);
        try {
            // The words may come from a user who must not read this process's files through an error message.
            ParseResult parsed = new CommandLine(question)
                    .setExpandAtFiles(false)
                    .parseArgs(words.subList(1, words.size()).toArray(String[]::new));
            refuse(parsed);
        } catch (ParameterException e) {
            throw new CommandException(Objects.requireNonNullElse(e.getMessage(), ""), e);
        }
        return question;
    }

    private static void refuse(ParseResult parsed) {
        for (CommandSpec mixin : parsed.commandSpec().mixins().values()) {
            for (OptionSpec option : mixin.options()) {
                Optional<String> expected = expected(mixin.userObject());
                if (expected.isPresent() && parsed.hasMatchedOption(option)) {
                    throw new CommandException(option.longestName() + ": (expected: " + expected.get() + ")");
                }
            }
        }
    }

    // Returns what is expected in place of these options with each question.
    private static Optional<String> expected(Object options) {
        if (options instanceof ClusterOptions) {
            return Optional.of("an option of all questions, which are about one cluster and one scheduler");
        }
        OptionGroup group = options.getClass().getAnnotation(OptionGroup.class);
        if (group != null && group.value() == Heading.RUNNING_SCHEDULER) {
            return Optional.of("not with one of many questions, which are about a cluster that was read");
        }
        return options instanceof OutputOptions || options instanceof ReportOptions
                ? Optional.of("not with one of many questions, whose answers are JSON")
                : Optional.empty();
    }

    /**
     * Returns the options and arguments of a question, without those of the cluster and of the output.
     *
     * @throws IllegalArgumentException if there is no such question
     */
    public CommandSpec spec(String name, Terminal terminal) {
        Function<Terminal, Question> command = byName.get(name);
        if (command == null) {
            throw new IllegalArgumentException("question \"" + name + "\" (expected: one of " + names() + ")");
        }
        return new CommandLine(command.apply(terminal)).getCommandSpec();
    }

    /** Returns the options of a question that may be given with each question. */
    public static List<OptionSpec> options(CommandSpec spec) {
        List<OptionSpec> options = new ArrayList<>(spec.options());
        for (CommandSpec mixin : spec.mixins().values()) {
            if (expected(mixin.userObject()).isPresent()) {
                options.removeIf(option -> mixin.optionsMap().containsKey(option.longestName()));
            }
        }
        return options;
    }
}
