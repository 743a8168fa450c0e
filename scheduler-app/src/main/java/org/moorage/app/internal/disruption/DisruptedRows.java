// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.disruption;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.moorage.api.model.Pod;
import org.moorage.app.internal.answer.OutcomeText;
import org.moorage.app.internal.answer.PodRows;
import org.moorage.app.internal.report.Terminal;
import org.moorage.app.internal.report.TextStyle;
import org.moorage.app.internal.report.TextTable;
import org.moorage.app.internal.report.TextTable.Cell;
import org.moorage.objects.tree.InputNotes;
import org.moorage.simulation.whatif.DisruptedPod;
import org.moorage.simulation.whatif.DisruptedPod.Outcome;

/**
 * The rows for disrupted pods: one for each pod, or, if there are many, one for each reason why pods are not
 * rescheduled.
 */
public final class DisruptedRows {
    private static final int POD_ROWS = 40;
    private static final int REASON_ROWS = 20;

    private DisruptedRows() {}

    /** A pod with a row, and whether others preempt it. */
    private record Row(DisruptedPod pod, boolean isPreempted) {}

    /** Prints the pods, except for those that stay on their nodes by rule or request. */
    public static void print(List<DisruptedPod> pods, List<DisruptedPod> preempted, Terminal terminal) {
        List<Row> rows = new ArrayList<>();
        for (DisruptedPod pod : pods) {
            if (pod.outcome() != Outcome.DAEMON_PODS && pod.outcome() != Outcome.NOT_SELECTED) {
                rows.add(new Row(pod, false));
            }
        }
        preempted.forEach(pod -> rows.add(new Row(pod, true)));
        if (rows.isEmpty()) {
            return;
        }
        rows.sort(Comparator.comparing(row -> row.pod.isSettled()));
        if (terminal.isWide() || rows.size() <= POD_ROWS) {
            podTable(rows).print(terminal);
        } else {
            printByReason(rows, terminal);
        }
        terminal.out().println();
    }

    private static TextTable podTable(List<Row> rows) {
        Set<String> nodes = new LinkedHashSet<>();
        int rounds = 0;
        for (Row row : rows) {
            nodes.add(row.pod.nodeName());
            rounds = Math.max(rounds, row.pod.round());
        }
        boolean hasNodes = nodes.size() > 1;
        boolean hasRounds = rounds > 1;
        TextTable table = new TextTable().left("POD");
        if (hasNodes) {
            table.left("ON");
        }
        if (hasRounds) {
            table.right("ROUND");
        }
        table.left("RESCHEDULED TO").left("MESSAGE");
        for (Row row : rows) {
            DisruptedPod pod = row.pod;
            List<Cell> cells = new ArrayList<>();
            cells.add(Cell.of(pod.pod().key()));
            if (hasNodes) {
                cells.add(Cell.of(pod.nodeName()));
            }
            if (hasRounds) {
                cells.add(Cell.of(pod.round() == 0 ? "-" : Integer.toString(pod.round())));
            }
            cells.add(new Cell(pod.newNodeName().orElse("-"), pod.isSettled() ? TextStyle.GOOD : TextStyle.BAD));
            cells.add(Cell.of(message(row)));
            table.row(cells);
        }
        return table;
    }

    private static String message(Row row) {
        DisruptedPod pod = row.pod;
        List<String> parts = new ArrayList<>();
        if (row.isPreempted) {
            parts.add("preempted");
        }
        String what = OutcomeText.of(pod.outcome()).message();
        if (!what.isEmpty()) {
            parts.add(pod.message().isEmpty() ? what : what + ": " + pod.message());
        }
        if (!pod.victims().isEmpty()) {
            parts.add("preempts "
                    + InputNotes.names(pod.victims().stream().map(Pod::key).toList()));
        }
        return String.join("; ", parts);
    }

    private static void printByReason(List<Row> rows, Terminal terminal) {
        Map<String, List<Row>> byMessage = new LinkedHashMap<>();
        for (Row row : rows) {
            if (row.pod.outcome() != Outcome.RESCHEDULED || row.isPreempted) {
                byMessage.computeIfAbsent(alike(row), any -> new ArrayList<>()).add(row);
            }
        }
        List<Map.Entry<String, List<Row>>> all = new ArrayList<>(byMessage.entrySet());
        all.sort(Comparator.<Map.Entry<String, List<Row>>, Boolean>comparing(
                        entry -> entry.getValue().get(0).pod.isSettled())
                .thenComparing(entry -> -entry.getValue().size()));
        int shown = Math.min(all.size(), REASON_ROWS);
        TextTable table = new TextTable().left("PODS OF").right("PODS").left("MESSAGE");
        for (Map.Entry<String, List<Row>> entry : all.subList(0, shown)) {
            List<String> owners = new ArrayList<>(
                    PodRows.byName(entry.getValue(), row -> row.pod.pod()).keySet());
            String names = owners.get(0) + (owners.size() == 1 ? "" : " and " + (owners.size() - 1) + " more");
            TextStyle style = entry.getValue().get(0).pod.isSettled() ? TextStyle.PLAIN : TextStyle.BAD;
            table.row(List.of(
                    Cell.of(names),
                    new Cell(Integer.toString(entry.getValue().size()), style),
                    Cell.of(entry.getKey())));
        }
        table.print(terminal);
        int others = 0;
        for (Map.Entry<String, List<Row>> entry : all.subList(shown, all.size())) {
            others += entry.getValue().size();
        }
        if (others > 0) {
            terminal.out().println("and " + (all.size() - shown) + " more rows with " + others + " pods");
        }
        terminal.out().println("(-o wide shows every pod)");
    }

    // Without numbers of nodes and healthy pods, and without preempted pods.
    private static String alike(Row row) {
        String word = OutcomeText.of(row.pod.outcome()).message();
        String message = row.pod.reason().summary();
        String what = message.isEmpty() ? word : word + ": " + message;
        return row.isPreempted ? "preempted" + (what.isEmpty() ? ", and rescheduled" : "; " + what) : what;
    }
}
