// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.report;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.List;
import org.moorage.app.internal.recording.Replay;
import org.moorage.app.internal.recording.Replay.Outcome;
import org.moorage.app.internal.recording.Replay.ReplayedPod;
import org.moorage.app.internal.recording.Replay.Side;
import org.moorage.objects.GoDuration;

/** Tells of a replay beside what was recorded. */
public final class ReplayReport implements Report {
    private static final int MOST_ROWS = 50;

    private final Replay replay;
    private final boolean allPods;

    /**
     * A report.
     *
     * @param allPods whether the table has every pod
     */
    public ReplayReport(Replay replay, boolean allPods) {
        this.replay = replay;
        this.allPods = allPods;
    }

    @Override
    public void print(Terminal terminal) {
        TextTable table =
                new TextTable().left("POD").left("RECORDED").left("HERE").left("WHY");
        int rows = 0;
        int left = 0;
        for (ReplayedPod pod : replay.pods()) {
            boolean isShown = allPods || pod.outcome() != Outcome.SAME && pod.outcome() != Outcome.NOWHERE;
            if (!isShown) {
                continue;
            }
            if (!allPods && rows == MOST_ROWS) {
                left++;
                continue;
            }
            rows++;
            table.row(List.of(
                    TextTable.Cell.of(pod.recorded().pod().key()),
                    TextTable.Cell.of(node(pod.recorded().nodeName())),
                    new TextTable.Cell(
                            node(pod.nodeName()), pod.nodeName().isEmpty() ? TextStyle.BAD : TextStyle.PLAIN),
                    TextTable.Cell.of(pod.nodeName().isEmpty() ? pod.message() : "")));
        }
        if (rows > 0) {
            table.print(terminal);
            if (left > 0) {
                terminal.out().println("and " + left + " more (--all-pods shows them)");
            }
            terminal.out().println();
        }
        terminal.out()
                .println(replay.pods().size() + " pods in " + replay.changes() + " changes: "
                        + replay.count(Outcome.SAME) + " on the same node, " + replay.count(Outcome.OTHER)
                        + " on another one, " + replay.count(Outcome.THERE_ONLY) + " placed there only, "
                        + replay.count(Outcome.HERE_ONLY) + " placed here only, " + replay.count(Outcome.NOWHERE)
                        + " placed nowhere.");
        if (replay.otherSchedulers() > 0) {
            terminal.out().println(replay.otherSchedulers() + " pods are for other schedulers.");
        }
        terminal.out().println();
        TextTable sides = new TextTable()
                .left("")
                .right("PLACED")
                .right("NODES", "USED")
                .right("PREEMPTED")
                .right("WAITED", "MEDIAN")
                .right("WAITED", "P99")
                .right("WAITED", "MOST");
        sides.row(side("recorded", Side.THERE));
        sides.row(side("here", Side.HERE));
        sides.print(terminal);
    }

    private static String node(String name) {
        return name.isEmpty() ? "-" : name;
    }

    private List<TextTable.Cell> side(String title, Side side) {
        List<Duration> waits = replay.waits(side);
        return List.of(
                TextTable.Cell.of(title),
                TextTable.Cell.of(String.valueOf(placed(side))),
                TextTable.Cell.of(String.valueOf(replay.nodes(side))),
                TextTable.Cell.of(side == Side.HERE ? String.valueOf(replay.preempted()) : ""),
                TextTable.Cell.of(text(waits, 0.5)),
                TextTable.Cell.of(text(waits, 0.99)),
                TextTable.Cell.of(text(waits, 1)));
    }

    private long placed(Side side) {
        return replay.count(Outcome.SAME)
                + replay.count(Outcome.OTHER)
                + replay.count(side == Side.HERE ? Outcome.HERE_ONLY : Outcome.THERE_ONLY);
    }

    private static Duration quantile(List<Duration> sorted, double part) {
        return sorted.get(Math.min(sorted.size() - 1, (int) (sorted.size() * part)));
    }

    private static String text(List<Duration> sorted, double part) {
        return sorted.isEmpty() ? "" : GoDuration.format(quantile(sorted, part));
    }

    @Override
    public ObjectNode tree() {
        ObjectNode tree = JsonNodeFactory.instance.objectNode();
        tree.put("changes", replay.changes());
        tree.put("otherSchedulers", replay.otherSchedulers());
        ObjectNode outcomes = tree.putObject("outcomes");
        for (Outcome outcome : Outcome.values()) {
            outcomes.put(outcome.toString(), replay.count(outcome));
        }
        add(tree.putObject("recorded"), Side.THERE);
        add(tree.putObject("replayed"), Side.HERE);
        tree.put("preemptedHere", replay.preempted());
        ArrayNode pods = tree.putArray("pods");
        for (ReplayedPod pod : replay.pods()) {
            ObjectNode row = pods.addObject();
            row.put("pod", pod.recorded().pod().key());
            row.put("outcome", pod.outcome().toString());
            row.put("recordedNode", pod.recorded().nodeName());
            row.put("node", pod.nodeName());
            row.put("message", pod.nodeName().isEmpty() ? pod.message() : "");
            pod.recorded().waited().ifPresent(waited -> row.put("recordedWaitSeconds", seconds(waited)));
            pod.waited().ifPresent(waited -> row.put("waitSeconds", seconds(waited)));
        }
        return tree;
    }

    private void add(ObjectNode tree, Side side) {
        List<Duration> waits = replay.waits(side);
        tree.put("placed", placed(side));
        tree.put("nodesUsed", replay.nodes(side));
        if (!waits.isEmpty()) {
            tree.put("waitMedianSeconds", seconds(quantile(waits, 0.5)));
            tree.put("waitP99Seconds", seconds(quantile(waits, 0.99)));
            tree.put("waitMostSeconds", seconds(quantile(waits, 1)));
        }
    }

    private static double seconds(Duration duration) {
        return duration.toMillis() / 1000.0;
    }
}
