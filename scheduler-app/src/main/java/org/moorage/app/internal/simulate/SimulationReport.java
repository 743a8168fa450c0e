// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.simulate;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.moorage.api.model.ObjectKind;
import org.moorage.app.internal.answer.GroupResult;
import org.moorage.app.internal.answer.PodResult;
import org.moorage.app.internal.answer.PodRows;
import org.moorage.app.internal.report.Answer;
import org.moorage.app.internal.report.Report;
import org.moorage.app.internal.report.Terminal;
import org.moorage.app.internal.report.TextStyle;
import org.moorage.app.internal.report.TextTable;
import org.moorage.app.internal.report.TextTable.Cell;
import org.moorage.app.internal.simulate.SimulationAnswer.PodsResult;
import org.moorage.app.internal.simulate.SimulationAnswer.ReasonCount;
import org.moorage.app.internal.simulate.SimulationRows.View;
import org.moorage.objects.tree.InputNotes;
import org.moorage.runtime.decision.UnschedulableReasons;
import org.moorage.simulation.PodMove;
import org.moorage.simulation.SimulatedPod;
import org.moorage.simulation.SimulatedPod.State;
import org.moorage.simulation.SimulationResult;
import org.moorage.simulation.dump.RecordedChange;

/** The pods, groups of pods and nodes at the end of a simulation. */
public final class SimulationReport implements Report {
    // Row limits, so that a report fits on a screen.
    private static final int POD_ROWS = 40;
    private static final int OWNER_ROWS = 20;
    private static final int OUTCOMES = 3;
    private static final int CHANGE_ROWS = 20;
    private static final int LONG_MESSAGE = 60;

    private final SimulationResult result;
    private final List<RecordedChange> changes;
    private final Asked asked;
    private final SimulationRows rows;
    private final NodeTable nodes;
    private final GroupTable groups;

    /**
     * The options of the report.
     *
     * @param rows the pods and nodes that have a row in tables; JSON contains all
     * @param notes notes on objects that were added to the cluster
     * @param seed the seed of the random numbers, if one was given
     * @param took the duration of the simulation; empty if it is not shown
     * @param demandsNodes whether the answer is no if a pod was tried and has no node
     */
    public record Asked(
            SimulationRows rows,
            List<String> notes,
            Optional<Long> seed,
            Optional<Duration> took,
            boolean demandsNodes) {
        public Asked {
            notes = List.copyOf(notes);
        }
    }

    /**
     * A report.
     *
     * @param changes the changes that were replayed
     */
    public SimulationReport(SimulationResult result, List<RecordedChange> changes, Asked asked) {
        this.result = result;
        this.changes = changes;
        this.asked = asked;
        rows = asked.rows;
        groups = new GroupTable(result.groups(), rows);
        nodes = new NodeTable(result.nodes(), rows);
    }

    @Override
    public boolean succeeded() {
        return result.count(State.ERROR) == 0 && !(asked.demandsNodes && !names().isEmpty());
    }

    @Override
    public List<String> names() {
        return result.pods().stream()
                .filter(pod -> pod.state().isFailure() && pod.createdAgainAs().isEmpty())
                .map(pod -> "pod/" + pod.pod().key())
                .toList();
    }

    @Override
    public void print(Terminal terminal) {
        groups.print(terminal);
        List<SimulatedPod> pods = podsOutsideGroups(terminal);
        List<SimulatedPod> shown = shown(pods);
        if (!shown.isEmpty()) {
            boolean hasViewOfPods = rows.by(View.OWNER) || rows.by(View.NAMESPACE);
            if (!hasViewOfPods && terminal.shown(shown.size(), POD_ROWS) == shown.size()) {
                podTable(shown).print(terminal);
            } else {
                printOwners(pods, terminal);
            }
            terminal.out().println();
        }
        nodes.print(terminal);
        printChanges(terminal);
        terminal.out().println(summary());
    }

