// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.batch;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.moorage.app.internal.process.CommandException;
import org.moorage.app.internal.report.Terminal;
import org.moorage.objects.TextFile;
import org.moorage.objects.internal.InputNotes;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Puts together what several processes have answered of one work list. */
@Command(
        name = "merge",
        description = {
            "Merge the answers of several batch runs, in the order of the list.",
            "",
            "Lines that are no answers, such as log lines, are skipped."
        },
        footer = "  kubectl logs --selector job-name=drains --tail -1 | moorage batch merge -",
        exitCodeList = {"0:each question has one answer", "1:an answer is missing, or two differ"})
public final class BatchMergeCommand implements Callable<Integer> {
    private static final String BEGINNING = "{\"number\":";
    private static final JsonMapper JSON = new JsonMapper();

    private final Terminal terminal;
    private final Map<Integer, String> answers = new TreeMap<>();
    private final Map<Integer, Integer> exitCodes = new TreeMap<>();
    private final List<String> differing = new ArrayList<>();
    private int of;
    private int passedOver;

    @Parameters(arity = "1..*", paramLabel = "FILE", description = "Files with answers; - for stdin.")
    private List<Path> files = new ArrayList<>();

    /** Creates the command; it prints to that terminal. */
    public BatchMergeCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        for (Path file : files) {
            boolean isStdin = file.toString().equals("-");
            try (BufferedReader reader = isStdin
                    ? new BufferedReader(new InputStreamReader(terminal.in(), StandardCharsets.UTF_8))
                    : Files.newBufferedReader(file)) {
                for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                    add(line, isStdin ? "stdin" : file.toString());
                }
            } catch (IOException e) {
                throw new CommandException(
                        file + ": " + TextFile.fault(e) + " (expected: answers of moorage batch run)", e);
            }
        }
        answers.values().forEach(terminal.out()::println);
        return tell() ? 0 : 1;
    }

    private void add(String line, String source) {
        if (!line.startsWith(BEGINNING)) {
            passedOver += line.isBlank() ? 0 : 1;
            return;
        }
        JsonNode tree;
        try {
            tree = JSON.readTree(line);
        } catch (JsonProcessingException cut) {
            // A process that was killed leaves such a one as its last.
            passedOver++;
            return;
        }
        int number = tree.path("number").asInt();
        int total = tree.path("of").asInt();
        if (!tree.path("number").isInt()
                || !tree.path("of").isInt()
                || number < 1
                || number > total
                || of != 0 && total != of) {
            throw new CommandException(source + ": answer " + tree.path("number") + " of " + tree.path("of")
                    + " (expected: 1 to " + (of == 0 ? "as many as there are" : of) + ", of one work list)");
        }
        of = total;
        String before = answers.putIfAbsent(number, line);
        if (before == null) {
            exitCodes.merge(tree.path("exitCode").asInt(), 1, Integer::sum);
        } else if (!before.equals(line)) {
            differing.add(Integer.toString(number));
        }
    }

    // As ranges: a list may have any number of questions, of which few were answered.
    private List<String> missing() {
        List<String> missing = new ArrayList<>();
        long next = 1;
        for (int number : answers.keySet()) {
            addRange(next, number - 1L, missing);
            next = number + 1L;
        }
        addRange(next, of, missing);
        return missing;
    }

    private static void addRange(long first, long last, List<String> ranges) {
        if (first < last) {
            ranges.add(first + " to " + last);
        } else if (first == last) {
            ranges.add(Long.toString(first));
        }
    }

    private boolean tell() {
        List<String> missing = missing();
        terminal.err()
                .println(answers.size() + " of " + of + " answers: " + exitCodes.getOrDefault(0, 0) + " yes, "
                        + exitCodes.getOrDefault(1, 0) + " no, " + exitCodes.getOrDefault(WorkList.NO_ANSWER, 0)
                        + " failed"
                        + (passedOver == 0 ? "" : "; " + passedOver + " lines are no answers"));
        if (!missing.isEmpty()) {
            terminal.err()
                    .println(
                            "error: missing: " + InputNotes.names(missing) + " (expected: an answer to each question)");
        }
        if (!differing.isEmpty()) {
            terminal.err()
                    .println("error: answered differently: " + InputNotes.names(differing)
                            + " (expected: one answer to a question)");
        }
        return !answers.isEmpty() && missing.isEmpty() && differing.isEmpty();
    }
}
