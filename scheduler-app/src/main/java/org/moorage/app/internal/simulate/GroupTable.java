// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.simulate;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.moorage.api.GroupKey;
import org.moorage.app.internal.report.Terminal;
import org.moorage.app.internal.report.TextStyle;
import org.moorage.app.internal.report.TextTable;
import org.moorage.app.internal.report.TextTable.Cell;
import org.moorage.simulation.SimulatedGroup;
import org.moorage.simulation.SimulatedPod;
import org.moorage.simulation.SimulatedPod.State;

/**
 * The groups of pods at the end of a simulation: a row for each group, and below it rows for pods whose result differs
 * from the group's.
 */
public final class GroupTable {
    private static final int ROOTS = 20;
    private static final int NODES_NAMED = 4;

    private final List<List<SimulatedGroup>> trees;
    private final SimulationRows rows;

    /**
     * A table.
     *
     * @param groups the groups, each before its children
     */
    public GroupTable(List<SimulatedGroup> groups, SimulationRows rows) {
        trees = trees(groups);
        this.rows = rows;
    }

    private List<List<SimulatedGroup>> shown(Terminal terminal) {
        List<List<SimulatedGroup>> shown = new ArrayList<>(trees);
        if (rows.onlyUnplaced()) {
            shown.removeIf(tree -> tree.stream().allMatch(GroupTable::isAllPlaced));
        }
        if (terminal.shown(shown.size(), ROOTS) < shown.size()) {
            shown.sort(Comparator.comparingInt(tree -> isAllPlaced(tree.get(0)) ? 1 : 0));
            return shown.subList(0, ROOTS);
        }
        return shown;
    }

    // Each of a root and what is below it.
    private static List<List<SimulatedGroup>> trees(List<SimulatedGroup> groups) {
        List<List<SimulatedGroup>> trees = new ArrayList<>();
        Map<GroupKey, List<SimulatedGroup>> treeByGroup = new HashMap<>();
        for (SimulatedGroup group : groups) {
            List<SimulatedGroup> tree = group.parent().map(treeByGroup::get).orElseGet(() -> {
                List<SimulatedGroup> added = new ArrayList<>();
                trees.add(added);
                return added;
            });
            tree.add(group);
            treeByGroup.put(group.key(), tree);
        }
        return trees;
    }

    private static boolean isAllPlaced(SimulatedGroup group) {
        return group.state() == State.SCHEDULED && group.placed() == group.members();
    }

    /** Prints it, and an empty line after it, unless there is nothing to show. */
    public void print(Terminal terminal) {
        List<List<SimulatedGroup>> shown = shown(terminal);
        if (shown.isEmpty()) {
            return;
        }
        boolean hasDomains = shown.stream()
                .flatMap(List::stream)
                .anyMatch(group -> !group.domain().isEmpty());
        TextTable table = new TextTable().left("GROUP").left("PLACED").right("NEEDED");
        if (hasDomains) {
            table.left("DOMAIN");
        }
        table.left("MESSAGE");
        for (List<SimulatedGroup> tree : shown) {
            addRows(table, tree, hasDomains);
        }
        table.print(terminal);
        int left = trees.size() - shown.size();
        if (shown.size() == ROOTS && left > 0) {
            terminal.out().println("and " + left + " more groups (-o wide shows all)");
        }
        terminal.out().println();
    }

    private static void addRows(TextTable table, List<SimulatedGroup> tree, boolean hasDomains) {
        Map<GroupKey, Integer> depths = new HashMap<>();
        for (SimulatedGroup group : tree) {
            int depth = group.parent().map(depths::get).map(above -> above + 1).orElse(0);
            depths.put(group.key(), depth);
            String name = depth == 0
                    ? group.key().namespace() + "/" + group.key().name()
                    : group.key().name();
            List<Cell> cells = new ArrayList<>();
            cells.add(Cell.of("  ".repeat(depth) + name));
            cells.add(new Cell(placed(group), style(group)));
            cells.add(Cell.of(group.needed() == 0 ? "-" : Integer.toString(group.needed())));
            if (hasDomains) {
                cells.add(Cell.of(group.domain().isEmpty() ? "-" : group.domain()));
            }
            cells.add(Cell.of(message(group, tree)));
            table.row(cells);
            addPods(table, group, "  ".repeat(depth + 1), hasDomains);
        }
    }

