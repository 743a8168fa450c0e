// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.report;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.api.model.ResourceName;
import org.moorage.api.model.Resources;
import org.moorage.app.internal.report.TextTable.Cell;
import org.moorage.objects.internal.InputNotes;
import org.moorage.simulation.PodMove;
import org.moorage.simulation.SimulatedPod;
import org.moorage.simulation.SimulatedPod.State;
import org.moorage.simulation.SimulationResult;
import org.moorage.simulation.SimulationResult.NodePods;
import org.moorage.simulation.dump.RecordedChange;

/** The pods, groups of pods and nodes at the end of a simulation. */
public final class SimulationReport implements Report {
    // What of it fits on a screen.
    private static final int POD_ROWS = 40;
    private static final int OWNER_ROWS = 20;
    private static final int OUTCOMES = 3;
    private static final int CHANGE_ROWS = 20;
    private static final int NODE_ROWS = 20;
    private static final int FULLEST_NODES = 10;

    private final SimulationResult result;
    private final List<RecordedChange> changes;
    private final SimulationRows rows;
    private final Duration took;
    private final Optional<Long> seed;
    private final List<ResourceName> resources;
    private final List<NodeUsage> usages = new ArrayList<>();
    private final GroupTable groups;

    /** What is shown of the use of cpu and memory, from much to little. */
    private enum Usage {
        BARS,
        AMOUNTS,
        SHARES
    }

    /** What the pods of a node request, and what is allocatable, in the order of the resources. */
    private record NodeUsage(String node, long pods, long allowedPods, long[] requested, long[] allocatable) {}

