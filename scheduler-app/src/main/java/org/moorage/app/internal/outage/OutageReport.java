// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.outage;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.moorage.api.model.Pod;
import org.moorage.api.model.ResourceName;
import org.moorage.app.internal.answer.Names;
import org.moorage.app.internal.answer.NodePrices;
import org.moorage.app.internal.answer.NodePrices.TypeCost;
import org.moorage.app.internal.answer.PlacedPod;
import org.moorage.app.internal.answer.ResourceUse;
import org.moorage.app.internal.disruption.Chance;
import org.moorage.app.internal.disruption.DisruptedRows;
import org.moorage.app.internal.disruption.DisruptionReport;
import org.moorage.app.internal.disruption.DisruptionSummary;
import org.moorage.app.internal.disruption.PodDisruption;
import org.moorage.app.internal.outage.OutageAnswer.Cost;
import org.moorage.app.internal.outage.OutageAnswer.ZoneChange;
import org.moorage.app.internal.outage.OutageAnswer.ZoneUse;
import org.moorage.app.internal.report.AmountFormat;
import org.moorage.app.internal.report.Answer;
import org.moorage.app.internal.report.Terminal;
import org.moorage.app.internal.report.TextStyle;
import org.moorage.app.internal.report.TextTable;
import org.moorage.app.internal.report.TextTable.Cell;
import org.moorage.objects.tree.InputNotes;
import org.moorage.simulation.whatif.DisruptedPod;
import org.moorage.simulation.whatif.DisruptedPod.Outcome;
import org.moorage.simulation.whatif.NodeLossResult;
import org.moorage.simulation.whatif.ZoneRoom;

/** The result of the failure of nodes. */
final class OutageReport implements DisruptionReport {
    private static final int ZONE_ROWS = 20;
    private static final int RESOURCES = 4;

    private final NodeLossResult result;
    private final NodePrices prices;
    private final Optional<Chance> chance;
    private final List<ResourceName> resources;
    private final List<ZoneChange> zones;

    OutageReport(NodeLossResult result, NodePrices prices, Optional<Chance> chance) {
        this.result = result;
        this.prices = prices;
        this.chance = chance;
        resources = resources(result.zones());
        zones = result.zones().stream()
                .map(zone -> new ZoneChange(zone.zone(), use(zone.before()), use(zone.after())))
                .toList();
    }

    private static List<ResourceName> resources(List<ZoneRoom> zones) {
        TreeSet<String> extended = new TreeSet<>();
        for (ZoneRoom zone : zones) {
            zone.before().allocatable().keySet().stream()
                    .map(ResourceName::name)
                    .filter(ResourceName::isExtended)
                    .forEach(extended::add);
        }
        List<ResourceName> resources = new ArrayList<>(List.of(ResourceName.CPU, ResourceName.MEMORY));
        extended.forEach(name -> resources.add(ResourceName.of(name)));
        return resources;
    }

    private ZoneUse use(ZoneRoom.Room room) {
        return new ZoneUse(room.nodes(), room.pods(), ResourceUse.of(resources, room.requested(), room.allocatable()));
    }

    @Override
    public Answer answer() {
        return new OutageAnswer(
                result.nodes(),
                result.isComplete(),
                PodDisruption.all(result.pods()),
                PodDisruption.all(result.preempted()),
                PlacedPod.all(result.waitedBefore()),
                result.ofStatefulSets().stream().map(DisruptedPod::pod).toList(),
                result.withVolume().stream().map(DisruptedPod::pod).toList(),
                zones,
                cost(),
                DisruptionSummary.of(result.pods(), result.preempted(), result.waitedBefore()),
                chance);
    }

    private Optional<Cost> cost() {
        if (!prices.areKnown()) {
            return Optional.empty();
        }
        double before = prices.cost();
        List<TypeCost> lost = prices.byType(result.nodes());
        return Optional.of(new Cost(before, AmountFormat.rounded(before - prices.cost(result.nodes())), lost));
    }

    @Override
    public boolean succeeded() {
        return result.isComplete();
    }

    @Override
    public Map<String, String> figures() {
        Map<String, String> figures = new LinkedHashMap<>(DisruptionSummary.figures(result.pods()));
        cost().ifPresent(cost -> figures.put("cost per hour after", AmountFormat.money(cost.afterPerHour())));
        return figures;
    }

