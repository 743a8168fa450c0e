// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.report;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.moorage.api.Status;
import org.moorage.api.model.Pod;
import org.moorage.app.internal.report.TextTable.Cell;
import org.moorage.runtime.decision.Decision;
import org.moorage.runtime.decision.Evaluation;
import org.moorage.simulation.Explanation;
import org.moorage.simulation.SimulatedPod;

/** The results of the plugins for a pod on each node. */
public final class ExplainReport implements Explained {
    private static final int NODES_SCORED = 10;
    private static final int HEADER_WIDTH = 12;

    private final Explanation explanation;
    private final Evaluation evaluation;
    private final List<String> notes;
    private final boolean allNodes;
    private final List<RejectedNodes> rejected;
    private final List<String> ranking;

    public ExplainReport(Explanation explanation, List<String> notes, boolean allNodes) {
        this.explanation = explanation;
        evaluation = explanation.evaluation();
        this.notes = new ArrayList<>(notes);
        this.notes.addAll(differences());
        this.allNodes = allNodes;
        rejected = RejectedNodes.of(evaluation.objections());
        ranking = new ArrayList<>(evaluation.feasible());
        String chosen = explanation.decision().map(Decision::nodeName).orElse("");
        ranking.sort(Comparator.<String>comparingLong(node -> -total(node))
                .thenComparing(node -> !node.equals(chosen))
                .thenComparing(node -> node));
    }

    @Override
    public boolean isScheduled() {
        return explanation
                .outcome()
                .map(outcome -> !outcome.nodeName().isEmpty())
                .orElse(!ranking.isEmpty());
    }

    private long total(String node) {
        return evaluation.totals().getOrDefault(node, 0L);
    }

    @Override
    public void print(Terminal terminal) {
        TextTable.printHeadline(evaluation.pod().key() + " " + headline(), terminal);
        TextTable.printWrapped(moment(), terminal);
        for (String note : notes) {
            TextTable.printWrapped(note, terminal);
        }
        evaluation
                .preFilterRejection()
                .ifPresent(rejection -> TextTable.printWrapped(
                        rejection.plugin() + " rejects the pod before any node is looked at: "
                                + rejection.status().message(),
                        terminal));
        int count = evaluation.rejections().size();
        if (count > 0) {
            terminal.out().println();
            TextTable.printHeading("Not on " + count + " of " + nodes(evaluation.nodeCount()) + ":", terminal);
            printRejected(terminal);
        }
        evaluation.preFilterNodes().ifPresent(left -> {
            terminal.out().println();
            TextTable.printWrapped(
                    "The plugins' PreFilter left only " + list(List.copyOf(left)) + " to look at.", terminal);
        });
        if (!ranking.isEmpty()) {
            terminal.out().println();
            TextTable.printHeading("Weighted scores:", terminal);
            printScores(terminal);
        }
        evaluation.postFilter().ifPresent(answer -> {
            terminal.out().println();
            // A rejection has the reasons of all plugins, and the name of the first, which may have given none.
            String said = answer.status().isSuccess()
                    ? answer.plugin() + ": "
                            + evaluation.preemption().map(this::room).orElse("would make room")
                    : answer.status().message();
            TextTable.printWrapped("PostFilter: " + said, terminal);
        });
        if (!explanation.changes().isEmpty()) {
            terminal.out().println();
            TextTable.printHeading("Any of these would make it fit:", terminal);
            FittingChangeRows.print(explanation.changes(), allNodes, terminal);
        }
    }

    private String room(Evaluation.Preemption preemption) {
        List<String> victims = new ArrayList<>();
        for (Pod victim : preemption.victims()) {
            victims.add(victim.metadata().isDeleting() ? victim.key() + " (leaving already)" : victim.key());
        }
        return "would make room on " + preemption.nodeName()
                + (victims.isEmpty() ? "" : " by having " + list(victims) + " leave");
    }

