// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.command;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.moorage.api.model.Pod;
import org.moorage.api.model.ResourceName;
import org.moorage.api.model.Resources;
import org.moorage.app.command.Simulation.NodeResult;
import org.moorage.app.command.Simulation.Outcome;
import org.moorage.app.command.Simulation.PodResult;
import org.moorage.app.command.TextTable.Cell;

/** Tells what came of a simulation. */
final class SimulationReport {
    private final Simulation.Result result;
    private final Optional<Long> seed;
    private final List<ResourceName> resources;
    private final List<Fill> fills = new ArrayList<>();

    /** How full a node is, in the order of the resources. */
    private record Fill(String node, long pods, long allowedPods, long[] used, long[] offered) {}

    SimulationReport(Simulation.Result result, Optional<Long> seed) {
        this.result = result;
        this.seed = seed;
        resources = resources(result.nodes());
        for (NodeResult node : result.nodes()) {
            long[] used = new long[resources.size()];
            long[] offered = new long[resources.size()];
            for (int i = 0; i < used.length; i++) {
                offered[i] = node.node().allocatableResources().amount(resources.get(i));
                for (Pod pod : node.pods()) {
                    used[i] += pod.requestsWithClaims().amount(resources.get(i));
                }
            }
            fills.add(
                    new Fill(node.node().name(), node.pods().size(), node.node().allowedPods(), used, offered));
        }
    }

