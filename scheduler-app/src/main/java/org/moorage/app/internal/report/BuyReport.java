// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.report;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import org.moorage.api.model.ResourceName;
import org.moorage.api.model.Resources;
import org.moorage.app.internal.report.TextTable.Cell;
import org.moorage.simulation.whatif.NodeEstimate;
import org.moorage.simulation.whatif.NodeEstimate.Attempt;

/** How many nodes of which type the pods need that wait. */
public final class BuyReport implements Answer {
    private final List<Offer> offers;
    private final int upto;

    /**
     * A type of nodes.
     *
     * @param estimate how many of them it takes
     * @param price what an hour of one costs; empty if it is not known
     */
    public record Offer(NodeEstimate estimate, OptionalDouble price) {
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
     * @param offers the types, one at least
     * @param upto the most nodes of a type that were to be tried
     */
    public BuyReport(List<Offer> offers, int upto) {
        this.offers = new ArrayList<>(offers);
        this.offers.sort(
                Comparator.<Offer>comparingInt(offer -> offer.estimate.left().size())
                        .thenComparingDouble(Offer::cost)
                        .thenComparingInt(offer -> offer.estimate.nodes()));
        this.upto = upto;
    }

    private Offer best() {
        return offers.get(0);
    }

    @Override
    public int exitCode() {
        return best().isEnough() ? 0 : 1;
    }

    @Override
    public void print(Terminal terminal) {
        NodeEstimate best = best().estimate;
        TextTable.printWrapped(waiting(best), terminal);
        if (best.waiting() == best.placedBefore()) {
            return;
        }
        TextTable.printWrapped(headline(best), terminal);
        terminal.out().println();
        table().print(terminal);
        UnplacedRows.print("Left with " + best.nodes() + " of " + best.type() + ":", best.left(), terminal);
    }

    private static String waiting(NodeEstimate estimate) {
        int left = estimate.waiting() - estimate.placedBefore();
        if (estimate.waiting() == 0) {
            return "No pod waits.";
        }
        String pods = estimate.waiting() == 1 ? "1 pod waits" : estimate.waiting() + " pods wait";
        return left == 0
                ? pods + ", and no node needs to be bought: the nodes that are there have room."
                : pods + "; the nodes that are there have room for " + estimate.placedBefore()
                        + ", so that new ones are for " + left + ".";
    }

    private String headline(NodeEstimate best) {
        String nodes = best.nodes() == 1 ? "1 node" : best.nodes() + " nodes";
        if (best.nodes() == 0) {
            return "Nodes of " + best.type() + " place none of them; " + most(best) + " were tried.";
        }
        String place = best.nodes() == 1 ? " places " : " place ";
        String before = best.nodes() == 1
                ? ""
                : " " + (best.nodes() - 1) + " leave" + (best.nodes() == 2 ? "s " : " ")
                        + leftWith(best, best.nodes() - 1) + ".";
        return best.isComplete()
                ? nodes + " of " + best.type() + place + "all of them." + before
                : nodes + " of " + best.type() + place + best.placed() + " of them." + before + " More place no more; "
                        + most(best) + " were tried.";
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
        TextTable table = new TextTable()
                .left("TYPE")
                .left("OF A NODE")
                .right("DAEMON PODS")
                .right("NODES")
                .right("PLACED")
                .right("LEFT");
        if (hasPrices) {
            table.right("AN HOUR");
        }
        for (Offer offer : offers) {
            NodeEstimate estimate = offer.estimate;
            List<Cell> row = new ArrayList<>(List.of(
                    Cell.of(estimate.type().name()),
                    Cell.of(allocatable(estimate.type().node().allocatableResources())),
                    Cell.of(Integer.toString(estimate.type().daemonPods().size())),
                    new Cell(Integer.toString(estimate.nodes()), TextStyle.BOLD),
                    Cell.of(Integer.toString(estimate.placed())),
                    new Cell(
                            Integer.toString(estimate.left().size()),
                            offer.isEnough() ? TextStyle.GOOD : TextStyle.BAD)));
            if (hasPrices) {
                row.add(Cell.of(
                        offer.price.isPresent() && estimate.nodes() > 0
                                ? String.format(Locale.ROOT, "%.2f", offer.cost())
                                : "-"));
            }
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
    public ObjectNode tree() {
        NodeEstimate best = best().estimate;
        ObjectNode tree = JsonNodeFactory.instance.objectNode();
        tree.put("enough", best.isComplete())
                .put("waiting", best.waiting())
                .put("placedBefore", best.placedBefore())
                .put("upto", upto);
        ArrayNode types = tree.putArray("types");
        for (Offer offer : offers) {
            NodeEstimate estimate = offer.estimate;
            ObjectNode entry = types.addObject()
                    .put("type", estimate.type().name())
                    .put("nodes", estimate.nodes())
                    .put("placed", estimate.placed())
                    .put("left", estimate.left().size())
                    .put("daemonPods", estimate.type().daemonPods().size());
            if (offer.price.isPresent()) {
                entry.put("costPerHour", offer.cost());
            }
            ArrayNode attempts = entry.putArray("tried");
            estimate.tried()
                    .forEach(attempt ->
                            attempts.addObject().put("nodes", attempt.nodes()).put("left", attempt.left()));
            ArrayNode pods = entry.putArray("pods");
            estimate.pods().pods().forEach(pod -> FitReport.put(pods.addObject(), pod));
        }
        return tree;
    }
}