    // The text after the pod's name.
    private String headline() {
        if (explanation.outcome().isEmpty()) {
            return wouldGo();
        }
        SimulatedPod outcome = explanation.outcome().get();
        return switch (outcome.state()) {
            case SCHEDULED -> "goes to " + outcome.nodeName() + chosen(outcome) + ".";
            case WAITING -> "goes to " + outcome.nodeName() + chosen(outcome) + ", and " + outcome.message() + ".";
            case UNSCHEDULABLE -> "is unschedulable: " + outcome.message();
            case PREEMPTED, DELETED -> outcome.message() + ".";
            case ERROR -> "fails: " + SimulationReport.message(outcome);
            case GATED ->
                "is gated by " + outcome.plugin() + ": " + outcome.message() + ". If it were not, it " + wouldGo();
            case DELETING -> "is being deleted, and is not scheduled. If it were not, it " + wouldGo();
            case OTHER_SCHEDULER -> outcome.message();
        };
    }

    private String chosen(SimulatedPod outcome) {
        String of = ranking.size() + " of " + nodes(evaluation.nodeCount()) + " would do";
        if (outcome.score().isPresent()) {
            return " with score " + outcome.score().getAsLong() + "; " + of;
        }
        return ranking.size() == 1 ? "; no other node would do" : "; " + of;
    }

    private String wouldGo() {
        if (ranking.isEmpty()) {
            return "would be unschedulable: " + evaluation.message();
        }
        if (ranking.size() == 1) {
            return "would go to " + ranking.get(0) + "; no other node would do.";
        }
        List<String> best = evaluation.best();
        String node = best.size() == 1 ? best.get(0) : "one of " + list(best);
        return "would go to " + node + " with score " + total(best.get(0)) + "; " + ranking.size() + " of "
                + nodes(evaluation.nodeCount()) + " would do.";
    }

    private String moment() {
        int before = explanation.podsBefore();
        return switch (explanation.moment()) {
            case NOW -> "This is about the cluster as it is: no waiting pod has been scheduled.";
            case END -> "It has no turn, so this is about the end of the simulation: " + pods(before) + " tried.";
            case TURN -> {
                int attempts = explanation.decision().map(Decision::attempts).orElse(1);
                yield "This is about its turn in the simulation" + (attempts > 1 ? ", attempt " + attempts : "") + ": "
                        + (before == 0 ? "no other pod has been tried before." : pods(before) + " tried before.");
            }
        };
    }

    private static String pods(int count) {
        return count == 1 ? "1 other pod has been" : count + " other pods have been";
    }

    // The attempt looks at some of the nodes, the evaluation at all of them.
    private List<String> differences() {
        if (explanation.decision().isEmpty()) {
            return List.of();
        }
        Decision decision = explanation.decision().get();
        boolean isBest = decision.nodeName().isEmpty() || evaluation.best().contains(decision.nodeName());
        if (isBest) {
            return List.of();
        }
        return List.of(
                decision.nodeName().equals(evaluation.pod().status().nominatedNodeName())
                        ? "It was nominated to " + decision.nodeName() + ", so that no other node was looked at."
                        : "The attempt looked at " + decision.evaluatedNodes() + " of " + nodes(evaluation.nodeCount())
                                + ", and " + decision.nodeName() + " was the best of those.");
    }

    private void printRejected(Terminal terminal) {
        TextTable table = new TextTable().left().left().left();
        for (RejectedNodes entry : rejected) {
            table.row(List.of(
                    new Cell("  " + entry.plugin(), TextStyle.BAD),
                    Cell.of(entry.reason()),
                    Cell.of(entry.text(allNodes))));
        }
        table.print(terminal);
    }

    private static String nodes(int count) {
        return RejectedNodes.count(count);
    }

    private String list(List<String> nodes) {
        return RejectedNodes.list(nodes, allNodes);
    }

    private void printScores(Terminal terminal) {
        int shown = allNodes ? ranking.size() : Math.min(NODES_SCORED, ranking.size());
        List<String> plugins = plugins();
        TextTable table = scoreTable(plugins, shown);
        List<String> equal = new ArrayList<>();
        if (terminal.width() > 0 && table.width() > terminal.width() && ranking.size() > 1) {
            plugins.stream().filter(this::isSameForAll).forEach(equal::add);
            table = scoreTable(
                    plugins.stream().filter(plugin -> !equal.contains(plugin)).toList(), shown);
        }
        table.print(terminal);
        if (shown < ranking.size()) {
            terminal.out().println("  and " + (ranking.size() - shown) + " more (--all-nodes shows them)");
        }
        if (!equal.isEmpty()) {
            List<String> scores = new ArrayList<>();
            equal.forEach(plugin -> scores.add(plugin + " " + score(ranking.get(0), plugin)));
            TextTable.printWrapped("  The same for all: " + String.join(", ", scores), terminal);
        }
    }

