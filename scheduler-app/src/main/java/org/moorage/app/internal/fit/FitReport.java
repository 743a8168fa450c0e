// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.fit;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToIntFunction;
import org.moorage.api.model.Pod;
import org.moorage.app.internal.answer.Counts;
import org.moorage.app.internal.answer.Names;
import org.moorage.app.internal.answer.PlacedPod;
import org.moorage.app.internal.answer.PodChange;
import org.moorage.app.internal.answer.PodCounts;
import org.moorage.app.internal.answer.RejectedNodes;
import org.moorage.app.internal.fit.FitAnswer.Manifest;
import org.moorage.app.internal.fit.FitAnswer.MoreReplicas;
import org.moorage.app.internal.fit.FitAnswer.PreemptedPod;
import org.moorage.app.internal.fit.FitAnswer.UnschedulablePod;
import org.moorage.app.internal.report.Answer;
import org.moorage.app.internal.report.Report;
import org.moorage.app.internal.report.Terminal;
import org.moorage.app.internal.report.TextStyle;
import org.moorage.app.internal.report.TextTable;
import org.moorage.app.internal.report.TextTable.Cell;
import org.moorage.simulation.admission.RecreatedPod;
import org.moorage.simulation.whatif.FittingPods;
import org.moorage.simulation.whatif.FittingPods.FittingWorkload;
import org.moorage.simulation.whatif.FittingPods.MorePods;
import org.moorage.simulation.whatif.FittingPods.UnplacedPod;
import org.moorage.simulation.whatif.RescheduledPods.RescheduledPod;

/** The pods of manifests that fit into a cluster, and the reasons of those that do not. */
final class FitReport implements Report {
    private static final int MESSAGES = 3;
    private static final int VICTIMS = 10;

    private final FittingPods answer;
    private final Asked asked;

    /**
     * The question.
     *
     * @param notes notes on the manifests
     * @param waiting the number of pending pods of the cluster that are not of the manifests
     * @param isAfterWaiting whether these were scheduled first
     * @param atMost the maximum number of further replicas; 0 if they were not asked for
     * @param zones the zone of each node that has one, by name
     */
    record Asked(List<String> notes, int waiting, boolean isAfterWaiting, int atMost, Map<String, String> zones) {
        Asked {
            notes = List.copyOf(notes);
            zones = Map.copyOf(zones);
        }
    }

    FitReport(FittingPods answer, Asked asked) {
        this.answer = answer;
        this.asked = asked;
    }

    @Override
    public boolean succeeded() {
        return answer.isComplete();
    }

    @Override
    public List<String> names() {
        return answer.workloads().stream()
                .flatMap(workload -> workload.unplaced().stream())
                .map(pod -> "pod/" + pod.pod().key())
                .toList();
    }

    @Override
    public Map<String, String> figures() {
        Map<String, String> figures = new LinkedHashMap<>();
        figures.put(
                "asked", sum(answer.workloads(), workload -> workload.manifest().asked()));
        figures.put("fit", sum(answer.workloads(), FittingWorkload::placed));
        figures.put("preempted", Integer.toString(victims().size()));
        if (asked.atMost > 0) {
            figures.put(
                    "more replicas fit",
                    sum(
                            answer.workloads(),
                            workload -> workload.more().map(MorePods::count).orElse(0)));
        }
        return figures;
    }

    @Override
    public void print(Terminal terminal) {
        TextTable.printHeadline(headline(), terminal);
        TextTable.printWrapped(moment(), terminal);
        asked.notes.forEach(note -> TextTable.printWrapped(note, terminal));
        terminal.out().println();
        table().print(terminal);
        printZones(terminal);
        printPreempted(terminal);
        answer.unplaced().ifPresent(pod -> printUnplaced(pod, terminal));
        answer.workloads()
                .forEach(workload -> workload.more()
                        .ifPresent(more -> printMore(workload.manifest().title(), more, terminal)));
    }

    private String headline() {
        int wanted = 0;
        int placed = 0;
        for (FittingWorkload workload : answer.workloads()) {
            wanted += workload.manifest().asked();
            placed += workload.placed();
        }
        if (wanted == 0) {
            return "The manifests have no pods.";
        }
        if (placed == wanted) {
            return wanted == 1 ? "The pod fits." : "All " + wanted + " pods fit.";
        }
        return placed + " of " + Names.counted(wanted, "pod") + (placed == 1 ? " fits." : " fit.");
    }

