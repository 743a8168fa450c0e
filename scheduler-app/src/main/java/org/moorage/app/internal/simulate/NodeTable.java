// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.simulate;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.moorage.api.model.Pod;
import org.moorage.api.model.ResourceName;
import org.moorage.api.model.Resources;
import org.moorage.app.internal.answer.NodeLabels;
import org.moorage.app.internal.answer.ResourceUse;
import org.moorage.app.internal.report.AmountFormat;
import org.moorage.app.internal.report.Terminal;
import org.moorage.app.internal.report.TextStyle;
import org.moorage.app.internal.report.TextTable;
import org.moorage.app.internal.report.TextTable.Cell;
import org.moorage.app.internal.simulate.SimulationAnswer.NodeUse;
import org.moorage.app.internal.simulate.SimulationAnswer.NodesUse;
import org.moorage.app.internal.simulate.SimulationRows.View;
import org.moorage.simulation.SimulationResult.NodePods;

/** The resources that pods request, by node, zone or instance type. */
public final class NodeTable {
    // Row limits, so that a table fits on a screen.
    private static final int ROWS = 20;
    private static final int FULLEST = 10;
    /** Nodes with at least this share requested count as full, since hardly any pod fits into the rest. */
    private static final double FULL = 0.95;

    private static final String PODS = "pods";

    private final SimulationRows rows;
    private final List<ResourceName> resources;
    private final List<Usage> usages = new ArrayList<>();
    private final List<Usage> zones;
    private final List<Usage> types;

    /** The forms in which the use of cpu and memory is shown, from most to least detailed. */
    private enum Shown {
        BARS,
        AMOUNTS,
        SHARES
    }

    /** The requested and allocatable amounts of nodes, in the order of the resources. */
    private record Usage(String name, int nodes, long pods, long allowedPods, long[] requested, long[] allocatable) {
        Usage plus(Usage more) {
            long[] sum = requested.clone();
            long[] whole = allocatable.clone();
            for (int i = 0; i < sum.length; i++) {
                sum[i] += more.requested[i];
                whole[i] += more.allocatable[i];
            }
            return new Usage(name, nodes + more.nodes, pods + more.pods, allowedPods + more.allowedPods, sum, whole);
        }

        /** Returns the requested share of each resource, that of pods last. */
        double[] shares() {
            double[] shares = new double[requested.length + 1];
            for (int i = 0; i < requested.length; i++) {
                shares[i] = share(requested[i], allocatable[i]);
            }
            shares[requested.length] = share(pods, allowedPods);
            return shares;
        }

        private static double share(long part, long whole) {
            return whole > 0 ? (double) part / whole : 0;
        }
    }

    /**
     * A table.
     *
     * @param nodes the nodes, with the pods on them
     * @param rows which of them have a row for people
     */
    public NodeTable(List<NodePods> nodes, SimulationRows rows) {
        this.rows = rows;
        resources = resources(nodes);
        Map<String, Usage> byZone = new TreeMap<>();
        Map<String, Usage> byType = new TreeMap<>();
        for (NodePods node : nodes) {
            Usage usage = usage(node);
            usages.add(usage);
            merge(byZone, group(NodeLabels.zone(node.node()), "(no zone)"), usage);
            merge(byType, group(NodeLabels.instanceType(node.node()), "(no type)"), usage);
        }
        zones = List.copyOf(byZone.values());
        types = List.copyOf(byType.values());
    }

    // Cpu and memory; what else pods request; extended resources that nodes have.
    private static List<ResourceName> resources(List<NodePods> nodes) {
        Map<String, Long> others = new TreeMap<>();
        for (NodePods node : nodes) {
            Resources allocatable = node.node().allocatableResources();
            for (int i = 0; i < allocatable.scalarCount(); i++) {
                boolean extended = ResourceName.isExtended(allocatable.scalarName(i));
                others.merge(allocatable.scalarName(i), extended ? allocatable.scalarAmount(i) : 0, Long::sum);
            }
            for (Pod pod : node.pods()) {
                Resources requested = pod.requestsOf(node.node());
                others.merge(ResourceName.EPHEMERAL_STORAGE.name(), requested.ephemeralStorage(), Long::sum);
                for (int i = 0; i < requested.scalarCount(); i++) {
                    others.merge(requested.scalarName(i), requested.scalarAmount(i), Long::sum);
                }
            }
        }
        List<ResourceName> names = new ArrayList<>(List.of(ResourceName.CPU, ResourceName.MEMORY));
        others.forEach((name, amount) -> {
            if (amount > 0) {
                names.add(ResourceName.of(name));
            }
        });
        return names;
    }

