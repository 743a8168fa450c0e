// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.report;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToIntFunction;
import org.moorage.api.model.Pod;
import org.moorage.app.internal.report.TextTable.Cell;
import org.moorage.simulation.whatif.FittingPods;
import org.moorage.simulation.whatif.FittingPods.FittingWorkload;
import org.moorage.simulation.whatif.FittingPods.MorePods;
import org.moorage.simulation.whatif.FittingPods.UnplacedPod;
import org.moorage.simulation.whatif.RescheduledPods.RescheduledPod;

/** The pods of manifests that fit into a cluster, and the reasons of those that do not. */
public final class FitReport implements Answer {
    private static final int MESSAGES = 3;
    private static final int VICTIMS = 10;

    private final FittingPods answer;
    private final Asked asked;

    /**
     * What was asked, for the answer to say it.
     *
     * @param notes what was passed over of the manifests
     * @param waiting how many pods of the cluster wait, those in whose place the asked ones are left out
     * @param isAfterWaiting whether these were placed first
     * @param atMost how many more copies were tried at most; 0 if none
     * @param zones the zone of each node that has one, by name
     */
    public record Asked(
            List<String> notes, int waiting, boolean isAfterWaiting, int atMost, Map<String, String> zones) {
        public Asked {
            notes = List.copyOf(notes);
            zones = Map.copyOf(zones);
        }
    }

    public FitReport(FittingPods answer, Asked asked) {
        this.answer = answer;
        this.asked = asked;
    }

    @Override
    public int exitCode() {
        return answer.isComplete() ? 0 : 1;
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
        return placed + " of " + pods(wanted) + (placed == 1 ? " fits." : " fit.");
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
                "They preempt " + pods(victims.size()) + ": " + RejectedNodes.list(names, names.size() <= VICTIMS)
                        + ".",
                terminal);
        TextTable.printWrapped(
                "Of " + pods(answer.preempted().size()) + " that their controllers create again, " + placed
                        + (placed == 1 ? " is" : " are") + " rescheduled"
                        + (answer.gone().isEmpty()
                                ? "."
                                : "; " + pods(answer.gone().size()) + " are lost."),
                terminal);
    }

    private void printUnplaced(UnplacedPod unplaced, Terminal terminal) {
        List<RejectedNodes> rejected = RejectedNodes.of(unplaced.evaluation().objections());
        terminal.out().println();
        TextTable.printHeading("Why " + unplaced.pod().key() + " is unschedulable:", terminal);
        unplaced.evaluation()
                .preFilterRejection()
                .ifPresent(rejection -> TextTable.printWrapped(
                        "  " + rejection.plugin() + ": " + rejection.status().message(), terminal));
        TextTable table = new TextTable().left().left().left();
        for (RejectedNodes entry : rejected) {
            table.row(List.of(
                    new Cell("  " + entry.plugin(), TextStyle.BAD),
                    Cell.of(entry.reason()),
                    Cell.of(entry.text(false))));
        }
        table.print(terminal);
        if (!unplaced.changes().isEmpty()) {
            terminal.out().println();
            TextTable.printHeading("Any of these would make it fit:", terminal);
            FittingChangeRows.print(unplaced.changes(), false, terminal);
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

    private static String pods(int count) {
        return count == 1 ? "1 pod" : count + " pods";
    }

    @Override
    public ObjectNode tree() {
        ObjectNode tree = JsonNodeFactory.instance.objectNode();
        tree.put("succeeded", answer.isComplete());
        tree.put("pendingBefore", asked.waiting).put("afterPending", asked.isAfterWaiting);
        ArrayNode notes = tree.putArray("notes");
        asked.notes.forEach(notes::add);
        ArrayNode manifests = tree.putArray("manifests");
        answer.workloads().forEach(workload -> put(manifests.addObject(), workload));
        ArrayNode preempted = tree.putArray("preempted");
        victims()
                .forEach(
                        victim -> preempted.addObject().put("pod", victim.key()).put("node", victim.nodeName()));
        ArrayNode recreated = tree.putArray("rescheduled");
        answer.preempted().forEach(pod -> put(recreated.addObject(), pod).put("nodeBefore", pod.nodeBefore()));
        ArrayNode lost = tree.putArray("lost");
        answer.gone().forEach(pod -> lost.add(pod.gone().key()));
        answer.unplaced().ifPresent(unplaced -> {
            ObjectNode entry =
                    tree.putObject("unschedulable").put("pod", unplaced.pod().key());
            entry.put("message", unplaced.evaluation().message());
            RejectedNodes.putAll(
                    entry.putArray("rejections"),
                    RejectedNodes.of(unplaced.evaluation().objections()));
            FittingChangeRows.putAll(entry.putArray("changes"), unplaced.changes());
        });
        return tree;
    }

    private void put(ObjectNode entry, FittingWorkload workload) {
        entry.put("manifest", workload.manifest().title())
                .put("running", workload.manifest().onNodes())
                .put("asked", workload.manifest().asked())
                .put("tried", workload.manifest().pods().size())
                .put("scheduled", workload.placed())
                .put("message", workload.manifest().whyNone());
        ArrayNode pods = entry.putArray("pods");
        for (RescheduledPod pod : workload.pods()) {
            ArrayNode victims = put(pods.addObject(), pod).putArray("preempts");
            pod.victims().forEach(victim -> victims.add(victim.key()));
        }
        zones(List.of(workload)).putAll(entry.putArray("zones"), "zone", "pods");
        workload.more().ifPresent(more -> {
            ObjectNode further = entry.putObject("more");
            further.put("pods", more.count()).put("limit", asked.atMost).put("stoppedBy", more.stoppedBy());
            new Counts(more.byNode()).putAll(further.putArray("nodes"), "node", "pods");
        });
    }

    /** A pod, for programs. */
    static ObjectNode put(ObjectNode entry, RescheduledPod pod) {
        return entry.put("pod", pod.pod().key())
                .put("node", pod.nodeName().orElse(""))
                .put("message", pod.message());
    }
}
