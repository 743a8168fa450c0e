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
import org.moorage.conformance.CaseResult.Correctness;

/** Prints results for users, and a last line for programs: {@code 3 right, 0 wrong}. */
public final class ConformReport {
    private static final int OBJECT_WIDTH = 160;
    private static final int COLUMN_WIDTH = 60;
    private static final String ROW = "%-40s %-15s %7s %7s %7s%n";

    private final PrintWriter out;
    private final int mostDifferences;
    private final Map<String, ResultCounts> countsByFile = new LinkedHashMap<>();
    private int differences;

    /**
     * Creates a report.
     *
     * @param out the output; flushed with the summary
     * @param mostDifferences the maximum number of wrong cases whose first difference is shown
     */
    public ConformReport(PrintWriter out, int mostDifferences) {
        this.out = out;
        this.mostDifferences = mostDifferences;
    }

    /** Prints a wrong result in one line; does not print right results. */
    public void result(CaseResult result) {
        List<Comparison> wrong = result.differences();
        if (wrong.isEmpty()) {
            return;
        }
        differences++;
        if (differences <= mostDifferences) {
            String more = wrong.size() == 1 ? "" : " (and " + (wrong.size() - 1) + " more in this case)";
            out.println(result.vector().name() + ": " + wrong.get(0) + more);
        }
    }

    /** Prints all of a case. */
    public void show(CaseResult result) {
        out.println(result.vector().name() + " (" + result.vector().kind() + ")");
        result.vector().tree().properties().forEach(field -> {
            if (!field.getKey().equals("expect") && !field.getKey().equals("name")) {
                showInput(field.getKey(), field.getValue());
            }
        });
        out.println();
        List<String> expected = new ArrayList<>();
        int whatWidth = "what".length();
        for (Comparison comparison : result.comparisons()) {
            expected.add(comparison.expected());
            whatWidth = Math.max(whatWidth, comparison.what().length());
        }
        int expectedWidth = "expected".length();
        for (String text : expected) {
            expectedWidth = Math.max(expectedWidth, Math.min(text.length(), COLUMN_WIDTH));
        }
        String row = "%-9s %-" + whatWidth + "s  %-" + expectedWidth + "s  %s%n";
        out.printf(row, "", "what", "expected", "got");
        for (Comparison comparison : result.comparisons()) {
            out.printf(row, sign(comparison), comparison.what(), comparison.expected(), comparison.got());
        }
        out.println();
    }

    private static String sign(Comparison comparison) {
        return switch (comparison.match()) {
            case SAME -> "";
            case DIFFERENT -> "DIFFERENT";
            case OPEN -> "open";
            case NO_ANSWER -> "no answer";
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

    // Prints the fields first that scheduling reads most.
    private static String inShort(JsonNode tree) {
        JsonNode metadata = tree.path("metadata");
        if (!tree.has("kind") || !metadata.has("name")) {
            return JsonText.cut(tree.toString(), OBJECT_WIDTH);
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
        return JsonText.cut(text.toString(), OBJECT_WIDTH);
    }

    /** Adds the counts of a file. */
    public void file(String name, ResultCounts counts) {
        countsByFile.computeIfAbsent(name, any -> new ResultCounts()).add(counts);
    }

    /**
     * Prints a table of the files, and the last line.
     *
     * @return the totals
     */
    public ResultCounts summary() {
        if (differences > mostDifferences) {
            out.println("and " + (differences - mostDifferences) + " more wrong (a larger --diffs shows them)");
        }
        ResultCounts sum = new ResultCounts();
        out.printf(ROW, "file", "kind", "right", "wrong", "open");
        countsByFile.forEach((file, counts) -> {
            sum.add(counts);
            StringBuilder kinds = new StringBuilder();
            for (VectorKind kind : counts.kinds()) {
                kinds.append(kinds.isEmpty() ? "" : ",").append(kind);
            }
            row(file, kinds.toString(), counts);
        });
        if (countsByFile.size() > 1) {
            row("all", "", sum);
        }
        int open = sum.count(Correctness.OPEN);
        if (open > 0) {
            out.println(open + " open: waiting for plugins not in this version: " + waiting(sum));
        }
        if (!sum.withoutAnswer().isEmpty()) {
            out.println(sum.withoutAnswer().size() + " without an answer, since the recorded scheduler failed: "
                    + String.join(" ", sum.withoutAnswer()));
        }
        out.println(sum.count(Correctness.RIGHT) + " right, " + sum.count(Correctness.WRONG) + " wrong");
        out.flush();
        return sum;
    }

    private void row(String file, String kinds, ResultCounts counts) {
        String shown = file.length() <= 40 ? file : "..." + file.substring(file.length() - 37);
        out.printf(
                ROW,
                shown,
                kinds,
                counts.count(Correctness.RIGHT),
                counts.count(Correctness.WRONG),
                counts.count(Correctness.OPEN));
    }

    private static String waiting(ResultCounts counts) {
        List<Map.Entry<String, Integer>> plugins =
                new ArrayList<>(counts.openByPlugin().entrySet());
        plugins.sort(Comparator.comparing((Map.Entry<String, Integer> plugin) -> -plugin.getValue())
                .thenComparing(Map.Entry::getKey));
        List<String> texts = new ArrayList<>();
        for (Map.Entry<String, Integer> plugin : plugins) {
            texts.add(plugin.getKey() + " " + plugin.getValue());
        }
        return String.join(", ", texts);
    }
}