    /**
     * A report.
     *
     * @param changes the changes that were replayed
     * @param took how long the simulation took
     * @param seed the seed of the random numbers, if one was given
     * @param rows which pods and nodes have a row for people; programs are told of all
     */
    public SimulationReport(
            SimulationResult result,
            List<RecordedChange> changes,
            Duration took,
            Optional<Long> seed,
            SimulationRows rows) {
        this.result = result;
        this.changes = changes;
        this.took = took;
        this.seed = seed;
        this.rows = rows;
        groups = new GroupTable(result.groups(), rows);
        resources = resources(result.nodes());
        for (NodePods node : result.nodes()) {
            long[] requested = new long[resources.size()];
            long[] allocatable = new long[resources.size()];
            for (int i = 0; i < requested.length; i++) {
                allocatable[i] = node.node().allocatableResources().amount(resources.get(i));
                for (Pod pod : node.pods()) {
                    requested[i] += pod.requestsWithClaims().amount(resources.get(i));
                }
            }
            usages.add(new NodeUsage(
                    node.node().name(), node.pods().size(), node.node().allowedPods(), requested, allocatable));
        }
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
                Resources requested = pod.requestsWithClaims();
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

    @Override
    public void print(Terminal terminal) {
        groups.print(terminal);
        List<SimulatedPod> pods = podsOutsideGroups();
        List<SimulatedPod> shown = shown(pods);
        if (!shown.isEmpty()) {
            if (rows.allPods() || shown.size() <= POD_ROWS) {
                podTable(shown).print(terminal);
            } else {
                printOwners(pods, terminal);
            }
            terminal.out().println();
        }
        if (!usages.isEmpty()) {
            widestNodeTable(terminal).print(terminal);
            if (!rows.allNodes() && usages.size() > NODE_ROWS) {
                terminal.out()
                        .println("The " + FULLEST_NODES + " fullest of " + usages.size()
                                + " nodes (--all-nodes shows the others).");
            }
            terminal.out().println();
        }
        printChanges(terminal);
        terminal.out().println(summary());
    }

    // Those for which pods were tried again.
    private void printChanges(Terminal terminal) {
        Map<PodMove, List<String>> podsByMove = new TreeMap<>(
                Comparator.<PodMove>comparingInt(move -> move.change().number()).thenComparing(PodMove::event));
        for (SimulatedPod pod : result.pods()) {
            for (PodMove move : pod.movedBy()) {
                podsByMove
                        .computeIfAbsent(move, any -> new ArrayList<>())
                        .add(pod.pod().key());
            }
        }
        if (changes.isEmpty()) {
            return;
        }
        List<PodMove> moves = new ArrayList<>(podsByMove.keySet());
        TextTable table = new TextTable().left("CHANGE").left("EVENT").left("TRIED AGAIN");
        int shown = Math.min(moves.size(), CHANGE_ROWS);
        for (PodMove move : moves.subList(0, shown)) {
            table.row(List.of(
                    Cell.of(title(move.change())),
                    Cell.of(move.event()),
                    Cell.of(InputNotes.names(Objects.requireNonNull(podsByMove.get(move))))));
        }
        if (shown > 0) {
            table.print(terminal);
        }
        if (shown < moves.size()) {
            terminal.out().println("and " + (moves.size() - shown) + " more rows (-o json has all)");
        }
        long moving =
                moves.stream().map(move -> move.change().number()).distinct().count();
        terminal.out()
                .println("For " + moving + " of " + changes.size() + (changes.size() == 1 ? " change" : " changes")
                        + " pods were tried again.");
        terminal.out().println();
    }

    private static String title(RecordedChange change) {
        return change.number() + " " + change.type() + " "
                + ObjectKind.of(change.object()).kind() + " " + change.object().key();
    }

    // Those of groups have a place in the table of groups.
    private List<SimulatedPod> podsOutsideGroups() {
        if (rows.allPods() || result.groups().isEmpty()) {
            return result.pods();
        }
        Set<String> inGroups = new HashSet<>();
        result.groups()
                .forEach(group ->
                        group.pods().forEach(pod -> inGroups.add(pod.pod().uid())));
        return result.pods().stream()
                .filter(pod -> !inGroups.contains(pod.pod().uid()))
                .toList();
    }

    private List<SimulatedPod> shown(List<SimulatedPod> pods) {
        if (!rows.onlyUnplaced()) {
            return pods;
        }
        return pods.stream().filter(pod -> pod.nodeName().isEmpty()).toList();
    }

    private static TextTable podTable(List<SimulatedPod> pods) {
        TextTable table =
                new TextTable().left("POD").left("NODE").right("SCORE").left("MESSAGE");
        for (SimulatedPod pod : pods) {
            String score = pod.score().isPresent() ? Long.toString(pod.score().getAsLong()) : "-";
            table.row(List.of(
                    Cell.of(pod.pod().key()),
                    new Cell(pod.nodeName().isEmpty() ? "-" : pod.nodeName(), style(pod.state())),
                    Cell.of(score),
                    Cell.of(message(pod))));
        }
        return table;
    }

    private void printOwners(List<SimulatedPod> pods, Terminal terminal) {
        List<PodRows> owners = new ArrayList<>(PodRows.of(pods));
        if (rows.onlyUnplaced()) {
            owners.removeIf(owner -> owner.unplaced() == 0);
        }
        TextTable table =
                new TextTable().left("PODS OF").right("PODS").right("PLACED").left("MESSAGE");
        int shown = Math.min(owners.size(), OWNER_ROWS);
        for (PodRows owner : owners.subList(0, shown)) {
            addRows(table, owner);
        }
        table.print(terminal);
        int others = 0;
        int unplaced = 0;
        for (PodRows owner : owners.subList(shown, owners.size())) {
            others += owner.pods().size();
            unplaced += owner.unplaced();
        }
        if (others > 0) {
            terminal.out()
                    .println("and " + (owners.size() - shown) + " more rows with " + others + " pods, "
                            + (unplaced == 0 ? "all placed" : unplaced + " of them not placed")
                            + " (--all-pods shows every pod)");
        }
    }

    private static void addRows(TextTable table, PodRows group) {
        List<PodRows.Outcome> outcomes = group.outcomes();
        int pods = group.pods().size();
        int placed = pods - group.unplaced();
        List<Cell> cells = new ArrayList<>();
        cells.add(Cell.of(group.name()));
        cells.add(Cell.of(Integer.toString(pods)));
        cells.add(new Cell(Integer.toString(placed), placed == pods ? TextStyle.GOOD : TextStyle.BAD));
        for (PodRows.Outcome outcome : outcomes.subList(0, Math.min(OUTCOMES, outcomes.size()))) {
            cells.add(Cell.of(outcome.pods() + " " + countText(outcome.state()) + ": " + outcome.message()));
            table.row(cells);
            cells = new ArrayList<>(List.of(Cell.EMPTY, Cell.EMPTY, Cell.EMPTY));
        }
        if (outcomes.isEmpty()) {
            table.row(cells);
        } else if (outcomes.size() > OUTCOMES) {
            int others = 0;
            for (PodRows.Outcome outcome : outcomes.subList(OUTCOMES, outcomes.size())) {
                others += outcome.pods();
            }
            cells.add(Cell.of(others + " with " + (outcomes.size() - OUTCOMES) + " other messages"));
            table.row(cells);
        }
    }

    static TextStyle style(State state) {
        return switch (state) {
            case SCHEDULED -> TextStyle.GOOD;
            case UNSCHEDULABLE, ERROR, PREEMPTED -> TextStyle.BAD;
            case WAITING, GATED, OTHER_SCHEDULER, DELETING, DELETED -> TextStyle.WARNING;
        };
    }

    static String message(SimulatedPod pod) {
        boolean again = pod.state() == State.SCHEDULED && pod.attempts() > 1;
        String plugin = pod.plugin().isEmpty() ? "" : pod.plugin() + ": ";
        return again ? "at attempt " + pod.attempts() : plugin + pod.message();
    }

    private TextTable widestNodeTable(Terminal terminal) {
        TextTable table = nodeTable(terminal, Usage.BARS);
        if (terminal.width() > 0 && table.width() > terminal.width()) {
            table = nodeTable(terminal, Usage.AMOUNTS);
        }
        if (terminal.width() > 0 && table.width() > terminal.width()) {
            table = nodeTable(terminal, Usage.SHARES);
        }
        return table;
    }

    private TextTable nodeTable(Terminal terminal, Usage shown) {
        TextTable table = new TextTable().left("NODE").left("PODS");
        for (ResourceName resource : resources) {
            String name =
                    resource.slot() < 0 ? resource.name() : resource.name().toUpperCase(Locale.ROOT);
            if (shown == Usage.SHARES) {
                table.right(name);
                continue;
            }
            table.left(name);
            if (hasBar(resource)) {
                table.right("");
            }
            if (shown == Usage.BARS && hasBar(resource)) {
                table.left("");
            }
        }
        NodeUsage all = new NodeUsage("all nodes", 0, 0, new long[resources.size()], new long[resources.size()]);
        for (NodeUsage usage : shownNodes()) {
            table.row(cells(usage, TextStyle.PLAIN, terminal, shown));
        }
        for (NodeUsage usage : usages) {
            all = sum(all, usage);
        }
        if (usages.size() > 1) {
            table.row(cells(all, TextStyle.BOLD, terminal, shown));
        }
        return table;
    }

    private List<NodeUsage> shownNodes() {
        if (rows.allNodes() || usages.size() <= NODE_ROWS) {
            return usages;
        }
        List<NodeUsage> byShare = new ArrayList<>(usages);
        byShare.sort(Comparator.comparingDouble(usage -> -largestShare(usage)));
        return byShare.subList(0, FULLEST_NODES);
    }

    private static double largestShare(NodeUsage usage) {
        double largest = 0;
        for (int i = 0; i < usage.requested.length; i++) {
            if (usage.allocatable[i] > 0) {
                largest = Math.max(largest, (double) usage.requested[i] / usage.allocatable[i]);
            }
        }
        return largest;
    }

    private static boolean hasBar(ResourceName resource) {
        return resource.equals(ResourceName.CPU) || resource.equals(ResourceName.MEMORY);
    }

    private static NodeUsage sum(NodeUsage all, NodeUsage more) {
        long[] requested = all.requested.clone();
        long[] allocatable = all.allocatable.clone();
        for (int i = 0; i < requested.length; i++) {
            requested[i] += more.requested[i];
            allocatable[i] += more.allocatable[i];
        }
        return new NodeUsage(
                all.node, all.pods + more.pods, all.allowedPods + more.allowedPods, requested, allocatable);
    }

    private List<Cell> cells(NodeUsage usage, TextStyle nameStyle, Terminal terminal, Usage shown) {
        List<Cell> cells = new ArrayList<>();
        cells.add(new Cell(usage.node, nameStyle));
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
            } else if (shown == Usage.SHARES) {
                cells.add(new Cell(percent, style));
            } else if (hasBar(resource)) {
                cells.add(Cell.of(amounts));
                cells.add(new Cell(percent, style));
                if (shown == Usage.BARS) {
                    cells.add(new Cell(AmountFormat.bar(requested, allocatable, terminal), style));
                }
            } else {
                cells.add(new Cell(amounts + "  " + percent, style));
            }
        }
        return cells;
    }

    private String summary() {
        if (result.pods().isEmpty()) {
            return "no pod waits for a node";
        }
        List<String> counts = new ArrayList<>();
        for (State state : State.values()) {
            int count = result.count(state);
            if (count > 0) {
                counts.add(count + " " + countText(state));
            }
        }
        int pods = result.pods().size();
        return String.format(
                Locale.ROOT,
                "%d %s: %s%s in %.2f s%s",
                pods,
                pods == 1 ? "pod" : "pods",
                String.join(", ", counts),
                groups.summary().isEmpty() ? "" : "; " + groups.summary(),
                took.toMillis() / 1000.0,
                seed.map(value -> " (seed " + value + ")").orElse(""));
    }

    @Override
    public ObjectNode tree() {
        ObjectNode tree = JsonNodeFactory.instance.objectNode();
        ArrayNode pods = tree.putArray("pods");
        for (SimulatedPod pod : result.pods()) {
            pods.add(tree(pod));
        }
        if (!result.groups().isEmpty()) {
            tree.putArray("groups").addAll(groupTrees(result));
        }
        ArrayNode nodes = tree.putArray("nodes");
        for (NodeUsage usage : usages) {
            ObjectNode entry = nodes.addObject()
                    .put("node", usage.node)
                    .put("pods", usage.pods)
                    .put("allowedPods", usage.allowedPods);
            ObjectNode amounts = entry.putObject("resources");
            for (int i = 0; i < resources.size(); i++) {
                if (usage.requested[i] != 0 || usage.allocatable[i] != 0) {
                    putAmount(amounts, resources.get(i), usage.requested[i], usage.allocatable[i]);
                }
            }
        }
        ObjectNode summary = tree.putObject("summary").put("pods", result.pods().size());
        for (State state : State.values()) {
            summary.put(name(state), result.count(state));
        }
        if (!changes.isEmpty()) {
            summary.put("changes", changes.size());
        }
        summary.put("seconds", took.toMillis() / 1000.0);
        seed.ifPresent(value -> summary.put("seed", value));
        return tree;
    }

    /** The groups, for programs. */
    public static List<ObjectNode> groupTrees(SimulationResult result) {
        return result.groups().stream().map(GroupTable::tree).toList();
    }

    /** A pod, for programs. */
    static ObjectNode tree(SimulatedPod pod) {
        ObjectNode tree = JsonNodeFactory.instance
                .objectNode()
                .put("pod", pod.pod().key())
                .put("node", pod.nodeName());
        if (pod.score().isPresent()) {
            tree.put("score", pod.score().getAsLong());
        } else {
            tree.putNull("score");
        }
        tree.put("outcome", name(pod.state())).put("message", pod.message());
        if (!pod.plugin().isEmpty()) {
            tree.put("plugin", pod.plugin());
        }
        tree.put("attempts", pod.attempts());
        if (!pod.movedBy().isEmpty()) {
            ArrayNode moves = tree.putArray("movedBy");
            for (PodMove move : pod.movedBy()) {
                moves.addObject()
                        .put("change", move.change().number())
                        .put("type", move.change().type().name())
                        .put("kind", ObjectKind.of(move.change().object()).kind())
                        .put("name", move.change().object().key())
                        .put("event", move.event());
            }
        }
        return tree;
    }

    // In a summary, after a number of such pods.
    static String countText(State state) {
        return switch (state) {
            case SCHEDULED -> "placed";
            case UNSCHEDULABLE -> "unschedulable";
            case ERROR -> "failed";
            case PREEMPTED -> "preempted";
            case WAITING -> "waiting for a permit";
            case GATED -> "gated";
            case OTHER_SCHEDULER -> "for other schedulers";
            case DELETING -> "being deleted";
            case DELETED -> "deleted";
        };
    }

    /** The name of a state, for programs. */
    public static String name(State state) {
        return switch (state) {
            case SCHEDULED -> "scheduled";
            case UNSCHEDULABLE -> "unschedulable";
            case ERROR -> "error";
            case PREEMPTED -> "preempted";
            case WAITING -> "waiting";
            case GATED -> "gated";
            case OTHER_SCHEDULER -> "otherScheduler";
            case DELETING -> "deleting";
            case DELETED -> "deleted";
        };
    }

    private static void putAmount(ObjectNode amounts, ResourceName resource, long requested, long allocatable) {
        // In thousandths, as programs have no use for "1.5".
        String name = resource.equals(ResourceName.CPU) ? "milliCpu" : resource.name();
        amounts.putObject(name).put("requested", requested).put("allocatable", allocatable);
    }
}
