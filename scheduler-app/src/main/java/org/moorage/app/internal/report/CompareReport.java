// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.report;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.moorage.api.model.ResourceName;
import org.moorage.app.internal.report.TextTable.Cell;
import org.moorage.simulation.whatif.ClusterBalance;
import org.moorage.simulation.whatif.RescheduledPods.RescheduledPod;
import org.moorage.simulation.whatif.SchedulingOutcome;
import org.moorage.simulation.whatif.SchedulingOutcome.Demand;
import org.moorage.simulation.whatif.SchedulingOutcome.MovedPod;

/** The results of two configurations of the scheduler for one cluster. */
public final class CompareReport implements Answer {
    private static final int OWNERS = 20;
    private static final String NO_NODE = "(no node)";

    private final List<String> names;
    private final ClusterBalance now;
    private final SchedulingOutcome first;
    private final SchedulingOutcome second;
    private final Demand demand;
    private final List<MovedPod> moved;

    /**
     * A report.
     *
     * @param names the names of the two
     * @param now how the nodes are filled before
     */
    public CompareReport(
            List<String> names, ClusterBalance now, SchedulingOutcome first, SchedulingOutcome second, Demand demand) {
        this.names = List.copyOf(names);
        this.now = now;
        this.first = first;
        this.second = second;
        this.demand = demand;
        moved = first.moved(second);
    }

    @Override
    public int exitCode() {
        return moved.isEmpty() ? 0 : 1;
    }

    @Override
    public Map<String, String> figures() {
        Map<String, String> figures = new LinkedHashMap<>();
        figures.put("pods placed differently", Integer.toString(moved.size()));
        figures.put(
                "pending, " + names.get(0),
                Integer.toString(first.pods().unplaced().size()));
        figures.put(
                "pending, " + names.get(1),
                Integer.toString(second.pods().unplaced().size()));
        figures.put(
                "empty nodes, " + names.get(0), Integer.toString(first.balance().emptyNodes()));
        figures.put(
                "empty nodes, " + names.get(1),
                Integer.toString(second.balance().emptyNodes()));
        return figures;
    }

    @Override
    public void print(Terminal terminal) {
        int pods = demand.waiting().size() + demand.anew().size();
        TextTable.printHeadline(
                moved.isEmpty()
                        ? "By both, all pods go to the same nodes."
                        : moved.size() + " of " + pods + (pods == 1 ? " pod" : " pods")
                                + (moved.size() == 1 ? " goes" : " go") + " elsewhere by " + names.get(1) + " than by "
                                + names.get(0) + ".",
                terminal);
        TextTable.printWrapped(scheduled(demand), terminal);
        terminal.out().println();
        figureTable().print(terminal);
        terminal.out().println();
        TextTable.printWrapped(OutcomeFigures.EXPLAINED, terminal);
        printMoved(terminal);
        UnplacedRows.print("Not placed by " + names.get(0) + ":", first.pods().unplaced(), terminal);
        UnplacedRows.print("Not placed by " + names.get(1) + ":", second.pods().unplaced(), terminal);
    }

    /** A sentence about the pods that are scheduled. */
    static String scheduled(Demand demand) {
        return demand.anew().isEmpty()
                ? "Scheduled: pods that wait (--rebalance also takes others off their nodes first)."
                : "Scheduled: " + demand.anew().size() + " that were taken off their nodes first, and "
                        + demand.waiting().size() + " that wait.";
    }

    private TextTable figureTable() {
        TextTable table =
                new TextTable().left("").right("NOW").right(names.get(0)).right(names.get(1));
        row(table, "pods on nodes", balance -> Integer.toString(balance.pods()));
        table.row(List.of(
                Cell.of("not placed"),
                Cell.of(Integer.toString(demand.waiting().size())),
                OutcomeFigures.of(first).unplacedCell(),
                OutcomeFigures.of(second).unplacedCell()));
        table.row(List.of(
                Cell.of("left their node"),
                Cell.EMPTY,
                Cell.of(Integer.toString(first.leaving())),
                Cell.of(Integer.toString(second.leaving()))));
        row(table, "empty nodes", balance -> Integer.toString(balance.emptyNodes()));
        for (ResourceName resource : now.byResource().keySet()) {
            row(
                    table,
                    "imbalance, " + resource.name(),
                    balance -> OutcomeFigures.number(
                            OutcomeFigures.of(balance, resource).imbalance()));
        }
        for (ResourceName resource : now.byResource().keySet()) {
            row(
                    table,
                    "unusable, " + resource.name(),
                    balance -> OutcomeFigures.number(
                                    OutcomeFigures.of(balance, resource).fragmentation()) + "%");
        }
        return table;
    }

