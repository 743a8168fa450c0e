// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.recording;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.moorage.app.internal.recording.Replay.Outcome;
import org.moorage.app.internal.recording.Replay.ReplayedPod;
import org.moorage.app.internal.recording.Replay.Side;
import org.moorage.app.internal.report.Answer;
import org.moorage.app.internal.report.Report;
import org.moorage.app.internal.report.Terminal;
import org.moorage.app.internal.report.TextStyle;
import org.moorage.app.internal.report.TextTable;
import org.moorage.app.internal.report.TextTable.Cell;
import org.moorage.objects.GoDuration;

/** The pods of a recording, scheduled by another configuration. */
final class ReplayReport implements Report {
    private static final int MOST_ROWS = 50;

    private final Replay replay;

    ReplayReport(Replay replay) {
        this.replay = replay;
    }

    @Override
    public boolean succeeded() {
        return true;
    }

    @Override
    public List<String> names() {
        return different(replay.pods()).stream()
                .map(pod -> "pod/" + pod.recorded().pod().key())
                .toList();
    }

    private static List<ReplayedPod> different(List<ReplayedPod> pods) {
        return pods.stream()
                .filter(pod -> pod.outcome() != Outcome.SAME_NODE && pod.outcome() != Outcome.PLACED_NOWHERE)
                .toList();
    }

    @Override
    public void print(Terminal terminal) {
        TextTable table =
                new TextTable().left("POD").left("RECORDED").left("REPLAYED").left("REASON");
        List<ReplayedPod> pods = terminal.isWide() ? replay.pods() : different(replay.pods());
        int rows = terminal.shown(pods.size(), MOST_ROWS);
        for (ReplayedPod pod : pods.subList(0, rows)) {
            table.row(List.of(
                    Cell.of(pod.recorded().pod().key()),
                    Cell.of(node(pod.recorded().nodeName())),
                    new Cell(node(pod.nodeName()), pod.nodeName().isEmpty() ? TextStyle.BAD : TextStyle.PLAIN),
                    Cell.of(pod.nodeName().isEmpty() ? pod.message() : "")));
        }
        if (rows > 0) {
            table.print(terminal);
            if (rows < pods.size()) {
                terminal.out().println("and " + (pods.size() - rows) + " more (-o wide shows all)");
            }
            terminal.out().println();
        }
        TextTable.printHeadline(
                replay.pods().size() + " pods in " + replay.changes() + " changes: "
                        + replay.count(Outcome.SAME_NODE) + " on the same node, " + replay.count(Outcome.OTHER_NODE)
                        + " on another node, " + replay.count(Outcome.PLACED_THERE_ONLY)
                        + " scheduled in the recording only, "
                        + replay.count(Outcome.PLACED_HERE_ONLY) + " scheduled in the replay only, "
                        + replay.count(Outcome.PLACED_NOWHERE)
                        + " pending in both.",
                terminal);
        if (replay.otherSchedulers() > 0) {
            terminal.out().println(replay.otherSchedulers() + " pods are for other schedulers.");
        }
        terminal.out().println();
        TextTable sides = new TextTable()
                .left("")
                .right("SCHEDULED")
                .right("NODES", "USED")
                .right("PREEMPTED")
                .right("WAITED", "MEDIAN")
                .right("WAITED", "P99")
                .right("WAITED", "MOST");
        sides.row(side("recorded", Side.THERE));
        sides.row(side("replayed", Side.HERE));
        sides.print(terminal);
    }

    private static String node(String name) {
        return name.isEmpty() ? "-" : name;
    }

    private List<Cell> side(String title, Side side) {
        List<Duration> waits = replay.waits(side);
        return List.of(
                Cell.of(title),
                Cell.of(String.valueOf(placed(side))),
                Cell.of(String.valueOf(replay.nodes(side))),
                Cell.of(side == Side.HERE ? String.valueOf(replay.preempted()) : ""),
                Cell.of(text(waits, 0.5)),
                Cell.of(text(waits, 0.99)),
                Cell.of(text(waits, 1)));
    }

    private long placed(Side side) {
        return replay.count(Outcome.SAME_NODE)
                + replay.count(Outcome.OTHER_NODE)
                + replay.count(side == Side.HERE ? Outcome.PLACED_HERE_ONLY : Outcome.PLACED_THERE_ONLY);
    }

    private static Duration quantile(List<Duration> sorted, double part) {
        return sorted.get(Math.min(sorted.size() - 1, (int) (sorted.size() * part)));
    }

    private static String text(List<Duration> sorted, double part) {
        return sorted.isEmpty() ? "" : GoDuration.format(quantile(sorted, part));
    }

    @Override
    public Answer answer() {
        Map<Outcome, Long> outcomes = new LinkedHashMap<>();
        for (Outcome outcome : Outcome.values()) {
            outcomes.put(outcome, replay.count(outcome));
        }
        return new ReplayAnswer(
                replay.changes(),
                replay.otherSchedulers(),
                outcomes,
                figures(Side.THERE),
                figures(Side.HERE),
                replay.preempted(),
                replay.pods().stream().map(ReplayAnswer.ReplayedPod::of).toList());
    }

    private ReplayAnswer.Side figures(Side side) {
        List<Duration> waits = replay.waits(side);
        return new ReplayAnswer.Side(
                placed(side), replay.nodes(side), seconds(waits, 0.5), seconds(waits, 0.99), seconds(waits, 1));
    }

    private static Optional<Double> seconds(List<Duration> sorted, double part) {
        return sorted.isEmpty() ? Optional.empty() : Optional.of(ReplayAnswer.seconds(quantile(sorted, part)));
    }
}
