// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.compare;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.moorage.api.model.Node;
import org.moorage.api.model.ResourceName;
import org.moorage.app.internal.answer.Names;
import org.moorage.app.internal.answer.ResourceUse;
import org.moorage.app.internal.compare.SnapshotsAnswer.ChangedNode;
import org.moorage.app.internal.compare.SnapshotsAnswer.ChangedWorkload;
import org.moorage.app.internal.compare.SnapshotsAnswer.MovedPod;
import org.moorage.app.internal.compare.SnapshotsAnswer.PendingPod;
import org.moorage.app.internal.compare.SnapshotsAnswer.ZoneChange;
import org.moorage.app.internal.compare.SnapshotsAnswer.ZoneUse;
import org.moorage.app.internal.report.AmountFormat;
import org.moorage.app.internal.report.Report;
import org.moorage.app.internal.report.Terminal;
import org.moorage.app.internal.report.TextStyle;
import org.moorage.app.internal.report.TextTable;
import org.moorage.app.internal.report.TextTable.Cell;
import org.moorage.simulation.whatif.ClusterComparison;
import org.moorage.simulation.whatif.ClusterComparison.Change;
import org.moorage.simulation.whatif.ClusterComparison.NodeChange;
import org.moorage.simulation.whatif.ClusterComparison.WorkloadChange;
import org.moorage.simulation.whatif.ZoneRoom;

/** The differences between two snapshots of a cluster. */
final class SnapshotsReport implements Report {
    private static final int ROWS = 20;

    private final String first;
    private final String second;
    private final ClusterComparison comparison;
    private final SnapshotsAnswer answer;

    /** A report on the snapshots of these names. */
    SnapshotsReport(String first, String second, ClusterComparison comparison) {
        this.first = first;
        this.second = second;
        this.comparison = comparison;
        answer = answer(comparison);
    }

    private static SnapshotsAnswer answer(ClusterComparison found) {
        List<ResourceName> resources = resources(found.zones());
        boolean isSame = Stream.of(
                        found.addedNodes(),
                        found.removedNodes(),
                        found.changedNodes(),
                        found.newlyPending(),
                        found.noLongerPending(),
                        found.newPods(),
                        found.gonePods(),
                        found.movedPods())
                .allMatch(List::isEmpty);
        return new SnapshotsAnswer(
                isSame,
                found.addedNodes(),
                found.removedNodes(),
                found.changedNodes().stream()
                        .map(node -> new ChangedNode(node.name(), changes(node)))
                        .toList(),
                found.zones().stream()
                        .map(zone -> new ZoneChange(
                                zone.zone(), use(zone.before(), resources), use(zone.after(), resources)))
                        .toList(),
                pending(found.newlyPending()),
                pending(found.stillPending()),
                pending(found.noLongerPending()),
                found.newPods(),
                found.gonePods(),
                found.movedPods().stream()
                        .map(pod -> new MovedPod(
                                pod.after(),
                                pod.before().nodeName(),
                                pod.after().nodeName()))
                        .toList(),
                found.workloads().stream().map(SnapshotsReport::workload).toList());
    }

    private static List<ResourceName> resources(List<ZoneRoom> zones) {
        Set<ResourceName> resources = new LinkedHashSet<>(List.of(ResourceName.CPU, ResourceName.MEMORY));
        for (ZoneRoom zone : zones) {
            Stream.of(zone.before(), zone.after())
                    .flatMap(room -> room.allocatable().keySet().stream())
                    .map(ResourceName::name)
                    .filter(ResourceName::isExtended)
                    .sorted()
                    .forEach(name -> resources.add(ResourceName.of(name)));
        }
        return List.copyOf(resources);
    }

    private static ZoneUse use(ZoneRoom.Room room, List<ResourceName> resources) {
        return new ZoneUse(room.nodes(), room.pods(), ResourceUse.of(resources, room.requested(), room.allocatable()));
    }