    private void row(TextTable table, String title, Function<ClusterBalance, String> value) {
        table.row(List.of(
                Cell.of(title),
                Cell.of(value.apply(now)),
                Cell.of(value.apply(first.balance())),
                Cell.of(value.apply(second.balance()))));
    }

    private void printMoved(Terminal terminal) {
        if (moved.isEmpty()) {
            return;
        }
        Map<String, List<MovedPod>> byOwner = new LinkedHashMap<>();
        moved.forEach(pod -> byOwner.computeIfAbsent(PodOwner.nameOf(pod.pod()), any -> new ArrayList<>())
                .add(pod));
        List<Map.Entry<String, List<MovedPod>>> owners = new ArrayList<>(byOwner.entrySet());
        owners.sort((one, other) ->
                Integer.compare(other.getValue().size(), one.getValue().size()));
        TextTable table = new TextTable().left("PODS OF").right("ELSEWHERE").left("WHERE");
        int shown = Math.min(OWNERS, owners.size());
        for (Map.Entry<String, List<MovedPod>> owner : owners.subList(0, shown)) {
            List<MovedPod> pods = owner.getValue();
            table.row(List.of(
                    Cell.of(owner.getKey()),
                    Cell.of(Integer.toString(pods.size())),
                    Cell.of(names.get(0) + ": " + nodes(pods, MovedPod::first))));
            table.row(List.of(Cell.EMPTY, Cell.EMPTY, Cell.of(names.get(1) + ": " + nodes(pods, MovedPod::second))));
        }
        terminal.out().println();
        table.print(terminal);
        if (shown < owners.size()) {
            int others = 0;
            for (Map.Entry<String, List<MovedPod>> owner : owners.subList(shown, owners.size())) {
                others += owner.getValue().size();
            }
            terminal.out()
                    .println(
                            "and " + others + " pods of " + (owners.size() - shown) + " more owners (-o json has all)");
        }
    }

    private static String nodes(List<MovedPod> pods, Function<MovedPod, String> node) {
        return Counts.of(pods, pod -> node.apply(pod).isEmpty() ? NO_NODE : node.apply(pod))
                .text();
    }

    @Override
    public ObjectNode tree() {
        ObjectNode tree = summaryTree();
        List<SchedulingOutcome> outcomes = List.of(first, second);
        for (int i = 0; i < outcomes.size(); i++) {
            ObjectNode side = (ObjectNode) tree.path("sides").path(i);
            ArrayNode pods = side.putArray("pods");
            for (RescheduledPod pod : outcomes.get(i).pods().pods()) {
                FitReport.put(pods.addObject(), pod).put("nodeBefore", pod.nodeBefore());
            }
            ArrayNode lost = side.putArray("lost");
            outcomes.get(i).pods().gone().forEach(pod -> lost.add(pod.gone().key()));
        }
        ArrayNode pods = tree.putArray("differentPods");
        for (MovedPod pod : moved) {
            pods.addObject()
                    .put("pod", pod.pod().key())
                    .put("owner", PodOwner.nameOf(pod.pod()))
                    .put("nodeBefore", pod.before())
                    .put("first", pod.first())
                    .put("second", pod.second());
        }
        return tree;
    }

    @Override
    public ObjectNode summaryTree() {
        ObjectNode tree = JsonNodeFactory.instance.objectNode();
        tree.put("succeeded", moved.isEmpty())
                .put("pending", demand.waiting().size())
                .put("rescheduled", demand.anew().size())
                .put("different", moved.size());
        OutcomeFigures.put(tree.putObject("now"), now);
        ArrayNode sides = tree.putArray("sides");
        OutcomeFigures.of(first).put(sides.addObject().put("name", names.get(0)));
        OutcomeFigures.of(second).put(sides.addObject().put("name", names.get(1)));
        return tree;
    }
}
