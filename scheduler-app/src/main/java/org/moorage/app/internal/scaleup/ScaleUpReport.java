// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.scaleup;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.stream.Collectors;
import org.moorage.api.model.ResourceName;
import org.moorage.api.model.Resources;
import org.moorage.app.internal.answer.Names;
import org.moorage.app.internal.answer.PlacedPod;
import org.moorage.app.internal.answer.UnplacedRows;
import org.moorage.app.internal.report.AmountFormat;
import org.moorage.app.internal.report.Answer;
import org.moorage.app.internal.report.Report;
import org.moorage.app.internal.report.Terminal;
import org.moorage.app.internal.report.TextStyle;
import org.moorage.app.internal.report.TextTable;
import org.moorage.app.internal.report.TextTable.Cell;
import org.moorage.app.internal.scaleup.ScaleUpAnswer.Mix;
import org.moorage.app.internal.scaleup.ScaleUpAnswer.NodeType;
import org.moorage.app.internal.scaleup.ScaleUpAnswer.Trial;
import org.moorage.simulation.whatif.NodeEstimate;
import org.moorage.simulation.whatif.NodeEstimate.Attempt;
import org.moorage.simulation.whatif.NodeEstimate.End;
import org.moorage.simulation.whatif.NodeMix;

/** A report of the number of new nodes of each type that the pending pods need. */
final class ScaleUpReport implements Report {
    private final List<Offer> offers;
    private final int maxNodes;
    private final int expendablePodsPriorityCutoff;
    private final Optional<NodeMix> mix;

    /**
     * A type of nodes.
     *
     * @param estimate how many of them the pods need
     * @param price the price per hour of a node; empty if it is not known
     */
    record Offer(NodeEstimate estimate, OptionalDouble price) {
        double cost() {
            return estimate.nodes() * price.orElse(0);
        }

        boolean isEnough() {
            return estimate.isComplete();
        }
    }

    /**
     * A report.
     *
     * @param offers the types, at least one
     * @param maxNodes the maximum number of nodes of a type
     * @param expendablePodsPriorityCutoff the priority below which no nodes are added for a pod
     * @param mix a mix of the types; empty if none was searched
     */
    ScaleUpReport(List<Offer> offers, int maxNodes, int expendablePodsPriorityCutoff, Optional<NodeMix> mix) {
        this.offers = new ArrayList<>(offers);
        this.offers.sort(
                Comparator.<Offer>comparingInt(offer -> offer.estimate.left().size())
                        .thenComparingDouble(Offer::cost)
                        .thenComparingInt(offer -> offer.estimate.nodes()));
        this.maxNodes = maxNodes;
        this.expendablePodsPriorityCutoff = expendablePodsPriorityCutoff;
        this.mix = mix;
    }

    private Offer best() {
        return offers.get(0);
    }

    @Override
    public boolean succeeded() {
        return best().isEnough() || mix.filter(found -> found.left().isEmpty()).isPresent();
    }

    @Override
    public List<String> names() {
        return best().estimate.left().stream()
                .map(pod -> "pod/" + pod.pod().key())
                .toList();
    }

    @Override
    public Map<String, String> figures() {
        NodeEstimate best = best().estimate;
        Map<String, String> figures = new LinkedHashMap<>();
        figures.put("pending before", Integer.toString(best.waiting()));
        figures.put("fit on existing nodes", Integer.toString(best.placedBefore()));
        figures.put("new " + best.type().name() + " nodes", Integer.toString(best.nodes()));
        figures.put("still pending", Integer.toString(best.left().size()));
        if (best().price().isPresent()) {
            figures.put("cost per hour", AmountFormat.money(best().cost()));
        }
        return figures;
    }

    @Override
    public void print(Terminal terminal) {
        NodeEstimate best = best().estimate;
        if (best.waiting() > best.placedBefore()) {
            TextTable.printWrapped(pending(best), terminal);
        } else {
            TextTable.printHeadline(pending(best), terminal);
        }
        if (!best.expendable().isEmpty()) {
            TextTable.printWrapped(expendable(best.expendable().size()), terminal);
        }
        if (best.waiting() > best.placedBefore()) {
            TextTable.printHeadline(headline(best), terminal);
            terminal.out().println();
            table().print(terminal);
        }
        mix.ifPresent(found -> {
            terminal.out().println();
            TextTable.printWrapped(text(found), terminal);
        });
        UnplacedRows.print(
                "Pending with " + Names.counted(best.shownNodes(), "new " + best.type() + " node") + ":",
                best.left(),
                terminal);
        UnplacedRows.print("No room on the only node that they may run on:", best.onOwnNodes(), terminal);
    }