    private static List<PendingPod> pending(List<ClusterComparison.PendingPod> pods) {
        return pods.stream()
                .map(pod -> new PendingPod(pod.pod(), pod.message(), pod.otherNode()))
                .toList();
    }

    private static ChangedWorkload workload(WorkloadChange change) {
        return new ChangedWorkload(
                change.workload().kind(),
                change.workload().key(),
                change.before(),
                change.after(),
                change.newPods(),
                change.gonePods(),
                change.movedPods());
    }

    private static List<String> changes(NodeChange node) {
        List<String> changes = new ArrayList<>();
        if (node.isCordoned() || node.isUncordoned()) {
            changes.add(node.isCordoned() ? "cordoned" : "uncordoned");
        }
        node.allocatable().forEach((name, change) -> changes.add(name + ": " + text(change)));
        node.labels().forEach((key, change) -> changes.add("label " + key + ": " + text(change)));
        node.addedTaints().forEach(taint -> changes.add("new taint " + taint));
        node.removedTaints().forEach(taint -> changes.add("removed taint " + taint));
        return changes;
    }

    private static String text(Change<?> change) {
        return change.before().map(Object::toString).orElse("none") + " -> "
                + change.after().map(Object::toString).orElse("none");
    }

    @Override
    public SnapshotsAnswer answer() {
        return answer;
    }

    @Override
    public boolean succeeded() {
        return answer.succeeded();
    }

    @Override
    public List<String> names() {
        List<String> names = new ArrayList<>();
        answer.addedNodes().forEach(node -> names.add("node/" + node.name()));
        answer.removedNodes().forEach(node -> names.add("node/" + node.name()));
        answer.changedNodes().forEach(node -> names.add("node/" + node.node()));
        answer.newlyPending().forEach(pod -> names.add("pod/" + pod.pod().key()));
        return names;
    }

    @Override
    public Map<String, String> figures() {
        Map<String, String> figures = new LinkedHashMap<>();
        figures.put("new nodes", Integer.toString(answer.addedNodes().size()));
        figures.put("removed nodes", Integer.toString(answer.removedNodes().size()));
        figures.put("newly pending", Integer.toString(answer.newlyPending().size()));
        figures.put(
                "no longer pending", Integer.toString(answer.noLongerPending().size()));
        figures.put("new pods", Integer.toString(answer.newPods().size()));
        figures.put("gone pods", Integer.toString(answer.gonePods().size()));
        return figures;
    }

    @Override
    public void print(Terminal terminal) {
        TextTable.printHeadline(
                answer.succeeded()
                        ? first + " and " + second + " have the same nodes and pods."
                        : "From " + first + " to " + second + ": " + summary() + ".",
                terminal);
        printNodes(terminal);
        printZones(terminal);
        printPending("Newly pending:", answer.newlyPending(), terminal);
        printPending("No longer pending:", answer.noLongerPending(), terminal);
        printWorkloads(terminal);
    }

    private String summary() {
        List<String> parts = new ArrayList<>();
        add(answer.addedNodes().size(), "new node", parts);
        add(answer.removedNodes().size(), "removed node", parts);
        add(answer.changedNodes().size(), "changed node", parts);
        add(answer.newPods().size(), "new pod", parts);
        add(answer.gonePods().size(), "gone pod", parts);
        add(answer.movedPods().size(), "moved pod", parts);
        if (!answer.newlyPending().isEmpty()) {
            parts.add(answer.newlyPending().size() + " newly pending");
        }
        if (!answer.noLongerPending().isEmpty()) {
            parts.add(answer.noLongerPending().size() + " no longer pending");
        }
        return String.join(", ", parts);
    }

    private static void add(int count, String one, List<String> parts) {
        if (count > 0) {
            parts.add(Names.counted(count, one));
        }
    }

