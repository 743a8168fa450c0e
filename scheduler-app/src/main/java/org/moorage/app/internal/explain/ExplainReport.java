// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.explain;

import java.util.ArrayList;
import java.util.List;
import org.moorage.app.internal.answer.Names;
import org.moorage.app.internal.answer.PodChange;
import org.moorage.app.internal.answer.PodExplanation;
import org.moorage.app.internal.answer.PodExplanation.NodeScores;
import org.moorage.app.internal.answer.PodResult;
import org.moorage.app.internal.answer.PodRows;
import org.moorage.app.internal.answer.RejectedNodes;
import org.moorage.app.internal.report.Report;
import org.moorage.app.internal.report.Terminal;
import org.moorage.app.internal.report.TextStyle;
import org.moorage.app.internal.report.TextTable;
import org.moorage.app.internal.report.TextTable.Cell;
import org.moorage.runtime.decision.Decision;
import org.moorage.simulation.Explanation;
import org.moorage.simulation.SimulatedPod;

/** The results of the plugins for a pod on each node. */
final class ExplainReport implements Report {
    private static final int NODES_SCORED = 10;
    private static final int HEADER_WIDTH = 12;

    private final Explanation explanation;
    private final PodExplanation answer;

    ExplainReport(Explanation explanation, List<String> notes) {
        this.explanation = explanation;
        answer = PodExplanation.of(explanation, notes);
    }

    @Override
    public PodExplanation answer() {
        return answer;
    }

    @Override
    public boolean succeeded() {
        return answer.outcome().map(outcome -> !outcome.node().isEmpty()).orElse(answer.fits());
    }

    @Override
    public List<String> names() {
        List<String> nodes = answer.outcome()
                .map(PodResult::node)
                .filter(node -> !node.isEmpty())
                .map(List::of)
                .orElse(answer.best());
        return nodes.stream().map(node -> "node/" + node).toList();
    }

    @Override
    public void print(Terminal terminal) {
        TextTable.printHeadline(answer.pod().key() + " " + headline(terminal), terminal);
        TextTable.printWrapped(moment(), terminal);
        answer.notes().forEach(note -> TextTable.printWrapped(note, terminal));
        answer.preFilter()
                .ifPresent(rejection -> TextTable.printWrapped(
                        rejection.plugin().orElse("") + " rejects the pod before any node is looked at: "
                                + rejection.message(),
                        terminal));
        int rejected = explanation.evaluation().rejections().size();
        if (rejected > 0) {
            terminal.out().println();
            TextTable.printHeading("Rejected: " + rejected + " of " + nodes() + ":", terminal);
            RejectedNodes.print(answer.rejections(), terminal);
        }
        answer.preFilterNodes().ifPresent(left -> {
            terminal.out().println();
            TextTable.printWrapped(
                    "PreFilter plugins leave only " + Names.on(terminal, List.copyOf(left)) + ".", terminal);
        });
        if (!answer.scores().isEmpty()) {
            terminal.out().println();
            TextTable.printHeading("Weighted scores:", terminal);
            printScores(terminal);
        }
        answer.postFilter().ifPresent(result -> {
            terminal.out().println();
            String text = result.plugin()
                    .map(plugin -> plugin + ": "
                            + answer.preemption()
                                    .map(room -> room(room, terminal))
                                    .orElse("would make room"))
                    .orElse(result.message());
            TextTable.printWrapped("PostFilter: " + text, terminal);
        });
        if (!explanation.changes().isEmpty()) {
            terminal.out().println();
            TextTable.printHeading("Any of these would make it fit:", terminal);
            PodChange.print(explanation.changes(), terminal);
        }
    }

    private static String room(PodExplanation.Preemption preemption, Terminal terminal) {
        List<String> victims = preemption.victims().stream()
                .map(victim -> victim.metadata().isDeleting() ? victim.key() + " (deleting)" : victim.key())
                .toList();
        return "would make room on " + preemption.node()
                + (victims.isEmpty() ? "" : " by preempting " + Names.on(terminal, victims));
    }

    // The text after the pod's name.
    private String headline(Terminal terminal) {
        if (explanation.outcome().isEmpty()) {
            return wouldGo(terminal);
        }
        SimulatedPod outcome = explanation.outcome().get();
        return switch (outcome.state()) {
            case SCHEDULED -> "is scheduled to " + outcome.nodeName() + chosen(outcome) + ".";
            case WAITING_FOR_PERMIT ->
                "is reserved on " + outcome.nodeName() + chosen(outcome) + ", and " + outcome.message() + ".";
            case UNSCHEDULABLE -> "is unschedulable: " + outcome.message();
            case PREEMPTED, DELETED -> outcome.message() + ".";
            case ERROR -> "fails: " + PodRows.message(outcome);
            case GATED ->
                "is gated by " + outcome.plugin() + ": " + outcome.message() + ". Without the gate, it "
                        + wouldGo(terminal);
            case DELETING -> "is being deleted, and is not scheduled. Otherwise, it " + wouldGo(terminal);
            case OTHER_SCHEDULER -> outcome.message();
        };
    }

