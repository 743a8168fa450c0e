// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.report;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
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
import org.moorage.app.internal.report.SimulationRows.View;
import org.moorage.app.internal.report.TextTable.Cell;
import org.moorage.objects.tree.InputNotes;
import org.moorage.simulation.PodMove;
import org.moorage.simulation.SimulatedPod;
import org.moorage.simulation.SimulatedPod.State;
import org.moorage.simulation.SimulationResult;
import org.moorage.simulation.dump.RecordedChange;
import org.moorage.simulation.whatif.UnschedulableReasons;

/** The pods, groups of pods and nodes at the end of a simulation. */
public final class SimulationReport implements Answer {
    // What of it fits on a screen.
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
     * What was asked for, and how it was answered.
     *
     * @param rows which pods and nodes have a row for people; programs are told of all
     * @param notes what is to be told of what was added to the cluster
     * @param seed the seed of the random numbers, if one was given
     * @param took how long the simulation took; empty where that is not to be told
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
    public int exitCode() {
        boolean isFailed = result.count(State.ERROR) > 0;
        boolean isUnplaced = result.pods().stream()
                .anyMatch(pod -> pod.state().isFailure() && pod.createdAgainAs().isEmpty());
        return isFailed || asked.demandsNodes && isUnplaced ? 1 : 0;
    }