    private String text(NodeMix found) {
        String nodes = found.nodes().stream()
                .map(type -> type.count() + " " + type.type().name())
                .collect(Collectors.joining(found.arrival() == NodeMix.Arrival.IN_STEPS ? ", then " : " and "));
        double single = best().cost();
        String cost = AmountFormat.money(found.costPerHour()) + " per hour";
        String bound = found.end() == NodeMix.End.CHEAPEST
                ? " No mix of these types costs less."
                : found.lowerBound() > 0
                        ? " No mix of these types costs less than " + AmountFormat.money(found.lowerBound()) + "."
                        : " A cheaper mix may exist.";
        if (found.nodes().size() <= 1) {
            return found.end() == NodeMix.End.CHEAPEST
                    ? "No mix that leaves as few pods pending costs less."
                    : "No cheaper mix of types was found." + bound;
        }
        return "Cheapest mix found: " + nodes + " for " + cost + " (" + AmountFormat.money(single)
                + " with one type); "
                + (found.left().isEmpty()
                        ? "all pods fit."
                        : Names.counted(found.left().size(), "pod")
                                + (found.left().size() == 1 ? " stays pending." : " stay pending."))
                + bound;
    }

    private static String pending(NodeEstimate estimate) {
        int all = estimate.waiting();
        String lost = estimate.lost() == 0
                ? ""
                : " " + Names.counted(estimate.lost(), "pod") + (estimate.lost() == 1 ? " is" : " are")
                        + " preempted and not created again.";
        String own = estimate.onOwnNodes().isEmpty()
                ? lost
                : lost + " New nodes do not help "
                        + Names.counted(estimate.onOwnNodes().size(), "pod") + " that may run on one node only.";
        if (all == 0) {
            return (estimate.onOwnNodes().isEmpty() ? "No pods are pending." : "No other pods are pending.") + own;
        }
        String are = Names.counted(all, "pod") + (all == 1 ? " is" : " are") + " pending"
                + (estimate.displaced() == 0
                        ? ""
                        : ", of which " + estimate.displaced() + " only because others preempt "
                                + (estimate.displaced() == 1 ? "it" : "them"));
        if (estimate.placedBefore() == all) {
            return are + "; the existing nodes have room for " + (all == 1 ? "it" : "all of them")
                    + (estimate.onOwnNodes().isEmpty() ? ", so that no new node is needed." : ".") + own;
        }
        return are + "; the existing nodes have room for "
                + (estimate.placedBefore() == 0
                        ? all == 1 ? "none" : "none of them"
                        : estimate.placedBefore() + " of them")
                + "." + own;
    }

    private String expendable(int count) {
        return Names.counted(count, "pod") + " with a priority below " + expendablePodsPriorityCutoff
                + (count == 1 ? " stays" : " stay") + " pending; no nodes are added for expendable pods.";
    }

    private String headline(NodeEstimate best) {
        String type = best.type().name();
        int wanted = best.placed() + best.left().size();
        String which = wanted == 1 ? "the pending pod" : "the " + wanted + " pending pods";
        String limit =
                " The limit of " + Names.counted(maxNodes, "node") + " (--max-nodes) ended the search; more may help.";
        if (best.nodes() == 0) {
            return best.end() == End.LIMIT
                    ? Names.counted(most(best), "new " + type + " node") + (most(best) == 1 ? " does " : " do ")
                            + "not help " + which + "." + limit
                    : "New " + type + " nodes do not help " + which + "; " + most(best)
                            + (most(best) == 1 ? " was" : " were") + " tried.";
        }
        String nodes = Names.counted(best.nodes(), type + " node") + (best.nodes() == 1 ? " fits " : " fit ");
        if (best.end() == End.ALL_FIT) {
            return nodes
                    + (wanted == 1 ? which : "all " + wanted + " pending pods")
                    + (best.nodes() == 1 ? "." : "; " + oneLess(best) + ".")
                    + unsure(best);
        }
        String some = nodes + best.placed() + " of " + which;
        if (best.end() == End.LIMIT) {
            return some + "." + limit + unsure(best);
        }
        String more = best.nodes() == 1 ? "adding a second" : "adding more";
        String tried = most(best) > best.nodes() + 1 ? " (" + most(best) + " were tried)" : "";
        return some + "; " + more + " does not help" + tried + "." + unsure(best);
    }

