// SPDX-License-Identifier: Apache-2.0
package org.moorage.app;

import static java.nio.charset.StandardCharsets.UTF_8;

import ch.qos.logback.classic.Level;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.moorage.app.internal.command.Commands;
import org.moorage.app.internal.command.UiCommand;
import org.moorage.app.internal.extender.ExtenderCommand;
import org.moorage.app.internal.help.HelpLayout;
import org.moorage.app.internal.logging.Logging;
import org.moorage.app.internal.process.HeapWatch;
import org.moorage.app.internal.process.HostProcess;
import org.moorage.app.internal.process.Signals;
import org.moorage.app.internal.process.UnexpectedExit;
import org.moorage.app.internal.process.UserErrors;
import org.moorage.app.internal.process.Version;
import org.moorage.app.internal.report.StandardOutput;
import org.moorage.app.internal.report.Terminal;
import org.moorage.app.internal.scheduler.RunCommand;
import org.moorage.app.internal.scheduler.UnusedFlags;
import org.moorage.config.plugin.Thrown;
import org.moorage.kubernetes.ApiConnection;
import org.moorage.objects.Suggestions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.RunLast;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * The {@code moorage} command line. Flags without a command run the scheduler, as kube-scheduler's command line does.
 */
@Command(
        name = "moorage",
        versionProvider = Version.class,
        description = "Simulate, debug and run Kubernetes scheduling.")
public final class Main {
    private static final Logger LOG = LoggerFactory.getLogger(Main.class);
    // A scheduler that cannot start or continue, as kube-scheduler defines it.
    private static final int FAILURE = 1;
    // The question cannot be answered; 1 is the answer "no".
    private static final int NO_ANSWER = 2;
    private static final int ALL_DETAILS = 4;
    // The exit code that -XX:+ExitOnOutOfMemoryError uses.
    private static final int FATAL = 3;
    // Encoded in advance: when memory is exhausted, no text can be encoded.
    private static final byte[] OUT_OF_MEMORY =
            "error: memory is exhausted, so the process ends (expected: a larger heap, see -Xmx)\n".getBytes(UTF_8);
    private static final byte[] UNRELIABLE =
            "error: the Java virtual machine failed, so the process ends\n".getBytes(UTF_8);
    private static final FileOutputStream STDERR = new FileOutputStream(FileDescriptor.err);
    private static final AtomicBoolean ENDING = new AtomicBoolean();
    private static final AtomicBoolean IS_COMMAND = new AtomicBoolean();
    private static final AtomicBoolean TERMINATING = new AtomicBoolean();
    private static final CountDownLatch NOTHING_TO_STOP = new CountDownLatch(1);
    private static final int LONGEST_TERMINATION = 15;
    private static final List<String> OF_ROOT = List.of("-h", "--help", "-V", "--version");
    private static final List<String> NEED_ALL_COMMANDS = List.of("-h", "--help", "help", "completion", "man");