    @Override
    public void print(Terminal terminal) {
        groups.print(terminal);
        List<SimulatedPod> pods = podsOutsideGroups();
        List<SimulatedPod> shown = shown(pods);
        if (!shown.isEmpty()) {
            boolean hasViewOfPods = rows.by(View.OWNER) || rows.by(View.NAMESPACE);
            if (rows.allPods() || shown.size() <= POD_ROWS && !hasViewOfPods) {
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

    // Those for which pods were tried again.
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
        int shown = Math.min(moves.size(), CHANGE_ROWS);
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
            terminal.out().println("and " + (moves.size() - shown) + " more rows (-o json has all)");
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

    // Those of groups have a place in the table of groups.
    private List<SimulatedPod> podsOutsideGroups() {
        if (rows.allPods() || result.groups().isEmpty()) {
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
        Map<String, UnschedulableReasons> firstByReasons = new HashMap<>();
        Map<String, String> podByReasons = new HashMap<>();
        for (SimulatedPod pod : pods) {
            String score = pod.score().isPresent() ? Long.toString(pod.score().getAsLong()) : "-";
            table.row(List.of(
                    Cell.of(pod.pod().key()),
                    new Cell(pod.nodeName().isEmpty() ? "-" : pod.nodeName(), style(pod.state())),
                    Cell.of(score),
                    Cell.of(messageOrFirst(pod, firstByReasons, podByReasons))));
        }
        return table;
    }

    // A long message stands there once.
    private static String messageOrFirst(
            SimulatedPod pod, Map<String, UnschedulableReasons> firstByReasons, Map<String, String> podByReasons) {
        String message = message(pod);
        if (message.length() < LONG_MESSAGE) {
            return message;
        }
        UnschedulableReasons reasons = UnschedulableReasons.of(message);
        UnschedulableReasons first = firstByReasons.putIfAbsent(reasons.key(), reasons);
        if (first == null) {
            podByReasons.put(reasons.key(), pod.pod().key());
            return message;
        }
        return "as " + podByReasons.get(reasons.key()) + (first.equals(reasons) ? "" : ", for other numbers of nodes");
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
        int shown = Math.min(owners.size(), OWNER_ROWS);
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
                            + " (--all-pods shows every pod)");
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

    static TextStyle style(State state) {
        return switch (state) {
            case SCHEDULED -> TextStyle.GOOD;
            case UNSCHEDULABLE, ERROR, PREEMPTED -> TextStyle.BAD;
            case WAITING, GATED, OTHER_SCHEDULER, DELETING, DELETED -> TextStyle.WARNING;
        };
    }

    static String message(SimulatedPod pod) {
        boolean again = pod.state() == State.SCHEDULED && pod.attempts() > 1;
        String plugin = pod.plugin().isEmpty() ? "" : pod.plugin() + ": ";
        if (!again) {
            return plugin + pod.message();
        }
        return "at attempt " + pod.attempts() + (pod.scheduledAfterFlush() ? ", after the periodic flush" : "");
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
    public ObjectNode tree() {
        ObjectNode tree = JsonNodeFactory.instance.objectNode();
        ArrayNode pods = tree.putArray("pods");
        for (SimulatedPod pod : result.pods()) {
            pods.add(tree(pod));
        }
        if (!result.groups().isEmpty()) {
            tree.putArray("groups").addAll(groupTrees(result));
        }
        nodes.addTo(tree);
        if (rows.by(View.OWNER) || rows.by(View.NAMESPACE)) {
            ArrayNode entries = tree.putArray(rows.by(View.NAMESPACE) ? "namespaces" : "owners");
            PodRows.of(result.pods(), rows.by(View.NAMESPACE)).forEach(group -> entries.add(tree(group)));
        }
        tree.setAll(summaryTree());
        return tree;
    }

    @Override
    public ObjectNode summaryTree() {
        return SimulationSummary.tree(result, changes.size(), asked);
    }

    /** The groups, for programs. */
    public static List<ObjectNode> groupTrees(SimulationResult result) {
        return result.groups().stream().map(GroupTable::tree).toList();
    }

    /** A pod, for programs. */
    static ObjectNode tree(SimulatedPod pod) {
        ObjectNode tree = JsonNodeFactory.instance
                .objectNode()
                .put("pod", pod.pod().key())
                .put("node", pod.nodeName());
        if (pod.score().isPresent()) {
            tree.put("score", pod.score().getAsLong());
        } else {
            tree.putNull("score");
        }
        tree.put("outcome", name(pod.state())).put("message", pod.message());
        if (!pod.plugin().isEmpty()) {
            tree.put("plugin", pod.plugin());
        }
        tree.put("attempts", pod.attempts());
        if (pod.scheduledAfterFlush()) {
            tree.put("scheduledAfterFlush", true);
        }
        if (!pod.createdAgainAs().isEmpty()) {
            tree.put("createdAgainAs", pod.createdAgainAs());
        }
        if (!pod.movedBy().isEmpty()) {
            ArrayNode moves = tree.putArray("movedBy");
            for (PodMove move : pod.movedBy()) {
                moves.addObject()
                        .put("change", move.change().number())
                        .put("type", move.change().type().name())
                        .put("kind", ObjectKind.of(move.change().object()).kind())
                        .put("name", move.change().object().key())
                        .put("event", move.event());
            }
        }
        return tree;
    }

    private static ObjectNode tree(PodRows group) {
        ObjectNode tree = JsonNodeFactory.instance
                .objectNode()
                .put("name", group.name())
                .put("pods", group.demand())
                .put("placed", group.demand() - group.unplaced());
        put(tree.putArray("outcomes"), group.outcomes());
        return tree;
    }

    /** What became of pods, for programs. */
    static void put(ArrayNode array, List<PodRows.Outcome> outcomes) {
        for (PodRows.Outcome outcome : outcomes) {
            array.addObject()
                    .put("outcome", name(outcome.state()))
                    .put("pods", outcome.pods())
                    .put("message", outcome.message());
        }
    }

    // In a summary, after a number of such pods.
    static String countText(State state) {
        return switch (state) {
            case SCHEDULED -> "placed";
            case UNSCHEDULABLE -> "unschedulable";
            case ERROR -> "failed";
            case PREEMPTED -> "preempted";
            case WAITING -> "waiting for a permit";
            case GATED -> "gated";
            case OTHER_SCHEDULER -> "for other schedulers";
            case DELETING -> "being deleted";
            case DELETED -> "deleted";
        };
    }

    /** The name of a state, for programs. */
    public static String name(State state) {
        return switch (state) {
            case SCHEDULED -> "scheduled";
            case UNSCHEDULABLE -> "unschedulable";
            case ERROR -> "error";
            case PREEMPTED -> "preempted";
            case WAITING -> "waitingForPermit";
            case GATED -> "gated";
            case OTHER_SCHEDULER -> "otherScheduler";
            case DELETING -> "deleting";
            case DELETED -> "deleted";
        };
    }
}