    // Prints the changes for which pods were tried again.
    private void printChanges(Terminal terminal) {
        Map<PodMove, List<String>> podsByMove = new TreeMap<>(
                Comparator.<PodMove>comparingInt(move -> move.change().number()).thenComparing(PodMove::event));
        for (SimulatedPod pod : result.pods()) {
            for (PodMove move : pod.movedBy()) {
                podsByMove
                        .computeIfAbsent(move, any -> new ArrayList<>())
                        .add(pod.pod().key());
            }
        }
        if (changes.isEmpty()) {
            return;
        }
        List<PodMove> moves = new ArrayList<>(podsByMove.keySet());
        TextTable table = new TextTable().left("CHANGE").left("EVENT").left("TRIED AGAIN");
        int shown = terminal.shown(moves.size(), CHANGE_ROWS);
        for (PodMove move : moves.subList(0, shown)) {
            table.row(List.of(
                    Cell.of(title(move.change())),
                    Cell.of(move.event()),
                    Cell.of(InputNotes.names(Objects.requireNonNull(podsByMove.get(move))))));
        }
        if (shown > 0) {
            table.print(terminal);
        }
        if (shown < moves.size()) {
            terminal.out().println("and " + (moves.size() - shown) + " more rows (-o wide shows all)");
        }
        long moving =
                moves.stream().map(move -> move.change().number()).distinct().count();
        terminal.out()
                .println("For " + moving + " of " + changes.size() + (changes.size() == 1 ? " change" : " changes")
                        + " pods were tried again.");
        terminal.out().println();
    }

    private static String title(RecordedChange change) {
        return change.number() + " " + change.type() + " "
                + ObjectKind.of(change.object()).kind() + " " + change.object().key();
    }

    // Pods of groups are shown in the table of groups.
    private List<SimulatedPod> podsOutsideGroups(Terminal terminal) {
        if (terminal.isWide() || result.groups().isEmpty()) {
            return result.pods();
        }
        Set<String> inGroups = new HashSet<>();
        result.groups()
                .forEach(group ->
                        group.pods().forEach(pod -> inGroups.add(pod.pod().uid())));
        return result.pods().stream()
                .filter(pod -> !inGroups.contains(pod.pod().uid()))
                .toList();
    }

    private List<SimulatedPod> shown(List<SimulatedPod> pods) {
        if (!rows.onlyUnplaced()) {
            return pods;
        }
        return pods.stream().filter(pod -> pod.nodeName().isEmpty()).toList();
    }

    private static TextTable podTable(List<SimulatedPod> pods) {
        TextTable table =
                new TextTable().left("POD").left("NODE").right("SCORE").left("MESSAGE");
        Map<Object, SimulatedPod> firstByReasons = new HashMap<>();
        for (SimulatedPod pod : pods) {
            String score = pod.score().isPresent() ? Long.toString(pod.score().getAsLong()) : "-";
            table.row(List.of(
                    Cell.of(pod.pod().key()),
                    new Cell(pod.nodeName().isEmpty() ? "-" : pod.nodeName(), style(pod.state())),
                    Cell.of(score),
                    Cell.of(messageOrFirst(pod, firstByReasons))));
        }
        return table;
    }

    // A long message stands there once.
    private static String messageOrFirst(SimulatedPod pod, Map<Object, SimulatedPod> firstByReasons) {
        String message = PodRows.message(pod);
        if (message.length() < LONG_MESSAGE) {
            return message;
        }
        boolean isUnschedulable = pod.reason().reasons().isPresent();
        SimulatedPod first =
                firstByReasons.putIfAbsent(isUnschedulable ? pod.reason().key() : message, pod);
        if (first == null) {
            return message;
        }
        String same = "as " + first.pod().key();
        if (message.equals(PodRows.message(first))) {
            return same;
        }
        UnschedulableReasons own = pod.reason().reasons().orElseThrow();
        UnschedulableReasons other = first.reason().reasons().orElseThrow();
        if (own.nodeCount() != other.nodeCount() || !own.nodesByReason().equals(other.nodesByReason())) {
            return same + ", for other numbers of nodes";
        }
        return own.postFilterMessage().isEmpty() ? message : same + ", but " + own.postFilterMessage();
    }

    private void printOwners(List<SimulatedPod> pods, Terminal terminal) {
        List<PodRows> owners = new ArrayList<>(PodRows.of(pods, rows.by(View.NAMESPACE)));
        if (rows.onlyUnplaced()) {
            owners.removeIf(owner -> owner.unplaced() == 0);
        }
        TextTable table = new TextTable()
                .left(rows.by(View.NAMESPACE) ? "NAMESPACE" : "PODS OF")
                .right("PODS")
                .right("PLACED")
                .left("MESSAGE");
        int shown = terminal.shown(owners.size(), OWNER_ROWS);
        for (PodRows owner : owners.subList(0, shown)) {
            addRows(table, owner);
        }
        table.print(terminal);
        int others = 0;
        int unplaced = 0;
        for (PodRows owner : owners.subList(shown, owners.size())) {
            others += owner.demand();
            unplaced += owner.unplaced();
        }
        if (others > 0) {
            terminal.out()
                    .println("and " + (owners.size() - shown) + " more rows with " + others + " pods, "
                            + (unplaced == 0 ? "all placed" : unplaced + " of them not placed")
                            + " (-o wide shows every pod)");
        }
    }