    @Option(
            names = {"-v", "--v"},
            paramLabel = "N",
            scope = ScopeType.INHERIT,
            description = "How much to log: 0 what matters, 2 a line per pod, 4 everything, with stack traces,"
                    + " 6 also what libraries log.")
    private Optional<Integer> verbosity = Optional.empty();

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            scope = ScopeType.INHERIT,
            description = "Show this help.")
    @SuppressWarnings("unused") // picocli acts on the annotation
    private boolean help;

    @Option(
            names = {"-V", "--version"},
            versionHelp = true,
            description = "Show the version.")
    @SuppressWarnings("unused")
    private boolean version;

    private final HostProcess process;

    private Main(HostProcess process) {
        this.process = process;
    }

    /** Runs the command line and ends the process. */
    public static void main(String[] args) {
        run(Additions.NONE, args);
    }

    /** Runs {@link #main} with the additions of another program. */
    static void run(Additions additions, String... args) {
        IS_COMMAND.set(!serves(args));
        // Before the classes for anything else are loaded.
        Optional<String> tooSmall =
                serves(args) ? HeapWatch.tooSmall(Runtime.getRuntime().maxMemory()) : Optional.empty();
        if (tooSmall.isPresent()) {
            System.err.println("error: " + tooSmall.get());
            Runtime.getRuntime().halt(FATAL);
        }
        Thread.setDefaultUncaughtExceptionHandler(Main::uncaught);
        // Output of plugins is not part of a command's answer, which goes to the terminal.
        System.setOut(System.err);
        Runtime.getRuntime().addShutdownHook(new Thread(Main::tellUnexpectedExit, "exit"));
        int exitCode = run(additions, Terminal.ofProcess(), args);
        awaitTermination();
        System.exit(exitCode);
    }

    private static void tellUnexpectedExit() {
        Optional<String> text = UnexpectedExit.text();
        if (text.isPresent()) {
            // Past System.err, which may be what plugins print to.
            try (FileOutputStream err = new FileOutputStream(FileDescriptor.err)) {
                err.write(text.get().getBytes(UTF_8));
            } catch (IOException closed) {
                // The message cannot be written anywhere.
            } finally {
                Runtime.getRuntime().halt(IS_COMMAND.get() ? NO_ANSWER : FAILURE);
            }
        }
    }

    // Whether this is the scheduler or the extender's server, as bin/moorage decides it.
    private static boolean serves(String... args) {
        String first = withCommand(args).get(0);
        return first.equals("extender") || first.equals("run");
    }

    // The scheduler runs where there are flags and no command. The verbosity may precede a command.
    private static List<String> withCommand(String... args) {
        List<String> words = new ArrayList<>(List.of(args));
        int first = 0;
        while (first < words.size() && words.get(first).matches("--?v(=.*)?")) {
            first += words.get(first).contains("=") ? 1 : 2;
        }
        String word = first < words.size() ? words.get(first) : "-";
        if (word.startsWith("-") && !OF_ROOT.contains(word)) {
            words.add(0, "run");
        }
        return words;
    }

    // After SIGTERM another thread shuts down (it must release the lease); waits for it.
    private static void awaitTermination() {
        try {
            boolean ignored = TERMINATING.get() && NOTHING_TO_STOP.await(LONGEST_TERMINATION, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    // When memory is exhausted on one thread, the other threads cannot be relied on either.
    private static void uncaught(Thread thread, Throwable thrown) {
        if (Thrown.isFatal(thrown)) {
            if (ENDING.getAndSet(true)) {
                // Another thread has reported it and ends the process.
                return;
            }
            try {
                STDERR.write(thrown instanceof OutOfMemoryError ? OUT_OF_MEMORY : UNRELIABLE);
            } catch (IOException closed) {
                // The message cannot be written anywhere.
            } finally {
                Runtime.getRuntime().halt(IS_COMMAND.get() ? NO_ANSWER : FATAL);
            }
        }
        LOG.atError()
                .addKeyValue("thread", thread.getName())
                .setCause(Thrown.copyOf(thrown))
                .log("Thread ended by an unexpected exception");
    }

    /**
     * Runs the command line; returns the exit code: 0, 1 if the answer of a command is no or a scheduler fails, 2 for
     * what cannot be answered, such as an invalid command line.
     */
    static int run(Additions additions, Terminal terminal, String... args) {
        return run(additions, terminal, new OwnProcess(), args);
    }

    /** As {@link #run(Additions, Terminal, String...)}, for another process than the one it runs in. */
    static int run(Additions additions, Terminal terminal, HostProcess process, String... args) {
        List<String> words = withCommand(args);
        boolean needsAll = words.stream().anyMatch(NEED_ALL_COMMANDS::contains);
        if (!needsAll && words.get(0).equals("run")) {
            ApiConnection.loadEarly(Executors.defaultThreadFactory());
        }
        Main main = new Main(process);
        int exitCode;
        try {
            // Reading the options of all commands would be a third of a scheduler's start.
            exitCode = main.commandLine(terminal, additions, name -> needsAll || words.contains(name))
                    .execute(words.toArray(String[]::new));
        } catch (OutOfMemoryError e) {
            long megabytes = Runtime.getRuntime().maxMemory() >> 20;
            terminal.err()
                    .println("error: out of memory: the heap has " + megabytes + " MB (java's -Xmx sets how many)");
            exitCode = NO_ANSWER;
        }
        exitCode = flush(terminal, exitCode);
        terminal.err().flush();
        return exitCode;
    }

    private static int flush(Terminal terminal, int exitCode) {
        try {
            terminal.out().flush();
            return exitCode;
        } catch (StandardOutput.FailedException e) {
            if (!e.isClosedPipe()) {
                terminal.err().println("error: " + e.getMessage());
            }
            return NO_ANSWER;
        }
    }

    /** The whole command line, with all commands and flags. */
    static CommandLine commandLine(Terminal terminal) {
        return new Main(new OwnProcess()).commandLine(terminal, Additions.NONE, any -> true);
    }

    private CommandLine commandLine(Terminal terminal, Additions additions, Predicate<String> isNeeded) {
        CommandLine line = new CommandLine(this);
        Map<String, Supplier<Object>> commands = Commands.all(terminal);
        commands.put("run", () -> UnusedFlags.addTo(new CommandLine(new RunCommand(process))));
        commands.put("extender", () -> new ExtenderCommand(process, System.getenv(), () -> verbosity));
        commands.put("ui", () -> new UiCommand(terminal, process));
        commands.put("rehearse", RehearseCommand::new);
        boolean isComplete = true;
        for (Map.Entry<String, Supplier<Object>> command : commands.entrySet()) {
            if (isNeeded.test(command.getKey())) {
                line.addSubcommand(command.getKey(), command.getValue().get());
            } else {
                isComplete = false;
            }
        }
        Commands.add(line, additions.plugins(), additions.config());
        HelpLayout.use(line);
        IParameterExceptionHandler refusal = isComplete
                ? (mistake, args) -> refuse(mistake, terminal)
                // The error message depends on all available commands.
                : (mistake, args) ->
                        commandLine(terminal, additions, any -> true).execute(args);
        // As with kubectl, @FILE is a word like any other.
        return line.setExpandAtFiles(false)
                .setOut(terminal.out())
                .setErr(terminal.err())
                .setColorScheme(CommandLine.Help.defaultColorScheme(terminal.colors() ? Ansi.ON : Ansi.OFF))
                .setUsageHelpWidth(terminal.width() == 0 ? 100 : Math.min(terminal.width(), 120))
                .setExecutionStrategy(this::execute)
                .setParameterExceptionHandler(refusal)
                .setExecutionExceptionHandler((thrown, command, parsed) -> fail(thrown, command, terminal));
    }

    private int execute(ParseResult parsed) {
        boolean scheduler =
                parsed.hasSubcommand() && parsed.subcommand().commandSpec().userObject() instanceof RunCommand;
        verbosity.ifPresentOrElse(Logging::use, () -> Logging.use(scheduler ? Level.INFO : Level.WARN));
        try {
            return new RunLast().execute(parsed);
        } catch (StandardOutput.FailedException e) {
            // A help text; the last flush reports it.
            return NO_ANSWER;
        }
    }

    private static final class OwnProcess implements HostProcess {
        // SIGTERM is no failure of a scheduler. A second one ends the process immediately.
        @Override
        public void onTermination(BooleanSupplier stop) {
            Runnable end = () -> {
                if (TERMINATING.getAndSet(true)) {
                    Runtime.getRuntime().halt(FAILURE);
                }
                new Thread(
                                () -> {
                                    if (stop.getAsBoolean()) {
                                        Runtime.getRuntime().halt(0);
                                    }
                                    NOTHING_TO_STOP.countDown();
                                },
                                "terminate")
                        .start();
            };
            if (!Signals.handle("TERM", end) || !Signals.handle("INT", end)) {
                Runtime.getRuntime()
                        .addShutdownHook(new Thread(
                                () -> {
                                    boolean ignored = stop.getAsBoolean();
                                },
                                "terminate"));
            }
        }

        @Override
        public void logPrints() {
            Logging.takePrints();
        }

        @Override
        public void exit(int code) {
            Logging.flush();
            Runtime.getRuntime().halt(code);
        }
    }

    private static int refuse(ParameterException mistake, Terminal terminal) {
        terminal.err().println("error: " + describe(mistake));
        return NO_ANSWER;
    }

    private static String describe(ParameterException mistake) {
        CommandLine command = mistake.getCommandLine();
        String name = command.getCommandSpec().qualifiedName();
        String seeHelp = " (see " + name + " --help)";
        if (mistake instanceof MissingParameterException missing) {
            return missing(missing) + seeHelp;
        }
        if (!(mistake instanceof UnmatchedArgumentException unmatched)) {
            String message =
                    String.valueOf(mistake.getMessage()).lines().findFirst().orElse("");
            return message.substring(0, 1).toLowerCase(Locale.ROOT) + message.substring(1) + seeHelp;
        }
        String argument = unmatched.getUnmatched().get(0);
        if (argument.startsWith("-")) {
            String flag = argument.contains("=") ? argument.substring(0, argument.indexOf('=')) : argument;
            return "unknown flag " + flag + seeHelp + "."
                    + Suggestions.hint(
                            flag, command.getCommandSpec().optionsMap().keySet());
        }
        List<String> commands = new ArrayList<>();
        command.getSubcommands().forEach((known, subcommand) -> {
            if (!subcommand.getCommandSpec().usageMessage().hidden()) {
                commands.add(known);
            }
        });
        if (commands.isEmpty()) {
            return "unexpected argument \"" + argument + "\"" + seeHelp;
        }
        return "unknown command \"" + argument + "\" (see moorage help)." + Suggestions.hint(argument, commands);
    }

    private static String missing(MissingParameterException mistake) {
        List<String> labels = new ArrayList<>();
        for (ArgSpec argument : mistake.getMissing()) {
            boolean flag = argument instanceof OptionSpec;
            labels.add(
                    flag ? ((OptionSpec) argument).longestName() + "=" + argument.paramLabel() : argument.paramLabel());
        }
        return labels.isEmpty() ? "missing command" : "missing " + String.join(" ", labels);
    }

    private int fail(Exception thrown, CommandLine command, Terminal terminal) {
        if (thrown instanceof StandardOutput.FailedException) {
            // The last flush reports it, once.
            return NO_ANSWER;
        }
        try {
            terminal.out().flush();
        } catch (StandardOutput.FailedException e) {
            // A second failure, which the last flush reports.
        }
        terminal.err().println("error: " + describe(thrown));
        if (verbosity.orElse(0) >= ALL_DETAILS) {
            thrown.printStackTrace(terminal.err());
        }
        boolean serves = command.getCommand() instanceof RunCommand || command.getCommand() instanceof ExtenderCommand;
        return serves ? FAILURE : NO_ANSWER;
    }

    private static String describe(Exception thrown) {
        String message = thrown.getMessage();
        if (message != null && UserErrors.contain(thrown)) {
            return message;
        }
        String text = message == null ? thrown.getClass().getName() : message.replace('\n', ' ');
        return text + " (--v=" + ALL_DETAILS + " shows where)";
    }
}