    private void printNodes(Terminal terminal) {
        TextTable table = new TextTable().left("NODE").left("CHANGE");
        List<List<Cell>> rows = new ArrayList<>();
        for (Node node : comparison.addedNodes()) {
            rows.add(List.of(Cell.of(node.name()), new Cell("new", TextStyle.GOOD)));
        }
        for (Node node : comparison.removedNodes()) {
            rows.add(List.of(Cell.of(node.name()), new Cell("removed", TextStyle.BAD)));
        }
        for (ChangedNode node : answer.changedNodes()) {
            rows.add(List.of(Cell.of(node.node()), Cell.of(String.join(", ", node.changes()))));
        }
        print(table, rows, "nodes", terminal);
    }

    private void printZones(Terminal terminal) {
        TextTable table = new TextTable().left("ZONE").right("NODES").right("PODS");
        List<ResourceName> shown = List.of(ResourceName.CPU, ResourceName.MEMORY);
        shown.forEach(resource -> table.right(resource.name().toUpperCase(Locale.ROOT), "REQUESTED"));
        List<List<Cell>> rows = new ArrayList<>();
        for (ZoneChange zone : answer.zones()) {
            List<Cell> cells = new ArrayList<>();
            cells.add(Cell.of(zone.zone().isEmpty() ? "(none)" : zone.zone()));
            cells.add(change(
                    Integer.toString(zone.before().nodes()),
                    Integer.toString(zone.after().nodes())));
            cells.add(change(
                    Integer.toString(zone.before().pods()),
                    Integer.toString(zone.after().pods())));
            for (ResourceName resource : shown) {
                cells.add(change(share(zone.before(), resource), share(zone.after(), resource)));
            }
            rows.add(cells);
        }
        print(table, rows, "zones", terminal);
    }

    private static String share(ZoneUse zone, ResourceName resource) {
        ResourceUse use = zone.resources().get(resource);
        return use == null ? "-" : AmountFormat.percent(use.requested(), use.allocatable()) + "%";
    }

    private static Cell change(String before, String after) {
        return Cell.of(before.equals(after) ? before : before + " -> " + after);
    }

    private static void printPending(String title, List<PendingPod> pods, Terminal terminal) {
        if (!pods.isEmpty()) {
            terminal.out().println();
            TextTable.printHeading(title, terminal);
            TextTable table = new TextTable().left("  POD").left("MESSAGE");
            List<PendingPod> rows = pods.subList(0, terminal.shown(pods.size(), ROWS));
            rows.forEach(pod -> table.row(List.of(Cell.of("  " + pod.pod().key()), Cell.of(message(pod)))));
            table.print(terminal);
            printOthers(pods.size() - rows.size(), "pods", terminal);
        }
    }

    private static String message(PendingPod pod) {
        return pod.otherNode()
                .map(node -> "on " + node + " in the other snapshot")
                .orElse(pod.message());
    }

    private void printWorkloads(Terminal terminal) {
        TextTable table = new TextTable()
                .left("WORKLOAD")
                .right("PODS")
                .right("NEW")
                .right("GONE")
                .right("MOVED");
        List<List<Cell>> rows = new ArrayList<>();
        for (ChangedWorkload workload : answer.workloads()) {
            rows.add(List.of(
                    Cell.of(workload.kind() + " " + workload.workload()),
                    change(Integer.toString(workload.before()), Integer.toString(workload.after())),
                    Cell.of(workload.newPods()),
                    Cell.of(workload.gonePods()),
                    Cell.of(workload.movedPods())));
        }
        print(table, rows, "workloads", terminal);
    }

    private static void print(TextTable table, List<List<Cell>> rows, String what, Terminal terminal) {
        if (!rows.isEmpty()) {
            terminal.out().println();
            int shown = terminal.shown(rows.size(), ROWS);
            rows.subList(0, shown).forEach(table::row);
            table.print(terminal);
            printOthers(rows.size() - shown, what, terminal);
        }
    }

    private static void printOthers(int count, String what, Terminal terminal) {
        if (count > 0) {
            terminal.out().println("and " + count + " more " + what + " (-o wide shows all)");
        }
    }
}