    private static void addRows(TextTable table, PodRows group) {
        List<PodRows.Outcome> outcomes = group.outcomes();
        int pods = group.demand();
        int placed = pods - group.unplaced();
        List<Cell> cells = new ArrayList<>();
        cells.add(Cell.of(group.name()));
        cells.add(Cell.of(Integer.toString(pods)));
        cells.add(new Cell(Integer.toString(placed), placed == pods ? TextStyle.GOOD : TextStyle.BAD));
        for (PodRows.Outcome outcome : outcomes.subList(0, Math.min(OUTCOMES, outcomes.size()))) {
            cells.add(Cell.of(outcome.pods() + " " + countText(outcome.state()) + ": " + outcome.message()));
            table.row(cells);
            cells = new ArrayList<>(List.of(Cell.EMPTY, Cell.EMPTY, Cell.EMPTY));
        }
        if (outcomes.isEmpty()) {
            table.row(cells);
        } else if (outcomes.size() > OUTCOMES) {
            int others = 0;
            for (PodRows.Outcome outcome : outcomes.subList(OUTCOMES, outcomes.size())) {
                others += outcome.pods();
            }
            cells.add(Cell.of(others + " with " + (outcomes.size() - OUTCOMES) + " other messages"));
            table.row(cells);
        }
    }

    public static TextStyle style(State state) {
        return switch (state) {
            case SCHEDULED -> TextStyle.GOOD;
            case UNSCHEDULABLE, ERROR, PREEMPTED -> TextStyle.BAD;
            case WAITING_FOR_PERMIT, GATED, OTHER_SCHEDULER, DELETING, DELETED -> TextStyle.WARNING;
        };
    }

    private String summary() {
        if (result.pods().isEmpty()) {
            return "no pod waits for a node";
        }
        long again = SimulationSummary.createdAgain(result);
        List<String> counts = new ArrayList<>();
        for (State state : State.values()) {
            long count = result.count(state) - (state == State.PREEMPTED ? again : 0);
            if (count > 0) {
                counts.add(count + " " + countText(state));
            }
        }
        long pods = result.pods().size() - again;
        return String.format(
                Locale.ROOT,
                "%d %s: %s%s%s%s%s",
                pods,
                pods == 1 ? "pod" : "pods",
                String.join(", ", counts),
                again > 0 ? "; " + again + " preempted and created again" : "",
                groups.summary().isEmpty() ? "" : "; " + groups.summary(),
                asked.took
                        .map(took -> String.format(Locale.ROOT, " in %.2f s", took.toMillis() / 1000.0))
                        .orElse(""),
                asked.seed.map(value -> " (seed " + value + ")").orElse(""));
    }

    @Override
    public Answer answer() {
        return new SimulationAnswer(
                Optional.of(PodResult.all(result.pods())),
                Optional.of(GroupResult.all(result.groups())).filter(all -> !all.isEmpty()),
                Optional.of(nodes.nodeUses()),
                nodes.uses(View.ZONE),
                nodes.uses(View.TYPE),
                podsBy(View.OWNER),
                podsBy(View.NAMESPACE),
                SimulationSummary.of(result, changes.size(), asked),
                asked.notes);
    }

    private Optional<List<PodsResult>> podsBy(View view) {
        return rows.by(view)
                ? Optional.of(PodRows.of(result.pods(), view == View.NAMESPACE).stream()
                        .map(pods -> new PodsResult(
                                pods.name(),
                                pods.demand(),
                                pods.demand() - pods.unplaced(),
                                ReasonCount.all(pods.outcomes())))
                        .toList())
                : Optional.empty();
    }

    // Returns the text after a number of such pods in a summary.
    public static String countText(State state) {
        return switch (state) {
            case SCHEDULED -> "placed";
            case UNSCHEDULABLE -> "unschedulable";
            case ERROR -> "failed";
            case PREEMPTED -> "preempted";
            case WAITING_FOR_PERMIT -> "waiting for a permit";
            case GATED -> "gated";
            case OTHER_SCHEDULER -> "for other schedulers";
            case DELETING -> "being deleted";
            case DELETED -> "deleted";
        };
    }
}
