// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.answer;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.moorage.app.internal.report.AmountFormat;

/** The prices per hour of the nodes of a cluster. Immutable. */
public final class NodePrices {
    /** No prices are known. */
    public static final NodePrices NONE = new NodePrices(Map.of());

    private final Map<String, Priced> byNode;

    /**
     * The price of a node.
     *
     * @param type the instance type; the node's name if it has none
     * @param price the price per hour
     */
    public record Priced(String type, double price) {}

    /**
     * The cost of the nodes of a type.
     *
     * @param type the instance type
     * @param nodes the number of nodes
     * @param costPerHour the cost of all of them per hour
     */
    public record TypeCost(String type, int nodes, double costPerHour) {}

    /** Creates the prices of these nodes, by name; empty if no prices are known. */
    public NodePrices(Map<String, Priced> byNode) {
        this.byNode = Map.copyOf(byNode);
    }

    /** Returns whether prices are known. */
    public boolean areKnown() {
        return !byNode.isEmpty();
    }

    /** Returns the price of a node; 0 if it is unknown. */
    public double of(String node) {
        Priced priced = byNode.get(node);
        return priced == null ? 0 : priced.price;
    }

    /** Returns the cost of these nodes per hour, rounded. */
    public double cost(Collection<String> nodes) {
        return AmountFormat.rounded(nodes.stream().mapToDouble(this::of).sum());
    }

    /** Returns the cost of all nodes per hour, rounded. */
    public double cost() {
        return cost(byNode.keySet());
    }

    /** Returns the cost of these nodes by type, in order of the types' names. */
    public List<TypeCost> byType(Collection<String> nodes) {
        Map<String, List<String>> nodesByType = new TreeMap<>();
        for (String node : nodes) {
            Priced priced = byNode.get(node);
            if (priced != null) {
                nodesByType
                        .computeIfAbsent(priced.type, any -> new ArrayList<>())
                        .add(node);
            }
        }
        List<TypeCost> costs = new ArrayList<>();
        nodesByType.forEach((type, ofType) -> costs.add(new TypeCost(type, ofType.size(), cost(ofType))));
        return costs;
    }

    /** Returns a text such as {@code 3 m5.large 0.29, 1 m5.xlarge 0.19}. */
    public static String text(List<TypeCost> costs) {
        Map<String, String> texts = new LinkedHashMap<>();
        costs.forEach(cost ->
                texts.put(cost.type, cost.nodes + " " + cost.type + " " + AmountFormat.money(cost.costPerHour)));
        return Names.first(List.copyOf(texts.values()));
    }
}