    private String moment() {
        if (asked.waiting == 0) {
            return "The cluster has no other pending pods.";
        }
        String pending = "The cluster has " + asked.waiting + " other pending pod" + (asked.waiting == 1 ? "" : "s");
        if (!asked.isAfterWaiting) {
            return pending + "; the pods of the manifests are scheduled first (--after-pending: last).";
        }
        long placed = answer.before().stream()
                .filter(pod -> pod.nodeName().isPresent())
                .count();
        return pending + ", which " + (asked.waiting == 1 ? "was" : "were") + " scheduled first: " + placed
                + (placed == 1 ? " fits." : " fit.");
    }

    private TextTable table() {
        TextTable table = new TextTable()
                .left("MANIFEST")
                .right("RUNNING")
                .right("ASKED")
                .right("SCHEDULED")
                .left("NODES OR REASON");
        rows().forEach((title, workloads) -> {
            boolean isComplete = workloads.stream().allMatch(FittingWorkload::isComplete);
            List<Cell> cells = new ArrayList<>(List.of(
                    Cell.of(title),
                    Cell.of(sum(workloads, workload -> workload.manifest().onNodes())),
                    Cell.of(sum(workloads, workload -> workload.manifest().asked())),
                    new Cell(sum(workloads, FittingWorkload::placed), isComplete ? TextStyle.GOOD : TextStyle.BAD)));
            List<String> lines = lines(workloads);
            for (String line : lines.isEmpty() ? List.of("") : lines) {
                cells.add(Cell.of(line));
                table.row(cells);
                cells = new ArrayList<>(List.of(Cell.EMPTY, Cell.EMPTY, Cell.EMPTY, Cell.EMPTY));
            }
        });
        return table;
    }

    // A manifest has a row; pods of one group have a row together.
    private Map<String, List<FittingWorkload>> rows() {
        Map<String, List<FittingWorkload>> rows = new LinkedHashMap<>();
        for (FittingWorkload workload : answer.workloads()) {
            rows.computeIfAbsent(group(workload).orElse(workload.manifest().title()), any -> new ArrayList<>())
                    .add(workload);
        }
        return rows;
    }

    private static Optional<String> group(FittingWorkload workload) {
        return workload.pods().stream()
                .map(RescheduledPod::pod)
                .filter(pod -> !pod.spec().podGroupName().isEmpty())
                .findFirst()
                .map(pod -> "PodGroup " + pod.namespace() + "/" + pod.spec().podGroupName());
    }

    private static String sum(List<FittingWorkload> workloads, ToIntFunction<FittingWorkload> count) {
        return Integer.toString(workloads.stream().mapToInt(count).sum());
    }

    private static List<String> lines(List<FittingWorkload> workloads) {
        List<String> lines = new ArrayList<>();
        List<RescheduledPod> placed = new ArrayList<>();
        List<RescheduledPod> unplaced = new ArrayList<>();
        for (FittingWorkload workload : workloads) {
            placed.addAll(placed(workload));
            unplaced.addAll(workload.unplaced());
        }
        if (!placed.isEmpty()) {
            lines.add(Counts.of(placed, pod -> pod.nodeName().orElse("")).text());
        }
        workloads.stream()
                .map(workload -> workload.manifest().whyNone())
                .filter(reason -> !reason.isEmpty())
                .distinct()
                .forEach(lines::add);
        Counts messages = Counts.of(unplaced, RescheduledPod::message);
        int shown = 0;
        int others = unplaced.size();
        for (Map.Entry<String, Integer> message : messages.byName().entrySet()) {
            if (shown++ == MESSAGES) {
                lines.add(others + " with " + (messages.byName().size() - MESSAGES) + " other reasons");
                break;
            }
            others -= message.getValue();
            lines.add(message.getValue() + " unschedulable: " + message.getKey());
        }
        for (FittingWorkload workload : workloads) {
            if (workload.untried() > 0) {
                lines.add(workload.untried() + " not tried: at most "
                        + workload.manifest().pods().size() + " run at a time");
            }
        }
        return lines;
    }

    private static List<RescheduledPod> placed(FittingWorkload workload) {
        return workload.pods().stream()
                .filter(pod -> pod.nodeName().isPresent())
                .toList();
    }

