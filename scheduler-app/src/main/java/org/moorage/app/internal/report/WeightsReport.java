// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.report;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;
import org.moorage.api.model.ResourceName;
import org.moorage.app.internal.report.TextTable.Cell;
import org.moorage.simulation.whatif.ClusterBalance;
import org.moorage.simulation.whatif.ClusterBalance.ResourceBalance;
import org.moorage.simulation.whatif.SchedulingOutcome.Demand;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** What a configuration makes of a cluster with other weights of its plugins, a row for each combination of them. */
public final class WeightsReport implements Answer {
    private static final int ROWS = 40;

    private final String name;
    private final Demand demand;
    private final ClusterBalance now;
    private final OutcomeFigures unchanged;
    private final List<Combination> combinations;

    /**
     * A combination of weights.
     *
     * @param weights the weights by plugin
     * @param moved how many pods go elsewhere than by the weights that the configuration has
     * @param figures what comes of it
     */
    public record Combination(Map<String, Integer> weights, int moved, OutcomeFigures figures) {
        /** Weights in words, such as {@code NodeResourcesFit=2, ImageLocality=0}. */
        public static String text(Map<String, Integer> weights) {
            List<String> texts = new ArrayList<>();
            weights.forEach((plugin, weight) -> texts.add(plugin + "=" + weight));
            return String.join(", ", texts);
        }
    }

    /** Which combination comes first: by one of the figures, and of those that are equal by the others in this order. */
    public enum Order {
        UNPLACED,
        UNUSABLE,
        IMBALANCE,
        EMPTY_NODES,
        MOVED;

        // The less, the better.
        private double figure(Combination combination) {
            return switch (this) {
                case UNPLACED -> combination.figures.unplaced();
                case UNUSABLE -> sum(combination, ResourceBalance::fragmentation);
                case IMBALANCE -> sum(combination, ResourceBalance::imbalance);
                case EMPTY_NODES -> -combination.figures.balance().emptyNodes();
                case MOVED -> combination.moved;
            };
        }

        private static double sum(Combination combination, ToDoubleFunction<ResourceBalance> figure) {
            return combination.figures.balance().byResource().values().stream()
                    .mapToDouble(figure)
                    .sum();
        }

        private Comparator<Combination> comparator() {
            Comparator<Combination> comparator = Comparator.comparingDouble(this::figure);
            for (Order other : values()) {
                comparator = comparator.thenComparingDouble(other::figure);
            }
            return comparator;
        }

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }

        /** Takes the names in lower case. */
        public static final class Named implements ITypeConverter<Order> {
            @Override
            public Order convert(String text) {
                for (Order order : values()) {
                    if (order.toString().equals(text)) {
                        return order;
                    }
                }
                List<String> names = Stream.of(values()).map(Order::toString).toList();
                throw new TypeConversionException(
                        "\"" + text + "\" (expected: one of " + String.join(", ", names) + ")");
            }
        }
    }

    /**
     * A report.
     *
     * @param name what the configuration is called
     * @param now how the nodes are filled before
     * @param unchanged what comes of the weights that the configuration has
     * @param combinations what comes of others
     */
    public WeightsReport(
            String name,
            Demand demand,
            ClusterBalance now,
            OutcomeFigures unchanged,
            List<Combination> combinations,
            Order order) {
        this.name = name;
        this.demand = demand;
        this.now = now;
        this.unchanged = unchanged;
        this.combinations = combinations.stream().sorted(order.comparator()).toList();
    }

    @Override
    public int exitCode() {
        return combinations.stream().allMatch(combination -> combination.moved == 0) ? 0 : 1;
    }

    @Override
    public void print(Terminal terminal) {
        long moving = combinations.stream()
                .filter(combination -> combination.moved > 0)
                .count();
        TextTable.printHeadline(
                moving == 0
                        ? "By all " + combinations.size() + " combinations, all pods go to the same nodes."
                        : moving + " of " + combinations.size() + " combinations have pods go elsewhere than by " + name
                                + ".",
                terminal);
        TextTable.printWrapped(CompareReport.scheduled(demand), terminal);
        terminal.out().println();
        List<ResourceName> resources = resources();
        table(resources).print(terminal);
        if (combinations.size() > ROWS) {
            terminal.out().println("and " + (combinations.size() - ROWS) + " more combinations (-o json has all)");
        }
        terminal.out().println();
        TextTable.printWrapped(
                OutcomeFigures.EXPLAINED + " Both are of "
                        + String.join(
                                ", ", resources.stream().map(ResourceName::name).toList())
                        + ".",
                terminal);
    }

    private TextTable table(List<ResourceName> resources) {
        TextTable table = new TextTable().right("MOVED").right("NOT PLACED");
        if (!demand.anew().isEmpty()) {
            table.right("LEFT THEIR NODE");
        }
        table.right("EMPTY NODES").right("IMBALANCE").right("UNUSABLE, %").left("WEIGHTS");
        table.row(cells("-", unchanged, resources, "those of " + name));
        for (Combination combination : combinations.subList(0, Math.min(ROWS, combinations.size()))) {
            table.row(cells(
                    Integer.toString(combination.moved),
                    combination.figures,
                    resources,
                    Combination.text(combination.weights)));
        }
        return table;
    }

    private List<Cell> cells(String moved, OutcomeFigures figures, List<ResourceName> resources, String weights) {
        List<Cell> cells = new ArrayList<>(List.of(Cell.of(moved), figures.unplacedCell()));
        if (!demand.anew().isEmpty()) {
            cells.add(Cell.of(Integer.toString(figures.leaving())));
        }
        cells.add(Cell.of(Integer.toString(figures.balance().emptyNodes())));
        cells.add(Cell.of(numbers(figures, resources, ResourceBalance::imbalance)));
        cells.add(Cell.of(numbers(figures, resources, ResourceBalance::fragmentation)));
        cells.add(Cell.of(weights));
        return cells;
    }

    private static String numbers(
            OutcomeFigures figures, List<ResourceName> resources, ToDoubleFunction<ResourceBalance> figure) {
        List<String> numbers = new ArrayList<>();
        for (ResourceName resource : resources) {
            numbers.add(OutcomeFigures.number(figure.applyAsDouble(OutcomeFigures.of(figures.balance(), resource))));
        }
        return String.join(" / ", numbers);
    }

    // Those that pods request.
    private List<ResourceName> resources() {
        List<ResourceName> resources = new ArrayList<>();
        for (ResourceName resource : now.byResource().keySet()) {
            boolean isRequested =
                    OutcomeFigures.of(unchanged.balance(), resource).requested() > 0
                            || combinations.stream()
                                    .anyMatch(combination -> OutcomeFigures.of(combination.figures.balance(), resource)
                                                    .requested()
                                            > 0);
            if (isRequested) {
                resources.add(resource);
            }
        }
        return resources;
    }

    @Override
    public ObjectNode tree() {
        ObjectNode tree = JsonNodeFactory.instance.objectNode();
        tree.put("pending", demand.waiting().size())
                .put("rescheduled", demand.anew().size());
        OutcomeFigures.put(tree.putObject("now"), now);
        unchanged.put(tree.putObject("unchanged").put("name", name));
        ArrayNode entries = tree.putArray("combinations");
        for (Combination combination : combinations) {
            ObjectNode entry = entries.addObject();
            combination.weights.forEach(entry.putObject("weights")::put);
            combination.figures.put(entry.put("moved", combination.moved));
        }
        return tree;
    }
}
