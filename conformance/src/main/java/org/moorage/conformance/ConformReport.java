// SPDX-License-Identifier: Apache-2.0
package org.moorage.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.moorage.conformance.Verdict.Outcome;

/** Prints verdicts for people, and a last line for programs: {@code 3 right, 0 wrong}. */
public final class ConformReport {
    private static final int OBJECT_WIDTH = 160;
    private static final int COLUMN_WIDTH = 60;
    private static final String ROW = "%-40s %-15s %7s %7s %7s%n";

    private final PrintWriter out;
    private final int mostDifferences;
    private final Map<String, Tally> tallyByFile = new LinkedHashMap<>();
    private int differences;

    /**
     * A report.
     *
     * @param out where to print it; flushed with the summary
     * @param mostDifferences of how many wrong cases to show the first difference
     */
    public ConformReport(PrintWriter out, int mostDifferences) {
        this.out = out;
        this.mostDifferences = mostDifferences;
    }

    /** Prints a verdict if it is a wrong one, in one line. */
    public void verdict(Verdict verdict) {
        List<Finding> wrong = verdict.differences();
        if (wrong.isEmpty()) {
            return;
        }
        differences++;
        if (differences <= mostDifferences) {
            String more = wrong.size() == 1 ? "" : " (and " + (wrong.size() - 1) + " more in this case)";
            out.println(verdict.vector().name() + ": " + wrong.get(0) + more);
        }
    }

    /** Prints a case in full. */
    public void show(Verdict verdict) {
        out.println(verdict.vector().name() + " (" + verdict.vector().kind() + ")");
        verdict.vector().tree().properties().forEach(field -> {
            if (!field.getKey().equals("expect") && !field.getKey().equals("name")) {
                showInput(field.getKey(), field.getValue());
            }
        });
        out.println();
        List<String> expected = new ArrayList<>();
        int whatWidth = "what".length();
        for (Finding finding : verdict.findings()) {
            expected.add(finding.expected());
            whatWidth = Math.max(whatWidth, finding.what().length());
        }
        int expectedWidth = "expected".length();
        for (String text : expected) {
            expectedWidth = Math.max(expectedWidth, Math.min(text.length(), COLUMN_WIDTH));
        }
        String row = "%-9s %-" + whatWidth + "s  %-" + expectedWidth + "s  %s%n";
        out.printf(row, "", "what", "expected", "got");
        for (Finding finding : verdict.findings()) {
            out.printf(row, sign(finding), finding.what(), finding.expected(), finding.got());
        }
        out.println();
    }

    private static String sign(Finding finding) {
        return switch (finding.judgement()) {
            case SAME -> "";
            case DIFFERENT -> "DIFFERENT";
            case OPEN -> "open";
        };
    }

    private void showInput(String field, JsonNode value) {
        if (value.isArray()) {
            for (JsonNode item : value) {
                out.println("  " + inShort(item));
            }
        } else if (value.isTextual()) {
            out.println("  " + field + ": " + value.asText().strip().replace("\n", "\n    "));
        } else {
            out.println("  " + field + ": " + inShort(value));
        }
    }

    // First what scheduling reads most.
    private static String inShort(JsonNode tree) {
        JsonNode metadata = tree.path("metadata");
        if (!tree.has("kind") || !metadata.has("name")) {
            return TreeText.cut(tree.toString(), OBJECT_WIDTH);
        }
        String namespace = metadata.path("namespace").asText("");
        StringBuilder text = new StringBuilder(tree.path("kind").asText() + " ");
        text.append(namespace.isEmpty() ? "" : namespace + "/")
                .append(metadata.path("name").asText());
        JsonNode status = tree.path("status").deepCopy();
        if (status instanceof ObjectNode fields) {
            fields.remove("capacity");
        }
        for (JsonNode part : List.of(tree.path("spec"), status, metadata.path("labels"))) {
            if (!part.isEmpty()) {
                text.append(' ').append(part);
            }
        }
        return TreeText.cut(text.toString(), OBJECT_WIDTH);
    }

    /** Notes how many verdicts a file had. */
    public void file(String name, Tally tally) {
        tallyByFile.computeIfAbsent(name, any -> new Tally()).add(tally);
    }

    /**
     * Prints a table of the files, and the last line.
     *
     * @return the sums
     */
    public Tally summary() {
        if (differences > mostDifferences) {
            out.println("and " + (differences - mostDifferences) + " more wrong (a larger --diffs shows them)");
        }
        Tally sum = new Tally();
        out.printf(ROW, "file", "kind", "right", "wrong", "open");
        tallyByFile.forEach((file, tally) -> {
            sum.add(tally);
            StringBuilder kinds = new StringBuilder();
            for (VectorKind kind : tally.kinds()) {
                kinds.append(kinds.isEmpty() ? "" : ",").append(kind);
            }
            row(file, kinds.toString(), tally);
        });
        if (tallyByFile.size() > 1) {
            row("all", "", sum);
        }
        int open = sum.count(Outcome.OPEN);
        if (open > 0) {
            out.println(open + " open: waiting for plugins not in this version: " + waiting(sum));
        }
        out.println(sum.count(Outcome.RIGHT) + " right, " + sum.count(Outcome.WRONG) + " wrong");
        out.flush();
        return sum;
    }

    private void row(String file, String kinds, Tally tally) {
        String shown = file.length() <= 40 ? file : "..." + file.substring(file.length() - 37);
        out.printf(
                ROW, shown, kinds, tally.count(Outcome.RIGHT), tally.count(Outcome.WRONG), tally.count(Outcome.OPEN));
    }

    private static String waiting(Tally tally) {
        List<Map.Entry<String, Integer>> plugins =
                new ArrayList<>(tally.openByPlugin().entrySet());
        plugins.sort(Comparator.comparing((Map.Entry<String, Integer> plugin) -> -plugin.getValue())
                .thenComparing(Map.Entry::getKey));
        List<String> texts = new ArrayList<>();
        for (Map.Entry<String, Integer> plugin : plugins) {
            texts.add(plugin.getKey() + " " + plugin.getValue());
        }
        return String.join(", ", texts);
    }
}