    private Usage usage(NodePods node) {
        long[] requested = new long[resources.size()];
        long[] allocatable = new long[resources.size()];
        for (int i = 0; i < allocatable.length; i++) {
            allocatable[i] = node.node().allocatableResources().amount(resources.get(i));
        }
        for (Pod pod : node.pods()) {
            Resources requests = pod.requestsOf(node.node());
            for (int i = 0; i < requested.length; i++) {
                requested[i] += requests.amount(resources.get(i));
            }
        }
        return new Usage(node.node().name(), 1, node.pods().size(), node.node().allowedPods(), requested, allocatable);
    }

    private static String group(String label, String otherwise) {
        return label.isEmpty() ? otherwise : label;
    }

    private void merge(Map<String, Usage> groups, String name, Usage usage) {
        groups.put(name, groups.getOrDefault(name, none(name)).plus(usage));
    }

    private Usage none(String name) {
        return new Usage(name, 0, 0, 0, new long[resources.size()], new long[resources.size()]);
    }

    /** Prints the table, and below it which resources are full. */
    public void print(Terminal terminal) {
        if (usages.isEmpty()) {
            return;
        }
        TextTable table = table(terminal, Shown.BARS);
        if (terminal.width() > 0 && table.width() > terminal.width()) {
            table = table(terminal, Shown.AMOUNTS);
        }
        if (terminal.width() > 0 && table.width() > terminal.width()) {
            table = table(terminal, Shown.SHARES);
        }
        table.print(terminal);
        if (isCut(terminal)) {
            terminal.out()
                    .println("The " + FULLEST + " fullest of " + usages.size()
                            + " nodes (-o wide shows all, --by zone and --by type their sums).");
        }
        if (usages.size() > ROWS) {
            printFull(terminal);
        }
        terminal.out().println();
    }

    private boolean isCut(Terminal terminal) {
        return areNodes() && terminal.shown(usages.size(), ROWS) < usages.size();
    }

    private boolean areNodes() {
        return !rows.by(View.ZONE) && !rows.by(View.TYPE);
    }

    // Returns the rows of the complete table.
    private List<Usage> groups() {
        return rows.by(View.ZONE) ? zones : rows.by(View.TYPE) ? types : usages;
    }

    private void printFull(Terminal terminal) {
        Map<String, Integer> nodesByResource = new LinkedHashMap<>();
        int full = 0;
        for (Usage usage : usages) {
            double[] shares = usage.shares();
            boolean isFull = false;
            for (int i = 0; i < shares.length; i++) {
                if (shares[i] >= FULL) {
                    nodesByResource.merge(
                            i < resources.size() ? resources.get(i).name() : PODS, 1, Integer::sum);
                    isFull = true;
                }
            }
            full += isFull ? 1 : 0;
        }
        if (full > 0) {
            List<String> texts = new ArrayList<>();
            nodesByResource.forEach((resource, nodes) -> texts.add(resource + " of " + nodes));
            terminal.out()
                    .println("At 95% or more " + (full == 1 ? "is 1 node: " : "are " + full + " nodes: ")
                            + String.join(", ", texts) + ".");
        }
    }