    // Cpu and memory, and what else pods take, or nodes offer beyond what all nodes have.
    private static List<ResourceName> resources(List<NodeResult> nodes) {
        Map<String, Long> others = new TreeMap<>();
        for (NodeResult node : nodes) {
            Resources offered = node.node().allocatableResources();
            for (int i = 0; i < offered.scalarCount(); i++) {
                boolean extended = ResourceName.isExtended(offered.scalarName(i));
                others.merge(offered.scalarName(i), extended ? offered.scalarAmount(i) : 0, Long::sum);
            }
            for (Pod pod : node.pods()) {
                Resources used = pod.requestsWithClaims();
                others.merge(ResourceName.EPHEMERAL_STORAGE.name(), used.ephemeralStorage(), Long::sum);
                for (int i = 0; i < used.scalarCount(); i++) {
                    others.merge(used.scalarName(i), used.scalarAmount(i), Long::sum);
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

    void print(Terminal terminal) {
        if (!result.pods().isEmpty()) {
            podTable().print(terminal);
            terminal.out().println();
        }
        if (!fills.isEmpty()) {
            TextTable table = nodeTable(terminal, true);
            boolean wide = terminal.width() > 0 && table.width() > terminal.width();
            (wide ? nodeTable(terminal, false) : table).print(terminal);
            terminal.out().println();
        }
        terminal.out().println(summary());
    }

    private TextTable podTable() {
        TextTable table =
                new TextTable().left("POD").left("NODE").right("SCORE").left("MESSAGE");
        for (PodResult pod : result.pods()) {
            String score = pod.score().isPresent() ? Long.toString(pod.score().getAsLong()) : "-";
            table.row(List.of(
                    Cell.of(pod.pod()),
                    new Cell(pod.node().isEmpty() ? "-" : pod.node(), style(pod.outcome())),
                    Cell.of(score),
                    Cell.of(message(pod))));
        }
        return table;
    }

    private static Style style(Outcome outcome) {
        return switch (outcome) {
            case SCHEDULED -> Style.GOOD;
            case UNSCHEDULABLE, ERROR, PREEMPTED -> Style.BAD;
            case WAITING, GATED, OTHER_SCHEDULER, DELETING -> Style.WARNING;
        };
    }

    private static String message(PodResult pod) {
        boolean again = pod.outcome() == Outcome.SCHEDULED && pod.attempts() > 1;
        return again ? "at attempt " + pod.attempts() : pod.message();
    }

    private TextTable nodeTable(Terminal terminal, boolean bars) {
        TextTable table = new TextTable().left("NODE").left("PODS");
        for (ResourceName resource : resources) {
            table.left(resource.slot() < 0 ? resource.name() : resource.name().toUpperCase(Locale.ROOT));
            if (hasBar(resource)) {
                table.right("");
            }
            if (bars && hasBar(resource)) {
                table.left("");
            }
        }
        Fill all = new Fill("all nodes", 0, 0, new long[resources.size()], new long[resources.size()]);
        for (Fill fill : fills) {
            table.row(cells(fill, Style.PLAIN, terminal, bars));
            all = sum(all, fill);
        }
        if (fills.size() > 1) {
            table.row(cells(all, Style.BOLD, terminal, bars));
        }
        return table;
    }

    private static boolean hasBar(ResourceName resource) {
        return resource.equals(ResourceName.CPU) || resource.equals(ResourceName.MEMORY);
    }

    private static Fill sum(Fill all, Fill more) {
        long[] used = all.used.clone();
        long[] offered = all.offered.clone();
        for (int i = 0; i < used.length; i++) {
            used[i] += more.used[i];
            offered[i] += more.offered[i];
        }
        return new Fill(all.node, all.pods + more.pods, all.allowedPods + more.allowedPods, used, offered);
    }

    private List<Cell> cells(Fill fill, Style style, Terminal terminal, boolean bars) {
        List<Cell> cells = new ArrayList<>();
        cells.add(new Cell(fill.node, style));
        cells.add(Cell.of(fill.pods + "/" + fill.allowedPods));
        for (int i = 0; i < resources.size(); i++) {
            ResourceName resource = resources.get(i);
            long used = fill.used[i];
            long offered = fill.offered[i];
            Style fullness = Amounts.styleOf(used, offered);
            String amounts = Amounts.text(resource, used) + "/" + Amounts.text(resource, offered);
            String percent = Amounts.percent(used, offered) + "%";
            if (!hasBar(resource) && used == 0 && offered == 0) {
                cells.add(Cell.of("-"));
            } else if (hasBar(resource)) {
                cells.add(Cell.of(amounts));
                cells.add(new Cell(percent, fullness));
                if (bars) {
                    cells.add(new Cell(Amounts.bar(used, offered, terminal), fullness));
                }
            } else {
                cells.add(new Cell(amounts + "  " + percent, fullness));
            }
        }
        return cells;
    }

    private String summary() {
        if (result.pods().isEmpty()) {
            return "no pod waits for a node";
        }
        List<String> counts = new ArrayList<>();
        for (Outcome outcome : Outcome.values()) {
            long count = result.count(outcome);
            if (count > 0) {
                counts.add(count + " " + outcome.count());
            }
        }
        int pods = result.pods().size();
        return String.format(
                Locale.ROOT,
                "%d %s: %s in %.2f s%s",
                pods,
                pods == 1 ? "pod" : "pods",
                String.join(", ", counts),
                result.took().toMillis() / 1000.0,
                seed.map(value -> " (seed " + value + ")").orElse(""));
    }

    /** The same for programs. */
    ObjectNode tree() {
        ObjectNode tree = JsonNodeFactory.instance.objectNode();
        ArrayNode pods = tree.putArray("pods");
        for (PodResult pod : result.pods()) {
            ObjectNode entry = pods.addObject().put("pod", pod.pod()).put("node", pod.node());
            if (pod.score().isPresent()) {
                entry.put("score", pod.score().getAsLong());
            } else {
                entry.putNull("score");
            }
            entry.put("outcome", pod.outcome().toString())
                    .put("message", pod.message())
                    .put("attempts", pod.attempts());
        }
        ArrayNode nodes = tree.putArray("nodes");
        for (Fill fill : fills) {
            ObjectNode entry = nodes.addObject()
                    .put("node", fill.node)
                    .put("pods", fill.pods)
                    .put("allowedPods", fill.allowedPods);
            ObjectNode amounts = entry.putObject("resources");
            for (int i = 0; i < resources.size(); i++) {
                if (fill.used[i] != 0 || fill.offered[i] != 0) {
                    putAmount(amounts, resources.get(i), fill.used[i], fill.offered[i]);
                }
            }
        }
        ObjectNode summary = tree.putObject("summary").put("pods", result.pods().size());
        for (Outcome outcome : Outcome.values()) {
            summary.put(outcome.toString(), result.count(outcome));
        }
        summary.put("seconds", result.took().toMillis() / 1000.0);
        seed.ifPresent(value -> summary.put("seed", value));
        return tree;
    }

    private static void putAmount(ObjectNode amounts, ResourceName resource, long used, long offered) {
        // In thousandths, as programs have no use for "1.5".
        String name = resource.equals(ResourceName.CPU) ? "milliCpu" : resource.name();
        amounts.putObject(name).put("requested", used).put("allocatable", offered);
    }
}