    private static String placed(SimulatedGroup group) {
        String members = group.key().type() == GroupKey.Type.POD_GROUP ? " pods" : " groups";
        return group.placed() + " of " + group.members() + members;
    }

    private static TextStyle style(SimulatedGroup group) {
        return isAllPlaced(group) ? TextStyle.GOOD : SimulationReport.style(group.state());
    }

    private static String message(SimulatedGroup group, List<SimulatedGroup> tree) {
        if (group.state() == State.SCHEDULED) {
            return group.key().type() == GroupKey.Type.POD_GROUP ? "on " + nodes(group.nodes()) : "";
        }
        boolean isSaidBelow = tree.stream()
                .anyMatch(other -> other.parent().filter(group.key()::equals).isPresent()
                        && other.message().equals(group.message()));
        String plugin = group.plugin().isEmpty() ? "" : group.plugin() + ": ";
        String state = SimulationReport.countText(group.state());
        return isSaidBelow || group.message().isEmpty()
                ? state
                : state + ": " + plugin + withoutPrefix(group.message());
    }

    // Returns the names of the nodes as a text; a node with several pods is followed by their number.
    public static String nodes(List<String> names) {
        Map<String, Integer> counts = new LinkedHashMap<>();
        names.forEach(name -> counts.merge(name, 1, Integer::sum));
        List<String> texts = new ArrayList<>();
        counts.forEach((name, count) -> texts.add(count == 1 ? name : name + " (" + count + ")"));
        int named = texts.size() <= NODES_NAMED ? texts.size() : NODES_NAMED - 1;
        String text = String.join(", ", texts.subList(0, named));
        return named == texts.size() ? text : text + " and " + (texts.size() - named) + " more";
    }

    private static void addPods(TextTable table, SimulatedGroup group, String indent, boolean hasDomains) {
        Map<String, List<SimulatedPod>> podsByText = new LinkedHashMap<>();
        for (SimulatedPod pod : group.pods()) {
            if (isOfItsOwn(pod, group)) {
                podsByText.computeIfAbsent(text(pod), any -> new ArrayList<>()).add(pod);
            }
        }
        podsByText.forEach((text, pods) -> {
            String others = pods.size() == 1 ? "" : " and " + (pods.size() - 1) + " more";
            List<Cell> cells = new ArrayList<>();
            cells.add(new Cell(
                    indent + pods.get(0).pod().name() + others,
                    SimulationReport.style(pods.get(0).state())));
            cells.add(Cell.EMPTY);
            cells.add(Cell.EMPTY);
            if (hasDomains) {
                cells.add(Cell.EMPTY);
            }
            cells.add(Cell.of(text));
            table.row(cells);
        });
    }

    private static String text(SimulatedPod pod) {
        String plugin = pod.plugin().isEmpty() ? "" : pod.plugin() + ": ";
        return pod.state() == State.UNSCHEDULABLE
                ? pod.message()
                : SimulationReport.countText(pod.state()) + ": " + plugin + pod.message();
    }

    // Whether the pod has a result that does not follow from that of its group.
    private static boolean isOfItsOwn(SimulatedPod pod, SimulatedGroup group) {
        if (pod.state() == State.SCHEDULED || pod.state() == State.PREEMPTED && group.state() == State.PREEMPTED) {
            return false;
        }
        String ofGroup = withoutPrefix(group.message());
        boolean isSame = !ofGroup.isEmpty()
                && (withoutPrefix(pod.message()).startsWith(ofGroup)
                        || ofGroup.startsWith(withoutPrefix(pod.message())));
        return !(isSame && pod.state() == group.state());
    }

    // The message of a group of several placements, and that of its pods, may begin with it more than once.
    public static String withoutPrefix(String message) {
        String prefix = "pod group is unschedulable, ";
        String left = message;
        while (left.startsWith(prefix)) {
            left = left.substring(prefix.length());
        }
        return left;
    }

    /** How many groups without a parent are in which state; empty if there is no group. */
    public String summary() {
        if (trees.isEmpty()) {
            return "";
        }
        List<String> counts = new ArrayList<>();
        for (State state : State.values()) {
            long count =
                    trees.stream().filter(tree -> tree.get(0).state() == state).count();
            if (count > 0) {
                counts.add(count + " " + SimulationReport.countText(state));
            }
        }
        return trees.size() + (trees.size() == 1 ? " group: " : " groups: ") + String.join(", ", counts);
    }
}