    private TextTable table(Terminal terminal, Shown shown) {
        List<Usage> groups = groups();
        boolean areNodes = areNodes();
        TextTable table = new TextTable().left(rows.by(View.ZONE) ? "ZONE" : rows.by(View.TYPE) ? "TYPE" : "NODE");
        if (!areNodes) {
            table.right("NODES");
        }
        table.left("PODS");
        for (ResourceName resource : resources) {
            String name =
                    resource.slot() < 0 ? resource.name() : resource.name().toUpperCase(Locale.ROOT);
            if (shown == Shown.SHARES) {
                table.right(name);
                continue;
            }
            table.left(name);
            if (hasBar(resource)) {
                table.right("");
            }
            if (shown == Shown.BARS && hasBar(resource)) {
                table.left("");
            }
        }
        for (Usage usage : isCut(terminal) ? fullest() : groups) {
            table.row(cells(usage, areNodes, TextStyle.PLAIN, terminal, shown));
        }
        Usage all = none("all nodes");
        for (Usage usage : usages) {
            all = all.plus(usage);
        }
        if (groups.size() > 1) {
            table.row(cells(all, areNodes, TextStyle.BOLD, terminal, shown));
        }
        return table;
    }

    // Orders by the fullest resource, including pods; equal rows by the next fullest one.
    private List<Usage> fullest() {
        Map<Usage, double[]> shares = new LinkedHashMap<>();
        for (Usage usage : usages) {
            double[] sorted = usage.shares();
            Arrays.sort(sorted);
            for (int i = 0; i < sorted.length / 2; i++) {
                double last = sorted[sorted.length - 1 - i];
                sorted[sorted.length - 1 - i] = sorted[i];
                sorted[i] = last;
            }
            shares.put(usage, sorted);
        }
        return shares.entrySet().stream()
                .sorted(Map.Entry.comparingByValue((first, second) -> Arrays.compare(second, first)))
                .limit(FULLEST)
                .map(Map.Entry::getKey)
                .toList();
    }

    private static boolean hasBar(ResourceName resource) {
        return resource.equals(ResourceName.CPU) || resource.equals(ResourceName.MEMORY);
    }

    private List<Cell> cells(Usage usage, boolean areNodes, TextStyle nameStyle, Terminal terminal, Shown shown) {
        List<Cell> cells = new ArrayList<>();
        cells.add(new Cell(usage.name, nameStyle));
        if (!areNodes) {
            cells.add(Cell.of(Integer.toString(usage.nodes)));
        }
        cells.add(Cell.of(usage.pods + "/" + usage.allowedPods));
        for (int i = 0; i < resources.size(); i++) {
            ResourceName resource = resources.get(i);
            long requested = usage.requested[i];
            long allocatable = usage.allocatable[i];
            TextStyle style = AmountFormat.style(requested, allocatable);
            String amounts = AmountFormat.text(resource, requested) + "/" + AmountFormat.text(resource, allocatable);
            String percent = AmountFormat.percent(requested, allocatable) + "%";
            if (!hasBar(resource) && requested == 0 && allocatable == 0) {
                cells.add(Cell.of("-"));
            } else if (shown == Shown.SHARES) {
                cells.add(new Cell(percent, style));
            } else if (hasBar(resource)) {
                cells.add(Cell.of(amounts));
                cells.add(new Cell(percent, style));
                if (shown == Shown.BARS) {
                    cells.add(new Cell(AmountFormat.bar(requested, allocatable, terminal), style));
                }
            } else {
                cells.add(new Cell(amounts + "  " + percent, style));
            }
        }
        return cells;
    }

    /** Returns all nodes, for programs. */
    List<NodeUse> nodeUses() {
        return usages.stream()
                .map(usage -> new NodeUse(usage.name, usage.pods, usage.allowedPods, resources(usage)))
                .toList();
    }

    /** Returns the nodes by zone or type, for programs; empty if the rows are not by that. */
    Optional<List<NodesUse>> uses(View view) {
        return rows.by(view)
                ? Optional.of(groups().stream()
                        .map(usage ->
                                new NodesUse(usage.name, usage.nodes, usage.pods, usage.allowedPods, resources(usage)))
                        .toList())
                : Optional.empty();
    }

    private Map<ResourceName, ResourceUse> resources(Usage usage) {
        Map<ResourceName, ResourceUse> uses = new LinkedHashMap<>();
        for (int i = 0; i < resources.size(); i++) {
            if (usage.requested[i] != 0 || usage.allocatable[i] != 0) {
                uses.put(resources.get(i), new ResourceUse(usage.requested[i], usage.allocatable[i]));
            }
        }
        return uses;
    }
}