    /** Returns the names of the lost nodes. */
    Set<String> nodes() {
        return Set.copyOf(result.nodes());
    }

    @Override
    public List<DisruptedPod> pods() {
        return result.pods();
    }

    @Override
    public List<DisruptedPod> preempted() {
        return result.preempted();
    }

    @Override
    public void print(Terminal terminal) {
        DisruptedRows.print(result.pods(), result.preempted(), terminal);
        printZones(terminal);
        TextTable.printHeadline(headline(), terminal);
        DisruptionSummary.printPreempted(result.preempted(), terminal);
        DisruptionSummary.printPendingBefore(result.waitedBefore(), terminal);
        cost().ifPresent(cost -> TextTable.printWrapped(
                "The other nodes cost " + AmountFormat.money(cost.afterPerHour()) + " of "
                        + AmountFormat.money(cost.beforePerHour()) + " per hour; lost: " + NodePrices.text(cost.lost())
                        + ".",
                terminal));
        chance.ifPresent(known -> known.print(terminal));
        List<DisruptedPod> lost = disrupted().stream()
                .filter(pod -> pod.outcome() == Outcome.LOST)
                .toList();
        warn("Lost, because no controller creates them again", lost, terminal);
        warn("Their volumes are on the lost nodes or in their zones", result.withVolume(), terminal);
        warn(
                "Created again by their StatefulSets only once the Node objects are deleted",
                result.ofStatefulSets(),
                terminal);
    }

    private String headline() {
        int nodes = result.nodes().size();
        int pods = result.pods().size();
        return (nodes == 1 ? result.nodes().get(0) + " is lost" : nodes + " nodes are lost")
                + (pods == 0
                        ? ", and no pods with " + (nodes == 1 ? "it." : "them.")
                        : ": of " + Names.counted(pods, "pod") + " " + DisruptionSummary.text(result.pods()) + ".");
    }

    private static void warn(String what, List<DisruptedPod> pods, Terminal terminal) {
        if (!pods.isEmpty()) {
            List<String> names =
                    pods.stream().map(DisruptedPod::pod).map(Pod::key).toList();
            TextTable.printWrapped(
                    what + ": " + Names.counted(names.size(), "pod"),
                    ": " + InputNotes.names(names),
                    TextStyle.BAD,
                    terminal);
        }
    }

    private void printZones(Terminal terminal) {
        int rows = terminal.shown(zones.size(), ZONE_ROWS);
        int columns = terminal.shown(resources.size(), RESOURCES);
        while (columns > 0 && terminal.width() > 0 && table(rows, columns).width() > terminal.width()) {
            columns--;
        }
        table(rows, columns).print(terminal);
        if (rows < zones.size()) {
            terminal.out().println("and " + (zones.size() - rows) + " more zones (-o wide shows all)");
        }
        if (columns < resources.size()) {
            List<String> others = resources.subList(columns, resources.size()).stream()
                    .map(ResourceName::name)
                    .toList();
            TextTable.printWrapped("and " + InputNotes.names(others) + " (-o json has all)", terminal);
        }
        terminal.out().println();
    }

    private TextTable table(int rows, int columns) {
        TextTable table = new TextTable().left("ZONE").right("NODES").right("PODS");
        List<ResourceName> shown = resources.subList(0, columns);
        for (ResourceName resource : shown) {
            table.right(resource.slot() < 0 ? resource.name() : resource.name().toUpperCase(Locale.ROOT), "FREE");
        }
        for (ZoneChange zone : zones.subList(0, rows)) {
            ZoneUse before = zone.before();
            ZoneUse after = zone.after();
            List<Cell> cells = new ArrayList<>();
            cells.add(Cell.of(zone.zone().isEmpty() ? "(none)" : zone.zone()));
            cells.add(change(Integer.toString(before.nodes()), Integer.toString(after.nodes())));
            cells.add(change(Integer.toString(before.pods()), Integer.toString(after.pods())));
            for (ResourceName resource : shown) {
                cells.add(change(free(before, resource), free(after, resource)));
            }
            table.row(cells);
        }
        return table;
    }

    private static String free(ZoneUse zone, ResourceName resource) {
        ResourceUse use = zone.resources().get(resource);
        return use == null ? "" : AmountFormat.text(resource, use.free());
    }

    private static Cell change(String before, String after) {
        return Cell.of(before.equals(after) ? before : before + " -> " + after);
    }
}