    private Counts zones(List<FittingWorkload> workloads) {
        return Counts.of(
                workloads.stream()
                        .flatMap(workload -> placed(workload).stream())
                        .flatMap(pod -> Optional.ofNullable(
                                asked.zones.get(pod.nodeName().orElse("")))
                                .stream())
                        .toList(),
                zone -> zone);
    }

    private void printZones(Terminal terminal) {
        rows().forEach((title, workloads) -> {
            Counts zones = zones(workloads);
            if (!zones.byName().isEmpty()) {
                TextTable.printWrapped("By zone, " + title + ": " + zones.text(), terminal);
            }
        });
    }

    private List<Pod> victims() {
        List<Pod> victims = new ArrayList<>();
        for (FittingWorkload workload : answer.workloads()) {
            workload.pods().forEach(pod -> victims.addAll(pod.victims()));
        }
        return victims;
    }

    private void printPreempted(Terminal terminal) {
        List<Pod> victims = victims();
        if (victims.isEmpty()) {
            return;
        }
        List<String> names = new ArrayList<>();
        victims.forEach(victim -> names.add(victim.key()));
        long placed = answer.preempted().stream()
                .filter(pod -> pod.nodeName().isPresent())
                .count();
        terminal.out().println();
        TextTable.printWrapped(
                "They preempt " + Names.counted(victims.size(), "pod") + ": "
                        + (names.size() <= VICTIMS ? String.join(", ", names) : Names.on(terminal, names)) + ".",
                terminal);
        TextTable.printWrapped(
                "Of " + Names.counted(answer.preempted().size(), "pod") + " that their controllers create again, "
                        + placed
                        + (placed == 1 ? " is" : " are") + " rescheduled"
                        + (answer.gone().isEmpty()
                                ? "."
                                : "; " + Names.counted(answer.gone().size(), "pod") + " are lost."),
                terminal);
    }

    private void printUnplaced(UnplacedPod unplaced, Terminal terminal) {
        terminal.out().println();
        TextTable.printHeading("Why " + unplaced.pod().key() + " is unschedulable:", terminal);
        unplaced.evaluation()
                .preFilterRejection()
                .ifPresent(rejection -> TextTable.printWrapped(
                        "  " + rejection.plugin() + ": " + rejection.status().message(), terminal));
        RejectedNodes.print(RejectedNodes.of(unplaced.evaluation().objections()), terminal);
        if (!unplaced.changes().isEmpty()) {
            terminal.out().println();
            TextTable.printHeading("Any of these would make it fit:", terminal);
            PodChange.print(unplaced.changes(), terminal);
        }
    }

    private void printMore(String title, MorePods more, Terminal terminal) {
        terminal.out().println();
        String count = more.stoppedBy().isEmpty() ? "At least " + more.count() : Integer.toString(more.count());
        String where = more.byNode().isEmpty() ? "" : ", on " + new Counts(more.byNode()).text();
        TextTable.printWrapped(count + " more replicas of " + title + " would fit" + where + ".", terminal);
        TextTable.printWrapped(
                more.stoppedBy().isEmpty()
                        ? "No more were tried (--limit sets the maximum)."
                        : "Limiting factor: " + more.stoppedBy(),
                terminal);
    }

    @Override
    public Answer answer() {
        return new FitAnswer(
                answer.isComplete(),
                asked.waiting,
                asked.isAfterWaiting,
                asked.notes,
                answer.workloads().stream().map(this::manifest).toList(),
                victims().stream()
                        .map(victim -> new PreemptedPod(victim, victim.nodeName()))
                        .toList(),
                PlacedPod.all(answer.preempted()),
                answer.gone().stream().map(RecreatedPod::gone).toList(),
                answer.unplaced()
                        .map(unplaced -> new UnschedulablePod(
                                unplaced.pod(),
                                unplaced.evaluation().message(),
                                RejectedNodes.of(unplaced.evaluation().objections()),
                                PodChange.all(unplaced.changes()))));
    }

    private Manifest manifest(FittingWorkload workload) {
        return new Manifest(
                workload.manifest().title(),
                workload.manifest().onNodes(),
                workload.manifest().asked(),
                workload.manifest().pods().size(),
                workload.placed(),
                workload.manifest().whyNone(),
                PlacedPod.all(workload.pods()),
                PodCounts.InZone.all(zones(List.of(workload)).byName()),
                workload.more()
                        .map(more -> new MoreReplicas(
                                more.count(), asked.atMost, more.stoppedBy(), PodCounts.OnNode.all(more.byNode()))));
    }
}
