// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.batch;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import org.moorage.app.internal.process.CommandException;
import org.moorage.app.internal.process.OutputFile;
import org.moorage.app.internal.question.AskedCluster;
import org.moorage.app.internal.question.ClusterOptions;
import org.moorage.app.internal.question.QuestionRegistry;
import org.moorage.app.internal.report.AnswerJson;
import org.moorage.app.internal.report.ProgressLine;
import org.moorage.app.internal.report.Terminal;
import org.moorage.objects.TextFile;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Answers many questions about one cluster, a line of JSON for each. */
@Command(
        name = "run",
        description = {
            "Answer a list of questions about one cluster, as lines of JSON.",
            "",
            "Each line of the list is a command line without moorage and --cluster, such as: drain node-1. Blank lines and lines that begin with # are skipped. Several processes can share a list: each answers every N-th question from its own index on, and moorage batch merge merges the answers."
        },
        footer = "  moorage batch run drains.txt --cluster cluster.json --index 0 --of 4 > answers-0.jsonl",
        exitCodeList = {"0:each question has an answer", "1:a question has none"})
public final class BatchRunCommand implements Callable<Integer> {
    // So many answers for each thread wait at most for an earlier one.
    private static final int AHEAD = 8;
    private static final int MOST_THREADS = 1024;

    private final Terminal terminal;
    private final QuestionRegistry questions;

    @Mixin
    private ClusterOptions cluster = new ClusterOptions();

    @Option(names = "--index", paramLabel = "I", description = "Share of the list to answer, counted from 0.")
    private int index;

    @Option(names = "--of", paramLabel = "N", description = "Number of shares that the list is divided into.")
    private int shares = 1;

    @Option(
            names = "--threads",
            paramLabel = "N",
            description = "Number of questions to answer in parallel (default: the number of processors).")
    private int threads = Runtime.getRuntime().availableProcessors();

    @Option(
            names = "--full",
            description = "Write full answers, as -o json does, including the lists of pods and nodes of simulate and "
                    + "compare.")
    private boolean whole;

    @Option(names = "--answers", paramLabel = "FILE", description = "File to write the answers to (default: stdout).")
    private Optional<Path> answers = Optional.empty();

    @Parameters(paramLabel = "LIST", description = "File with the list of questions; - for stdin.")
    private Path list = Path.of("-");

    public BatchRunCommand(Terminal terminal, QuestionRegistry questions) {
        this.terminal = terminal;
        this.questions = questions;
    }

    @Override
    public Integer call() {
        demand("--of", shares, 1, Integer.MAX_VALUE);
        demand("--index", index, 0, shares - 1);
        demand("--threads", threads, 1, MOST_THREADS);
        List<WorkList.Line> all = WorkList.read(list, terminal.in());
        List<WorkList.Line> share = all.stream()
                .filter(line -> (line.number() - 1) % shares == index)
                .toList();
        // Many questions have one line of progress.
        Terminal quiet = Terminal.plain(terminal.in(), terminal.out(), terminal.err(), terminal.clock());
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        try (AskedCluster asked = cluster.read(quiet)) {
            Submitting submitting =
                    line -> executor.submit(() -> line.answer(asked, questions, all.size(), whole, quiet));
            return answer(share, submitting) ? 0 : 1;
        } finally {
            executor.shutdownNow();
        }
    }

    private boolean answer(List<WorkList.Line> lines, Submitting submitting) {
        if (answers.isEmpty()) {
            return answer(lines, submitting, line -> {
                terminal.out().println(line);
                terminal.out().flush();
            });
        }
        try (OutputFile file = OutputFile.growing("--answers " + answers.get(), answers.get());
                Writer writer = new BufferedWriter(new OutputStreamWriter(file.stream(), UTF_8))) {
            return answer(lines, submitting, line -> {
                try {
                    writer.write(line + "\n");
                    writer.flush();
                } catch (IOException e) {
                    throw file.failed(e);
                }
            });
        } catch (IOException e) {
            throw new CommandException("--answers " + answers.get() + ": cannot be written: " + TextFile.fault(e), e);
        }
    }

    private static void demand(String option, int value, int least, int most) {
        if (value < least || value > most) {
            throw new CommandException(option + ": " + value + " (expected: " + least + " to " + most + ")");
        }
    }

    private interface Submitting {
        Future<BatchLine> submit(WorkList.Line line);
    }

    // Answers are written in the order of the list, and few of them are kept for that.
    private boolean answer(List<WorkList.Line> lines, Submitting submitting, Consumer<String> out) {
        ProgressLine progress = new ProgressLine(terminal, "questions", lines.size());
        Deque<Future<BatchLine>> ahead = new ArrayDeque<>();
        boolean allAnswered = true;
        try {
            for (WorkList.Line line : lines) {
                ahead.add(submitting.submit(line));
                if (ahead.size() >= threads * AHEAD) {
                    allAnswered &= write(ahead.remove(), out);
                    progress.next();
                }
            }
            while (!ahead.isEmpty()) {
                allAnswered &= write(ahead.remove(), out);
                progress.next();
            }
        } finally {
            progress.clear();
        }
        return allAnswered;
    }

    private static boolean write(Future<BatchLine> future, Consumer<String> out) {
        try {
            BatchLine line = future.get();
            // Flushed, so that a reader that follows has each answer, also if this process is killed.
            out.accept(AnswerJson.line(line));
            return line.error().isEmpty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandException("interrupted (expected: to answer all questions)", e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof Error error) {
                throw error;
            }
            throw new IllegalStateException(e.getCause());
        }
    }
}