    private String chosen(SimulatedPod outcome) {
        String feasible = answer.scores().size() + " of " + nodes() + " are feasible";
        if (outcome.score().isPresent()) {
            return " with score " + outcome.score().getAsLong() + "; " + feasible;
        }
        return answer.scores().size() == 1 ? "; no other node is feasible" : "; " + feasible;
    }

    private String wouldGo(Terminal terminal) {
        int feasible = answer.scores().size();
        if (feasible == 0) {
            return "would be unschedulable: " + answer.message();
        }
        NodeScores first = answer.scores().get(0);
        if (feasible == 1) {
            return "would be scheduled to " + first.node() + "; no other node is feasible.";
        }
        List<String> best = answer.best();
        return "would be scheduled to " + (best.size() == 1 ? best.get(0) : "one of " + Names.on(terminal, best))
                + " with score " + first.total() + "; " + feasible + " of " + nodes() + " are feasible.";
    }

    private String nodes() {
        return Names.counted(answer.nodeCount(), "node");
    }

    private String moment() {
        int before = answer.podsBefore();
        String tried = before == 0
                ? "no other pod was tried before."
                : before == 1 ? "1 other pod was tried before." : before + " other pods were tried before.";
        int attempts = explanation.decision().map(Decision::attempts).orElse(1);
        return switch (answer.moment()) {
            case NOW -> "Evaluated in the cluster as it is; no pending pod was scheduled first.";
            case END -> "Evaluated at the end of the simulation, since the pod has no turn: " + tried;
            case TURN ->
                "Evaluated at its turn in the simulation" + (attempts > 1 ? ", attempt " + attempts : "") + ": "
                        + tried;
        };
    }

    private void printScores(Terminal terminal) {
        List<NodeScores> scores = answer.scores();
        int shown = terminal.shown(scores.size(), NODES_SCORED);
        List<String> plugins = scores.stream()
                .flatMap(node -> node.plugins().keySet().stream())
                .distinct()
                .sorted()
                .toList();
        TextTable table = scoreTable(plugins, shown);
        List<String> equal = List.of();
        if (terminal.width() > 0 && table.width() > terminal.width() && scores.size() > 1) {
            equal = plugins.stream().filter(this::isSameForAll).toList();
            List<String> different = new ArrayList<>(plugins);
            different.removeAll(equal);
            table = scoreTable(different, shown);
        }
        table.print(terminal);
        if (shown < scores.size()) {
            terminal.out().println("  and " + (scores.size() - shown) + " more (-o wide shows all)");
        }
        if (!equal.isEmpty()) {
            List<String> texts = equal.stream()
                    .map(plugin -> plugin + " " + score(scores.get(0), plugin))
                    .toList();
            TextTable.printWrapped("  The same for all: " + String.join(", ", texts), terminal);
        }
    }

    private TextTable scoreTable(List<String> plugins, int shown) {
        TextTable table = new TextTable().left("", "  NODE").right("TOTAL");
        plugins.forEach(plugin -> table.right(words(plugin)));
        for (NodeScores node : answer.scores().subList(0, shown)) {
            boolean isBest = answer.best().contains(node.node());
            List<Cell> row = new ArrayList<>();
            row.add(new Cell((isBest ? "* " : "  ") + node.node(), isBest ? TextStyle.GOOD : TextStyle.PLAIN));
            row.add(Cell.of(node.total(), TextStyle.BOLD));
            plugins.forEach(plugin -> row.add(Cell.of(score(node, plugin))));
            table.row(row);
        }
        return table;
    }

    private boolean isSameForAll(String plugin) {
        String first = score(answer.scores().get(0), plugin);
        return answer.scores().stream().allMatch(node -> score(node, plugin).equals(first));
    }

    private static String score(NodeScores node, String plugin) {
        Long score = node.plugins().get(plugin);
        return score == null ? "-" : score.toString();
    }

    // "NodeResourcesFit" on two lines, so that the column is not wider than its numbers need.
    private static String[] words(String plugin) {
        List<String> lines = new ArrayList<>();
        StringBuilder line = new StringBuilder();
        for (String word : plugin.split("(?<=[a-z0-9])(?=[A-Z])", -1)) {
            if (!line.isEmpty() && line.length() + word.length() > HEADER_WIDTH) {
                lines.add(line.toString());
                line.setLength(0);
            }
            line.append(word);
        }
        lines.add(line.toString());
        return lines.toArray(String[]::new);
    }
}
