// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.report;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.moorage.api.model.Pod;
import org.moorage.app.internal.report.TextTable.Cell;
import org.moorage.objects.tree.InputNotes;
import org.moorage.simulation.whatif.DisruptedPod;
import org.moorage.simulation.whatif.DisruptedPod.Outcome;
import org.moorage.simulation.whatif.RescheduledPods.RescheduledPod;
import org.moorage.simulation.whatif.UnschedulableReasons;
import picocli.CommandLine.Option;

/** The rows for pods that have to leave their nodes: one for each pod, or, if they are many, one for each reason why they are not rescheduled. */
public final class DisruptedRows {
    // So many fit on a screen.
    private static final int POD_ROWS = 40;
    private static final int ALIKE_ROWS = 20;

    @Option(names = "--all-pods", description = "Show a row for every pod.")
    private boolean allPods;

    /** A pod that has a row, and whether others preempt it. */
    private record Row(DisruptedPod pod, boolean isPreempted) {}

    /** Prints the pods that leave their nodes, or do not although they have to; pods that stay with their nodes have no row. */
    void print(List<DisruptedPod> pods, List<DisruptedPod> preempted, Terminal terminal) {
        List<Row> rows = new ArrayList<>();
        for (DisruptedPod pod : pods) {
            if (pod.outcome() != Outcome.OF_NODE && pod.outcome() != Outcome.LEFT) {
                rows.add(new Row(pod, false));
            }
        }
        preempted.forEach(pod -> rows.add(new Row(pod, true)));
        if (rows.isEmpty()) {
            return;
        }
        rows.sort(Comparator.comparing(row -> row.pod.isSettled()));
        if (allPods || rows.size() <= POD_ROWS) {
            podTable(rows).print(terminal);
        } else {
            printAlike(rows, terminal);
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
        String what = word(pod.outcome());
        if (!what.isEmpty()) {
            parts.add(pod.message().isEmpty() ? what : what + ": " + pod.message());
        }
        if (!pod.victims().isEmpty()) {
            parts.add("preempts "
                    + InputNotes.names(pod.victims().stream().map(Pod::key).toList()));
        }
        return String.join("; ", parts);
    }

    // Empty if the node says it all.
    private static String word(Outcome outcome) {
        return switch (outcome) {
            case MOVES -> "";
            case RETURNS -> "comes back, since it tolerates that the node is unschedulable";
            case WAITS -> "pending";
            case LOST -> "lost: no controller creates it again";
            case ENDED -> "has ended";
            case OF_NODE -> "belongs to its node";
            case BLOCKED -> "blockedByBudget";
            case REFUSED -> "refused";
            case HELD_UP -> "not evicted";
            case LEFT -> "not selected";
        };
    }

    // A row for each thing that becomes of some, and why.
    private static void printAlike(List<Row> rows, Terminal terminal) {
        Map<String, List<Row>> byMessage = new LinkedHashMap<>();
        for (Row row : rows) {
            if (row.pod.outcome() != Outcome.MOVES || row.isPreempted) {
                byMessage.computeIfAbsent(alike(row), any -> new ArrayList<>()).add(row);
            }
        }
        List<Map.Entry<String, List<Row>>> all = new ArrayList<>(byMessage.entrySet());
        all.sort(Comparator.<Map.Entry<String, List<Row>>, Boolean>comparing(
                        entry -> entry.getValue().get(0).pod.isSettled())
                .thenComparing(entry -> -entry.getValue().size()));
        int shown = Math.min(all.size(), ALIKE_ROWS);
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
        terminal.out().println("(--all-pods shows every pod)");
    }

    // The message without the numbers of nodes, and without whom it preempts.
    private static String alike(Row row) {
        String word = word(row.pod.outcome());
        String message = row.pod.outcome() == Outcome.WAITS
                ? UnschedulableReasons.of(row.pod.message()).names()
                : row.pod.message();
        if (row.pod.outcome() == Outcome.BLOCKED) {
            message = message.replaceAll(" and has [0-9]+ currently$", "");
        }
        String what = message.isEmpty() ? word : word + ": " + message;
        return row.isPreempted ? "preempted" + (what.isEmpty() ? ", and moves" : "; " + what) : what;
    }

    /** The counts of the outcomes, such as {@code 5 move, 1 is pending}; empty if there are none. */
    static String summary(List<DisruptedPod> pods) {
        Map<Outcome, Integer> counts = counts(pods);
        List<String> parts = new ArrayList<>();
        counts.forEach((outcome, count) -> {
            if (count > 0) {
                parts.add(counted(outcome, count));
            }
        });
        return String.join(", ", parts);
    }

    private static String counted(Outcome outcome, int count) {
        boolean one = count == 1;
        return count + " "
                + switch (outcome) {
                    case MOVES -> one ? "is rescheduled" : "are rescheduled";
                    case RETURNS -> one ? "returns to a drained node" : "return to drained nodes";
                    case WAITS -> one ? "is pending" : "are pending";
                    case LOST -> one ? "is lost" : "are lost";
                    case ENDED -> one ? "has ended" : "have ended";
                    case OF_NODE -> one ? "is a DaemonSet or static pod" : "are DaemonSet or static pods";
                    case BLOCKED -> one ? "is blocked by a budget" : "are blocked by budgets";
                    case REFUSED -> "cannot be evicted";
                    case HELD_UP -> one ? "is blocked by another pod" : "are blocked by other pods";
                    case LEFT -> one ? "is not selected" : "are not selected";
                };
    }

    private static Map<Outcome, Integer> counts(List<DisruptedPod> pods) {
        Map<Outcome, Integer> counts = new LinkedHashMap<>();
        for (Outcome outcome : Outcome.values()) {
            counts.put(outcome, 0);
        }
        pods.forEach(pod -> counts.merge(pod.outcome(), 1, Integer::sum));
        return counts;
    }

    /** The counts of the outcomes that occur, by their names, as figures of a page. */
    static Map<String, String> figures(List<DisruptedPod> pods) {
        Map<String, String> figures = new LinkedHashMap<>();
        counts(pods).forEach((outcome, count) -> {
            if (count > 0) {
                figures.put(
                        switch (outcome) {
                            case MOVES -> "rescheduled";
                            case RETURNS -> "scheduled to a drained node";
                            case WAITS -> "pending";
                            case LOST -> "lost";
                            case ENDED -> "ended before";
                            case OF_NODE -> "DaemonSet or static pods";
                            case BLOCKED -> "blocked by budgets";
                            case REFUSED -> "cannot be evicted";
                            case HELD_UP -> "blocked by other pods";
                            case LEFT -> "not selected";
                        },
                        Integer.toString(count));
            }
        });
        return figures;
    }

    /** Prints how many pods were pending before, and how many of them still are. */
    static void printWaiting(List<RescheduledPod> waitedBefore, Terminal terminal) {
        if (waitedBefore.isEmpty()) {
            return;
        }
        int waited = waitedBefore.size();
        long placed =
                waitedBefore.stream().filter(pod -> pod.nodeName().isPresent()).count();
        String were = waited == 1 ? "1 pod was" : waited + " pods were";
        String still = waited == 1 ? "still is" : "still are";
        TextTable.printWrapped(
                were + " pending before" + (placed == 0 ? ", and " + still : "; now " + placed + " of them fit") + ".",
                terminal);
    }

    /** The pods, for programs. */
    static void putAll(ArrayNode array, List<DisruptedPod> pods) {
        for (DisruptedPod pod : pods) {
            ObjectNode entry = array.addObject()
                    .put("pod", pod.pod().key())
                    .put("node", pod.nodeName())
                    .put("outcome", name(pod.outcome()))
                    .put("message", pod.message());
            if (pod.round() > 0) {
                entry.put("round", pod.round());
            }
            pod.successor().ifPresent(successor -> entry.put("successor", successor.key()));
            pod.newNodeName().ifPresent(node -> entry.put("newNode", node));
            if (!pod.victims().isEmpty()) {
                ArrayNode victims = entry.putArray("victims");
                pod.victims().forEach(victim -> victims.add(victim.key()));
            }
        }
    }

    /** How many there are of each outcome, for programs. */
    static void putCounts(ObjectNode summary, List<DisruptedPod> pods) {
        counts(pods).forEach((outcome, count) -> summary.put(name(outcome), count));
    }

    /** The pods that were pending before, for programs. */
    static void putWaiting(ArrayNode array, List<RescheduledPod> waitedBefore) {
        for (RescheduledPod pod : waitedBefore) {
            array.addObject()
                    .put("pod", pod.pod().key())
                    .put("node", pod.nodeName().orElse(""))
                    .put("message", pod.message());
        }
    }

    private static String name(Outcome outcome) {
        return switch (outcome) {
            case MOVES -> "rescheduled";
            case RETURNS -> "returned";
            case WAITS -> "pending";
            case LOST -> "lost";
            case ENDED -> "ended";
            case OF_NODE -> "daemonPods";
            case BLOCKED -> "blockedByBudget";
            case REFUSED -> "refused";
            case HELD_UP -> "blockedByOtherPods";
            case LEFT -> "notSelected";
        };
    }
}
