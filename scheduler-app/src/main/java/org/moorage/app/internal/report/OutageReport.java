// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.report;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.moorage.api.model.ResourceName;
import org.moorage.app.internal.report.TextTable.Cell;
import org.moorage.objects.tree.InputNotes;
import org.moorage.simulation.whatif.DisruptedPod;
import org.moorage.simulation.whatif.DisruptedPod.Outcome;
import org.moorage.simulation.whatif.NodeLossResult;
import org.moorage.simulation.whatif.ZoneRoom;

/** The result of the failure of nodes. */
public final class OutageReport implements Answer {
    private static final int ZONE_ROWS = 20;
    private static final int RESOURCES = 4;

    private final NodeLossResult result;
    private final DisruptedRows rows;
    private final List<ResourceName> resources;

    /** A report. */
    public OutageReport(NodeLossResult result, DisruptedRows rows) {
        this.result = result;
        this.rows = rows;
        TreeSet<String> others = new TreeSet<>();
        for (ZoneRoom zone : result.zones()) {
            zone.before().allocatable().keySet().forEach(resource -> others.add(resource.name()));
        }
        resources = new ArrayList<>(List.of(ResourceName.CPU, ResourceName.MEMORY));
        for (String name : others) {
            if (ResourceName.isExtended(name)) {
                resources.add(ResourceName.of(name));
            }
        }
    }

    @Override
    public int exitCode() {
        return result.isComplete() ? 0 : 1;
    }

    @Override
    public Map<String, String> figures() {
        return DisruptedRows.figures(result.pods());
    }

    @Override
    public List<DisruptedPod> disruptedPods() {
        List<DisruptedPod> pods = new ArrayList<>(result.pods());
        pods.addAll(result.preempted());
        return pods;
    }

    @Override
    public Set<String> lostNodes() {
        return Set.copyOf(result.nodes());
    }

    @Override
    public void print(Terminal terminal) {
        rows.print(result.pods(), result.preempted(), terminal);
        printZones(terminal);
        List<String> nodes = result.nodes();
        int pods = result.pods().size();
        TextTable.printHeadline(
                (nodes.size() == 1 ? nodes.get(0) + " is lost" : nodes.size() + " nodes are lost")
                        + (pods == 0
                                ? ", and no pods with them"
                                : ": of " + (pods == 1 ? "1 pod " : pods + " pods ")
                                        + DisruptedRows.summary(result.pods()))
                        + ".",
                terminal);
        if (!result.preempted().isEmpty()) {
            TextTable.printWrapped(
                    "Preempted on other nodes: " + DisruptedRows.summary(result.preempted()) + ".", terminal);
        }
        DisruptedRows.printWaiting(result.waitedBefore(), terminal);
        warn("Lost, because no controller creates them again", of(Outcome.LOST), terminal);
        warn("Their volumes are on the lost nodes or in their zones", result.withVolume(), terminal);
        warn(
                "Created again by their StatefulSets only once the Node objects are deleted",
                result.ofStatefulSets(),
                terminal);
    }

    private List<DisruptedPod> of(Outcome outcome) {
        return disruptedPods().stream().filter(pod -> pod.outcome() == outcome).toList();
    }

    private static void warn(String what, List<DisruptedPod> pods, Terminal terminal) {
        if (!pods.isEmpty()) {
            List<String> names = pods.stream().map(pod -> pod.pod().key()).toList();
            String title = what + ": " + (names.size() == 1 ? "1 pod" : names.size() + " pods");
            TextTable.printWrapped(title, ": " + InputNotes.names(names), TextStyle.BAD, terminal);
        }
    }

    private void printZones(Terminal terminal) {
        int columns = Math.min(RESOURCES, resources.size());
        while (columns > 0 && terminal.width() > 0 && zoneTable(columns).width() > terminal.width()) {
            columns--;
        }
        zoneTable(columns).print(terminal);
        if (result.zones().size() > ZONE_ROWS) {
            terminal.out().println("and " + (result.zones().size() - ZONE_ROWS) + " more zones (-o json has all)");
        }
        if (columns < resources.size()) {
            TextTable.printWrapped(
                    "and " + names(resources.subList(columns, resources.size())) + " (-o json has all)", terminal);
        }
        terminal.out().println();
    }

    private static String names(List<ResourceName> resources) {
        return InputNotes.names(resources.stream().map(ResourceName::name).toList());
    }

    private TextTable zoneTable(int columns) {
        TextTable table = new TextTable().left("ZONE").right("NODES").right("PODS");
        List<ResourceName> shown = resources.subList(0, columns);
        for (ResourceName resource : shown) {
            table.right(resource.slot() < 0 ? resource.name() : resource.name().toUpperCase(Locale.ROOT), "FREE");
        }
        for (ZoneRoom zone :
                result.zones().subList(0, Math.min(ZONE_ROWS, result.zones().size()))) {
            List<Cell> cells = new ArrayList<>();
            cells.add(Cell.of(zone.zone().isEmpty() ? "(none)" : zone.zone()));
            cells.add(Cell.of(change(
                    Integer.toString(zone.before().nodes()),
                    Integer.toString(zone.after().nodes()))));
            cells.add(Cell.of(change(
                    Integer.toString(zone.before().pods()),
                    Integer.toString(zone.after().pods()))));
            for (ResourceName resource : shown) {
                cells.add(Cell.of(change(
                        AmountFormat.text(resource, zone.before().free(resource)),
                        AmountFormat.text(resource, zone.after().free(resource)))));
            }
            table.row(cells);
        }
        return table;
    }

    private static String change(String before, String after) {
        return before.equals(after) ? before : before + " -> " + after;
    }

    @Override
    public ObjectNode tree() {
        ObjectNode tree = JsonNodeFactory.instance.objectNode();
        ArrayNode nodes = tree.putArray("nodes");
        result.nodes().forEach(nodes::add);
        tree.put("succeeded", result.isComplete());
        DisruptedRows.putAll(tree.putArray("pods"), result.pods());
        DisruptedRows.putAll(tree.putArray("preempted"), result.preempted());
        DisruptedRows.putWaiting(tree.putArray("pendingBefore"), result.waitedBefore());
        putNames(tree.putArray("ofStatefulSets"), result.ofStatefulSets());
        putNames(tree.putArray("withVolume"), result.withVolume());
        ArrayNode zones = tree.putArray("zones");
        for (ZoneRoom zone : result.zones()) {
            ObjectNode entry = zones.addObject().put("zone", zone.zone());
            put(entry.putObject("before"), zone.before());
            put(entry.putObject("after"), zone.after());
        }
        ObjectNode summary = tree.putObject("summary").put("pods", result.pods().size());
        DisruptedRows.putCounts(summary, result.pods());
        summary.put("preempted", result.preempted().size())
                .put("pendingBefore", result.waitedBefore().size());
        return tree;
    }

    private static void putNames(ArrayNode array, List<DisruptedPod> pods) {
        pods.forEach(pod -> array.add(pod.pod().key()));
    }

    private void put(ObjectNode entry, ZoneRoom.Room room) {
        entry.put("nodes", room.nodes()).put("pods", room.pods());
        ObjectNode amounts = entry.putObject("resources");
        for (ResourceName resource : resources) {
            NodeTable.putAmount(
                    amounts,
                    resource,
                    room.requested().getOrDefault(resource, 0L),
                    room.allocatable().getOrDefault(resource, 0L));
        }
    }
}