    private static String oneLess(NodeEstimate best) {
        int left = leftWith(best, best.nodes() - 1);
        return "with " + (best.nodes() - 1) + ", " + left + (left == 1 ? " stays pending" : " stay pending");
    }

    private static String unsure(NodeEstimate best) {
        return best.isEveryNumberTried() ? "" : " Not every number of nodes in between was tried.";
    }

    private static int most(NodeEstimate estimate) {
        return estimate.tried().stream().mapToInt(Attempt::nodes).max().orElse(0);
    }

    private static int leftWith(NodeEstimate estimate, int nodes) {
        return estimate.tried().stream()
                .filter(attempt -> attempt.nodes() == nodes)
                .findFirst()
                .map(Attempt::left)
                .orElse(0);
    }

    private TextTable table() {
        boolean hasPrices = offers.stream().anyMatch(offer -> offer.price.isPresent());
        boolean hasDaemonPods = offers.stream()
                .anyMatch(offer -> !offer.estimate.type().daemonPods().isEmpty());
        TextTable table =
                new TextTable().left("TYPE").right("NODES").right("FIT").right("PENDING");
        if (hasPrices) {
            table.right("PER", "HOUR");
        }
        if (hasDaemonPods) {
            table.right("DAEMON", "PODS");
        }
        table.left("ALLOCATABLE");
        for (Offer offer : offers) {
            NodeEstimate estimate = offer.estimate;
            List<Cell> row = new ArrayList<>(List.of(
                    Cell.of(estimate.type().name()),
                    new Cell(estimate.nodes() + (estimate.end() == End.LIMIT ? "+" : ""), TextStyle.BOLD),
                    Cell.of(Integer.toString(estimate.placed())),
                    new Cell(
                            Integer.toString(estimate.left().size()),
                            offer.isEnough() ? TextStyle.GOOD : TextStyle.BAD)));
            if (hasPrices) {
                row.add(Cell.of(
                        offer.price.isPresent() && estimate.nodes() > 0 ? AmountFormat.money(offer.cost()) : "-"));
            }
            if (hasDaemonPods) {
                row.add(Cell.of(Integer.toString(estimate.type().daemonPods().size())));
            }
            row.add(Cell.of(allocatable(estimate.type().node().allocatableResources())));
            table.row(row);
        }
        return table;
    }

    private static String allocatable(Resources resources) {
        List<String> texts = new ArrayList<>();
        for (ResourceName name : AmountFormat.names(resources)) {
            if (!name.equals(ResourceName.EPHEMERAL_STORAGE) && !name.name().startsWith("hugepages-")) {
                texts.add(AmountFormat.text(name, resources.amount(name)) + " " + name.name());
            }
        }
        return String.join(", ", texts);
    }

    @Override
    public Answer answer() {
        NodeEstimate best = best().estimate;
        return new ScaleUpAnswer(
                best.isComplete(),
                best.waiting(),
                best.placedBefore(),
                best.displaced(),
                best.lost(),
                maxNodes,
                PlacedPod.all(best.onOwnNodes()),
                PlacedPod.all(best.expendable()),
                offers.stream().map(ScaleUpReport::type).toList(),
                mix.map(Mix::of));
    }

    private static NodeType type(Offer offer) {
        NodeEstimate estimate = offer.estimate;
        return new NodeType(
                estimate.type().name(),
                estimate.nodes(),
                estimate.placed(),
                estimate.left().size(),
                estimate.end(),
                estimate.isEveryNumberTried(),
                estimate.type().daemonPods().size(),
                offer.price.isPresent() ? Optional.of(AmountFormat.rounded(offer.cost())) : Optional.empty(),
                estimate.tried().stream()
                        .map(attempt -> new Trial(attempt.nodes(), attempt.left()))
                        .toList(),
                estimate.shownNodes(),
                PlacedPod.all(estimate.pods().pods()));
    }
}