    private TextTable scoreTable(List<String> plugins, int shown) {
        TextTable table = new TextTable().left("", "  NODE").right("TOTAL");
        plugins.forEach(plugin -> table.right(words(plugin)));
        List<String> best = evaluation.best();
        for (String node : ranking.subList(0, shown)) {
            boolean isBest = best.contains(node);
            List<Cell> row = new ArrayList<>();
            row.add(new Cell((isBest ? "* " : "  ") + node, isBest ? TextStyle.GOOD : TextStyle.PLAIN));
            row.add(new Cell(Long.toString(total(node)), TextStyle.BOLD));
            plugins.forEach(plugin -> row.add(Cell.of(score(node, plugin))));
            table.row(row);
        }
        return table;
    }

    private boolean isSameForAll(String plugin) {
        String first = score(ranking.get(0), plugin);
        return ranking.stream().allMatch(node -> score(node, plugin).equals(first));
    }

    private String score(String node, String plugin) {
        Long score = evaluation.scores().getOrDefault(node, Map.of()).get(plugin);
        return score == null ? "-" : score.toString();
    }

    private List<String> plugins() {
        Set<String> plugins = new TreeSet<>();
        evaluation.scores().values().forEach(scores -> plugins.addAll(scores.keySet()));
        return List.copyOf(plugins);
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

    /** The same for programs, with every node. */
    @Override
    public ObjectNode tree() {
        ObjectNode tree = JsonNodeFactory.instance.objectNode();
        tree.put("pod", evaluation.pod().key());
        tree.put(
                "moment",
                switch (explanation.moment()) {
                    case TURN -> "turn";
                    case END -> "end";
                    case NOW -> "now";
                });
        tree.put("podsBefore", explanation.podsBefore());
        explanation.outcome().ifPresent(outcome -> tree.set("outcome", SimulationReport.tree(outcome)));
        tree.put("fits", !ranking.isEmpty());
        tree.put("message", evaluation.message());
        addAll(tree.putArray("notes"), notes);
        tree.put("nodeCount", evaluation.nodeCount());
        addAll(tree.putArray("best"), evaluation.best());
        ArrayNode scores = tree.putArray("scores");
        for (String node : ranking) {
            ObjectNode entry = scores.addObject().put("node", node).put("total", total(node));
            ObjectNode byPlugin = entry.putObject("plugins");
            evaluation.scores().getOrDefault(node, Map.of()).forEach(byPlugin::put);
        }
        RejectedNodes.putAll(tree.putArray("rejections"), rejected);
        evaluation
                .preFilterRejection()
                .ifPresent(rejection ->
                        put(tree.putObject("preFilter").put("plugin", rejection.plugin()), rejection.status()));
        evaluation
                .preFilterNodes()
                .ifPresent(left -> addAll(tree.putArray("preFilterNodes"), new LinkedHashSet<>(left)));
        evaluation.postFilter().ifPresent(answer -> {
            ObjectNode entry = tree.putObject("postFilter");
            if (answer.status().isSuccess()) {
                entry.put("plugin", answer.plugin());
            }
            put(entry, answer.status());
        });
        evaluation.preemption().ifPresent(preemption -> {
            ObjectNode entry = tree.putObject("preemption").put("node", preemption.nodeName());
            ArrayNode victims = entry.putArray("victims");
            preemption.victims().forEach(victim -> victims.add(victim.key()));
        });
        FittingChangeRows.putAll(tree.putArray("changes"), explanation.changes());
        return tree;
    }

    private static void put(ObjectNode entry, Status status) {
        entry.put("code", status.code().toString()).put("message", status.message());
    }

    private static void addAll(ArrayNode array, Iterable<String> texts) {
        texts.forEach(array::add);
    }
}
